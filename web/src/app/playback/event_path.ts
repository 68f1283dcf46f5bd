/**
 * The path of the event on screen and the levels that it runs over. The engine is asked whenever text follows the
 * position. While events pass faster than anybody can read, there is no path, and the levels are those of the stage's
 * cache.
 */

import { LevelNodes, OpKind, Outcome, PlaceKind, Verb } from "#abi";
import { count, shortBytes } from "../../base/format.ts";
import { wake } from "../../base/frame_clock.ts";
import { type Frame, NO_SLAB, PAGES, type Place } from "../../engine/frame.ts";
import { PAGES_RANK, rankOf } from "../../engine/place_kinds.ts";
import {
	ALL_CACHES,
	type Built,
	type CacheRow,
	type EventPath,
	type LevelRow,
	type Moment,
	type ObjectId,
	type Step,
} from "../../engine/types.ts";
import type { RowCost } from "../../scene/draft.ts";
import type { EventSteps, StepPlace } from "../../scene/layout/path.ts";
import { listKey } from "../../scene/layout/shape.ts";
import { engine } from "../platform/engine_link.ts";
import { asker, resource } from "../state/resource.ts";
import {
	change,
	type Facts,
	facts,
	isUntouched,
	type Levels,
	type StillFacts,
} from "../state/store.ts";
import { isRushing } from "../state/throttle.ts";
import { SLIDE_LIMIT } from "./player.ts";

/** Stands for no event: only the levels are asked for, not a path. */
const FAST = -1;

interface Asked {
	readonly op: number;
	readonly built: Built;
	/** The cache on the stage: an event without a cache is shown on its levels. */
	readonly shown: number;
	/** Changing either changes what the engine can answer. */
	readonly isWhole: boolean;
	readonly chapters: Facts["chapters"];
}

export function startPath(): void {
	resource({ key: question, when: "text", ask: find, put: change });
}

function question({ moment, built, isWhole, chapters, playing, speed }: Facts): Asked | undefined {
	if (!moment || !built) return undefined;
	// While events pass too fast for a path, the levels are those of the stage's cache, which is in the frame.
	const isFast = (playing && speed > SLIDE_LIMIT) || isRushing();
	const op = isFast ? FAST : moment.position.op;
	return { op, built, shown: moment.cache, isWhole, chapters };
}

async function find(asked: Asked): Promise<Pick<Facts, "path" | "levels">> {
	const isFast = asked.op === FAST;
	// The event on screen may have created the cache.
	const at = isFast ? (facts().moment?.position.op ?? 0) : asked.op;
	const path = isFast ? null : ((await engine().eventPath(at)) ?? null);
	const cache = isFast ? asked.shown : path && (await levelsCache(path, at, asked.shown));
	const levels = cache === null ? null : await levelsOf(cache, at, asked);
	return { path: path && onLevels(path, levels), levels };
}

/**
 * The cache whose levels the event runs over. An event that acts on no cache has steps only on the first level and at
 * the page allocator, which every cache has: the stage's cache then says more than the sum of all caches.
 */
async function levelsCache(path: EventPath, at: number, shown: number): Promise<number> {
	if (path.cache !== ALL_CACHES || shown === ALL_CACHES) return path.cache;
	const last = ((await engine().levels(ALL_CACHES, at)) ?? []).length - 1;
	return path.levels.every((level) => level === 0 || level === last) ? shown : ALL_CACHES;
}

function onLevels(path: EventPath, levels: Facts["levels"]): EventPath {
	if (!levels || path.cache === levels.cache) return path;
	const { cache, rows } = levels;
	const levelOf = (level: number) => (level === 0 ? 0 : rows.length - 1);
	return { ...path, cache, levels: path.levels.map(levelOf), end: levelOf(path.end) };
}

