/** A CPU: its cpu slab, its per-CPU partial list and its arrays, on a card or in a square. */
import { quantity } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { CELL, holdsObjects, holdsSheaves, PLACE, titleOf } from "../../engine/place_kinds.ts";
import { isAbout } from "../about.ts";
import { type Draft, type Naming, panelOn } from "../draft.ts";
import type { Label, Panel, Rect } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawArray, fillWords } from "./layout_arrays.ts";
import { gridFor } from "./layout_slabs.ts";
import type { CpuPlan } from "./plan.ts";

const SLOTS_MOST = 16;
/** Size of the letters over a sheaf, and where they stand, as shares of the height of their line. */
const CAPTION_LETTERS = 0.78;
const CAPTION_FOOT = 0.3;
const NONE_TO_SAY: readonly string[] = [];

export function drawCpu(draft: Draft, cpu: CpuPlan, places: readonly Place[], tile: number): void {
	const { step } = draft.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	if (cpu.isSquare) {
		const isIdle = places.every((p) => p.nrSlabs + p.nrEntries === 0);
		draft.panels.push(panelOn(cpu.card, "cpu", cpu.key, lit, 0, isIdle));
	} else {
		draft.panels.push(panelOn(cpu.card, "cpu", cpu.key, lit));
		const slot = cpu.parts.get(PLACE.CPU_SLAB);
		if (slot) draft.panels.push(panelOn(slot, "slot", `slot:${cpu.cpu}`));
	}
	const partial = cpu.isSquare ? undefined : partialOf(places);
	if (partial) draft.panels.push(...freeSlotsOf(cpu, partial, tile));
	for (const place of places) {
		if (!holdsObjects(place.kind)) continue;
		const area = cpu.parts.get(place.kind);
		if (area) drawArray(draft, place, `array:cpu/${cpu.cpu}/${place.kind}`, area);
	}
}

const partialOf = (places: readonly Place[]) => places.find((p) => p.kind === PLACE.CPU_PARTIAL);

/** The CPU's name and what it holds, and the same over each of its sheaves. */
export function nameCpu(naming: Naming, cpu: CpuPlan, places: readonly Place[]): void {
	const { step } = naming.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	const details = cpu.isSquare ? NONE_TO_SAY : cpuWords(naming, places, cpu.caption > 0);
	const name = labelOf(cpu, lit, details);
	naming.labels.push(name);
	if (hasSecondLine(cpu) && details.length > 0) naming.labels.push(secondLine(name, cpu, details));
	if (cpu.caption === 0) return;
	for (const place of places) {
		const area = cpu.parts.get(place.kind);
		if (area && holdsSheaves(place.kind)) naming.labels.push(captionOf(naming, cpu, place, area));
	}
}

/** Over a sheaf: its name and how full it is. */
function captionOf({ source }: Naming, { cpu, caption }: CpuPlan, place: Place, area: Rect): Label {
	const { long, short } = titleOf(place.kind, 0);
	return {
		key: `sheaf:${cpu}/${place.kind}`,
		x: area.x,
		y: area.y - caption * CAPTION_FOOT,
		w: area.w,
		text: long,
		short,
		details: fillWords(source.frame, place),
		size: caption * CAPTION_LETTERS,
		strong: false,
		lit: isAbout(source, place),
		on: "ground",
	};
}

/** The slots of the per-CPU partial list, if it is short enough to count. */
function freeSlotsOf({ cpu, parts }: CpuPlan, partial: Place, tile: number): Panel[] {
	const area = parts.get(partial.kind);
	if (!area || partial.limit > SLOTS_MOST) return [];
	const grid = gridFor(partial, area, tile);
	if (grid.size < 6) return [];
	const free = Math.max(0, partial.limit - partial.nrSlabs);
	return Array.from({ length: free }, (_, k) => {
		const i = partial.nrSlabs + k;
		return panelOn(tileAt(area, grid, i), "slot", `slot:${cpu}/${i}`);
	});
}

