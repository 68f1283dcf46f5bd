/**
 * The path of the event on screen and the stairs that it runs over. The engine is asked whenever text follows the
 * position: not while events pass faster than anybody can read.
 */
import { awaitChange } from "../../base/frame_clock.ts";
import type { Built, EventPath, Moment } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { change, type Facts, facts, isUntouched, type StillFacts, store } from "../state/store.ts";
import { isRushing, onWords } from "../state/throttle.ts";
import { SLIDE_LIMIT } from "./rate.ts";

interface Asked {
	readonly op: number;
	readonly built: Built;
	/** Both change what the engine can answer. */
	readonly isWhole: boolean;
	readonly chapters: Facts["chapters"];
}

let asked: Asked | undefined;
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
	if (!moment || !built || (playing && speed > SLIDE_LIMIT) || isRushing()) return;
	const { op } = moment.position;
	const isSame = asked?.op === op && asked.built === built;
	if (isSame && asked?.isWhole === isWhole && asked.chapters === chapters) return;
	asked = { op, built, isWhole, chapters };
	void ask(asked);
}

async function ask(question: Asked): Promise<void> {
	settled();
	const answered = awaitChange();
	settled = answered;
	try {
		const path = (await engine().eventPath(question.op)) ?? null;
		const stairs = path && (await stairsOf(path, question));
		if (asked === question) change({ path, stairs });
	} catch {
		// The trace was replaced, or the simulator stopped, which is reported elsewhere.
	} finally {
		answered();
	}
}

/** The last stairs, unless they may have changed. */
async function stairsOf({ cache }: EventPath, question: Asked): Promise<Facts["stairs"]> {
	const { stairs } = facts();
	const isKnown = stairs?.built === question.built && stairs.cache === cache;
	// With chapters, the trace has an index, and the stairs have shares.
	if (isKnown && isCounted(stairs) === (question.chapters?.built === question.built)) return stairs;
	const levels = await engine().stairs(cache, question.op);
	return levels ? { built: question.built, cache, levels } : null;
}

function isCounted({ levels }: NonNullable<Facts["stairs"]>): boolean {
	return levels.some((level) => level.allocs > 0);
}

/** The path of the event on screen; undefined if there is none, until it is known, and while events pass too fast. */
export function pathOf(now: StillFacts, moment: Moment | null): EventPath | undefined {
	const { path } = now;
	return path && moment && path.op === moment.position.op && !isUntouched(now) ? path : undefined;
}
