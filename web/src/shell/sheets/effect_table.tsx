/** The measured effect of a parameter's other values, as differences from the machine on the stage. */
import type { Measured } from "#wasm";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, percent } from "../../base/format.ts";
import type { CostParam, Param } from "../../engine/types.ts";
import { type Head, Heads, LinkButton, Scrolls } from "../../ui/controls.tsx";
import {
	type Effect,
	type Effects,
	METRICS,
	measureEffects,
	othersOf,
	useEffects,
} from "./effect.ts";
import css from "./panels.module.css";

export function EffectOf({ param, label }: { param: Param | CostParam; label: string }) {
	const built = useFacts((f) => f.built);
	const effects = useEffects((e) => (e.built === built ? e.of[param.key] : undefined));
	if (othersOf(param).others.length === 0) return null;
	return (
		<>
			{!effects?.isRunning && (
				<p className="small">
					<LinkButton
						aria-label={`Measure ${label} on this trace`}
						onClick={() => void measureEffects(param)}
					>
						Measure on this trace
					</LinkButton>
				</p>
			)}
			<div role="status" aria-label={`Effect of ${label}`} className="small">
				{effects && <Results effects={effects} value={param.value} />}
			</div>
		</>
	);
}

const COLUMNS: readonly Head[] = [
	"Value",
	["Slabs", "Most slabs at once"],
	["Memory", "Most bytes in slabs at once"],
	["Slow paths", "Allocations and frees that left the fast path"],
	["Model cycles", "They compare machines; they do not predict times"],
];

function Results({
	effects: { base, now, others, isRunning, sentence },
	value,
}: {
	effects: Effects;
	value: string;
}) {
	if (sentence !== "") return <p className="danger">{sentence}</p>;
	return (
		<>
			{base.length > 0 && (
				<Scrolls label="Effect, scrolls">
					<table className={`${css.effects} number`}>
						<caption className="hidden">Differences from the machine on the stage</caption>
						<Heads of={COLUMNS} />
						<tbody>
							<tr>
								<th scope="row">
									{value}
									{now !== undefined && value !== String(now) && ` (${count(now)})`}
								</th>
								{METRICS.map((key) => (
									<td key={key}>{shown(key, numberOf(base, key))}</td>
								))}
							</tr>
							{others.map((effect) => (
								<Row key={effect.value} base={base} effect={effect} />
							))}
						</tbody>
					</table>
				</Scrolls>
			)}
			{isRunning && <p className="quiet">Replaying the trace …</p>}
		</>
	);
}

function Row({
	base,
	effect: { value, rows, why },
}: {
	base: readonly Measured[];
	effect: Effect;
}) {
	return (
		<tr>
			<th scope="row">{value}</th>
			{why !== "" ? (
				<td colSpan={METRICS.length} className={css.why}>
					{why}
				</td>
			) : (
				METRICS.map((key) => (
					<td key={key}>{difference(key, numberOf(base, key), numberOf(rows, key))}</td>
				))
			)}
		</tr>
	);
}

type Metric = (typeof METRICS)[number];

const numberOf = (rows: readonly Measured[], key: Metric) => rows.find((r) => r.key === key)?.value;

/** The unit is in the head of the column, but that of bytes changes with the number. */
const shown = (key: Metric, value: number | undefined) =>
	value === undefined ? "–" : key === "slab_bytes_peak" ? bytes(value) : count(value);

function difference(key: Metric, before: number | undefined, after: number | undefined): string {
	if (before === undefined || after === undefined) return shown(key, after);
	if (after === before) return "same";
	const by = Math.abs(after - before);
	const share = before > 0 ? ` (${percent(by, before)})` : "";
	return `${after > before ? "+" : "−"}${shown(key, by)}${share}`;
}
