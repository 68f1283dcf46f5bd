/** The measured effect of a parameter's other values, as differences from the machine on the stage. */

import { useStore } from "zustand";
import {
	createMeasuring,
	isKnown,
	type Measuring,
	measuredIn,
	type Replayed,
} from "../../app/playback/many_replays.ts";
import { facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, percent } from "../../base/format.ts";
import type { Built, CacheRow, CostParam, Param } from "../../engine/types.ts";
import { type Head, Heads, LinkButton, Scrolls } from "../../ui/controls.tsx";
import css from "./sheets.module.css";

export function EffectOf({ param, label }: { param: Param | CostParam; label: string }) {
	const built = useFacts((f) => f.built);
	const measuring = useStore(effectsOf(param.key).store);
	const isOwn = measuring.built === built;
	if (othersOf(param).others.length === 0) return null;
	return (
		<>
			{!(isOwn && measuring.isRunning) && (
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
				{isOwn && <Results {...measuring} value={param.value} />}
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

interface ResultsProps extends Measuring<Asked> {
	/** The value in use. */
	readonly value: string;
}

function Results({ question, replays, isRunning, sentence, value }: ResultsProps) {
	const [base, ...replayed] = replays;
	const { now, others = [] } = question ?? {};
	const why = sentence || base?.why;
	if (why) return <p className="danger">{why}</p>;
	return (
		<>
			{base?.rows && (
				<Scrolls label="Effect, scrollable">
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
									<td key={key}>{shown(key, measuredIn(base, key)?.value)}</td>
								))}
							</tr>
							{replayed.map(
								(other, i) =>
									isKnown(other) && (
										<Row key={others[i]} value={others[i] ?? ""} base={base} other={other} />
									),
							)}
						</tbody>
					</table>
				</Scrolls>
			)}
			{isRunning && <p className="quiet">Replaying the trace …</p>}
		</>
	);
}

interface RowProps {
	readonly value: string;
	readonly base: Replayed;
	readonly other: Replayed;
}

function Row({ value, base, other }: RowProps) {
	return (
		<tr>
			<th scope="row">{value}</th>
			{other.why !== "" ? (
				<td colSpan={METRICS.length} className={css.why}>
					{other.why}
				</td>
			) : (
				METRICS.map((key) => (
					<td key={key}>
						{difference(key, measuredIn(base, key)?.value, measuredIn(other, key)?.value)}
					</td>
				))
			)}
		</tr>
	);
}

type Metric = (typeof METRICS)[number];

/** The unit is in the column's head, except that the unit of bytes changes with the number. */
const shown = (key: Metric, value: number | undefined) =>
	value === undefined ? "–" : key === "slab_bytes_peak" ? bytes(value) : count(value);

function difference(key: Metric, before: number | undefined, after: number | undefined): string {
	if (before === undefined || after === undefined) return shown(key, after);
	if (after === before) return "same";
	const by = Math.abs(after - before);
	const share = before > 0 ? ` (${percent(by, before)})` : "";
	return `${after > before ? "+" : "−"}${shown(key, by)}${share}`;
}

/* Replays of the trace with another value of a parameter, and without; what they found stays while the page lives. */

/** The values to measure, beside the number in effect; undefined if that is not a number, or not reported. */
interface Asked {
	readonly now: number | undefined;
	readonly others: readonly string[];
}

/** The measurement of each parameter, by its key. */
const all = new Map<string, ReturnType<typeof createMeasuring<Asked>>>();

function effectsOf(key: string) {
	const known = all.get(key) ?? createMeasuring<Asked>();
	all.set(key, known);
	return known;
}

/** The numbers to compare, by their names for `slabscope sweep --metric`. */
const METRICS = ["slabs_peak", "slab_bytes_peak", "slow_paths", "cycles"] as const;

/** The values to measure now, with the value in effect. */
function othersOf(param: Param | CostParam): Asked {
	const { built, moment, cache } = facts();
	const row = (moment?.caches ?? built?.caches)?.find((c) => c.name === cache);
	const now = inEffect(param, built, row);
	return { now, others: valuesToTry(param, now) };
}

/** Each value is shown as soon as its replay is done; the first replay is the machine on the stage. */
function measureEffects(param: Param | CostParam): Promise<void> {
	const { trace, machine } = facts();
	const asked = othersOf(param);
	const values = asked.others.map((value) => ({ ...machine.values, [param.key]: value }));
	const machines = [machine, ...values.map((those) => ({ ...machine, values: those }))];
	const replays = machines.map((one) => ({ trace, machine: one }));
	return effectsOf(param.key).start(asked, replays);
}

/* The other values of a parameter whose effect is worth measuring: neighbours of the value in effect, and the ends. */

const MOST_VALUES = 5;
/** A maximum more than this many times larger would describe a machine that nobody has. */
const FAR = 64;
/** Costs have no bounds in the list of parameters. */
const COST_BOUNDS = [0, 1_000_000] as const;

/** Where the core reports the value of an automatic parameter: for the cache on the stage, or for the machine. */
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

/** Returns the number in effect; undefined if an automatic value is not reported. */
export function inEffect(
	{ key, value }: Param | CostParam,
	built: Pick<Built, "nrCpus"> | null,
	cache: CacheRow | undefined,
): number | undefined {
	if (value !== "automatic") return Number.isNaN(Number(value)) ? undefined : Number(value);
	if (key === "cpus") return built?.nrCpus;
	return cache && OF_CACHE[key]?.(cache);
}

/** Lists all the other values of a choice; for a number, half and twice the value, its bounds and its default. */
export function valuesToTry(param: Param | CostParam, now: number | undefined): string[] {
	const { value } = param;
	const byDefault = param.default;
	const isOther = (v: string) => v !== value && v !== String(now);
	const isParam = "type" in param;
	if (isParam && param.type === "choice") return param.values.filter(isOther).slice(0, MOST_VALUES);
	// A different number of nodes would not match the lists that describe them.
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
