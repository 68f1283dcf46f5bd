/**
 * Rows to boxes: a frame laid out on a plan. Pure and total: any frame on any plan gives a scene whose keys are
 * unique and whose boxes are inside the stage.
 */
import { What } from "#abi";
import {
	type CacheRow,
	type Frame,
	NONE,
	type Place,
	type Step,
	type ZoneRow,
} from "../engine/types.ts";
import { count, quantity } from "../player/format.ts";
import { PLACE, zoneName } from "./kinds.ts";
import type { CpuPlan, NodePlan, Plan } from "./plan.ts";
import {
	inset,
	type Label,
	type Mark,
	type Panel,
	type Rect,
	type Scene,
	type SlabBox,
} from "./scene.ts";
import { capacityFor, cellGrid, fitTiles, type TileGrid, tileAt } from "./tiles.ts";

const STRIP = 15;
const SLOTS_MOST = 16;
const STRIP_FROM = 44;
const PARTIAL_TILE_MAX = 68;
const FULL_TILE_MAX = 50;
const CHAIN_TILE_MAX = 58;
const TRANSIT_TILE_MAX = 25;

/** What a scene is made from, besides the plan. */
export interface Source {
	readonly cache: CacheRow | undefined;
	readonly frame: Frame;
	readonly zones: readonly ZoneRow[];
	/** The step that has just been taken. */
	readonly step: Step | undefined;
	/** Bytes at the end of a slab that no object uses, and bytes of the slab. */
	readonly tailShare: number;
}

interface Draft {
	readonly source: Source;
	readonly slabs: SlabBox[];
	readonly panels: Panel[];
	readonly labels: Label[];
	readonly marks: Mark[];
}

export function layout(plan: Plan, source: Source): Scene {
	const draft: Draft = { source, slabs: [], panels: [], labels: [], marks: [] };
	for (const node of plan.nodes) drawNode(draft, node, plan.nodes.length);
	for (const cpu of plan.cpus) drawCpu(draft, cpu);
	const byCpu = new Map(plan.cpus.map((c) => [c.cpu, c]));
	const byNode = new Map(plan.nodes.map((n) => [n.node, n]));
	const inTransit = new Map<number, number>();
	for (const place of source.frame.places) {
		const area = areaOf(place, byCpu, byNode);
		const node = byNode.get(place.node) ?? plan.nodes[0];
		if (!area || !node || place.nrSlabs === 0) continue;
		const before = place.kind === PLACE.TRANSIT ? (inTransit.get(node.node) ?? 0) : 0;
		if (place.kind === PLACE.TRANSIT) inTransit.set(node.node, before + place.nrSlabs);
		if (place.kind === PLACE.TRANSIT) nameTransit(draft, node, before + place.nrSlabs);
		placeSlabs(draft, place, area, gridFor(place, area), before, byNode, plan);
	}
	return { width: plan.width, height: plan.height, ...without(draft) };
}

function without({ slabs, panels, labels, marks }: Draft) {
	return { slabs, panels, labels, marks };
}

/** Behind slabs that are between two places. */
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
	});
}

function areaOf(
	place: Place,
	cpus: ReadonlyMap<number, CpuPlan>,
	nodes: ReadonlyMap<number, NodePlan>,
): Rect | undefined {
	switch (place.kind) {
		case PLACE.CPU_SLAB:
			return cpus.get(place.cpu)?.slab;
		case PLACE.CPU_PARTIAL:
			return cpus.get(place.cpu)?.chain;
		case PLACE.NODE_PARTIAL:
			return nodes.get(place.node)?.partial;
		case PLACE.NODE_FULL:
			return nodes.get(place.node)?.full;
		default:
			return (nodes.get(place.node) ?? nodes.get(0))?.transit;
	}
}

function gridFor(place: Place, area: Rect): TileGrid {
	const n = place.nrSlabs;
	switch (place.kind) {
		case PLACE.CPU_SLAB:
			return { size: Math.min(area.w, area.h), gap: 0, columns: 1, room: 1 };
		case PLACE.CPU_PARTIAL:
			return balanced(area, capacityFor(n, Math.max(2, place.limit)));
		case PLACE.NODE_PARTIAL:
			return fitTiles(area, capacityFor(n, 12), PARTIAL_TILE_MAX);
		case PLACE.NODE_FULL:
			return fitTiles(area, capacityFor(n, 32), FULL_TILE_MAX);
		default:
			return fitTiles(area, capacityFor(n, 2), TRANSIT_TILE_MAX);
	}
}

