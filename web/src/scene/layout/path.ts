/**
 * The path of an event over the section: numbered stops where its steps happen, joined by lines that run through the
 * gutters to the right of the columns and the corridor below the CPUs, and never across a slab. An allocation goes
 * down from its CPU, and the object comes back on a dashed line. A free goes straight to its slab, and from there to
 * whatever else changes.
 */
import { count } from "../../base/format.ts";
import { NONE } from "../../engine/frame.ts";
import type { Rect } from "../scene.ts";
import type { Plan, RowPlan } from "./plan.ts";
import type { CpuPlan } from "./plan_cpu.ts";
import { NAME_ROOM, NARROW_CELL, type NodePlan } from "./plan_node.ts";

/** Where a step happens. */
export interface StepPlace {
	/** The row (layout/rows.ts); -1: the step has none. */
	readonly rank: number;
	/** NONE if it names none. */
	readonly node: number;
	readonly cpu: number;
	/** The list that it is about, by listKey, if machine-wide lists are side by side. */
	readonly list?: string;
	/** Whether it asked and got nothing. */
	readonly isVain: boolean;
	/** Why it got nothing, in a few words. */
	readonly reason?: string;
	/** Whether it moves a slab from place to place. */
	readonly moves?: { readonly from: Place; readonly to: Place };
}

export interface Place {
	readonly rank: number;
	readonly node: number;
	readonly cpu: number;
	readonly list?: string;
}

/** What a path needs to know about its event. */
export interface EventSteps {
	/** The CPU at work. */
	readonly cpu: number;
	readonly isFree: boolean;
	/** The size that it asks for, or "free". */
	readonly words: string;
	readonly steps: readonly StepPlace[];
	/** The step on screen, from 0. */
	readonly current: number;
}

export type When = "done" | "now" | "ahead";

