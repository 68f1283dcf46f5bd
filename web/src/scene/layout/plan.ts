/**
 * The plan of the stage: where nodes, CPUs, arrays, lists and zones stand on a screen of a given size. It depends on
 * the machine, on the places of its allocator and on how many slabs its lists are planned for (capacity.ts), so it
 * stands still while the trace plays. All lists have tiles of one size: the largest for which everything has room.
 *
 * 	┌ Node 0  CPUs 0–1 ────┐ ┌ Node 1  CPUs 2–3 ────┐
 * 	│ CPU 0   CPU 1        │ │ CPU 2   CPU 3        │   cpu slab, per-CPU partial list, arrays
 * 	│ shared, alien arrays │ │                      │
 * 	│ lists of slabs       │ │                      │   in list order, head first
 * 	│ pages                │ │                      │
 * 	└──────────────────────┘ └──────────────────────┘
 * 	  lists of the whole machine
 */
import { NONE } from "../../engine/frame.ts";
import type { Rect } from "../scene.ts";
import { CARDS_MOST, TILES_MOST, tileSizes } from "../tiles.ts";
import { capacityKey, longAbove } from "./capacity.ts";
import { type CpuBand, type CpuLook, cpuBand } from "./plan_cpu.ts";
import { heightOfLists, type NodePlan, nodePlan, type Part, partsIn } from "./plan_node.ts";
import { type Holdings, listKey, SAMPLE_MOST, type Shape } from "./shape.ts";

export interface CpuPlan extends CpuLook {
	/** Its panel and its label have it. */
	readonly key: string;
	readonly cpu: number;
	readonly node: number;
}

export interface Plan {
	readonly width: number;
	readonly height: number;
	/** Side of the tiles of all lists. */
	readonly tile: number;
	readonly cpus: readonly CpuPlan[];
	readonly nodes: readonly NodePlan[];
}

/** At the sides as much as the stairs and the words over the map have (stage.module.css). */
const SIDES = { most: 20, share: 0.03 };
const MARGIN_MOST = 16;
const COLUMN_GAP = 12;
/** Share of the height for places that belong to no node, if nodes have lists of their own. */
const COMMON_SHARE = 0.26;
/** Height of a node that has none: its CPUs and its zones. */
const BARE_NODE = 104;
/** A wide column against another. */
const WIDE = 2;
/** In columns that are this much wider than high, CPUs may stand beside the lists, with one of these shares. */
const BESIDE_FROM = 1.6;
const BESIDE = [0, 0.24, 0.34, 0.46];
/** And one of these, if lists stay short. */
const BESIDE_SHORT = [...BESIDE, 0.58, 0.7];
/** How much larger parts of CPUs than tiles of lists are worth anything, and how much against a larger tile. */
const CARD_OVER_TILE = 3.2;
const SQUARE_OVER_TILE = 1.4;
const CPU_WORTH = 1;
/** The size of tiles from which full, partial and empty slabs are easy to distinguish, and the cost of smaller ones. */
const CLEAR_FROM = 12;
const SMALL_COST = 1.5;
/** The least height of the CPUs, as a share of their column. */
const CPUS_LEAST = 0.14;
const CARD_LEAST = 34;
const CARD_WIDTH_LEAST = 64;
/** Lists narrower than this have no room for all words over them, or for none. */
const ROOMY = 220;
const READABLE = 104;
const READABLE_LEAST = 46;
const ACROSS_MOST = 8;
/** Smaller tiles say less about a list than a histogram does. */
const TILE_LEAST = 4;
/**
 * Where lists leave no room for such tiles, histograms become lower, and shorter lists become histograms too: the
 * height of one in lines, and the length of a list from which it is one.
 */
const HISTOGRAMS = [
	{ lines: 3.6, above: TILES_MOST },
	{ lines: 2.2, above: TILES_MOST },
	{ lines: 2.2, above: 150 },
	{ lines: 1.6, above: 75 },
	{ lines: 1, above: 35 },
	{ lines: 0.7, above: 15 },
] as const;

/** A column of the stage, before it is known how large its tiles are. */
interface Column {
	readonly node: number;
	readonly parts: Part;
	readonly cpus: readonly number[];
	readonly lists: Holdings["lists"];
	/** Capacities of its lists, in their order. */
	readonly capacities: readonly number[];
}

/** How a column is divided. */
interface Division {
	readonly tile: number;
	/** Lists side by side. */
	readonly across: number;
	/** Share of the width for the CPUs; 0: they stand above the lists. */
	readonly beside: number;
	/** Height of a histogram, in lines. */
	readonly lines: number;
}