/** A chain's tiles in rows of nearly equal length. */
function balanced(area: Rect, capacity: number): TileGrid {
	const grid = fitTiles(area, capacity, CHAIN_TILE_MAX);
	const rows = Math.ceil(capacity / Math.max(1, grid.columns));
	return { ...grid, columns: Math.max(1, Math.ceil(capacity / rows)) };
}

function placeSlabs(
	draft: Draft,
	place: Place,
	area: Rect,
	grid: TileGrid,
	skip: number,
	nodes: ReadonlyMap<number, NodePlan>,
	plan: Plan,
): void {
	const { frame, step, tailShare } = draft.source;
	const cache = draft.source.cache?.cache ?? NONE;
	const columns = frame.slabs;
	for (let i = 0; i < place.nrSlabs; i++) {
		const row = place.firstSlab + i;
		const serial = columns.serial[row] ?? 0;
		const objects = columns.objects[row] ?? 0;
		const first = columns.firstCell[row] ?? 0;
		const box = tileAt(area, grid, skip + i);
		const strip = stripOf(place, grid.size);
		const tail = tailShare;
		const cells = cellGrid(objects, box.w, (box.h - strip) * (1 - tail));
		const touching = step !== undefined && step.cache === cache && step.args.slab === serial;
		const home = nodes.get(columns.node[row] ?? 0) ?? plan.nodes[0];
		draft.slabs.push({
			...box,
			key: `slab:${cache}/${serial}`,
			row,
			serial,
			cells: frame.cells.subarray(first, first + objects),
			inuse: columns.inuse[row] ?? 0,
			columns: cells.columns,
			rows: cells.rows,
			strip,
			tail,
			home: home ? middle(home.zones) : box,
			lit: touching,
			touched: touching ? (step?.args.index ?? -1) : -1,
			alpha: 1,
		});
	}
}

/** Lists of small tiles have no strips; their numbers appear between the tiles when one looks closely. */
function stripOf(place: Place, size: number): number {
	if (place.kind === PLACE.CPU_SLAB) return Math.min(STRIP, size * 0.25);
	return size >= STRIP_FROM ? STRIP : 0;
}

function middle(r: Rect): Rect {
	const side = Math.min(24, r.h, r.w);
	return { x: r.x + (r.w - side) / 2, y: r.y + (r.h - side) / 2, w: side, h: side };
}

function drawCpu(draft: Draft, cpu: CpuPlan): void {
	const { step } = draft.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	draft.panels.push({ ...cpu.card, key: `cpu:${cpu.cpu}`, kind: "cpu", lit, fill: 0 });
	draft.panels.push({ ...cpu.slab, key: `slot:${cpu.cpu}`, kind: "slot", lit: false, fill: 0 });
	const chain = draft.source.frame.places.find(
		(p) => p.kind === PLACE.CPU_PARTIAL && p.cpu === cpu.cpu,
	);
	if (chain) drawChainSlots(draft, cpu, chain);
	const chained = chain && chain.limit > 0 ? `${chain.nrSlabs} of ${chain.limit}` : undefined;
	draft.labels.push({
		key: `cpu:${cpu.cpu}`,
		x: cpu.slab.x,
		y: cpu.slab.y - cpu.line * 0.35,
		w: cpu.card.x + cpu.card.w - cpu.slab.x - cpu.line * 0.4,
		text: `CPU ${cpu.cpu}`,
		details: chained ? [`chain ${chained}`, chained] : [],
		size: Math.min(12, cpu.line * 0.68),
		strong: lit,
		lit,
	});
}

/** Room on the chain, where it is small enough to be counted. */
function drawChainSlots(draft: Draft, cpu: CpuPlan, chain: Place): void {
	const grid = gridFor(chain, cpu.chain);
	if (chain.limit > SLOTS_MOST || grid.size < 8) return;
	for (let i = chain.nrSlabs; i < chain.limit; i++) {
		const key = `slot:${cpu.cpu}/${i}`;
		draft.panels.push({ ...tileAt(cpu.chain, grid, i), key, kind: "slot", lit: false, fill: 0 });
	}
}

/** A list's card: its tiles and some room around them. */
function shelfOf(area: Rect, node: NodePlan): Rect {
	return inset(area, -node.pad);
}

/** Steps that look at a node's partial list or change it. */
const LIST_STEPS = new Set([
	"PARTIAL_SEARCH",
	"ALLOC_FROM_PARTIAL",
	"CPU_PARTIAL_NODE",
	"ANY_NODE_ZONE",
	"FREE_ADD_PARTIAL",
	"FREE_REMOVE_PARTIAL",
	"DEACTIVATE_EMPTY",
	"DEACTIVATE_TO_HEAD",
	"DEACTIVATE_TO_TAIL",
	"SHRINK_BUCKET",
	"SHRINK_DISCARD",
]);

