/**
 * Rows to boxes: a frame laid out on a plan. Pure and total: any frame on any plan gives a scene whose keys are
 * unique and whose boxes are inside the stage. From the scene before it boxes of slabs that look alike are taken
 * over as they are, so that what changed is found by comparing references.
 */
import { NO_EXTENT, NONE, type Place } from "../engine/frame.ts";
import { CROWD_FROM, Crowd, type SlabRun } from "./crowd.ts";
import { Before, type Draft, emptyDraft, panelOn, type Source } from "./draft.ts";
import { holdsObjects, PLACE, titleOf } from "./kinds.ts";
import { drawArray, fillWords } from "./layout_arrays.ts";
import { drawNode } from "./layout_node.ts";
import { drawSlabs, gridFor, runOf, TRANSIT_TILE_MAX } from "./layout_slabs.ts";
import type { CpuPlan, Plan } from "./plan.ts";
import type { NodePlan } from "./plan_node.ts";
import { EMPTY_SCENE, type Origin, type Rect, type Scene, type SlabBox } from "./scene.ts";
import { listKey } from "./shape.ts";
import { capacityFor, fitTiles, tileAt } from "./tiles.ts";

const SLOTS_MOST = 16;

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
	const { ofCpu, others } = byCpu(places);
	const nodes = new Map(plan.nodes.map((n) => [n.node, n]));
	const ofNode = (place: Place) => nodes.get(place.node) ?? nodes.get(0);
	const home = (node: number) => (nodes.get(node) ?? nodes.get(0))?.home;
	const nrNodes = plan.nodes.filter((n) => n.node !== NONE).length;
	for (const node of plan.nodes) {
		const own = others.filter((p) => ofNode(p) === node);
		const name = node.node === NONE || nrNodes === 1 ? "" : `Node ${node.node}`;
		drawNode(draft, node, name, own);
	}
	for (const cpu of plan.cpus) {
		const own = (ofCpu.get(cpu.cpu) ?? []).filter((p) => cpu.parts.has(p.kind));
		drawCpu(draft, cpu, own);
	}
	const cpus = new Map(plan.cpus.map((c) => [c.cpu, c]));
	const onTheWay = new Map<NodePlan, number>();
	const runs: SlabRun[] = [];
	for (const place of places) {
		const node = ofNode(place);
		if (!node || place.nrSlabs === 0) continue;
		const area = areaOf(place, cpus.get(place.cpu), node);
		const before = area === node.transit ? (onTheWay.get(node) ?? 0) : 0;
		if (area === node.transit) {
			onTheWay.set(node, before + place.nrSlabs);
			nameTransit(draft, node, before + place.nrSlabs);
		}
		const run = runOf(place, area, before);
		if (isCrowd) runs.push(run);
		else drawSlabs(draft, run, home);
	}
	return finished(plan, draft, isCrowd ? new Crowd(source, runs, home) : undefined, origin);
}

function finished(plan: Plan, draft: Draft, crowd: Crowd | undefined, origin: Origin): Scene {
	const { slabs, arrays, panels, labels, marks } = draft;
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
		flying: [],
		panels,
		labels,
		marks,
		finest: Math.min(finestOf(draft), crowd?.finest() ?? Number.POSITIVE_INFINITY),
		origin,
	};
}

function byCpu(places: readonly Place[]): { ofCpu: Map<number, Place[]>; others: Place[] } {
	const ofCpu = new Map<number, Place[]>();
	const others: Place[] = [];
	for (const place of places) {
		if (place.cpu === NONE) {
			others.push(place);
			continue;
		}
		const own = ofCpu.get(place.cpu);
		if (own) own.push(place);
		else ofCpu.set(place.cpu, [place]);
	}
	return { ofCpu, others };
}

function finestOf({ slabs, arrays }: Draft): number {
	let finest = Number.POSITIVE_INFINITY;
	for (const boxes of [arrays, slabs]) {
		for (const { w, h, columns, rows } of boxes) finest = Math.min(finest, w / columns, h / rows);
	}
	return finest;
}

/** A place that the plan has no area for is drawn among what is on the way, so that no slab is ever missing. */
function areaOf(place: Place, cpu: CpuPlan | undefined, node: NodePlan): Rect {
	const area = cpu ? cpu.parts.get(place.kind) : node.lists.get(listKey(place));
	return area ?? node.transit;
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

function drawCpu(draft: Draft, cpu: CpuPlan, places: readonly Place[]): void {
	const { step } = draft.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	const key = `cpu:${cpu.cpu}`;
	draft.panels.push(panelOn(cpu.card, "cpu", key, lit));
	const slot = cpu.parts.get(PLACE.CPU_SLAB);
	if (slot) draft.panels.push(panelOn(slot, "slot", `slot:${cpu.cpu}`));
	for (const place of places) {
		const area = cpu.parts.get(place.kind);
		if (!area) continue;
		if (place.kind === PLACE.CPU_PARTIAL) drawChainSlots(draft, cpu.cpu, area, place);
		if (holdsObjects(place.kind))
			drawArray(draft, place, `array:cpu/${cpu.cpu}/${place.kind}`, area);
	}
	const first = [...cpu.parts.values()][0] ?? cpu.card;
	const bare = cpu.parts.size === 0;
	const x = bare ? cpu.card.x + Math.min(10, cpu.card.w * 0.12) : first.x;
	const below = bare ? cpu.card.y + cpu.card.h * 0.5 + cpu.line * 0.62 : first.y;
	draft.labels.push({
		key,
		x,
		y: below - cpu.line * 0.35,
		w: cpu.card.x + cpu.card.w - x - cpu.line * 0.4,
		text: `CPU ${cpu.cpu}`,
		short: String(cpu.cpu),
		shortAlone: true,
		details: cpuWords(places),
		size: Math.min(12, Math.max(cpu.line * 0.68, cpu.line >= 9 ? 9.2 : 0)),
		strong: lit,
		lit,
	});
}

/** How long the chain is, how full the arrays are. */
function cpuWords(places: readonly Place[]): string[] {
	const arrays = places.filter((p) => holdsObjects(p.kind));
	const [only, ...more] = arrays;
	if (only && more.length === 0) return fillWords(only);
	const chain = places.find((p) => p.kind === PLACE.CPU_PARTIAL);
	const chained = chain && chain.limit > 0 ? `${chain.nrSlabs} of ${chain.limit}` : undefined;
	const fills = arrays.map((p) => `${titleOf(p.kind, 0).short} ${p.nrEntries}`.toLowerCase());
	const words = chained ? [`chain ${chained}`, ...fills] : fills;
	const all = words.length > 1 ? [words.join(", ")] : words;
	return chained ? [...all, chained] : all;
}

/** Room on the chain, where it is small enough to be counted. */
function drawChainSlots(draft: Draft, cpu: number, area: Rect, chain: Place): void {
	const grid = gridFor(chain, area);
	if (chain.limit > SLOTS_MOST || grid.size < 8) return;
	for (let i = chain.nrSlabs; i < chain.limit; i++) {
		draft.panels.push(panelOn(tileAt(area, grid, i), "slot", `slot:${cpu}/${i}`));
	}
}