export function makePlan(shape: Shape): Plan {
	const side = Math.round(Math.min(SIDES.most, shape.width * SIDES.share));
	const margin = Math.round(Math.min(MARGIN_MOST, shape.width * 0.015, shape.height * 0.03));
	const outer = {
		x: side,
		y: margin,
		w: Math.max(0, shape.width - 2 * side),
		h: Math.max(0, shape.height - 2 * margin),
	};
	const { common, node: holdings, nrNodes } = shape;
	const hasCommon = common.lists.length + common.arrays.length > 0;
	const isBare = holdings.lists.length + holdings.arrays.length === 0;
	const band = hasCommon ? commonHeight(shape, outer, isBare) : 0;
	const areSquares = shape.nodeOfCpu.length > CARDS_MOST;
	const planned = nodeColumns(shape, { ...outer, h: outer.h - band }).map((card, node): Column => {
		const cpus = shape.nodeOfCpu.flatMap((n, cpu) => (n === node ? [cpu] : []));
		const parts = partsIn(card, holdings, { hasZones: true, hasName: true });
		const capacities = capacitiesIn(shape, node, nrNodes);
		return { node, parts, cpus, capacities, lists: holdings.lists };
	});
	if (hasCommon) {
		const gap = Math.min(COLUMN_GAP, band * 0.06);
		const card = { ...outer, y: outer.y + outer.h - band + gap, h: band - gap };
		const parts = partsIn(card, common, { hasZones: false, hasName: false });
		const capacities = capacitiesIn(shape, NONE, nrNodes);
		planned.push({ node: NONE, parts, cpus: [], capacities, lists: common.lists });
	}
	const { columns, division } = divide(planned, shape, areSquares);
	const room = Math.max(roomForCpus(columns, division), leastHeight(columns));
	const bands = columns.map((c) => bandOf(c, division, shape, areSquares, room));
	// Lists begin at the same height in all columns.
	const height = Math.max(...bands.map((b) => b.height));
	return {
		width: shape.width,
		height: shape.height,
		tile: division.tile,
		cpus: columns.flatMap(({ node, cpus }, i) =>
			(bands[i]?.cpus ?? []).flatMap((look, k) => {
				const cpu = cpus[k];
				return cpu === undefined ? [] : [{ key: `cpu:${cpu}`, cpu, node, ...look }];
			}),
		),
		nodes: columns.map(({ node, parts, cpus, lists, capacities }) => {
			const { arrays } = node === NONE ? common : holdings;
			const own = { ...division, cpus, capacities, lists, arrays };
			return nodePlan(node, parts, { ...own, bandHeight: cpus.length > 0 ? height : 0 });
		}),
	};
}

/** In the order of the lists. A single node has the lists of no node, too. */
function capacitiesIn({ common, node, capacities }: Shape, of: number, nrNodes: number): number[] {
	const { lists } = of === NONE ? common : node;
	return lists.map((list) => {
		const own = capacities[capacityKey(of, listKey(list))] ?? 0;
		return nrNodes > 1 ? own : Math.max(own, capacities[capacityKey(NONE, listKey(list))] ?? 0);
	});
}

/** The height that remains when every node has what it needs. */
function commonHeight(shape: Shape, outer: Rect, bare: boolean): number {
	if (!bare) return outer.h * COMMON_SHARE;
	const perNode = shape.nodeOfCpu.length / shape.nrNodes;
	const rows = Math.max(1, Math.ceil((shape.nrNodes * 90) / outer.w));
	const dense = Math.max(1, Math.sqrt(perNode / 4));
	return outer.h - Math.min(outer.h * 0.42, BARE_NODE * rows * dense);
}

/** Columns for the nodes, in as many rows as keeps them well shaped. */
function nodeColumns({ nrNodes, wide = [] }: Shape, outer: Rect): Rect[] {
	const n = Math.max(1, nrNodes);
	let shown = { score: -1, across: 1, down: n };
	for (let across = 1; across <= n; across++) {
		const down = Math.ceil(n / across);
		const w = outer.w / across;
		const h = outer.h / down;
		const score = Math.min(w, h * 0.6) * (across * down === n ? 1.02 : 1);
		if (score > shown.score) shown = { score, across, down };
	}
	const { across, down } = shown;
	const gap = Math.min(COLUMN_GAP, (outer.w / across) * 0.05);
	const gapDown = Math.min(COLUMN_GAP, (outer.h / down) * 0.05);
	const h = (outer.h - gapDown * (down - 1)) / down;
	return Array.from({ length: down }, (_, row) => {
		const own = Array.from(
			{ length: Math.min(across, n - row * across) },
			(_, i) => row * across + i,
		);
		const weights = own.map((node) => (wide.includes(node) ? WIDE : 1));
		const missing = across - own.length;
		const sum = weights.reduce((a, b) => a + b, missing);
		let x = outer.x;
		return weights.map((weight) => {
			const w = ((outer.w - gap * (across - 1)) * weight) / sum;
			const column = { x: Math.round(x), y: Math.round(outer.y + row * (h + gapDown)) };
			const end = x + w;
			x = end + gap;
			return { ...column, w: Math.floor(end - column.x), h: Math.floor(h) };
		});
	}).flat();
}

interface Divided {
	readonly columns: readonly Column[];
	readonly division: Division;
}

/**
 * Where things stand follows from lists of a sample length, so that it stays when lists grow; only sizes, and which
 * lists are histograms, follow from their own lengths.
 */
