/** Prepares an event's model cycles as the story shows them: the multiple of the fast path, and the segments of the bar. */
import { LEVEL_WORDS, Level, Verb } from "#abi";
import { count, quantity } from "../base/format.ts";
import { NO_SLAB, PAGES } from "../engine/frame.ts";
import { holdsSheaves, ROWS, rankOf } from "../engine/place_kinds.ts";
import type { EventPath, LevelRow } from "../engine/types.ts";

/** Neighbouring steps of one kind. */
export interface Segment {
	/** The kind of step; "" for steps of several kinds. */
	readonly kind: string;
	/** First and last step, from 0. */
	readonly from: number;
	readonly to: number;
	readonly cycles: number;
}

/** A bar with more segments than this joins the smallest ones. */
const SEGMENTS_MOST = 32;

/**
 * Says how many times as much as the fast path an event costs; "" if it costs the same, or if there is no fast path. For
 * every allocator, the core names the fast path: the one step that serves such a request from what the CPU already
 * has. The least cycles of the cache's first level are the same for allocations, but need an index and do not cover
 * frees.
 */
export function multipleOf(cycles: number, fastCycles: number): string {
	if (fastCycles === 0 || cycles === fastCycles) return "";
	const times = cycles / fastCycles;
	return `${times < 10 ? Number(times.toFixed(1)) : count(times)}×`;
}

/** Steps without cycles have no segment. A step whose kind is unknown joins its neighbours of unknown kinds. */
export function segmentsOf(
	cyclesOf: Uint32Array,
	kindOf: (step: number) => string | undefined,
): Segment[] {
	const steps = Array.from(cyclesOf, (cycles, i) => {
		return { kind: kindOf(i) ?? "", from: i, to: i, cycles };
	});
	const segments = joined(steps).filter((s) => s.cycles > 0);
	if (segments.length <= SEGMENTS_MOST) return segments;
	const total = segments.reduce((sum, s) => sum + s.cycles, 0);
	return joined(segments.map((s) => (s.cycles * SEGMENTS_MOST < total ? { ...s, kind: "" } : s)));
}

function joined(segments: readonly Segment[]): Segment[] {
	const all: Segment[] = [];
	for (const segment of segments) {
		const last = all.at(-1);
		if (last?.kind === segment.kind)
			all[all.length - 1] = { ...last, to: segment.to, cycles: last.cycles + segment.cycles };
		else all.push(segment);
	}
	return all;
}

/** Returns the steps of a segment, counted from 1. */
export function stepsOf({ from, to }: Segment): string {
	return from === to ? `step ${count(from + 1)}` : `steps ${count(from + 1)} to ${count(to + 1)}`;
}

/** Levels whose objects stay in their slabs, so that "free into" names the slab. */
const FREED: Readonly<Record<number, string>> = {
	[Level.LEVEL_OWN_NODE]: "free into a slab of this node",
	[Level.LEVEL_OTHER_NODES]: "free into a slab of another node",
	[Level.LEVEL_CPU_PARTIAL]: "free into a slab of a per-CPU partial list",
	[Level.LEVEL_NODE_LISTS]: "free into its slab",
	[Level.LEVEL_PARTIAL_LISTS]: "free into its slab",
	[Level.LEVEL_FULL_SLABS]: "free into a full slab",
	[Level.LEVEL_PAGE_LISTS]: "free into a page with room",
	[Level.LEVEL_FULL_PAGES]: "free into a full page",
	[Level.LEVEL_PAGES]: "pages returned",
};

/**
 * Names for a segment's work, longest first: what a free does ("free into a full slab"), where slabs go ("4 slabs to
 * node partial list"), or the level that is asked. Steps on several levels have no name.
 */
export function namesOf(
	{ from, to }: Pick<Segment, "from" | "to">,
	path: Pick<EventPath, "steps" | "levels">,
	levels: readonly LevelRow[],
): string[] {
	const steps = path.steps.slice(from, to + 1);
	const [{ verb, toKind = -1, fromKind = -1, slab = NO_SLAB } = {}] = steps;
	if (fromKind === PAGES && slab !== NO_SLAB && steps.length === 1) return ["new slab", "slab"];
	const row = ROWS[rankOf(toKind)];
	if (verb === Verb.VERB_MOVES && row && steps.every((step) => step.toKind === toKind)) {
		const nr = steps.length;
		const moved = holdsSheaves(toKind) ? quantity(nr, "sheaf", "sheaves") : quantity(nr, "slab");
		return [`${moved} to ${row.name}`, moved];
	}
	const level = levelOf({ from, to }, path, levels);
	if (level === undefined) return [];
	const place = LEVEL_WORDS[level] ?? "";
	// Nobody asks a full slab: whatever happens there is part of a free.
	if (verb === Verb.VERB_RETURNS || level === Level.LEVEL_FULL_SLABS)
		return [FREED[level] ?? `free into ${place}`, "free"];
	return [place];
}

function levelOf(
	{ from, to }: Pick<Segment, "from" | "to">,
	{ levels: at }: Pick<EventPath, "levels">,
	levels: readonly LevelRow[],
): number | undefined {
	for (let step = from + 1; step <= to; step++) if (at[step] !== at[from]) return undefined;
	return levels[at[from] ?? 0]?.level;
}

/** A tick on the scale: what an event that ends at a level costs on average. */
export interface Tick {
	readonly cycles: number;
	readonly words: string;
	/** Its position, as a share of the scale. */
	readonly at: number;
}

/**
 * Makes one scale for all events of a cache: it ends at the mean of its most expensive level, or at an event that costs
 * more.
 */
export function scaleOf(
	levels: readonly LevelRow[],
	cycles: number,
): { end: number; ticks: Tick[] } {
	const means = levels.flatMap((level) =>
		level.allocs > 0
			? [{ cycles: Math.round(level.cycles / level.allocs), words: LEVEL_WORDS[level.level] ?? "" }]
			: [],
	);
	const dearest = Math.max(cycles, ...means.map((mean) => mean.cycles));
	const end = roundedUp(dearest);
	const ticks = means.map((mean) => ({ ...mean, at: mean.cycles / end }));
	return { end, ticks: ticks.sort((a, b) => a.cycles - b.cycles) };
}

/** Rounds up to two digits: 654 becomes 660, 2,681 becomes 2,700. */
export function roundedUp(cycles: number): number {
	const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, cycles))) - 1);
	return Math.max(1, Math.ceil(cycles / unit) * unit);
}
