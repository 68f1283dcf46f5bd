/**
 * Turns rows into boxes: lays a frame out on a plan. Pure and total: any frame on any plan gives a scene with unique
 * keys whose boxes are inside the stage. Boxes of slabs that look the same are reused from the previous scene, so
 * that changes are found by comparing references.
 */
import { NO_EXTENT, type Place } from "../../engine/frame.ts";
import { CROWD_FROM, Crowd, type SlabRun } from "../crowd.ts";
import { Before, type Draft, emptyDraft, type Source } from "../draft.ts";
import { foldOf, histogramOf } from "../histogram/bars.ts";
import { EMPTY_SCENE, type Histogram, type Origin, type Scene, type SlabBox } from "../scene.ts";
import { capacityFor, fitTiles } from "../tiles.ts";
import { drawCpu } from "./layout_cpu.ts";
import { drawNode, listPanelKey } from "./layout_node.ts";
import { drawSlabs, runOf, TRANSIT_TILE_MAX } from "./layout_slabs.ts";
import type { Plan } from "./plan.ts";
import type { NodePlan } from "./plan_node.ts";
import { seatsOn } from "./seats.ts";
import { listKey } from "./shape.ts";

/** Letters at the ends of a histogram's axis: their size and the line that they stand on, as shares of its height. */
const AXIS_LETTERS = 0.8;
const AXIS_LINE = 0.82;
/** Width of a digit, as a share of its height. */
const LETTER = 0.53;

export function layout(
	plan: Plan,
	source: Source,
	before: Scene = EMPTY_SCENE,
	crowdFrom = CROWD_FROM,
): Scene {
	const slabBytes = source.cache?.size ?? 0;
	const origin = { plan, frame: source.frame, pageBytes: source.pageBytes, slabBytes };
	const { places, slabs: rows } = source.frame;
	const { extents } = source.frame;
	const areAlike = extents.bytes.length === 0 || rows.firstExtent.every((at) => at === NO_EXTENT);
	const isCrowd = rows.count >= crowdFrom && areAlike;
	const known = isCrowd || before.crowd ? EMPTY_SCENE : before;
	const draft = emptyDraft(source, new Before(known, origin));
	const seats = seatsOn(plan, places);
	const own = (numbers: readonly number[]) => {
		const found: Place[] = [];
		for (const i of numbers) found.push(places[i] as Place);
		return found;
	};
	for (const { plan: node, own: numbers } of seats.nodes) drawNode(draft, node, own(numbers));
	for (const { plan: cpu, own: numbers } of seats.cpus)
		drawCpu(draft, cpu, own(numbers), plan.tile);
	const nodes = new Map(plan.nodes.map((n) => [n.node, n]));
	const home = (node: number) => (nodes.get(node) ?? nodes.get(0))?.home;
	const onTheWay = new Map<NodePlan, number>();
	const runs: SlabRun[] = [];
	seats.spots.forEach((spot, i) => {
		const place = places[i];
		if (!spot || !place || place.nrSlabs === 0) return;
		const { node, area } = spot;
		const before = area === node.transit ? (onTheWay.get(node) ?? 0) : 0;
		if (area === node.transit) {
			onTheWay.set(node, before + place.nrSlabs);
			nameTransit(draft, node, before + place.nrSlabs);
		}
		const isHistogram = area !== node.transit && node.long.has(listKey(place));
		const run = runOf(
			place,
			area,
			before,
			plan.tile,
			isHistogram ? foldIn(node, place) : undefined,
		);
		if (run.fold) drawHistogram(draft, node, histogramOf(source, place, area, run.fold));
		if (isCrowd) runs.push(run);
		else drawSlabs(draft, run, home);
	});
	return finished(plan, draft, isCrowd ? new Crowd(source, runs, home) : undefined, origin);
}

function finished(plan: Plan, draft: Draft, crowd: Crowd | undefined, origin: Origin): Scene {
	const { slabs, arrays, histograms, panels, labels, marks } = draft;
	let made: readonly SlabBox[] | undefined = crowd ? undefined : slabs;
	return {
		width: plan.width,
		height: plan.height,
		get slabs() {
			made ??= crowd?.all() ?? [];
			return made;
		},
		crowd,
		arrays,
		histograms,
		flying: [],
		panels,
		labels,
		marks,
		finest: Math.min(finestOf(draft), crowd?.finest() ?? Number.POSITIVE_INFINITY),
		origin,
	};
}

function finestOf({ slabs, arrays }: Draft): number {
	let finest = Number.POSITIVE_INFINITY;
	for (const boxes of [arrays, slabs]) {
		for (const { w, h, columns, rows } of boxes) finest = Math.min(finest, w / columns, h / rows);
	}
	return finest;
}

const foldIn = (node: NodePlan, place: Place) => (tile: number) =>
	foldOf(listPanelKey(node, place), tile, node.long.get(listKey(place)) ?? false);

/** Its bars, and the ends of its axis. */
function drawHistogram(draft: Draft, { axis }: NodePlan, histogram: Histogram): void {
	draft.histograms.push(histogram);
	const { key, x, y, w, h, unit, most, bars } = histogram;
	if (axis === 0 || bars.length < 2) return;
	const sign = unit === "percent" ? " %" : "";
	const size = axis * AXIS_LETTERS;
	const end = `${most}${sign} free`;
	const label = (name: string, at: number, text: string) => ({
		key: `axis:${name}:${key}`,
		x: at,
		y: y + h + axis * AXIS_LINE,
		w: x + w - at + 1,
		text,
		details: [],
		size,
		strong: false,
		lit: false,
		on: "paper" as const,
	});
	draft.labels.push(label("least", x, `0${sign} free`));
	draft.labels.push(label("most", x + w - size * LETTER * end.length, end));
}

/** The panel behind slabs that are between two places. */
function nameTransit(draft: Draft, { node, transit, line }: NodePlan, nrSlabs: number): void {
	const { size, gap } = fitTiles(transit, capacityFor(nrSlabs, 2), TRANSIT_TILE_MAX);
	const x = transit.x + nrSlabs * (size + gap) + 2;
	draft.labels.push({
		key: `transit:${node}/${nrSlabs}`,
		x,
		y: transit.y + transit.h / 2 + line * 0.2,
		w: transit.x + transit.w - x,
		text: "on the way",
		details: [],
		size: Math.min(11, line * 0.6),
		strong: false,
		lit: true,
		on: "paper",
	});
}
