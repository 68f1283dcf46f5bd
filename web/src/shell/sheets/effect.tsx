/** The measured effect of a parameter's other values, as differences from the machine on the stage. */

import { create } from "zustand";
import type { Measured } from "#wasm";
import { replayAll } from "../../app/playback/many_replays.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, percent } from "../../base/format.ts";
import type { Built, CacheRow, CostParam, Param } from "../../engine/types.ts";
import { type Head, Heads, LinkButton, Scrolls } from "../../ui/controls.tsx";
import css from "./sheets.module.css";

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
					<table className={`wide small ${css.effects} number`}>
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

/* The effect of another value of a parameter on this trace: a helper worker replays the trace with it, and without. */

/** The replay with one value; `why` if the core refuses it. */
interface Effect {
	readonly value: string;
	readonly rows: readonly Measured[];
	readonly why: string;
}

interface Effects {
	/** The replay of the machine on the stage. */
	readonly base: readonly Measured[];
	/** The number in effect there; undefined if it is not one, or not reported. */
	readonly now: number | undefined;
	readonly others: readonly Effect[];
	readonly isRunning: boolean;
	/** Why nothing could be measured, "" otherwise. */
	readonly sentence: string;
}

interface All {
	/** The trace and the machine that they belong to. */
	readonly built: Built | null;
	readonly of: Readonly<Record<string, Effects>>;
}

const useEffects = create<All>(() => ({ built: null, of: {} }));

/** The numbers that are compared, by their names for `slabscope sweep --metric`. */
const METRICS = ["slabs_peak", "slab_bytes_peak", "slow_paths", "cycles"] as const;

/** The values to measure now, with the value in effect. */
function othersOf(param: Param | CostParam): { now: number | undefined; others: string[] } {
	const { built, moment, cache } = facts();
	const row = (moment?.caches ?? built?.caches)?.find((c) => c.name === cache);
	const now = inEffect(param, built, row);
	return { now, others: valuesToTry(param, now) };
}

function put(built: Built, key: string, some: Partial<Effects>): void {
	const now = useEffects.getState();
	const of = now.built === built ? now.of : {};
	const before = of[key] ?? {
		base: [],
		now: undefined,
		others: [],
		isRunning: false,
		sentence: "",
	};
	useEffects.setState({ built, of: { ...of, [key]: { ...before, ...some } } });
}

/** Measures the values one after another; each is shown as soon as it is known. */
async function measureEffects(param: Param | CostParam): Promise<void> {
	const { built, trace, machine } = facts();
	if (!built) return;
	const { now, others } = othersOf(param);
	put(built, param.key, { base: [], now, others: [], isRunning: true, sentence: "" });
	const values = others.map((value) => ({ ...machine.values, [param.key]: value }));
	const machines = [machine, ...values.map((those) => ({ ...machine, values: those }))];
	const all = machines.map((one) => ({ trace, machine: one }));
	const replays = replayAll(trace, all, 1, (nr, { rows = [], why }) => {
		// Another trace or machine: nobody reads these any more.
		if (facts().built !== built) return replays.stop();
		const value = others[nr - 1];
		const known = useEffects.getState().of[param.key]?.others ?? [];
		if (value !== undefined) put(built, param.key, { others: [...known, { value, rows, why }] });
		else if (why === "") put(built, param.key, { base: rows });
		else {
			put(built, param.key, { sentence: why });
			replays.stop();
		}
	});
	try {
		await replays.done;
	} catch (error) {
		put(built, param.key, { sentence: sentenceOf(error) });
	}
	if (facts().built === built) put(built, param.key, { isRunning: false });
}

/* The other values of a parameter whose effect is worth measuring: neighbours of the value in effect, and the ends. */

const MOST_VALUES = 5;
/** A maximum that is further away than this factor describes a machine that nobody has. */
const FAR = 64;
/** Costs have no bounds in the list of parameters. */
const COST_BOUNDS = [0, 1_000_000] as const;

/** Where the core reports the value that an automatic parameter takes: for the cache on the stage, or for the machine. */
const OF_CACHE: Readonly<Record<string, (cache: CacheRow) => number>> = {
	min_partial: (c) => c.minPartial,
	cpu_partial: (c) => c.cpuPartial,
	limit: (c) => c.limit,
	batchcount: (c) => c.batchcount,
	shared_factor: (c) => c.sharedfactor,
	queue: (c) => c.limit,
	batch: (c) => c.batchcount,
	alien: (c) => c.limit,
};

/** The number in effect; undefined where an automatic value is not reported. */
export function inEffect(
	{ key, value }: Param | CostParam,
	built: Pick<Built, "nrCpus"> | null,
	cache: CacheRow | undefined,
): number | undefined {
	if (value !== "automatic") return Number.isNaN(Number(value)) ? undefined : Number(value);
	if (key === "cpus") return built?.nrCpus;
	return cache && OF_CACHE[key]?.(cache);
}

/** All other values of a choice; of a number half and twice, its bounds and its default. */
export function valuesToTry(param: Param | CostParam, now: number | undefined): string[] {
	const { value } = param;
	const byDefault = param.default;
	const isOther = (v: string) => v !== value && v !== String(now);
	const isParam = "type" in param;
	if (isParam && param.type === "choice") return param.values.filter(isOther).slice(0, MOST_VALUES);
	// Another number of nodes does not suit the lists that describe them.
	const isFixed = isParam && (param.type !== "number" || (param.key === "nodes" && (now ?? 0) > 1));
	if (isFixed) return byDefault === value ? [] : [byDefault];
	const [min, max] = isParam ? [param.min ?? 0, param.max ?? Number.MAX_SAFE_INTEGER] : COST_BOUNDS;
	const near = neighbours(now, min, max).filter((n) => n >= min && n <= max);
	const numbers = [...new Set(near)].sort((a, b) => a - b).map(String);
	return [...new Set([...numbers, byDefault])].filter(isOther).slice(0, MOST_VALUES);
}

function neighbours(now: number | undefined, min: number, max: number): number[] {
	const middle = Math.round(Math.sqrt(Math.max(1, min) * max));
	if (now === undefined) return [min, middle, ...(max <= middle * FAR ? [max] : [])];
	if (now === 0) return [1, middle, ...(max <= middle * FAR ? [max] : [])];
	return [min, Math.floor(now / 2), now * 2, ...(max <= now * FAR ? [max] : [])];
}
