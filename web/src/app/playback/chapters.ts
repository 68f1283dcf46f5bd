/**
 * Chapters: the events of a trace that are worth seeing, found by the core when it indexes the trace. The page asks
 * for them in the background, once the whole simulator has loaded (whole.ts): the first view's small one has no
 * index.
 */

import { ChapterKind } from "#abi";
import type { Chapter } from "#wasm";
import { NONE } from "../../engine/frame.ts";
import { PLACE } from "../../engine/place_kinds.ts";
import { subjectOf } from "../../engine/subject.ts";
import type { Built } from "../../engine/types.ts";
import { addressTo } from "../link/address.ts";
import { fromQuery, toQuery, viewOf } from "../link/url.ts";
import { engine } from "../platform/engine_link.ts";
import { resource } from "../state/resource.ts";
import { change, facts } from "../state/store.ts";
import { go, pause } from "./player.ts";

/**
 * The index takes 17 bytes per event, and a second of the worker's time for some ten million events: too much to
 * spend unasked.
 */
const EVENTS_MOST = 5_000_000;

export const hasOverview = ({ nrOps }: Built): boolean => nrOps > 0 && nrOps <= EVENTS_MOST;

/** Asks for the chapters of the trace on screen, and from now on for those of every other trace and machine. */
export function startChapters(): void {
	resource({
		key: ({ built, embed }) => (built && hasOverview(built) && !embed ? { built } : undefined),
		ask: () => engine().overview(),
		put: (overview, { built }) => change({ chapters: { built, ...overview } }),
	});
}

/** Returns the link to a chapter, for this trace on this machine. */
export function chapterAddress(chapter: Chapter): string {
	const { op, name } = chapter;
	const { trace, file, sandbox, future, machine } = viewOf(facts());
	const why = whyOf(chapter);
	const view = { ...fromQuery(""), trace, file, sandbox, future, machine, op, cache: name, why };
	return addressTo(toQuery(view), location);
}

/** Returns the subject of a chapter's Why card, which is the longest list; "" for other chapters. */
export function whyOf({ kind, node }: Chapter): string {
	if (kind !== ChapterKind.CHAPTER_LIST || node === NONE) return "";
	return subjectOf({ kind: PLACE.NODE_PARTIAL, cpu: NONE, node });
}

/** Goes to its event and puts its cache on the stage. */
export function goToChapter(chapter: Chapter): void {
	pause();
	showChapter(chapter, "last");
	change({ why: whyOf(chapter) });
}

/** Its cache and its event come onto the stage together, so that no event of another cache flashes past in between. */
export function showChapter({ op }: Chapter, step: number | "last"): void {
	change({ selected: null, why: "" });
	go({ kind: "at", op, step, own: true });
}

/** Finds the chapter at an event: the one that starts there, or else one that includes it. */
export function chapterAt(all: readonly Chapter[], op: number): Chapter | undefined {
	return all.find((c) => c.op === op) ?? all.find((c) => c.op <= op && op <= c.lastOp);
}
