/**
 * Blends two scenes. Slabs in both of them slide; a slab only in the later one arrives from its zone in the page
 * allocator; a slab only in the earlier one leaves for it. Objects that enter an array, leave one or move up in it
 * fly from their old place to the new one. At 0 the result is the first scene, at 1 the second.
 */
import type { ObjectId } from "../engine/types.ts";
import { type Crowd, runPairs } from "./crowd.ts";
import { cellRects, entryRect } from "./geometry.ts";
import { objectIn } from "./hit.ts";
import {
	type ArrayBox,
	type Fold,
	objectKey,
	type Rect,
	type Scene,
	type SlabBox,
	sameRect,
} from "./scene.ts";

/** If more than this move at once, no eye could follow, so they jump. */
const FLIGHTS_MOST = 600;
const SLIDES_MOST = 2500;
/** If more than this move, their old places are not shown. */
const LEFT_MOST = 12;

/** The transition between two scenes; `moves`: whether anything visibly moves. */
export interface Transition {
	(t: number): Scene;
	readonly moves: boolean;
	/** The old places of slabs and objects that move, if they are few enough to follow. */
	readonly left: readonly Rect[];
}

/** The parts that do not depend on time are computed once. */
export function transition(a: Scene, b: Scene): Transition {
	if (a.crowd && b.crowd && movesBetween(a.crowd, b.crowd) > SLIDES_MOST)
		return Object.assign((t: number) => (t <= 0 ? a : b), { moves: false, left: [] });
	const { still, moving, leaving } = ways(a, b);
	const flights = flightsBetween(a, b);
	const arrays = b.arrays.map((array) => {
		const own = flights.filter((f) => f.array === array).map((f) => f.position);
		return own.length === 0 ? array : { ...array, awaited: new Set(own) };
	});
	const at = (t: number): Scene => {
		if (t <= 0) return a;
		if (t >= 1) return b;
		const gone = leaving.map((s) => {
			return { ...s, ...mix(s, s.home, t), alpha: 1 - t, fold: undefined };
		});
		const sliding = moving.map(({ slab, from }) =>
			from
				? { ...slab, ...mix(from, slab, t), alpha: 1, fold: commonFold(from, slab) }
				: { ...slab, ...mix(slab.home, slab, t), alpha: t, fold: undefined },
		);
		const flying = flights.map((f) => ({ key: f.key, state: f.state, ...mix(f.from, f.to, t) }));
		return { ...b, crowd: undefined, slabs: [...still, ...gone, ...sliding], arrays, flying };
	};
	const slides = moving.length + leaving.length;
	const left = [
		...moving.flatMap(({ slab, from }) => (from && !commonFold(from, slab) ? from : [])),
		...leaving,
		...flights.map((f) => f.from),
	];
	return Object.assign(at, {
		moves: slides <= SLIDES_MOST && slides + flights.length > 0,
		left: left.length > LEFT_MOST ? [] : left,
	});
}

/** A slab that moves up within a histogram's list is not shown moving; one that arrives or leaves is. */
function commonFold(from: SlabBox, { fold }: SlabBox): Fold | undefined {
	return from.fold?.key === fold?.key ? fold : undefined;
}

/** Counts roughly how many slabs of a crowd have moved: no boxes are needed to see that there are too many. */
function movesBetween(before: Crowd, now: Crowd): number {
	const [were, are] = [before.frame.slabs.serial, now.frame.slabs.serial];
	let moves = 0;
	for (const { was, run, isAlike } of runPairs(before, now)) {
		const n = Math.max(was?.count ?? 0, run?.count ?? 0);
		for (let i = 0; i < n; i++)
			if (!isAlike || were[(was?.first ?? 0) + i] !== are[(run?.first ?? 0) + i]) moves++;
	}
	return moves;
}

interface Ways {
	readonly still: SlabBox[];
	/** A slab's old place is undefined if it is not on the stage. */
	readonly moving: { slab: SlabBox; from: SlabBox | undefined }[];
	readonly leaving: SlabBox[];
}

/** Most slabs have the same boxes in both; only the keys of the others are compared. */
function ways(a: Scene, b: Scene): Ways {
	const kept = new Set(b.slabs);
	const before = new Map<string, SlabBox>();
	for (const slab of a.slabs) if (!kept.has(slab)) before.set(slab.key, slab);
	const were = new Set(a.slabs);
	const still: SlabBox[] = [];
	const moving: Ways["moving"] = [];
	for (const slab of b.slabs) {
		const from = were.has(slab) ? slab : before.get(slab.key);
		if (from && sameRect(from, slab)) still.push(slab);
		else moving.push({ slab, from });
		before.delete(slab.key);
	}
	return { still, moving, leaving: [...before.values()] };
}

interface Flight {
	readonly key: string;
	readonly state: number;
	readonly from: Rect;
	readonly to: Rect;
	/** Its target, if that is in an array. */
	readonly array: ArrayBox | undefined;
	readonly position: number;
}

interface Seat {
	readonly array: ArrayBox;
	readonly position: number;
	readonly object: ObjectId;
}

/** Finds the objects in the arrays of a scene that were elsewhere before. */
function flightsBetween(a: Scene, b: Scene): Flight[] {
	if (a.arrays.length + b.arrays.length === 0 || a === b) return [];
	const were = seatsOf(a);
	const are = seatsOf(b);
	const flights: Flight[] = [];
	const slabs = {
		a: new Map(a.slabs.map((s) => [s.key, s])),
		b: new Map(b.slabs.map((s) => [s.key, s])),
	};
	for (const [key, { array, position, object }] of are) {
		const old = were.get(key);
		const to = entryRect(array, position);
		const from = old
			? entryRect(old.array, old.position)
			: (cellOf(object, slabs.a) ?? cellOf(object, slabs.b));
		if (from && !sameRect(from, to))
			flights.push({ key, state: array.state, from, to, array, position });
	}
	for (const [key, { array, position, object }] of were) {
		if (are.has(key)) continue;
		const to = cellOf(object, slabs.b) ?? cellOf(object, slabs.a);
		const from = entryRect(array, position);
		if (to) flights.push({ key, state: array.state, from, to, array: undefined, position: -1 });
	}
	return flights.length > FLIGHTS_MOST ? [] : flights;
}

function seatsOf(scene: Scene): Map<string, Seat> {
	const seats = new Map<string, Seat>();
	for (const array of scene.arrays) {
		for (let position = 0; position < array.count; position++) {
			const object = objectIn(array, position);
			seats.set(objectKey(object), { array, position, object });
		}
	}
	return seats;
}

function cellOf(object: ObjectId, slabs: ReadonlyMap<string, SlabBox>): Rect | undefined {
	const slab = slabs.get(`slab:${object.cache}/${object.serial}`);
	return slab && cellRects(slab, object.index)[0];
}

/** Slow at both ends, so that you see an object leave and arrive. */
export function ease(t: number): number {
	const x = Math.min(1, Math.max(0, t));
	return x < 0.5 ? 4 * x * x * x : 1 - (-2 * x + 2) ** 3 / 2;
}

function mix(a: Rect, b: Rect, t: number): Rect {
	return {
		x: a.x + (b.x - a.x) * t,
		y: a.y + (b.y - a.y) * t,
		w: a.w + (b.w - a.w) * t,
		h: a.h + (b.h - a.h) * t,
	};
}
