/**
 * The tour: a first visit opens on a first frame that says what a slab is. A press, or ten seconds without one, plays
 * the tour's chapters in order of time, a step at a time, at a pace that can be read. Anything the visitor does stops
 * it where it is. With reduced motion nothing plays by itself.
 */
import { ChapterKind, LEVEL_WORDS } from "#abi";
import type { Chapter } from "#wasm";
import { count, quantity } from "../../base/format.ts";
import type { Moment, Position } from "../../engine/types.ts";
import { change, chaptersOf, type Facts, facts, type StillFacts, store } from "../state/store.ts";
import { goToChapter, showChapter, whyOf } from "./chapters.ts";
import { cacheNumber, paceGuide, pause } from "./player.ts";
import { isLikeBefore } from "./step_rows.ts";

/** The strip shows chapters of other kinds only when the tour is off. */
const KINDS: ReadonlySet<number> = new Set([
	ChapterKind.CHAPTER_FAST,
	ChapterKind.CHAPTER_SLOW,
	ChapterKind.CHAPTER_FAR,
	ChapterKind.CHAPTER_DRAIN,
	ChapterKind.CHAPTER_LIST,
]);

/** The heading of the first frame. */
const FIRST_TITLE = "A slab is a few pages cut into objects of one size";
/** The heading at the end, above what each level costs. */
const LAST_TITLE = "The further down a CPU has to go, the longer it takes";

/** A step stays as long as its sentence takes to read. Steps that share a row count as one. */
const LETTERS_PER_S = 40;
const STAY_S = { least: 1.2, most: 2, within: 0.5 };
/** The most expensive step stays longer, if it takes at least this share of the event's cycles. */
const COSTLY = { share: 0.4, s: 3 };
/** How long the last step of a chapter stays. */
const REST_MS = { slow: 4000, other: 2000 };
/** A chapter with a Why card has no steps to play, but a card to read. */
const WHY_REST_MS = 9000;
/** How long the first frame stays if nobody presses anything. */
const FIRST_REST_MS = 10_000;
const PRESSES = ["pointerdown", "keydown"] as const;

let timer = 0;
let stopWaiting = () => {};

export function chaptersOfGuide(all: readonly Chapter[]): readonly Chapter[] {
	return all.filter(({ kind }) => KINDS.has(kind));
}

const guided = () => chaptersOfGuide(chaptersOf(facts()));

export function isCalm(): boolean {
	return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The chapter that the tour is at. */
export function chapterOfGuide(f: StillFacts): Chapter | undefined {
	return chaptersOfGuide(chaptersOf(f))[f.guide?.at ?? -1];
}

/** The words above the stage during the tour, instead of the event's own. */
export function titleOfGuide(f: Facts): string | undefined {
	const { guide, moment } = f;
	if (!guide || !moment) return undefined;
	if (guide.at < 0) return FIRST_TITLE;
	if (guide.isOver) return LAST_TITLE;
	const chapter = chapterOfGuide(f);
	const { op } = moment.position;
	return chapter && chapter.op <= op && op <= chapter.lastOp ? chapter.title : undefined;
}

/** The sentence below the heading, where the event's own does not help a newcomer. */
export function consequenceOfGuide(f: Facts): string | undefined {
	const { guide, built, path, moment } = f;
	if (!guide || !built || !moment) return undefined;
	if (guide.at < 0) return firstWords(f);
	if (guide.isOver) return lastWords(f);
	const kind = chapterOfGuide(f)?.kind;
	if (kind === ChapterKind.CHAPTER_FAST)
		return `A node is memory, with the CPUs that are nearest to it. This machine has ${quantity(built.nrNodes, "node")}.`;
	const own = path?.op === moment.position.op ? path : undefined;
	if (kind !== ChapterKind.CHAPTER_SLOW) return sentences(laterWords(f), own?.consequence);
	if (!own) return undefined;
	const last = own.cyclesOf.reduce((sum, n, i) => sum + (own.levels[i] === own.end ? n : 0), 0);
	const costs = `New pages cost ${count(last)} of the ${quantity(own.cycles, "model cycle")}.`;
	return sentences(own.consequence, costs);
}

const sentences = (...all: readonly (string | undefined)[]) => all.filter(Boolean).join(" ");

/** Says how far a chapter is from the previous one, and whether the cache on the stage changes. */
function laterWords(f: Facts): string {
	const all = chaptersOfGuide(chaptersOf(f));
	const at = f.guide?.at ?? 0;
	const [before, chapter] = [all[at - 1], all[at]];
	if (!before || !chapter) return "";
	const later = `${quantity(chapter.op - before.lastOp, "event")} later`;
	return before.name === chapter.name ? `${later}.` : `${later}, in another cache.`;
}

/** Says what an allocation costs at the top and at the bottom. */
function lastWords({ levels }: Facts): string {
	const costs = (levels?.rows ?? []).filter(({ allocs }) => allocs > 0);
	const [top, bottom] = [costs[0], costs.at(-1)];
	if (!top || !bottom || top === bottom) return "";
	const [least, most] = [top, bottom].map(({ cycles, allocs }) => Math.round(cycles / allocs));
	return `${Math.round(top.share / 100)} out of 100 allocations end at the ${LEVEL_WORDS[top.level]} and cost ${quantity(least ?? 0, "model cycle")} each. One that ends at the ${LEVEL_WORDS[bottom.level]} costs ${count(most ?? 0)}.`;
}

function firstWords({ levels, moment }: Facts): string {
	const says = "When the kernel needs an object, its CPU pops a free one";
	const fast = levels?.cache === moment?.cache ? levels?.rows[0] : undefined;
	if (!fast || fast.allocs === 0) return `${says}.`;
	const cycles = quantity(Math.round(fast.cycles / fast.allocs), "model cycle");
	return `${says}: ${cycles}, ${Math.round(fast.share / 100)} times out of 100.`;
}

/** Shows the first frame, and plays the first chapter if nobody presses anything for a while. */
export function beginGuide(): void {
	forget();
	change({ guide: { at: -1, isPlaying: false, isOver: false } });
	if (isCalm()) return;
	timer = window.setTimeout(() => startTour(), FIRST_REST_MS);
	for (const press of PRESSES) window.addEventListener(press, stopTimer, { once: true });
}

const stopTimer = () => window.clearTimeout(timer);

/** Plays from the first chapter of this kind, or from the very first one, as soon as the chapters are found. */
export function startTour(kind?: number): void {
	const start = () => {
		const at = guided().findIndex((c) => c.kind === kind);
		if (isCalm()) turnTo(Math.max(0, at));
		else playChapter(Math.max(0, at));
	};
	forget();
	if (guided().length > 0) {
		start();
		return;
	}
	stopWaiting = store.subscribe((now, before) => {
		if (now.chapters === before.chapters || guided().length === 0) return;
		stopWaiting();
		if (facts().guide) start();
	});
}

/** The visitor asked for the tour: starts at its first frame, at the event of its first chapter. */
export function takeTour(): void {
	pause();
	change({ tab: "explore", dialog: "", sheet: "", answer: "", lessonShown: "", guide: null });
	const first = guided()[0];
	if (first) showChapter(first, 0);
	beginGuide();
}

/** Goes to a chapter of the tour; plays it if the tour is playing. */
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
		if (isPlaying(at)) goOn(at, chapter);
	};
	stopWaiting = store.subscribe(arrive);
	showChapter(chapter, whyOf(chapter) === "" ? 0 : "last");
}

