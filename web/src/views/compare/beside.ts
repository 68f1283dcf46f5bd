/** The same event on two machines, side by side: plans with their common rows at equal heights, slabs that agree, steps by place. */
import { Verb } from "#abi";
import { type Frame, NONE } from "../../engine/frame.ts";
import { holdsSheaves } from "../../engine/place_kinds.ts";
import { isFolded } from "../../scene/geometry.ts";
import { type EventSteps, type StepPlace, wordsOf } from "../../scene/layout/path.ts";
import { makePlan, openNodes, type Plan } from "../../scene/layout/plan.ts";
import type { Row } from "../../scene/layout/rows.ts";
import { listKey, type Shape } from "../../scene/layout/shape.ts";
import type { Rect, Scene, SlabBox } from "../../scene/scene.ts";

/** Slabs that agree are pale. */
const PALE = 0.32;

/** Chooses the columns that are wide: nodes where the event acts on either machine; undefined if all have room and steps. */
export function openOf(
	machine: Pick<Shape, "width" | "nrNodes" | "nodeOfCpu">,
	events: readonly EventSteps[],
): number[] | undefined {
	const { nrNodes, nodeOfCpu } = machine;
	const all = events.flatMap(({ cpu, steps }) => [
		nodeOfCpu[cpu] ?? 0,
		...steps.map((step) => (step.cpu === cpu ? step.node : (nodeOfCpu[step.cpu] ?? step.node))),
	]);
	const acting = [...new Set(all)].filter((node) => node < nrNodes);
	return openNodes(machine, acting, true);
}

/** Makes plans whose common rows take their heights from the machine with more rows that the other lacks. */
export function plansBeside(shapes: readonly Shape[]): Plan[] {
	const plans = shapes.map((shape) => makePlan(shape));
	const [first, second] = plans.map(heightsIn);
	if (!first || !second || plans.some(({ corridors }) => corridors.length > 1)) return plans;
	const common = Object.keys(first).filter((rank) => rank in second);
	const sum = (heights: Heights) => common.reduce((all, rank) => all + (heights[rank] ?? 0), 0);
	const from = sum(first) < sum(second) ? first : second;
	const heights = Object.fromEntries(common.map((rank) => [rank, from[rank] ?? 0]));
	const areAlike = common.every((rank) => first[rank] === second[rank]);
	return areAlike ? plans : shapes.map((shape) => makePlan({ ...shape, heights }));
}

type Heights = Readonly<Record<string, number>>;

function heightsIn({ rows }: Plan): Heights {
	return Object.fromEntries(rows.map(({ row, band }) => [row.rank, band.h]));
}

/** Serial numbers of the slabs that are on the same list on both machines, and of those that aren't. */
export interface Agreement {
	readonly same: ReadonlySet<number>;
	readonly other: ReadonlySet<number>;
}

/** Only for machines whose serial numbers mean the same slabs. */
export function agreementOf(here: Frame, there: Frame): Agreement {
	const [mine, theirs] = [listsOf(here), listsOf(there)];
	const all = [...new Set([...mine.keys(), ...theirs.keys()])];
	const same = new Set(all.filter((serial) => mine.get(serial) === theirs.get(serial)));
	return { same, other: new Set(all.filter((serial) => !same.has(serial))) };
}

function listsOf({ slabs, places }: Frame): Map<number, string> {
	const lists = new Map<number, string>();
	for (let row = 0; row < slabs.count; row++) {
		const place = places[slabs.place[row] ?? 0];
		const where = place && `${place.cpu}/${place.node}/${listKey(place)}`;
		lists.set(slabs.serial[row] ?? 0, `${slabs.objects[row]} in ${where}`);
	}
	return lists;
}