/** Returns the latest levels, unless they may have changed. */
async function levelsOf(
	cache: number,
	at: number,
	{ built, chapters }: Asked,
): Promise<Facts["levels"]> {
	const { levels } = facts();
	const isKnown = levels?.built === built && levels.cache === cache && !levels.isEarly;
	// If there are chapters, the trace has an index, and the levels have shares.
	if (isKnown && isCounted(levels) === (chapters?.built === built)) return levels;
	const own = await engine().levels(cache, at);
	// The stage's cache may have no levels yet: then nothing is on any level.
	const isEarly = own?.length === 0;
	const rows = isEarly ? ((await engine().levels(ALL_CACHES, at)) ?? []) : own;
	return rows ? { built, cache, rows, isEarly } : null;
}

function isCounted({ rows }: NonNullable<Facts["levels"]>): boolean {
	return rows.some((level) => level.allocs > 0);
}

/**
 * Returns the path of the event on screen; undefined if it has none, while it isn't known yet, and while events
 * pass too fast.
 */
export function pathOf(now: StillFacts, moment: Moment | null): EventPath | undefined {
	const { path } = now;
	return path && moment && path.op === moment.position.op && !isUntouched(now) ? path : undefined;
}

/* The steps of the event on screen as the section needs them: the row, node and CPU of each, and the slab that it moves. */

export function eventSteps(
	{
		op,
		position,
		steps,
		firstStep,
		frame,
	}: Pick<Moment, "op" | "position" | "steps" | "firstStep" | "frame">,
	path: EventPath,
	levels: readonly LevelRow[],
): EventSteps {
	const ranks = levels.map(rankOfLevel);
	const list = listIn(steps, frame);
	const isFree = op.kind === OpKind.OP_FREE;
	return {
		cpu: op.cpu,
		isFree,
		words: isFree ? "free" : op.bytes > 0 ? shortBytes(op.bytes) : op.name,
		current: position.step,
		steps: path.steps.map((step, i): StepPlace => {
			const isVain = step.verb === Verb.VERB_IN_VAIN;
			const reason = isVain ? reasonOf(steps[i - firstStep]) : undefined;
			const place = {
				...{ rank: ranks[step.level] ?? -1, node: step.node, cpu: step.cpu },
				...(list !== undefined && ranks[step.level] === ROOM_RANK ? { list } : {}),
				...(reason === undefined ? {} : { reason }),
			};
			if (step.slab === NO_SLAB) return { ...place, isVain };
			const { fromKind, fromCpu, fromNode, toKind, toCpu, toNode } = step;
			const placeIn = (kind: number, node: number, cpu: number) => {
				const rank = rankIn(kind);
				return { rank, node, cpu, ...(list !== undefined && rank === ROOM_RANK ? { list } : {}) };
			};
			return {
				...place,
				isVain,
				moves: {
					from: placeIn(fromKind, fromNode, fromCpu),
					to: placeIn(toKind, toNode, toCpu),
				},
			};
		}),
	};
}

/** SLOB keeps pages with room on several lists, shown side by side; an event uses one of them. */
const ROOM_RANK = rankOf(PlaceKind.PLACE_SMALL_PAGES);

/** Finds that list, as a listKey: either a step names it, or it holds the page that the step is about. */
function listIn(steps: readonly Step[], { slabs, places }: Frame): string | undefined {
	const found = steps.map(({ args: { list, class: bytes, slab } }) => {
		if (list !== undefined) return places.find(({ kind }) => kind === list);
		if (bytes !== undefined)
			return places.find((place) => isOfRoom(place) && place.bytes === bytes);
		return slab === undefined ? undefined : places[slabs.place[slabs.serial.indexOf(slab)] ?? -1];
	});
	const place = found.find((at) => at && isOfRoom(at));
	return place && listKey(place);
}

const isOfRoom = ({ kind }: Pick<Place, "kind">) => rankOf(kind) === ROOM_RANK;

/** Explains why a list gave nothing: it's empty, or its node keeps what it has. */
function reasonOf(step: Step | undefined): string | undefined {
	const { nr_partial: nr, min_partial: least, outcome } = step?.args ?? {};
	if (nr === 0) return "none there";
	if (nr === undefined || outcome !== Outcome.OUTCOME_TOO_FEW) return undefined;
	return `kept ${count(nr)}: min_partial is ${count(least ?? 0)}`;
}

