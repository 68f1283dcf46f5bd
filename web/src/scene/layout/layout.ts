/**
 * Turns rows into boxes: lays a frame out on a plan. Pure and total: any frame on any plan gives a scene with unique
 * keys whose boxes are inside the stage. Boxes of slabs that look the same are reused from the previous scene, so
 * that changes can be found by comparing references.
 */

import { count, quantity } from "../../base/format.ts";
import { NO_EXTENT, type Place } from "../../engine/frame.ts";
import { CROWD_FROM, Crowd, type SlabRun } from "../crowd.ts";
import {
	Before,
	type Draft,
	emptyDraft,
	type Naming,
	panelOn,
	type RowCost,
	type Source,
} from "../draft.ts";
import { histogramOf } from "../histogram/bars.ts";
import {
	EMPTY_SCENE,
	type Histogram,
	type Label,
	type Origin,
	type Rect,
	type Scene,
	type SlabBox,
} from "../scene.ts";
import { capacityFor, fitTiles } from "../tiles.ts";
import { drawCpu, nameCpu } from "./layout_cpu.ts";
import { drawNode, nameNode, transitIn } from "./layout_node.ts";
import { drawSlabs, headAndRest, runOf, TRANSIT_TILE_MAX } from "./layout_slabs.ts";
import type { Plan, RowPlan } from "./plan.ts";
import type { NodePlan } from "./plan_node.ts";
import { type Seats, seatsOn } from "./seats.ts";

/** Letters at the ends of a histogram's axis: their size and their baseline, as shares of its height. */
const AXIS_LETTERS = 0.65;
const AXIS_LINE = 0.86;
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
	drawRows(draft, plan);
	for (const { plan: node, own } of seats.nodes)
		drawNode(draft, node, placesOf(own, places), plan.rows);
	for (const { plan: cpu, own } of seats.cpus)
		drawCpu(draft, cpu, placesOf(own, places), plan.line);
	const nodes = new Map(plan.nodes.map((n) => [n.node, n]));
	const home = (node: number) => (nodes.get(node) ?? nodes.get(0))?.home;
	const onTheWay = new Map<NodePlan, number>();
	const runs: SlabRun[] = [];
	seats.spots.forEach((spot, i) => {
		const place = places[i];
		if (!spot || !place || place.nrSlabs === 0) return;
		const { node } = spot;
		const onWay = spot.area === node.transit;
		const before = onWay ? (onTheWay.get(node) ?? 0) : 0;
		if (onWay) onTheWay.set(node, before + place.nrSlabs);
		const area = onWay ? transitIn(source, node) : spot.area;
		const run = runOf(place, onWay ? { ...spot, area } : spot, before);
		if (run.fold) draft.histograms.push(histogramOf(source, place, area, run.fold));
		if (spot.head) runs.push(...headAndRest(run, spot.head, spot));
		else runs.push(run);
	});
	if (!isCrowd) for (const run of runs) drawSlabs(draft, run, home);
	const names = () => namesOf(source, plan, seats, draft.histograms, onTheWay);
	return finished(plan, draft, isCrowd ? new Crowd(source, runs, home) : undefined, origin, names);
}

function placesOf(numbers: readonly number[], places: readonly Place[]): Place[] {
	const found: Place[] = [];
	for (const i of numbers) found.push(places[i] as Place);
	return found;
}

