/** A CPU's card: its cpu slab, its per-CPU partial list and its arrays. */
import type { Place } from "../../engine/frame.ts";
import { holdsObjects, PLACE, titleOf } from "../../engine/place_kinds.ts";
import { type Draft, panelOn } from "../draft.ts";
import type { Label, Panel } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawArray, fillWords } from "./layout_arrays.ts";
import { gridFor } from "./layout_slabs.ts";
import type { CpuPlan } from "./plan.ts";

const SLOTS_MOST = 16;

export function drawCpu(draft: Draft, cpu: CpuPlan, places: readonly Place[]): void {
	const { step } = draft.source;
	const lit = step !== undefined && step.cpu === cpu.cpu;
	draft.panels.push(panelOn(cpu.card, "cpu", `cpu:${cpu.cpu}`, lit));
	const slot = cpu.parts.get(PLACE.CPU_SLAB);
	if (slot) draft.panels.push(panelOn(slot, "slot", `slot:${cpu.cpu}`));
	const partial = places.find((p) => p.kind === PLACE.CPU_PARTIAL);
	if (partial) draft.panels.push(...freeSlotsOf(cpu, partial));
	draft.labels.push(labelOf(cpu, lit, cpuWords(places, partial)));
	for (const place of places) {
		const area = cpu.parts.get(place.kind);
		if (area && holdsObjects(place.kind))
			drawArray(draft, place, `array:cpu/${cpu.cpu}/${place.kind}`, area);
	}
}

/** The slots of the per-CPU partial list, if it is short enough to count. */
function freeSlotsOf({ cpu, parts }: CpuPlan, partial: Place): Panel[] {
	const area = parts.get(partial.kind);
	if (!area || partial.limit > SLOTS_MOST) return [];
	const grid = gridFor(partial, area);
	if (grid.size < 8) return [];
	const free = Math.max(0, partial.limit - partial.nrSlabs);
	return Array.from({ length: free }, (_, k) => {
		const i = partial.nrSlabs + k;
		return panelOn(tileAt(area, grid, i), "slot", `slot:${cpu}/${i}`);
	});
}

function labelOf(cpu: CpuPlan, lit: boolean, details: readonly string[]): Label {
	const { card, line, parts } = cpu;
	const first = [...parts.values()][0] ?? card;
	const bare = parts.size === 0;
	const x = bare ? card.x + Math.min(10, card.w * 0.12) : first.x;
	const below = bare ? card.y + card.h * 0.5 + line * 0.62 : first.y;
	return {
		key: `cpu:${cpu.cpu}`,
		x,
		y: below - line * 0.35,
		w: card.x + card.w - x - line * 0.4,
		text: `CPU ${cpu.cpu}`,
		short: String(cpu.cpu),
		shortAlone: true,
		details,
		size: Math.min(12, Math.max(line * 0.68, line >= 9 ? 9.2 : 0)),
		strong: false,
		lit,
		on: "paper",
	};
}

/** The length of the per-CPU partial list, and the fill of the arrays. */
function cpuWords(places: readonly Place[], partial: Place | undefined): string[] {
	const partials = partial && partial.limit > 0 ? partialWords(partial) : [];
	const arrays = places.filter((p) => holdsObjects(p.kind));
	const [only, ...more] = arrays;
	if (!only) return partials;
	if (more.length === 0) return fillWords(only);
	const fills = arrays.map((p) => `${titleOf(p.kind, 0).short} ${p.nrEntries}`.toLowerCase());
	const named = partials.length > 0 ? partials.slice(0, -1) : [""];
	const full = named.map((words) => [words, ...fills].filter(Boolean).join(", "));
	return [...full, ...partials.slice(1)];
}

function partialWords({ nrSlabs, limit }: Place): string[] {
	const short = `${nrSlabs} of ${limit}`;
	return [`per-CPU partial list ${short}`, `partial ${short}`, short];
}