function divide(columns: readonly Column[], shape: Shape, areSquares: boolean): Divided {
	const lists = Math.max(1, ...columns.map((c) => c.capacities.length));
	const isWide = columns.every(({ parts: { body } }) => body.w >= body.h * BESIDE_FROM);
	const widest = Math.min(lists, ACROSS_MOST);
	const samples = columns.map((c) => ({
		...c,
		capacities: c.capacities.map(() => shape.sample),
	}));
	const [{ lines }] = HISTOGRAMS;
	const all = {
		across: Array.from({ length: widest }, (_, i) => i + 1),
		beside: !isWide ? [0] : shape.sample < SAMPLE_MOST ? BESIDE_SHORT : BESIDE,
		lines,
	};
	const { across, beside } = best(samples, shape, areSquares, all) ?? { across: 1, beside: 0 };
	let found: Divided | undefined;
	for (const { lines, above } of HISTOGRAMS) {
		const own = columns.map((c) => ({ ...c, capacities: longAbove(c.capacities, above) }));
		const choices = { across: [across], beside: [beside], lines };
		const division = best(own, shape, areSquares, choices);
		if (!division || division.tile <= (found?.division.tile ?? 0)) continue;
		found = { columns: own, division };
		if (division.tile >= TILE_LEAST) break;
	}
	return found ?? { columns, division: { tile: tileSizes().at(-1) ?? 1, across, beside, lines } };
}

interface Choices {
	readonly across: readonly number[];
	readonly beside: readonly number[];
	readonly lines: number;
}

/** The division whose tiles and CPUs are largest. */
function best(
	columns: readonly Column[],
	shape: Shape,
	areSquares: boolean,
	choices: Choices,
): Division | undefined {
	const unlike = unlikeOnes(columns);
	let found: { score: number; division: Division } | undefined;
	const narrowest = Math.min(...columns.map((c) => c.parts.body.w));
	for (const beside of choices.beside) {
		if (beside > 0 && beside * narrowest < CARD_WIDTH_LEAST) continue;
		for (const across of choices.across) {
			let [least, was] = [0, -1];
			for (const tile of tileSizes()) {
				const division = { tile, across, beside, lines: choices.lines };
				const room = roomForCpus(columns, division);
				if (room < least) continue;
				least = Math.max(least, leastHeight(columns));
				if (room < least) continue;
				// As much room as for a larger tile is not better.
				if (room === was) continue;
				was = room;
				const seen = Math.min(
					...unlike.map((c) => bandOf(c, division, shape, areSquares, room).seen),
				);
				const most = tile * (areSquares ? SQUARE_OVER_TILE : CARD_OVER_TILE);
				const legibility = Math.min(...columns.map((c) => legible(c, division)));
				const cpus = CPU_WORTH * Math.log(Math.max(0.1, Math.min(seen, most)));
				const unclear = SMALL_COST * Math.log(Math.min(1, tile / CLEAR_FROM));
				const score = Math.log(tile) + cpus + unclear + legibility;
				if (!found || score > found.score) found = { score, division };
				// Nothing is gained by still smaller tiles.
				if (seen >= most) break;
			}
		}
	}
	return found?.division;
}

/** The height that all columns can spare for their CPUs; negative if the lists alone have no room. */
function roomForCpus(columns: readonly Column[], division: Division): number {
	let room = Number.POSITIVE_INFINITY;
	for (const column of columns) {
		const { body, line } = column.parts;
		const left = body.h - listsIn(column, division);
		if (division.beside === 0 && column.cpus.length > 0) room = Math.min(room, left - line * 0.3);
		else if (left < 0) return -1;
		else if (column.cpus.length > 0) room = Math.min(room, body.h);
	}
	return room;
}

function leastHeight(columns: readonly Column[]): number {
	const heights = columns.filter((c) => c.cpus.length > 0).map((c) => c.parts.body.h);
	if (heights.length === 0) return 0;
	const h = Math.min(...heights);
	return Math.min(Math.max(CARD_LEAST, h * CPUS_LEAST), h * 0.3);
}

function listsIn({ parts, lists, capacities }: Column, division: Division): number {
	const w = parts.body.w * (1 - division.beside);
	return parts.arraysHeight + heightOfLists({ ...division, lists, capacities }, w, parts.line);
}

/** One of each kind of columns with CPUs. */
function unlikeOnes(columns: readonly Column[]): Column[] {
	const kinds = new Map<string, Column>();
	for (const column of columns) {
		const { w } = column.parts.body;
		if (column.cpus.length > 0) kinds.set(`${w} ${column.cpus.length}`, column);
	}
	return [...kinds.values()];
}

function legible({ parts: { body } }: Column, { across, beside }: Division): number {
	const w = (body.w * (1 - beside)) / across;
	if (across === 1 || w >= ROOMY) return 0;
	if (w >= READABLE) return -0.6;
	return w >= READABLE_LEAST ? -0.8 : -1.6;
}

function bandOf(
	{ parts, cpus }: Column,
	{ beside }: Division,
	{ cpuParts }: Shape,
	areSquares: boolean,
	height: number,
): CpuBand {
	const { body, line } = parts;
	const w = beside === 0 ? body.w : body.w * beside - line * 0.6;
	return cpuBand(cpus.length, { ...body, w, h: height }, cpuParts, areSquares);
}
