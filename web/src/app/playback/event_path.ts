/**
 * The path of the event on screen and the levels that it runs over. The engine is asked whenever text follows the
 * position. While events pass faster than anybody can read, the levels are those of the map's cache, without a path.
 */
import { awaitChange } from "../../base/frame_clock.ts";
import {
	ALL_CACHES,
	type Built,
	type EventPath,
	type LevelRow,
	type Moment,
} from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { change, type Facts, facts, isUntouched, type StillFacts, store } from "../state/store.ts";
import { isRushing, onWords } from "../state/throttle.ts";
import { SLIDE_LIMIT } from "./rate.ts";

/** In place of an event: no path is asked for, only the levels. */
const FAST = -1;

interface Asked {
	readonly op: number;
	/** The event on screen, which may have made the cache. */
	readonly at: number;
	readonly built: Built;
	/** The cache that the map shows, on whose levels an event without a cache is. */
	readonly shown: number;
	/** Both change what the engine can answer. */
	readonly isWhole: boolean;
	readonly chapters: Facts["chapters"];
}

let asked: Asked | undefined;
/** The levels of a cache that does not exist yet. */
let early: readonly LevelRow[] | undefined;
/** Ends the wait for the latest question, which a simulator that stopped never answers. */
let settled = () => {};

export function startPath(): void {
	onWords(follow);
	store.subscribe((now, before) => {
		if (now.crash && !before.crash) settled();
		if (now.isWhole !== before.isWhole || now.chapters !== before.chapters) follow();
	});
	follow();
}

function follow(): void {
	const { moment, built, isWhole, chapters, playing, speed } = facts();
	if (!moment || !built) return;
	const shown = moment.cache;
	// Events that pass too fast for a path leave the levels to the map's cache, which the frame has.
	const isFast = (playing && speed > SLIDE_LIMIT) || isRushing();
	const op = isFast ? FAST : moment.position.op;
	const isSame = asked?.op === op && asked.built === built && asked.shown === shown;
	if (isSame && asked?.isWhole === isWhole && asked.chapters === chapters) return;
	asked = { op, at: moment.position.op, built, shown, isWhole, chapters };
	void ask(asked);
}

async function ask(question: Asked): Promise<void> {
	settled();
	const answered = awaitChange();
	settled = answered;
	try {
		const isFast = question.op === FAST;
		const path = isFast ? null : ((await engine().eventPath(question.op)) ?? null);
		const cache = isFast ? question.shown : path && (await levelsCache(path, question));
		const levels = cache === null ? null : await levelsOf(cache, question);
		if (asked === question) change({ path: path && onLevels(path, levels), levels });
	} catch {
		// The trace was replaced, or the simulator stopped, which is reported elsewhere.
	} finally {
		answered();
	}
}

/**
 * The cache on whose levels the event is. One that acts on no cache has steps on the first level and at the page allocator
 * alone, which every cache has: the map's cache then says more than the sum of all.
 */
async function levelsCache(path: EventPath, { at, shown }: Asked): Promise<number> {
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

/** The last levels, unless they may have changed. */
async function levelsOf(cache: number, question: Asked): Promise<Facts["levels"]> {
	const { levels } = facts();
	const isKnown =
		levels?.built === question.built && levels.cache === cache && levels.rows !== early;
	// With chapters, the trace has an index, and the levels have shares.
	if (isKnown && isCounted(levels) === (question.chapters?.built === question.built)) return levels;
	const own = await engine().levels(cache, question.at);
	// The map's cache may have no levels yet: nothing is on any level then.
	if (own?.length === 0) early = (await engine().levels(ALL_CACHES, question.at)) ?? [];
	const rows = own?.length === 0 ? early : own;
	return rows ? { built: question.built, cache, rows } : null;
}

function isCounted({ rows }: NonNullable<Facts["levels"]>): boolean {
	return rows.some((level) => level.allocs > 0);
}

/** The path of the event on screen; undefined if there is none, until it is known, and while events pass too fast. */
export function pathOf(now: StillFacts, moment: Moment | null): EventPath | undefined {
	const { path } = now;
	return path && moment && path.op === moment.position.op && !isUntouched(now) ? path : undefined;
}
