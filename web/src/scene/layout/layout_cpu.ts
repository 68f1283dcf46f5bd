/** A CPU: its cpu slab, its per-CPU partial list and its arrays, on a card or in a square. */
import { quantity } from "../../base/format.ts";
import { type Frame, NONE, type Place } from "../../engine/frame.ts";
import { CELL, holdsObjects, holdsSheaves, KIND, PLACE } from "../../engine/place_kinds.ts";
import { isAbout } from "../about.ts";
import { type Draft, type Naming, panelOn } from "../draft.ts";
import type { Label, Panel, Rect } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawArray, fillWords, widthIn } from "./layout_arrays.ts";
import { gridFor } from "./layout_slabs.ts";
import type { CpuPlan } from "./plan_cpu.ts";

const SLOTS_MOST = 16;
const NONE_TO_SAY: readonly string[] = [];
/** The size of the letters of a CPU's name, and of a sheaf's number, in line heights. */
const NAME = 0.64;
const NUMBER = 0.66;
/** The side of the tiles of a per-CPU partial list, in line heights. */
const TILE = 1.35;

export function drawCpu(draft: Draft, cpu: CpuPlan, places: readonly Place[], line: number): void {
	const { step } = draft.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	const partial = places.find((p) => p.kind === PLACE.CPU_PARTIAL);
	const hasCard = cpu.named !== cpu.card;
	if (cpu.isSquare) {
		const isIdle = places.every((p) => p.nrSlabs + p.nrEntries === 0);
		draft.panels.push(panelOn(cpu.card, "cpu", cpu.key, lit, 0, isIdle));
	} else draft.panels.push(panelOn(cpu.card, "cpu", cpu.key, lit));
	if (!cpu.isSquare || hasCard) {
		cpu.more.forEach((card, i) => {
			draft.panels.push(panelOn(card, "cpu", `${cpu.key}/${i}`, lit));
		});
		const slot = cpu.parts.get(PLACE.CPU_SLAB);
		if (slot) draft.panels.push(panelOn(slot, "slot", `slot:${cpu.cpu}`));
		if (partial) draft.panels.push(...slotsOf(cpu, partial, Math.round(line * TILE)));
	}
	for (const place of places) {
		// Most CPUs have no RCU sheaf most of the time.
		const isMissed = place.kind !== KIND.PLACE_SHEAF_RCU || place.sheaves > 0;
		if (!holdsObjects(place.kind) || !isMissed) continue;
		const area = cpu.parts.get(place.kind);
		if (area) drawArray(draft, place, `array:cpu/${cpu.cpu}/${place.kind}`, area);
	}
}

/** Labels the CPU with its name and what it holds, and each of its sheaves with how full it is. */
export function nameCpu(naming: Naming, cpu: CpuPlan, places: readonly Place[]): void {
	const { step } = naming.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	const isNamed = !cpu.isSquare || cpu.named !== cpu.card;
	naming.labels.push(isNamed ? nameOn(naming, cpu, places, lit) : numberIn(cpu, lit));
	if (!isNamed) return;
	for (const place of places) {
		const area = cpu.parts.get(place.kind);
		const isNamed = holdsSheaves(place.kind) && place.kind !== KIND.PLACE_SHEAF_RCU;
		if (area && isNamed) naming.labels.push(besideSheaf(naming, cpu, place, area));
	}
}

/** Draws the slots of the per-CPU partial list, if it's short enough to count; its slabs cover their slots, so the ground stays. */
function slotsOf({ cpu, parts }: CpuPlan, partial: Place, tile: number): Panel[] {
	const area = parts.get(partial.kind);
	if (!area || partial.limit > SLOTS_MOST) return [];
	const grid = gridFor(partial, area, tile);
	if (grid.size < 6) return [];
	return Array.from({ length: partial.limit }, (_, i) =>
		panelOn(tileAt(area, grid, i), "slot", `slot:${cpu}/${i}`),
	);
}

function nameOn(
	{ source: { frame } }: Naming,
	{ key, cpu, named: card, line }: CpuPlan,
	places: readonly Place[],
	lit: boolean,
): Label {
	const pad = Math.min(6, card.w * 0.06);
	return {
		key,
		x: card.x + pad,
		y: card.y + line * 0.78,
		w: Math.max(0, card.w - 2 * pad),
		text: `CPU ${cpu}`,
		short: String(cpu),
		shortAlone: true,
		details: cpuWords(frame, places),
		size: line * NAME,
		strong: true,
		lit,
		on: "paper",
	};
}

/** Writes at the foot of a square, for reading close up. */
function numberIn({ key, cpu, card, line }: CpuPlan, lit: boolean): Label {
	return {
		key,
		x: card.x + card.w * 0.08,
		y: card.y + card.h - line * 0.15,
		w: card.w * 0.9,
		text: String(cpu),
		details: NONE_TO_SAY,
		size: Math.min(11, line * 0.68),
		strong: false,
		lit,
		on: "paper",
	};
}

/** Says beside a sheaf how full it is. */
function besideSheaf(
	{ source }: Naming,
	{ cpu, named: card, line }: CpuPlan,
	place: Place,
	area: Rect,
): Label {
	const x = area.x + widthIn(source.frame, place, area) + 5;
	return {
		key: `sheaf:${cpu}/${place.kind}`,
		x,
		y: area.y + Math.min(area.h - 2, line),
		w: Math.max(0, card.x + card.w - x - 3),
		text: "",
		details: fillWords(source.frame, place),
		size: line * NUMBER,
		strong: false,
		lit: isAbout(source, place),
		on: "paper",
	};
}

/** Counts the free objects in the cpu slab, or says how full the only array is. */
function cpuWords(frame: Frame, places: readonly Place[]): readonly string[] {
	const slab = places.find((p) => p.kind === PLACE.CPU_SLAB);
	if (slab) return freeWords(frame, slab);
	const [only, ...more] = places.filter((p) => holdsObjects(p.kind) && !holdsSheaves(p.kind));
	return only && more.length === 0 ? fillWords(frame, only) : NONE_TO_SAY;
}

function freeWords(frame: Frame, { firstSlab, nrSlabs }: Place): string[] {
	if (nrSlabs === 0) return ["no slab", "none"];
	const first = frame.slabs.firstCell[firstSlab] ?? 0;
	const end = first + (frame.slabs.objects[firstSlab] ?? 0);
	let free = 0;
	let returned = 0;
	for (let i = first; i < end; i++) {
		if (frame.cells[i] === CELL.FREE_CPU) free++;
		else if (frame.cells[i] === CELL.FREE) returned++;
	}
	const slab = `slab ${frame.slabs.serial[firstSlab]}`;
	// Objects on the slab freelist were freed by other CPUs: the fast path does not find them.
	if (returned > 0)
		return [`${slab}, ${free} free + ${returned} returned`, `${free} + ${returned}`];
	return [
		`${slab}, ${free} of ${end - first} free`,
		`${slab}, ${free} free`,
		`${free} free`,
		`${free}`,
	];
}

/** Names CPUs: "CPUs 0–39", "CPUs 1, 5", or how many. */
export function cpusInWords(cpus: readonly number[]): string {
	const [first = NONE] = cpus;
	const last = cpus.at(-1) ?? NONE;
	if (cpus.length < 2) return cpus.length === 0 ? "no CPU" : `CPU ${first}`;
	if (last - first === cpus.length - 1) return `CPUs ${first}–${last}`;
	return cpus.length <= 4 ? `CPUs ${cpus.join(", ")}` : quantity(cpus.length, "CPU");
}