function rankIn(kind: number): number {
	return kind === PAGES ? PAGES_RANK : rankOf(kind);
}

function rankOfLevel({ kinds: [kind] }: LevelRow): number {
	return kind === undefined ? PAGES_RANK : rankOf(kind);
}

/** Returns the mean costs of allocations by the row that they end in; empty until the trace has an index. */
export function costsOf(levels: Levels | null): RowCost[] {
	return (levels?.rows ?? []).flatMap((level) => {
		if (level.allocs === 0) return [];
		const cycles = Math.round(level.cycles / level.allocs);
		const isFar = level.nodes === LevelNodes.FAR_NODES;
		return [{ rank: rankOfLevel(level), isFar, cycles, share: level.share }];
	});
}

/*
 * The cache that a step concerns when it is not the one on the stage. An event may touch several caches: a reap or a
 * shrink covers all of them, and an allocation may need an object of the allocator's own caches.
 */

/** Whether the frame of a position contains the places of a cache. */
export function showsCache({ cache, frame }: Pick<Moment, "cache" | "frame">, of: number): boolean {
	// One cache's slabs may serve all caches.
	const owner = frame.slabs.cache[0] ?? cache;
	return of === ALL_CACHES || cache === ALL_CACHES || cache === of || owner !== cache;
}

type Now = Pick<Moment, "op" | "steps" | "firstStep" | "position" | "caches">;

/** Returns the name of the other cache; undefined if the step concerns the cache on the stage, or none. */
export function otherCache(
	{ op, steps, firstStep, position, caches }: Now,
	shown: number,
): string | undefined {
	const cache = cacheOf(steps[position.step - firstStep], op.cache);
	return cache === shown ? undefined : nameOf(caches, cache);
}

function cacheOf(step: Step | undefined, ofEvent: number): number {
	return step && step.cache !== ALL_CACHES ? step.cache : ofEvent;
}

function nameOf(caches: readonly CacheRow[], cache: number): string | undefined {
	return cache === ALL_CACHES ? undefined : caches.find((c) => c.cache === cache)?.name;
}

/**
 * Chooses the cache to name beside each step: where the steps move on to another cache, and at the first step if
 * its cache is not on the stage.
 */
export function cachesToName({ op, steps, caches }: Now, shown: number): (string | undefined)[] {
	let before = shown;
	return steps.map((step) => {
		const cache = cacheOf(step, op.cache);
		if (cache === before || cache === ALL_CACHES) return undefined;
		before = cache;
		return nameOf(caches, cache);
	});
}

/* Fetches the objects that are shown in close-up, again at each position, one call at a time. */

interface Wanted {
	readonly moment: Moment;
	/** Each one is written as cache/serial/index. */
	readonly objects: string;
}

const [ask] = asker({
	oneAtATime: true,
	ask: ({ moment, objects }: Wanted) => engine().objects(moment.position, idsIn(objects)),
	put: (closeUps = []) => {
		change({ closeUps });
		wake();
	},
});

function idsIn(objects: string): ObjectId[] {
	return objects.split(" ").map((word) => {
		const [cache = 0, serial = 0, index = 0] = word.split("/").map(Number);
		return { cache, serial, index };
	});
}

/** Fetches the objects now in close-up. While they change faster than anybody can read, none are fetched. */
export function lookClosely(wanted: readonly ObjectId[]): void {
	const { moment, playing, speed, closeUps } = facts();
	if (playing && speed > SLIDE_LIMIT) return;
	if (wanted.length === 0 || !moment) {
		ask(undefined);
		if (closeUps.length > 0) change({ closeUps: [] });
		return;
	}
	const words = wanted.map(({ cache, serial, index }) => `${cache}/${serial}/${index}`);
	ask({ moment, objects: words.join(" ") });
}
