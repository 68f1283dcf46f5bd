/**
 * The path of an event over its stairs: stops in the order of the steps, and the lines between them. Pure functions of
 * the levels of the steps and of where the stairs stand.
 */
import { count } from "../../base/format.ts";

/** Where a level stands: its left edge, its upper edge and its width, in pixels. */
export interface Tread {
	readonly x: number;
	readonly y: number;
	readonly w: number;
}

/** The direction of the stairs: side by side, or on a narrow page one below the other. */
export type Direction = "across" | "down";

export type When = "done" | "now" | "ahead";

/** One step, or several neighbouring ones on the same level that have no room of their own. */
export interface Stop {
	/** First and last step, from 0. */
	readonly from: number;
	readonly to: number;
	readonly level: number;
	/** The path came up to it from a deeper level. */
	readonly isBack: boolean;
	/** Every one of its steps asked in vain. */
	readonly isVain: boolean;
	readonly when: When;
	readonly x: number;
	readonly y: number;
}

export interface Line {
	readonly d: string;
	/** The step that it leads to, from 0. */
	readonly to: number;
	readonly when: "done" | "ahead";
	/** It comes up from a deeper level. */
	readonly isBack: boolean;
}

export interface Path {
	readonly stops: readonly Stop[];
	readonly lines: readonly Line[];
	/** The levels that the path reaches. */
	readonly reached: ReadonlySet<number>;
}

/** The steps of an event, as far as the path needs them. */
export interface Steps {
	readonly levels: Uint8Array;
	readonly vain: Uint8Array;
	/** The step on screen, from 0. */
	readonly current: number;
}

/** The room that a stop takes at least, and with a letter in it. */
const PITCH = 25;
const AROUND = 12;
const LETTER = 7;
/** The path runs so far above the upper edge of a level, and a stop that the path comes back to stands above that. */
const ABOVE = 16;
const BACK_ABOVE = 24;
/** The first stop stands so far from the left edge of its level: the request comes before it at the first. */
const FIRST = 18;
/** How far the path runs on before it goes down. */
const EDGE = 8;
/** Beside a list of levels, the path runs in this column. */
const COLUMN = 16;

interface Visit {
	readonly from: number;
	readonly to: number;
	readonly level: number;
	readonly isBack: boolean;
}

/** Neighbouring steps on the same level. */
function visitsOf(levels: Uint8Array): Visit[] {
	const visits: Visit[] = [];
	levels.forEach((level, step) => {
		const last = visits.at(-1);
		if (last?.level === level) visits[visits.length - 1] = { ...last, to: step };
		else
			visits.push({
				from: step,
				to: step,
				level,
				isBack: last !== undefined && last.level > level,
			});
	});
	return visits;
}

/** The steps of a stop, counted from 1. */
export function stepsWords({ from, to }: Pick<Visit, "from" | "to">): string {
	return from === to ? count(from + 1) : `${count(from + 1)}–${count(to + 1)}`;
}

function pitchOf(visit: Visit): number {
	return Math.max(PITCH, AROUND + LETTER * stepsWords(visit).length);
}

function widthOf(visits: readonly Visit[]): number {
	return visits.reduce((sum, v) => sum + pitchOf(v), 0);
}

/** Parts of a level's visits that fit into `room`: single steps, else visits, else the visit nearest to the step on screen. */
function partsOf(visits: readonly Visit[], room: number, current: number): Visit[] {
	const steps = visits.reduce((sum, v) => sum + v.to - v.from + 1, 0);
	const nearest = visits.findLast((v) => v.from <= current) ?? visits[0];
	if (!nearest) return [];
	const last = visits.at(-1)?.to ?? 0;
	if (steps * pitchOf({ ...nearest, from: last, to: last }) <= room)
		return visits.flatMap((v) =>
			Array.from({ length: v.to - v.from + 1 }, (_, i) => ({
				...v,
				from: v.from + i,
				to: v.from + i,
			})),
		);
	if (widthOf(visits) <= room) return [...visits];
	return [nearest];
}

/** In a list, each level has one stop: its last step until now, or else its first. */
function stepOf(visits: readonly Visit[], current: number): Visit[] {
	const nearest = visits.findLast((v) => v.from <= current) ?? visits[0];
	if (!nearest) return [];
	const step = Math.max(nearest.from, Math.min(nearest.to, current));
	return [{ ...nearest, from: step, to: step }];
}