/** Text is made only when somebody reads it, because it stands still during fast play. */
function finished(
	plan: Plan,
	draft: Draft,
	crowd: Crowd | undefined,
	origin: Origin,
	names: () => readonly Label[],
): Scene {
	const { slabs, arrays, histograms, panels, marks } = draft;
	let made: readonly SlabBox[] | undefined = crowd ? undefined : slabs;
	let labels: readonly Label[] | undefined;
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
		get labels() {
			labels ??= names();
			return labels;
		},
		marks,
		get finest() {
			return Math.min(finestOf(draft), crowd?.finest() ?? Number.POSITIVE_INFINITY);
		},
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

/** Lays out all the text of a scene. */
function namesOf(
	source: Source,
	plan: Plan,
	{ nodes, cpus, spots }: Seats,
	histograms: readonly Histogram[],
	onTheWay: ReadonlyMap<NodePlan, number>,
): readonly Label[] {
	const naming: Naming = { source, labels: [] };
	const { places } = source.frame;
	nameRows(naming, plan);
	for (const { plan, own } of nodes)
		nameNode(naming, plan, placesOf(own, places), onTheWay.has(plan));
	for (const { plan, own } of cpus) nameCpu(naming, plan, placesOf(own, places));
	for (const [node, nrSlabs] of onTheWay) nameTransit(naming, node, nrSlabs);
	const axes = new Map(spots.map((spot) => [spot?.foldKey, spot?.axis ?? 0]));
	for (const histogram of histograms) nameAxis(naming, axes.get(histogram.key) ?? 0, histogram);
	return naming.labels;
}

/** Labels the ends of a histogram's axis. */
function nameAxis({ labels }: Naming, axis: number, histogram: Histogram): void {
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
	labels.push(label("least", x, `0${sign} free`));
	labels.push(label("most", x + w - size * LETTER * end.length, end));
}

/** Lays the panel under slabs that are between two places. */
function nameTransit({ labels, source }: Naming, plan: NodePlan, nrSlabs: number): void {
	const { node, line } = plan;
	const transit = transitIn(source, plan);
	const { size, gap } = fitTiles(transit, capacityFor(nrSlabs, 2), TRANSIT_TILE_MAX);
	const x = transit.x + nrSlabs * (size + gap) + 2;
	labels.push({
		key: `transit:${node}/${nrSlabs}`,
		x,
		y: transit.y + transit.h / 2 + line * 0.2,
		w: transit.x + transit.w - x,
		text: "on the way",
		details: [],
		size: Math.min(11, line * 0.62),
		strong: false,
		lit: true,
		on: "paper",
	});
}

/** The size of the letters of a name, and of the words below it, in line heights. */
const NAME = 0.66;
const WORDS = 0.62;
/** The height of a share's bar, and of a row that has room for it, in lines. */
const BAR = { h: 4, from: 2.9 };
/** A lower row has room only for its name. */
const LOW = 1.9;
/** The least width of the words about costs. */
const WORDS_FROM = 80;

/** Caches the bar for a row's share: the same rectangle as long as the plan stays. */
const BARS = new WeakMap<RowPlan, Rect>();

export function drawRows({ panels, source }: Draft, { rows, line }: Plan): void {
	for (const { key, band, depth } of rows)
		panels.push(panelOn(band, "row", `row:${key}`, false, depth));
	for (const row of rows) {
		const cost = costsOf(source.costs, row)[0];
		if (!cost || row.tier > 0 || row.band.h < line * BAR.from || row.label.w < WORDS_FROM) continue;
		const bar = BARS.get(row) ?? barIn(row, line);
		BARS.set(row, bar);
		panels.push(panelOn(bar, "share", `share:${row.key}`, false, cost.share / 10_000));
	}
}

function barIn({ label }: RowPlan, line: number): Rect {
	const y = Math.round(label.y + line * 2.15);
	return { x: label.x, y, w: Math.round(label.w * 0.86), h: BAR.h };
}

function costsOf(costs: readonly RowCost[] | undefined, { row: { rank } }: RowPlan): RowCost[] {
	return (costs ?? [])
		.filter((cost) => cost.rank === rank)
		.sort((a, b) => Number(a.isFar) - Number(b.isFar));
}

export function nameRows({ labels, source }: Naming, { rows, line }: Plan): void {
	const first = rows.find((row) => costsOf(source.costs, row).length > 0);
	for (const row of rows) {
		const { label, key } = row;
		if (label.w === 0) continue;
		const { name, short } = row.row;
		const isLow = label.h < line * LOW;
		const isNarrow = label.w < WORDS_FROM;
		const of = { x: label.x, w: label.w, lit: false, on: "row" as const };
		labels.push({
			...of,
			key: `row:${key}`,
			y: label.y + (isLow ? (label.h + line * NAME) / 2 - 1 : line * 0.9),
			text: isNarrow ? short : name,
			short,
			details: [],
			size: line * NAME,
			strong: true,
		});
		if (isLow) continue;
		let y = label.y + line * 1.8;
		for (const [i, details] of wordsOf(source, row, row === first).entries()) {
			if (y > label.y + label.h - 2) break;
			const size = line * WORDS;
			labels.push({ ...of, key: `cost:${key}/${i}`, y, text: "", details, size, strong: false });
			// The bar for the share is below the first line.
			y += line * (i === 0 && !isNarrow ? 1.35 : 0.95);
		}
	}
}

/** Says what events that end here cost, and their share; or says something short about the row. */
function wordsOf(source: Naming["source"], row: RowPlan, isFirst: boolean): string[][] {
	const costs = row.tier > 0 ? [] : costsOf(source.costs, row);
	if (costs.length === 0) return row.row.remark === undefined ? [] : [[row.row.remark]];
	const all = costs.map(({ cycles, share, isFar }) => {
		const number = count(cycles);
		const percent = `${(share / 100).toFixed(share < 1000 ? 1 : 0)} %`;
		return isFar
			? [`elsewhere ${number} · ${percent}`, `elsewhere ${number}`, `others ${number}`, number]
			: [`${quantity(cycles, "cycle")} · ${percent}`, quantity(cycles, "cycle"), number];
	});
	return isFirst ? [...all, ["of all allocations"]] : all;
}