/** A scene in which slabs that agree are pale and those that the event touches are ringed, and the boxes of slabs on one list only. */
export function dimmed(
	scene: Scene,
	touched: ReadonlySet<number>,
	agreement: Agreement | undefined,
): { readonly scene: Scene; readonly differing: readonly Rect[] } {
	// A crowd has no box for each of its slabs.
	if (scene.crowd) return { scene, differing: [] };
	const slabs = scene.slabs.map((slab) => {
		if (touched.has(slab.serial)) return { ...slab, lit: true };
		return agreement?.same.has(slab.serial) ? { ...slab, alpha: PALE } : slab;
	});
	const isDiffering = (slab: SlabBox) =>
		!slab.lit && !isFolded(slab, 1) && agreement?.other.has(slab.serial);
	return { scene: { ...scene, slabs }, differing: slabs.filter(isDiffering) };
}

/** An event's steps, with what they do and their cycles. */
export interface CostedSteps extends EventSteps {
	readonly verbs: readonly number[];
	readonly cyclesOf: Uint32Array;
}

/** The steps that do the same thing, on each machine. */
export interface StepsAt {
	/** "finds nothing in the node partial list of node 1". */
	readonly name: string;
	/** From 0. */
	readonly at: readonly [readonly number[], readonly number[]];
	/** Step numbers, "2, 5–7"; "" for none. */
	readonly words: readonly [string, string];
	readonly cycles: readonly [number, number];
	readonly isCommon: boolean;
}

/** Groups steps by what they do and where, in the order of the first machine. */
export function stepsBeside(
	events: readonly [CostedSteps, CostedSteps],
	rows: readonly Row[],
): StepsAt[] {
	const deeds = events.map((event) => deedsOf(event, rows));
	return [...new Set(deeds.flat())].map((name) => {
		const stepsOf = (nr: 0 | 1) => (deeds[nr] ?? []).flatMap((own, i) => (own === name ? [i] : []));
		const at = [stepsOf(0), stepsOf(1)] as const;
		const cycles = (nr: 0 | 1) => at[nr].reduce((sum, i) => sum + (events[nr].cyclesOf[i] ?? 0), 0);
		const words = (nr: 0 | 1) => wordsOf(at[nr].map((i) => ({ from: i, to: i })));
		const isCommon = at.every((steps) => steps.length > 0);
		return { name, at, words: [words(0), words(1)], cycles: [cycles(0), cycles(1)], isCommon };
	});
}

interface Deed {
	/** "" for a step without a place. */
	readonly place: string;
	/** "" for a step that only compares or announces. */
	readonly words: string;
}

/** Says what each step does. One that only compares belongs to a neighbour at its place, one without a place to the step before. */
function deedsOf({ steps, verbs }: CostedSteps, rows: readonly Row[]): string[] {
	const deeds = steps.map((step, i) => deedOf(step, verbs[i], rows));
	let last = deeds.find(({ words }) => words !== "")?.words ?? "other steps";
	return deeds.map(({ place, words }, i) => {
		const beside = [deeds[i - 1], deeds[i + 1]].find((deed) => deed?.words && deed.place === place);
		last = words || (place && (beside?.words ?? `looks at ${place}`)) || last;
		return last;
	});
}

function deedOf(step: StepPlace, verb: number | undefined, rows: readonly Row[]): Deed {
	const row = rows.find(({ rank }) => rank === step.rank);
	if (!row) return { place: "", words: "" };
	const place = placeOf(row, step);
	const moved = row.kinds.some(holdsSheaves) ? "sheaf" : "slab";
	const words: Readonly<Record<number, string>> = {
		[Verb.VERB_ASKS]: `asks ${place}`,
		[Verb.VERB_IN_VAIN]: `finds nothing in ${place}`,
		[Verb.VERB_GIVES]: `takes from ${place}`,
		[Verb.VERB_MOVES]: `moves a ${moved} to ${place}`,
		[Verb.VERB_RETURNS]: `returns to ${place}`,
	};
	return { place, words: words[verb ?? Verb.VERB_NOTES] ?? "" };
}

function placeOf({ name, of }: Row, { cpu, node }: StepPlace): string {
	if (of === "cpu" || of === "names") return `the ${name} of CPU ${cpu}`;
	return of === "common" || node === NONE ? `the ${name}` : `the ${name} of node ${node}`;
}