function whenOf({ from, to }: Visit, current: number): When {
	if (to < current) return "done";
	return from > current ? "ahead" : "now";
}

export function pathOn(
	treads: readonly Tread[],
	{ levels, vain, current }: Steps,
	direction: Direction,
	lead = 0,
): Path {
	const visits = visitsOf(levels);
	const stops: Stop[] = [];
	treads.forEach((tread, level) => {
		const before = level === 0 ? lead : 0;
		const own = visits.filter((v) => v.level === level);
		const parts =
			direction === "down" ? stepOf(own, current) : partsOf(own, tread.w - before - FIRST, current);
		let x = tread.x + before + FIRST;
		for (const part of parts) {
			const isVain = vain.subarray(part.from, part.to + 1).every((v) => v === 1);
			const at =
				direction === "down"
					? { x: tread.x + COLUMN, y: tread.y + ABOVE }
					: {
							x: x + (pitchOf(part) - PITCH) / 2,
							y: tread.y - ABOVE - (part.isBack ? BACK_ABOVE : 0),
						};
			x += pitchOf(part);
			stops.push({ ...part, isVain, when: whenOf(part, current), ...at });
		}
	});
	return {
		stops: stops.sort((a, b) => a.from - b.from),
		lines: linesOf(visits, stops, treads, current, direction),
		reached: new Set(levels),
	};
}

function linesOf(
	visits: readonly Visit[],
	stops: readonly Stop[],
	treads: readonly Tread[],
	current: number,
	direction: Direction,
): Line[] {
	const stopAt = (step: number, level: number) =>
		stops.find((s) => s.level === level && s.from <= step && step <= s.to) ??
		stops.find((s) => s.level === level);
	const lines: Line[] = [];
	const known = new Set<string>();
	const add = (d: string, to: number, isBack: boolean) => {
		const when = to <= current ? "done" : "ahead";
		if (d === "" || known.has(`${d}${when}`)) return;
		known.add(`${d}${when}`);
		lines.push({ d, to, when, isBack });
	};
	const [first] = visits;
	const begin = first && stopAt(first.from, first.level);
	const [top] = treads;
	if (begin && top && direction === "across")
		add(stairsBetween({ x: top.x, y: top.y - ABOVE, level: 0 }, begin, treads), 0, false);
	visits.forEach((visit, i) => {
		for (const stop of stops.filter(
			(s) => s.level === visit.level && s.from > visit.from && s.to <= visit.to,
		)) {
			const before = stopAt(stop.from - 1, visit.level);
			if (before && before !== stop) add(`M${before.x} ${before.y}H${stop.x}`, stop.from, false);
		}
		const next = visits[i + 1];
		const a = stopAt(visit.to, visit.level);
		const b = next && stopAt(next.from, next.level);
		if (!next || !a || !b || a === b) return;
		if (direction === "down") add(columnBetween(a, b), next.from, next.isBack);
		else add(next.isBack ? arcBetween(a, b) : stairsBetween(a, b, treads), next.from, next.isBack);
	});
	return lines;
}

/** Along the upper edges of the levels between two stops, down from edge to edge. */
function stairsBetween(
	a: Pick<Stop, "x" | "y" | "level">,
	b: Stop,
	treads: readonly Tread[],
): string {
	let d = `M${a.x} ${a.y}`;
	for (let level = a.level; level < b.level; level++) {
		const [here, below] = [treads[level], treads[level + 1]];
		if (!here || !below) return "";
		const edge = Math.max(here.x + here.w - EDGE, a.level === level ? a.x : 0);
		d += `L${Math.min(edge, below.x)} ${here.y - ABOVE}L${below.x + EDGE} ${below.y - ABOVE}`;
	}
	return `${d}L${b.x} ${b.y}`;
}

/** Up and over, to fall on a stop from above. */
function arcBetween(a: Stop, b: Stop): string {
	const top = Math.min(a.y, b.y) - ABOVE;
	return `M${a.x} ${a.y}C${a.x} ${top} ${b.x + (a.x - b.x) * 0.4} ${top} ${b.x} ${b.y}`;
}

/** Straight down with the indentation of the levels, or back up beside them. */
function columnBetween(a: Stop, b: Stop): string {
	if (b.y > a.y) return `M${a.x} ${a.y}V${b.y - COLUMN}L${b.x} ${b.y}`;
	return `M${a.x} ${a.y}C${a.x - COLUMN * 2} ${a.y} ${b.x - COLUMN} ${b.y} ${b.x} ${b.y}`;
}
