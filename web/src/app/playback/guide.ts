/**
 * The first minute: on a first visit five chapters of the trace play one after the other, a step at a time, at a pace
 * that can be read. Whatever the visitor does stops it at its place. With reduced motion nothing plays by itself.
 */
import { ChapterKind } from "#abi";
import type { Chapter } from "#wasm";
import { change, chaptersOf, facts, store } from "../state/store.ts";
import { goToChapter, showChapter, whyOf } from "./chapters.ts";
import { cacheNumber, paceGuide, pause } from "./player.ts";

/** In the core's order. The others are on the strip when the first minute is not. */
const KINDS: ReadonlySet<number> = new Set([
	ChapterKind.CHAPTER_FAST,
	ChapterKind.CHAPTER_SLOW,
	ChapterKind.CHAPTER_FAR,
	ChapterKind.CHAPTER_DRAIN,
	ChapterKind.CHAPTER_LIST,
]);

/** A chapter takes about this long, unless its steps would pass faster or slower than anybody reads. */
const CHAPTER_S = 9;
const STEPS_PER_S = { least: 0.5, most: 1.6 };
/** Its last step stays for so long. */
const REST_MS = 3000;
/** With a Why card to read. */
const WHY_REST_MS = 9000;
/** Lets the eye find the first scene before it moves. */
const FIRST_REST_MS = 1000;

let timer = 0;
let stopWaiting = () => {};

export function chaptersOfGuide(all: readonly Chapter[]): readonly Chapter[] {
	return all.filter(({ kind }) => KINDS.has(kind));
}

const guided = () => chaptersOfGuide(chaptersOf(facts()));

export function isCalm(): boolean {
	return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Begins with the first chapter as soon as the chapters are found, unless the visitor does something before. */
export function beginGuide(): void {
	forget();
	change({ guide: { at: -1, isPlaying: false, isOver: false } });
	if (isCalm()) return;
	const { moment } = facts();
	const begin = () => {
		stopWaiting();
		timer = window.setTimeout(() => {
			const { guide, playing } = facts();
			if (guide?.at === -1 && !playing && facts().moment === moment) playChapter(0);
		}, FIRST_REST_MS);
	};
	if (guided().length > 0) begin();
	else
		stopWaiting = store.subscribe((now, before) => {
			if (now.chapters !== before.chapters && guided().length > 0) begin();
		});
}

/** The visitor asks for the first minute: from its first chapter, on the stage. */
export function takeTour(): void {
	pause();
	change({ tab: "explore", dialog: "", sheet: "", answer: "", lessonShown: "" });
	beginGuide();
}

/** Goes to a chapter of the first minute; plays it if the first minute is playing. */
export function turnTo(at: number): void {
	const { guide } = facts();
	const chapter = guided()[at];
	if (!chapter || !guide) return;
	if (guide.isPlaying) playChapter(at);
	else {
		forget();
		change({ guide: { at, isPlaying: false, isOver: false } });
		goToChapter(chapter);
	}
}

export function playChapter(at: number): void {
	forget();
	const chapter = guided()[at];
	if (!chapter) {
		const last = guided().length - 1;
		change({ guide: { at: last, isPlaying: false, isOver: true }, playing: false });
		return;
	}
	const { moment } = facts();
	paceGuide(undefined);
	change({ guide: { at, isPlaying: true, isOver: false }, playing: true });
	const arrive = () => {
		const here = facts().moment;
		if (!here || here === moment || here.position.op !== chapter.op) return;
		stopWaiting();
		if (!isPlaying(at)) return;
		const nr = chapter.kind === ChapterKind.CHAPTER_FAST ? chapter.number : here.nrSteps;
		const speed = Math.min(STEPS_PER_S.most, Math.max(STEPS_PER_S.least, nr / CHAPTER_S));
		const until = chapter.lastOp;
		paceGuide({ unit: "step", speed, scope: cacheNumber(), until, ended: () => rest(at) });
	};
	stopWaiting = store.subscribe(arrive);
	showChapter(chapter, 0);
}

function isPlaying(at: number): boolean {
	const { guide } = facts();
	return guide?.isPlaying === true && guide.at === at;
}

function rest(at: number): void {
	const chapter = guided()[at];
	const why = chapter ? whyOf(chapter) : "";
	if (isPlaying(at) && why !== "") change({ why });
	timer = window.setTimeout(
		() => {
			if (isPlaying(at)) playChapter(at + 1);
		},
		why === "" ? REST_MS : WHY_REST_MS,
	);
}

/** Ends it for good: it does not begin by itself on the next visit. */
export function exploreFreely(): void {
	forget();
	pause();
	change({ guide: null, explored: true });
}

function forget(): void {
	window.clearTimeout(timer);
	stopWaiting();
	stopWaiting = () => {};
}

/** Stops it when something else comes in front, and ends it when its chapters are gone. */
export function watchGuide(): void {
	store.subscribe((now, before) => {
		if (!now.guide) return;
		const isCovered = now.tab !== "explore" || now.dialog !== "" || now.sheet !== "";
		if (now.guide.isPlaying && isCovered) pause();
		if (before.built && now.built !== before.built) {
			forget();
			change({ guide: null, playing: false });
		}
	});
}
