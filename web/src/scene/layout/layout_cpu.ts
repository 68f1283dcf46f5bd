/**
 * A CPU's card: its cpu slab, its per-CPU partial list and its arrays. The cards of CPUs without changes stay the
 * same objects.
 */
import type { Place } from "../../engine/frame.ts";
import { holdsObjects, PLACE, titleOf } from "../../engine/place_kinds.ts";
import { type Draft, panelOn } from "../draft.ts";
import type { Label, Panel } from "../scene.ts";
import { tileAt } from "../tiles.ts";
import { drawArray, fillWords } from "./layout_arrays.ts";
import { gridFor } from "./layout_slabs.ts";
import type { CpuPlan } from "./plan.ts";

const SLOTS_MOST = 16;

/** The parts of a card that do not depend on its slabs and objects. */
interface Card {
	readonly places: readonly Place[];
	readonly lit: boolean;
	readonly panels: readonly Panel[];
	/** How many of the panels are slots of the per-CPU partial list. */
	readonly room: number;
	readonly label: Label;
}

const NO_PANELS: readonly Panel[] = [];

/** As last drawn. */
const CARDS = new WeakMap<CpuPlan, Card>();

export function drawCpu(draft: Draft, cpu: CpuPlan, places: readonly Place[]): void {
	const { step } = draft.source;
	const card = cardOf(cpu, places, step !== undefined && step.cpu === cpu.cpu);
	for (const panel of card.panels) draft.panels.push(panel);
	draft.labels.push(card.label);
	for (const place of places) {
		const area = cpu.parts.get(place.kind);
		if (area && holdsObjects(place.kind))
			drawArray(draft, place, `array:cpu/${cpu.cpu}/${place.kind}`, area);
	}
}

function cardOf(cpu: CpuPlan, places: readonly Place[], lit: boolean): Card {
	const known = CARDS.get(cpu);
	const stays = known?.lit === lit;
	if (stays && areAlike(known.places, places)) return known;
	const partial = places.find((p) => p.kind === PLACE.CPU_PARTIAL);
	const room = partial ? freeSlotsOf(cpu, partial) : NO_PANELS;
	const panels = stays && room.length + known.room === 0 ? known.panels : panelsOf(cpu, room, lit);
	const details = cpuWords(places);
	const before = known?.label ?? labelOf(cpu);
	const label = stays && before.details === details ? before : { ...before, lit, details };
	const card = { places, lit, panels, room: room.length, label };
	CARDS.set(cpu, card);
	return card;
}

function areAlike(a: readonly Place[], b: readonly Place[]): boolean {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) {
		const [p, q] = [a[i], b[i]];
		if (p?.kind !== q?.kind || p?.limit !== q?.limit || p?.nrSlabs !== q?.nrSlabs) return false;
		if (p?.nrEntries !== q?.nrEntries || p?.touched !== q?.touched) return false;
	}
	return true;
}

function panelsOf(cpu: CpuPlan, room: readonly Panel[], lit: boolean): Panel[] {
	const card = panelOn(cpu.card, "cpu", `cpu:${cpu.cpu}`, lit);
	const slot = cpu.parts.get(PLACE.CPU_SLAB);
	return slot ? [card, panelOn(slot, "slot", `slot:${cpu.cpu}`), ...room] : [card, ...room];
}

/** The slots of the per-CPU partial list, if it is short enough to count. */
function freeSlotsOf({ cpu, parts }: CpuPlan, partial: Place): readonly Panel[] {
	const area = parts.get(partial.kind);
	if (!area || partial.limit > SLOTS_MOST) return NO_PANELS;
	const grid = gridFor(partial, area);
	if (grid.size < 8) return NO_PANELS;
	const free = Math.max(0, partial.limit - partial.nrSlabs);
	return Array.from({ length: free }, (_, k) => {
		const i = partial.nrSlabs + k;
		return panelOn(tileAt(area, grid, i), "slot", `slot:${cpu}/${i}`);
	});
}

/** Its look before the first event. */
function labelOf(cpu: CpuPlan): Label {
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
		details: [],
		size: Math.min(12, Math.max(line * 0.68, line >= 9 ? 9.2 : 0)),
		strong: false,
		lit: false,
		on: "paper",
	};
}

/** The length of the per-CPU partial list, and the fill of the arrays. */
function cpuWords(places: readonly Place[]): readonly string[] {
	const partial = places.find((p) => p.kind === PLACE.CPU_PARTIAL);
	const partials = partial && partial.limit > 0 ? partialWords(partial) : NO_WORDS;
	if (!places.some((p) => holdsObjects(p.kind))) return partials;
	const arrays = places.filter((p) => holdsObjects(p.kind));
	const [only, ...more] = arrays;
	if (only && more.length === 0) return fillWords(only);
	const fills = arrays.map((p) => `${titleOf(p.kind, 0).short} ${p.nrEntries}`.toLowerCase());
	const named = partials.length > 0 ? partials.slice(0, -1) : [""];
	const full = named.map((words) => [words, ...fills].filter(Boolean).join(", "));
	return [...full, ...partials.slice(1)];
}

const NO_WORDS: readonly string[] = [];
/** Few lengths occur, on many CPUs. */
const PARTIAL_WORDS = new Map<number, readonly string[]>();
const LIMIT_MOST = 2 ** 32;

function partialWords({ nrSlabs, limit }: Place): readonly string[] {
	const known = PARTIAL_WORDS.get(nrSlabs * LIMIT_MOST + limit);
	if (known) return known;
	const short = `${nrSlabs} of ${limit}`;
	const words = [`per-CPU partial list ${short}`, `partial ${short}`, short];
	PARTIAL_WORDS.set(nrSlabs * LIMIT_MOST + limit, words);
	return words;
}