/** Plays the rest of a chapter. */
function goOn(at: number, chapter: Chapter): void {
	const why = whyOf(chapter);
	if (why !== "") {
		change({ why });
		rest(at, WHY_REST_MS);
		return;
	}
	const until = chapter.lastOp;
	const isSlow = chapter.kind === ChapterKind.CHAPTER_SLOW;
	const ended = () => rest(at, isSlow ? REST_MS.slow : REST_MS.other);
	paceGuide({ unit: "step", staysS, scope: cacheNumber(), until, ended });
}

function staysS(moment: Moment): number {
	const { position, steps, firstStep } = moment;
	const letters = steps[position.step - firstStep]?.sentence.length ?? 0;
	const { path } = facts();
	const cost = path?.op === position.op ? (path.cyclesOf[position.step] ?? 0) : 0;
	if (cost > 0 && cost >= COSTLY.share * (path?.cycles ?? 0)) return COSTLY.s;
	if (isLikeBefore(moment, undefined, position.step + 1)) return STAY_S.within;
	return Math.min(STAY_S.most, Math.max(STAY_S.least, letters / LETTERS_PER_S));
}

/** Play continues the tour where it was stopped, unless the visitor has left its chapter. */
function resume({ guide, moment }: Facts): void {
	const chapter = guide && !guide.isOver ? guided()[guide.at] : undefined;
	const op = moment?.position.op ?? -1;
	if (!guide || !moment || !chapter || op < chapter.op || op > chapter.lastOp) return;
	forget();
	change({ guide: { ...guide, isPlaying: true } });
	goOn(guide.at, chapter);
}

function isPlaying(at: number): boolean {
	const { guide } = facts();
	return guide?.isPlaying === true && guide.at === at;
}

function rest(at: number, restMs: number): void {
	timer = window.setTimeout(() => {
		if (isPlaying(at)) playChapter(at + 1);
	}, restMs);
}

/** Ends the tour for good: it does not start by itself on the next visit. */
export function exploreFreely(): void {
	forget();
	pause();
	change({ guide: null, explored: true });
}

function forget(): void {
	stopTimer();
	for (const press of PRESSES) window.removeEventListener(press, stopTimer);
	stopWaiting();
	stopWaiting = () => {};
}

/** Stops the tour when something else opens over it, and ends it when its chapters are gone. */
export function watchGuide(): void {
	store.subscribe((now, before) => {
		if (before.guide && !now.guide) delete document.documentElement.dataset.first;
		if (!now.guide) return;
		const isCovered = now.tab !== "explore" || now.dialog !== "" || now.sheet !== "";
		if (now.guide.isPlaying && isCovered) pause();
		if (now.playing && !before.playing && !now.guide.isPlaying && now.guide.at >= 0) resume(now);
		if (before.built && now.built !== before.built) {
			forget();
			change({ guide: null, playing: false });
		} else if (now.guide.at < 0 && before.guide === now.guide) leaveFirstFrame(now, before);
	});
}

/** The first frame belongs to its position: there, Play starts the tour, and a move leaves it. */
function leaveFirstFrame({ playing, moment }: Facts, before: Facts): void {
	if (playing && !before.playing) startTour();
	else if (moment && before.moment && !isSame(moment.position, before.moment.position))
		change({ guide: { at: 0, isPlaying: false, isOver: false } });
}

const isSame = (a: Position, b: Position) => a.op === b.op && a.step === b.step;