/** On a card above its parts, or beside the cpu slab; in a square at the foot, to be read from near. */
function labelOf(cpu: CpuPlan, lit: boolean, details: readonly string[]): Label {
	const { card, line, parts, isSquare } = cpu;
	const slab = parts.get(PLACE.CPU_SLAB);
	const first = [...parts.values()].reduce((a, b) => (b.x < a.x ? b : a), card);
	const isBare = parts.size === 0;
	const x = isBare || isSquare || first === card ? card.x + card.w * 0.06 : first.x;
	const top = slab && slab.y < card.y + line ? slab.x : card.x + card.w;
	// As around the parts: in a narrow card they begin close to its top.
	const pad = Math.min(8, card.w * 0.06, card.h * 0.08);
	const y = isSquare
		? card.y + card.h - line * 0.15
		: card.y + (isBare ? card.h * 0.5 + line * 0.3 : pad + line * 0.72);
	return {
		key: cpu.key,
		x: Math.max(card.x + 2, Math.min(x, card.x + card.w)),
		y,
		w: Math.max(0, top - x - 4),
		text: isSquare ? String(cpu.cpu) : `CPU ${cpu.cpu}`,
		short: String(cpu.cpu),
		shortAlone: true,
		details: hasSecondLine(cpu) ? NONE_TO_SAY : details,
		size: Math.min(11, Math.max(line * 0.68, line >= 9 && !isSquare ? 9.2 : 0)),
		strong: !isSquare,
		lit,
		on: "ground",
	};
}

/** Beside the cpu slab, between the name and the per-CPU partial list. */
function hasSecondLine({ card, line, parts, isSquare }: CpuPlan): boolean {
	const list = parts.get(PLACE.CPU_PARTIAL);
	const slab = parts.get(PLACE.CPU_SLAB);
	const isBeside = slab !== undefined && slab.y < card.y + line;
	return !isSquare && isBeside && list !== undefined && list.y >= card.y + 2 * line;
}

/** The word stands still, so that it is part of the ground; its number changes. */
function secondLine(name: Label, { line, cpu }: CpuPlan, details: readonly string[]): Label {
	return {
		...name,
		key: `cpu-holds:${cpu}`,
		y: name.y + line,
		text: "holds",
		details,
		size: name.size * 0.95,
		strong: false,
		lit: false,
	};
}

/** Free objects at hand, the length of the per-CPU partial list, and the fill of the arrays. */
function cpuWords(
	{ source: { frame } }: Naming,
	places: readonly Place[],
	hasCaptions: boolean,
): readonly string[] {
	const partial = partialOf(places);
	const arrays = places.filter(
		(p) => holdsObjects(p.kind) && !(hasCaptions && holdsSheaves(p.kind)),
	);
	const slab = places.find((p) => p.kind === PLACE.CPU_SLAB);
	const lists =
		partial && partial.limit > 0 ? [`partial ${partial.nrSlabs} of ${partial.limit}`] : [];
	const free = slab ? [freeWords(frame, slab)] : [];
	const [only, ...more] = arrays;
	if (only && more.length === 0 && !slab) return fillWords(frame, only);
	const fills = arrays.map((p) => {
		const fill = fillWords(frame, p).at(-1) ?? "";
		return `${titleOf(p.kind, 0).short} ${fill}`.toLowerCase();
	});
	const all = [...free, ...lists, ...fills];
	return all.map((_, i) => all.slice(0, all.length - i).join(", "));
}

function freeWords(frame: Frame, { firstSlab, nrSlabs }: Place): string {
	if (nrSlabs === 0) return "no slab";
	const first = frame.slabs.firstCell[firstSlab] ?? 0;
	const end = first + (frame.slabs.objects[firstSlab] ?? 0);
	let free = 0;
	for (let i = first; i < end; i++) if (frame.cells[i] === CELL.FREE_CPU) free++;
	return `${free} free`;
}

/** "CPUs 0–39", "CPUs 1, 5", or how many. */
export function cpusInWords(cpus: readonly number[]): string {
	const [first = NONE] = cpus;
	const last = cpus.at(-1) ?? NONE;
	if (cpus.length < 2) return cpus.length === 0 ? "no CPU" : `CPU ${first}`;
	if (last - first === cpus.length - 1) return `CPUs ${first}–${last}`;
	return cpus.length <= 4 ? `CPUs ${cpus.join(", ")}` : quantity(cpus.length, "CPU");
}