function isAboutList(step: Step): boolean {
	if (step.kind !== "THRESHOLD") return LIST_STEPS.has(step.kind);
	return step.args.what === What.WHAT_NR_PARTIAL_MIN_PARTIAL;
}

function drawNode(draft: Draft, node: NodePlan, nrNodes: number): void {
	const { frame, step, cache } = draft.source;
	const own = (kind: number) => frame.places.find((p) => p.kind === kind && p.node === node.node);
	const partial = own(PLACE.NODE_PARTIAL);
	const full = own(PLACE.NODE_FULL);
	const lit = step !== undefined && step.node === node.node && isAboutList(step);
	const n = node.node;
	const partialArea = shelfOf(node.partial, node);
	const fullArea = shelfOf(node.full, node);
	draft.panels.push({ ...partialArea, key: `partial:${n}`, kind: "partial", lit, fill: 0 });
	draft.panels.push({ ...fullArea, key: `full:${n}`, kind: "full", lit: false, fill: 0 });
	drawZones(draft, node);
	const line = (key: string, above: Rect, text: string, details: string[], on: boolean) =>
		draft.labels.push({
			key,
			x: above.x,
			y: above.y - node.line * 0.36,
			w: above.w,
			text,
			details,
			size: Math.min(13, node.line * 0.65),
			strong: true,
			lit: on,
		});
	if (nrNodes > 1) {
		const top = { ...node.column, y: node.column.y + node.line };
		line(`node:${n}`, top, `Node ${n}`, [], lit);
	}
	const inList = partial?.nrSlabs ?? 0;
	const keeps = cache?.minPartial ?? 0;
	const nrFull = count(full?.nrSlabs ?? 0);
	const long = `${quantity(inList, "slab")}, keeps ${keeps} even when empty`;
	const partialWords = [long, `${inList}, keeps ${keeps}`, count(inList)];
	line(`partial:${n}`, partialArea, "Partial list", partialWords, lit);
	line(`full:${n}`, fullArea, "Full slabs", [`${nrFull}, on no list`, nrFull], false);
	if (partial && cache) markThreshold(draft, node, partial, cache.minPartial);
}

/** A bracket over the slabs that the node keeps even when they are empty. */
function markThreshold(draft: Draft, node: NodePlan, partial: Place, minPartial: number): void {
	const grid = gridFor(partial, node.partial);
	if (grid.size < 15 || minPartial > grid.columns || minPartial === 0) return;
	const first = tileAt(node.partial, grid, 0);
	const last = tileAt(node.partial, grid, minPartial - 1);
	draft.marks.push({
		key: `min_partial:${node.node}`,
		x: first.x,
		y: first.y - 5,
		w: last.x + last.w - first.x,
		h: 3,
	});
}

function zoneWords({ used, pages }: ZoneRow): string[] {
	return [`${count(used)} of ${count(pages)} pages`, `${count(used)} pages`, count(used)];
}

function drawZones(draft: Draft, node: NodePlan): void {
	const zones = draft.source.zones
		.filter((z) => z.node === node.node)
		.sort((a, b) => a.kind - b.kind);
	const nrZones = Math.max(1, zones.length);
	const gap = Math.min(12, node.zones.w * 0.02);
	const w = (node.zones.w - gap * (nrZones - 1)) / nrZones;
	const roomy = node.line >= 18 && node.zones.h >= 25;
	const step = draft.source.step;
	const busy = step !== undefined && step.node === node.node && step.kind.startsWith("PAGES_");
	zones.forEach((zone, i) => {
		const x = node.zones.x + i * (w + gap);
		const h = Math.min(10, node.zones.h);
		const bar = { x, y: node.zones.y + node.zones.h - h, w, h };
		const key = `zone:${node.node}/${zone.kind}`;
		draft.panels.push({
			...bar,
			key,
			kind: "zone",
			lit: busy,
			fill: zone.pages > 0 ? zone.used / zone.pages : 0,
		});
		if (!roomy) return;
		draft.labels.push({
			key,
			x,
			y: node.zones.y + node.zones.h - 16,
			w,
			text: zoneName(zone.kind),
			details: zoneWords(zone),
			size: 11,
			strong: false,
			lit: busy,
		});
	});
	draft.labels.push({
		key: `pages:${node.node}`,
		x: node.zones.x,
		y: node.zones.y - node.line * 0.36,
		w: node.zones.w,
		text: "Page allocator",
		details: [],
		size: Math.min(13, node.line * 0.65),
		strong: true,
		lit: busy,
	});
}