/** One step, or several that happen at one place. */
export interface PathStop {
	/** First and last step, from 0. */
	readonly from: number;
	readonly to: number;
	/** "3", "5–10", "3, 5, 6". */
	readonly words: string;
	readonly isVain: boolean;
	readonly when: When;
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

export interface PathLine {
	readonly points: readonly Point[];
	/** An object comes back or is freed: the line is dashed. */
	readonly isObject: boolean;
	/** It ends in an arrow. */
	readonly hasArrow: boolean;
	readonly when: "done" | "ahead";
}

/** Words at the foot of a cell. */
export interface PathNote {
	readonly words: string;
	readonly x: number;
	readonly y: number;
	/** Room for them. */
	readonly w: number;
	readonly size: number;
}

export interface ScenePath {
	readonly isFree: boolean;
	readonly stops: readonly PathStop[];
	readonly lines: readonly PathLine[];
	/** Why lists refused, each in its cell. */
	readonly notes: readonly PathNote[];
	/** The request, beside the name of its node. */
	readonly request: Rect & { readonly words: string };
}

export type Point = readonly [x: number, y: number];

/** A stop's height, its least width, and its width per letter, on a section of the usual height. */
const STOP = { h: 18, w: 18, letter: 6.6, around: 10 };
const PITCH = 21;
/** In half heights of a stop: a wide stop, and the height of a list with one line of slabs. */
const WIDE_STOP = 3;
const LIST_MOST = 5;
const REQUEST = { h: 18, letter: 6.8, around: 16 };
/** The most stops in a cell, and their room beside its words. */
const CELL_STOPS = 2;
const CELL_ROOM = 62;
/** Larger sections have larger stops: the height of a line of words on the usual one, and the limit. */
const LINE = 18;
const SCALE_MOST = 2;
/** How far beside the outgoing lines the returning ones run. */
const BESIDE = 4;

/** Neighbouring steps at one place. */
interface Visit {
	readonly key: string;
	readonly from: number;
	readonly to: number;
	readonly at: Spot;
	readonly isVain: boolean;
	/** Its steps that ask there, by number; others, such as a choice, have no place. */
	readonly asks: readonly number[];
	readonly reason: string | undefined;
	/** Where the first of its steps that moves a slab moves it from and to. */
	readonly move: { readonly from: Spot; readonly to: Spot } | undefined;
}

/** A place that has stops. */
interface Spot {
	readonly cpu: CpuPlan | undefined;
	readonly node: NodePlan | undefined;
	readonly row: RowPlan;
	/** Its list, of several in the row, and that list's cell. */
	readonly list: string | undefined;
	readonly cell: Rect | undefined;
	readonly tier: number;
	/** Its first row of node places: the corridor runs right above it. */
	readonly isFirst: boolean;
	/** The size of its stops, relative to the usual one. */
	readonly scale: number;
}

/** Returns undefined if the CPU is not on the plan, or no step has a row. */
export function pathOn(plan: Plan, event: EventSteps): ScenePath | undefined {
	const home = plan.cpus.find((c) => c.cpu === event.cpu);
	if (!home) return undefined;
	const visits = visitsOf(plan, home, event);
	if (visits.length === 0) return undefined;
	const stops = stopsOf(visits, event.current);
	return {
		isFree: event.isFree,
		stops: [...stops.values()].flat(),
		lines: linesOf(plan, home, visits, stops, event),
		notes: notesOf(plan, visits, event.current),
		request: requestOf(plan, home, event),
	};
}

/** The size of a note's letters, in line heights, and its width per letter, relative to that size. */
const NOTE = { size: 0.62, letter: 0.62, inside: 9 };
/**
 * Rows with less than this height, in lines, have their notes beside the first slabs, on the right, in this share of
 * the width.
 */
const LOW = { lines: 4, share: 0.5 };

/** Writes at each list that has refused why it did, once, and how often it has been asked so far. */
function notesOf({ line }: Plan, visits: readonly Visit[], current: number): PathNote[] {
	const byPlace = new Map<string, { readonly visit: Visit; readonly times: number }>();
	for (const visit of visits) {
		if (!visit.isVain || visit.reason === undefined || !visit.at.node || visit.from > current)
			continue;
		const asked = visit.asks.filter((i) => i <= current).length;
		const times = asked + (byPlace.get(visit.key)?.times ?? 0);
		byPlace.set(visit.key, { visit, times });
	}
	const size = line * NOTE.size;
	return [...byPlace.values()].flatMap(({ visit: { at, reason = "" }, times }) => {
		const { column } = at.node as NodePlan;
		const { band } = at.row;
		const isNarrow = column.w < NARROW_CELL.to;
		if (isNarrow && band.h < NARROW_CELL.withNote * line) return [];
		const inside = isNarrow ? 1 : NOTE.inside;
		const room = column.w - 2 * inside;
		const isBeside = !isNarrow && band.h < LOW.lines * line;
		const widthOf = (words: string) => words.length * size * NOTE.letter;
		const words = formsOf(reason, times).find(
			(form) => widthOf(form) <= (isBeside ? LOW.share * room : room),
		);
		if (words === undefined) return [];
		const w = isBeside ? widthOf(words) : room;
		const x = column.x + column.w - inside - w;
		return [{ words, x, y: band.y + band.h - size * 0.8, w, size }];
	});
}

/** Lists a reason's forms from long to short: "kept 3: min_partial is 5, asked 2 times", ..., "kept". */
function formsOf(reason: string, times: number): string[] {
	const [verdict = ""] = reason.split(":");
	const all = times > 1 ? [`${reason}, asked ${count(times)} times`] : [];
	return [...all, reason, verdict, verdict.replace(/ .*/, "")];
}

function visitsOf(plan: Plan, home: CpuPlan, { steps }: EventSteps): Visit[] {
	const visits: Visit[] = [];
	steps.forEach((step, i) => {
		const at = spotOf(plan, home, step);
		const last = visits.at(-1);
		// A step without a place of its own belongs to the one before.
		if (!at) {
			if (last) visits[visits.length - 1] = { ...last, to: i };
			return;
		}
		const key = keyOf(at);
		const move = moveOf(plan, home, step);
		const asks = step.reason === undefined ? [] : [i];
		const isSame = last?.key === key && last.isVain === step.isVain;
		if (isSame)
			visits[visits.length - 1] = {
				...last,
				to: i,
				asks: [...last.asks, ...asks],
				move: last.move ?? move,
			};
		// So do steps before the first place, such as creating a cache.
		else
			visits.push({
				...{ key, from: last ? i : 0, to: i, at, move },
				...{ isVain: step.isVain, asks, reason: step.reason },
			});
	});
	return visits;
}

const keyOf = ({ cpu, node, row }: Spot) => `${cpu?.key ?? node?.node}/${row.key}`;

function moveOf(plan: Plan, home: CpuPlan, { moves }: StepPlace): Visit["move"] {
	const [from, to] = [
		moves && spotOf(plan, home, moves.from),
		moves && spotOf(plan, home, moves.to),
	];
	return from && to && keyOf(from) !== keyOf(to) ? { from, to } : undefined;
}

function spotOf(plan: Plan, home: CpuPlan, { rank, node, cpu, list }: Place): Spot | undefined {
	const own = plan.nodes.find((n) => n.node === home.node);
	const rows = plan.rows.filter(({ row }) => row.rank === rank);
	const isOfCpu = rows[0]?.row.of === "cpu";
	const card = isOfCpu ? (plan.cpus.find((c) => c.cpu === cpu) ?? home) : undefined;
	const isCommon = rows[0]?.row.of === "common";
	const column = isCommon
		? plan.nodes.find((n) => n.node === NONE)
		: (plan.nodes.find((n) => n.node === (card?.node ?? node)) ?? own);
	const row = rows.find(({ tier }) => tier === column?.tier);
	if (!row || !column) return undefined;
	const first = plan.rows.find(
		({ tier, row: { of } }) => tier === row.tier && (of === "node" || of === "common"),
	);
	return {
		cpu: card,
		node: card ? undefined : column,
		row,
		list,
		cell: list === undefined ? undefined : column.frames.get(list),
		tier: row.tier,
		isFirst: row === first,
		scale: scaleOf(plan),
	};
}

function scaleOf({ line }: Plan): number {
	return Math.min(SCALE_MOST, Math.max(1, line / LINE));
}

/** Returns the stops of each place, by the key of its visits. Stops that don't have room to themselves become one. */
function stopsOf(visits: readonly Visit[], current: number): Map<string, PathStop[]> {
	const byPlace = new Map<string, Visit[]>();
	for (const visit of visits) byPlace.set(visit.key, [...(byPlace.get(visit.key) ?? []), visit]);
	const stops = new Map<string, PathStop[]>();
	for (const [key, own] of byPlace) {
		const [{ at }] = own as [Visit];
		const groups = groupsIn(own, at);
		const placed: PathStop[] = [];
		let shift = 0;
		for (const group of groups) {
			const { scale } = at;
			const words = shortWords(group, scale);
			const w = widthOf(words, scale);
			const [from, to] = [group[0]?.from ?? 0, group.at(-1)?.to ?? 0];
			const isNow = group.some((v) => v.from <= current && current <= v.to);
			const when = isNow ? "now" : to < current || from < current ? "done" : "ahead";
			const alone = groups.length === 1 ? w : 0;
			const [x, y] = at.cpu ? onCard(at, shift, alone) : inCell(at, shift, w);
			shift += at.cpu ? PITCH * scale : w + 3;
			const isVain = group.every((v) => v.isVain);
			placed.push({ from, to, words, isVain, when, x, y, w, h: STOP.h * scale });
		}
		// In a cell they are aligned to the right; the first is the leftmost.
		stops.set(key, at.cpu ? placed : leftToRight(placed));
	}
	return stops;
}

function leftToRight(stops: readonly PathStop[]): PathStop[] {
	const right = Math.max(...stops.map(({ x, w }) => x + w / 2));
	const all = stops.reduce((sum, { w }) => sum + w + 3, -3);
	let x = right - all;
	return stops.map((stop) => {
		const placed = { ...stop, x: x + stop.w / 2 };
		x += stop.w + 3;
		return placed;
	});
}

/** Makes separate stops if they leave room for the words of their row; otherwise one. */
function groupsIn(visits: readonly Visit[], at: Spot): Visit[][] {
	const { cpu, node, row, scale } = at;
	if (!cpu && node && node.column.w < NARROW_CELL.to) return [[...visits]];
	if (cpu)
		return grouped(visits, Math.max(1, Math.floor((partIn(cpu, row).h + 6) / (PITCH * scale))));
	const apart = grouped(visits, CELL_STOPS);
	const width = apart.reduce((sum, group) => sum + widthOf(wordsOf(group), scale) + 3, 0);
	return width <= CELL_ROOM * scale ? apart : grouped(visits, 1);
}

function widthOf(words: string, scale: number): number {
	return scale * Math.max(STOP.w, STOP.around + STOP.letter * words.length);
}

/** Joins neighbouring visits, as few as possible. */
function grouped(visits: readonly Visit[], room: number): Visit[][] {
	if (visits.length <= room) return visits.map((visit) => [visit]);
	const each = Math.ceil(visits.length / room);
	const groups: Visit[][] = [];
	for (let i = 0; i < visits.length; i += each) groups.push(visits.slice(i, i + each));
	return groups;
}

/** Writes "3, 5–10" for steps that are counted from 0. */
export function wordsOf(visits: readonly Pick<Visit, "from" | "to">[]): string {
	const ranges: [number, number][] = [];
	for (const { from, to } of visits) {
		const last = ranges.at(-1);
		if (last && last[1] + 1 === from) last[1] = to;
		else ranges.push([from, to]);
	}
	const words = ranges.map(([from, to]) => {
		return from === to ? count(from + 1) : `${count(from + 1)}–${count(to + 1)}`;
	});
	const [first = ""] = words;
	// Steps that alternate with others, such as every second one.
	if (words.length > 2) return `${first.split("–")[0]} … ${words.at(-1)?.split("–").at(-1)}`;
	return words.join(", ");
}

/** Writes as much as fits: "2–4, 9–10", "2 … 10", or "2 …". */
function shortWords(visits: readonly Visit[], scale: number): string {
	const [first, last] = [visits[0]?.from ?? 0, visits.at(-1)?.to ?? 0];
	const least = `${count(first + 1)} …`;
	const forms = [wordsOf(visits), `${least} ${count(last + 1)}`];
	return forms.find((words) => widthOf(words, scale) <= CELL_ROOM * scale) ?? least;
}

/**
 * Puts a stop on the right edge of a CPU's card, beside the place. A wide stop would cover a slab of a list, so it goes to the
 * list's foot if it is alone there.
 */
function onCard({ cpu, row, scale }: Spot, shift = 0, w = 0): Point {
	const { y, h } = partIn(cpu, row);
	const half = (STOP.h * scale) / 2;
	const isList = h < LIST_MOST * half;
	const at = isList && w > WIDE_STOP * half ? h - half + 2 : Math.min(h / 2, half + 2) + shift;
	return [cpu?.lane ?? 0, y + Math.min(Math.max(h - 8, h / 2), at)];
}

/** Returns the area of the CPU's first place in a row. */
function partIn(cpu: CpuPlan | undefined, { row, band }: RowPlan): Pick<Rect, "y" | "h"> {
	if (cpu?.isSquare && cpu.named === cpu.card) return cpu.card;
	return row.kinds.map((kind) => cpu?.parts.get(kind)).find((part) => part !== undefined) ?? band;
}

/** Puts stops in a cell, on the line with its words, starting from the right. */
function inCell({ node, row, list, cell }: Spot, shift: number, w: number): Point {
	const title = node && titleIn(node, row, list);
	if (node && title && node.column.w < NARROW_CELL.to) {
		const { x, w: room } = node.column;
		if (title.y > row.band.y + node.line) return [x + room / 2, row.band.y + 2 + node.line / 2];
		// Beside a short number.
		return [x + room + 6 - w / 2, title.y + title.h / 2];
	}
	const { x, w: width } = cell ?? node?.column ?? { x: 0, w: 0 };
	const right = x + width - 6;
	const y = title ? title.y + title.h / 2 : row.band.y + row.band.h / 2;
	return [right - shift - w / 2, y];
}

function titleIn(
	{ titles, column, line }: NodePlan,
	{ row, band }: RowPlan,
	list: string | undefined,
): Rect {
	const keys = row.of === "pages" ? ["pages"] : [list ?? "", ...row.kinds.map(String)];
	const found = keys.map((key) => titles.get(key)).find((title) => title !== undefined);
	return found ?? { x: column.x, y: band.y, w: column.w, h: line };
}

type StopOf = (visit: Visit) => PathStop | undefined;

function linesOf(
	plan: Plan,
	home: CpuPlan,
	visits: readonly Visit[],
	stops: ReadonlyMap<string, readonly PathStop[]>,
	{ current, isFree }: EventSteps,
): PathLine[] {
	const stopOf: StopOf = (visit) =>
		stops.get(visit.key)?.find((s) => s.from <= visit.from && visit.to <= s.to);
	const lines = isFree
		? linesOfFree(plan, home, visits, stops, stopOf)
		: linesOfAllocation(plan, home, visits, stopOf);
	return lines.map(({ to, ...line }) => ({ ...line, when: to <= current ? "done" : "ahead" }));
}

/** `to`: the step that it leads to. */
type Way = Omit<PathLine, "when"> & { readonly to: number };

/** Places that an allocation asks one after another hang off one trunk from its CPU. */
function linesOfAllocation(
	plan: Plan,
	home: CpuPlan,
	visits: readonly Visit[],
	stopOf: StopOf,
): Way[] {
	const ways: Way[] = [];
	const top: Point = [home.lane, home.card.y - 4];
	const trunk = { at: homeOf(visits, home), point: homePoint(visits, home, stopOf) ?? top };
	let before: End = { at: undefined, point: top };
	for (const visit of visits) {
		const stop = stopOf(visit);
		if (!stop) continue;
		const end: End = { at: visit.at, point: [stop.x, stop.y] };
		const isHome = visit.at.cpu === home;
		const isBack = isHome && before.at !== undefined && before.at.cpu !== home;
		const from = !isHome && before.at?.cpu !== home ? trunk : before;
		const points = route(plan, home, from, end, isBack);
		if (points.length > 1)
			ways.push({ points, isObject: isBack, hasArrow: isBack, to: visit.from });
		before = end;
	}
	return ways;
}

/** The object goes to its slab, and slabs to other lists. Steps that only compare or add up have no line. */
function linesOfFree(
	plan: Plan,
	home: CpuPlan,
	visits: readonly Visit[],
	stops: ReadonlyMap<string, readonly PathStop[]>,
	stopOf: StopOf,
): Way[] {
	const ways: Way[] = [];
	const endAt = (at: Spot): End => {
		const [stop] = stops.get(keyOf(at)) ?? [];
		if (stop) return { at, point: [stop.x, stop.y] };
		return { at, point: at.cpu ? onCard(at) : inCell(at, 0, STOP.w * at.scale) };
	};
	visits.forEach((visit, i) => {
		const stop = stopOf(visit);
		if (!stop) return;
		const here: End = { at: visit.at, point: [stop.x, stop.y] };
		if (i === 0) {
			const from: End = { at: undefined, point: [home.lane, home.card.y - 4] };
			const points = route(plan, home, from, here, true);
			ways.push({ points, isObject: true, hasArrow: true, to: visit.from });
		}
		if (!visit.move) return;
		const { from, to } = visit.move;
		const isHere = keyOf(to) === visit.key;
		const points = route(plan, home, endAt(from), isHere ? here : endAt(to), false);
		if (points.length > 1) ways.push({ points, isObject: false, hasArrow: true, to: visit.from });
	});
	return ways;
}

/** Finds the last visit to the CPU's own rows before the event leaves them. */
function homeOf(visits: readonly Visit[], home: CpuPlan): Spot | undefined {
	return visits.find(({ at }) => at.cpu === home)?.at;
}

function homePoint(visits: readonly Visit[], home: CpuPlan, stopOf: StopOf): Point | undefined {
	const own = visits.find(({ at }) => at.cpu === home);
	const stop = own && stopOf(own);
	return stop && [stop.x, stop.y];
}

interface End {
	readonly at: Spot | undefined;
	readonly point: Point;
}

/** A place, or the caller above its CPU. */
export interface WayPlace extends Place {
	readonly isCaller: boolean;
}

/** Returns the route between two places without stops; none if one of them is not on the plan. */
export function wayBetween(plan: Plan, from: WayPlace, to: WayPlace): Point[] {
	const home = plan.cpus.find((c) => c.cpu === from.cpu || c.cpu === to.cpu) ?? plan.cpus[0];
	const [a, b] = [from, to].map((place): End | undefined => {
		if (home && place.isCaller) return { at: undefined, point: [home.lane, home.card.y - 4] };
		const at = home && spotOf(plan, home, place);
		return at && { at, point: at.cpu ? onCard(at) : inCell(at, 0, 0) };
	});
	if (!home || !a || !b) return [];
	// The way to a caller is the way from it, reversed.
	return b.at ? route(plan, home, a, b, false) : route(plan, home, b, a, false).toReversed();
}

/** Draws horizontal and vertical lines from one place to another. */
function route(plan: Plan, home: CpuPlan, a: End, b: End, isBack: boolean): Point[] {
	const [from, to] = [wayOut(plan, home, a, isBack), wayOut(plan, home, b, isBack)];
	const isInCard = b.at?.cpu !== undefined && (a.at === undefined || a.at.cpu === b.at.cpu);
	if (isInCard) return [a.point, b.point];
	const sameColumn = a.at?.node !== undefined && a.at.node === b.at?.node;
	if (sameColumn) {
		const x = gutterOf(plan, a.at?.node as NodePlan);
		return tidy([a.point, [x, a.point[1]], [x, b.point[1]], b.point]);
	}
	const [out, into] = [from.at(-1) as Point, to.at(-1) as Point];
	const tiers = [a.at?.tier ?? tierOf(plan, home), b.at?.tier ?? tierOf(plan, home)];
	const aside: Point[] =
		tiers[0] === tiers[1]
			? []
			: [
					[LEFT, out[1]],
					[LEFT, into[1]],
				];
	return tidy([...from, ...aside, ...to.toReversed()]);
}

/** How far left of the rows' names lines run from tier to tier. */
const LEFT = 8;

/** Runs from a place to the corridor of its tier. */
function wayOut(plan: Plan, home: CpuPlan, { at, point }: End, isBack: boolean): Point[] {
	const tier = at?.tier ?? tierOf(plan, home);
	const by = isBack ? BESIDE : 0;
	const y = (plan.corridors[tier] ?? 0) + by;
	if (!at || at.cpu) return tidy([point, [point[0] + by, point[1]], [point[0] + by, y]]);
	if (at.isFirst && at.cell && at.cell.y > at.row.band.y + plan.line) {
		// Lists in several lines: between two columns of them.
		const edge = at.cell.x + at.cell.w - 3 + by;
		return [point, [edge, point[1]], [edge, y]];
	}
	if (at.isFirst && (at.cell || (at.node && at.node.node !== NONE))) return [point, [point[0], y]];
	const x = (at.node ? gutterOf(plan, at.node) : point[0]) + by;
	const common = plan.nodes.find(({ node, tier: own }) => node === NONE && own === tier);
	if (!common || at.node === common) return [point, [x, point[1]], [x, y]];
	// Machine-wide rows are between the gutter and the corridor, so the way goes around them.
	const [edge, right] = [at.row.band.y + by, gutterOf(plan, common) + by];
	return [point, [x, point[1]], [x, edge], [right, edge], [right, y]];
}

function tierOf(plan: Plan, { node }: CpuPlan): number {
	return plan.nodes.find((n) => n.node === node)?.tier ?? 0;
}

/** Runs to the right of a node's column. */
function gutterOf(plan: Plan, { column }: NodePlan): number {
	const right = column.x + column.w;
	const next = plan.nodes
		.filter((n) => n.column.x >= right && n.node !== NONE)
		.reduce((least, n) => Math.min(least, n.column.x), plan.width - 2);
	return Math.round(right + Math.min(14, next - right) / 2) - BESIDE / 2;
}

/** Drops points that add nothing. */
function tidy(points: readonly Point[]): Point[] {
	const distinct = points.filter(
		([x, y], i) => i === 0 || x !== points[i - 1]?.[0] || y !== points[i - 1]?.[1],
	);
	return distinct.filter(([x, y], i) => {
		const [a, b] = [distinct[i - 1], distinct[i + 1]];
		if (!a || !b) return true;
		return !((a[0] === x && x === b[0]) || (a[1] === y && y === b[1]));
	});
}

function requestOf(plan: Plan, home: CpuPlan, { words }: EventSteps): ScenePath["request"] {
	const column = plan.nodes.find((n) => n.node === home.node);
	const scale = scaleOf(plan);
	const [w, h] = [scale * (REQUEST.around + REQUEST.letter * words.length), scale * REQUEST.h];
	const right = column ? column.column.x + column.column.w - 4 : plan.width;
	// This leaves the node's name visible.
	const left = (column?.column.x ?? 0) + NAME_ROOM * plan.line;
	const x = Math.min(right - w, Math.max(left, home.lane - w / 2));
	const y = (column?.head.y ?? 0) + Math.max(0, ((column?.head.h ?? h) - h) / 2);
	return { x, y, w, h, words };
}
