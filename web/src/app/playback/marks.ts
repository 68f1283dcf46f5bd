/**
 * Marks: moments with a name, a recording's own. They are kept in the browser by the recording, and travel in links. A
 * link's marks are shown alone and are not kept: one's own stay aside. What is kept is read anew before each writing, so
 * that two tabs do not undo each other's recordings.
 */
import * as v from "valibot";
import { count } from "../../base/format.ts";
import { eventWords, numberOf } from "../../base/numbering.ts";
import { LOCAL } from "../link/fields.ts";
import { LABEL_MOST, mark, markText } from "../link/link_parts.ts";
import { say } from "../state/announce.ts";
import { change, type Facts, facts, type Mark } from "../state/store.ts";
import { go, pause } from "./player.ts";

const KEPT = "slabscope.marks";
const MOST_RECORDINGS = 40;
const MOST_MARKS = 64;
/** Storage counts from 0, as it always did. */
const STORED_FIRST = 0;
const storedText = (m: Mark) => markText(m, STORED_FIRST);

const Kept = v.record(v.string(), v.array(v.pipe(mark(STORED_FIRST), v.readonly())));

/** What the marks of a recording are kept under: a sample's name, a file's key. "" for what is not to be known again. */
function nameOf(trace: string, fileKey: string): string {
	return trace.startsWith(LOCAL) ? fileKey : trace;
}

function kept(): Record<string, readonly Mark[]> {
	try {
		const read = v.safeParse(Kept, JSON.parse(localStorage.getItem(KEPT) ?? "{}"));
		return read.success ? read.output : {};
	} catch {
		return {};
	}
}

function marksOf(trace: string, fileKey: string): readonly Mark[] {
	return kept()[nameOf(trace, fileKey)] ?? [];
}

/** Stores them for this recording. What is kept of it is read anew before: another tab may have written meanwhile. */
function keepOwn(own: readonly Mark[]): void {
	change({ ownMarks: own });
	const { trace, fileKey } = facts();
	const name = nameOf(trace, fileKey);
	if (name === "") return;
	const { [name]: _, ...others } = kept();
	const latest = Object.entries(others).slice(1 - MOST_RECORDINGS);
	const all = own.length > 0 ? [...latest, [name, own] as const] : latest;
	const texts = all.map(([key, some]) => [key, some.map(storedText)]);
	try {
		localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(texts)));
	} catch {
		// A browser that keeps nothing is no reason to stop.
	}
}

const without = (some: readonly Mark[], others: readonly Mark[]) => {
	const texts = new Set(others.map(storedText));
	return some.filter((m) => !texts.has(storedText(m)));
};

/** What the visitor does to the marks on screen is done to the own ones; those of a link stay the link's. */
function keep(marks: readonly Mark[]): void {
	const { trace, fileKey, marks: before } = facts();
	const stays = without(marksOf(trace, fileKey), without(before, marks));
	change({ marks });
	keepOwn(inOrder([...without(marks, before), ...stays]).slice(0, MOST_MARKS));
}

/** Marks on screen that came with the link. */
export const marksOfLink = ({ marks, ownMarks }: Facts) => without(marks, ownMarks);
/** Marks of one's own that are not on screen, because the link has others. */
export const marksAside = ({ marks, ownMarks }: Facts) => without(ownMarks, marks);

/** A recording is opened: a link's marks are shown in place of one's own, unless it is one's own link. */
export function marksToShow(
	trace: string,
	fileKey: string,
	nrOps: number,
	linked: readonly Mark[],
) {
	const here = (m: Mark) => m.op < nrOps;
	const ownMarks = marksOf(trace, fileKey).filter(here);
	const isOthers = without(linked, ownMarks).length > 0;
	return { ownMarks, marks: isOthers ? inOrder(linked).filter(here) : ownMarks };
}

export function showOwnMarks(): void {
	change({ marks: facts().ownMarks });
}

/** Those of the link become one's own. */
export function adoptMarks(): void {
	const { marks, ownMarks } = facts();
	const all = inOrder([...marks, ...ownMarks]).slice(0, MOST_MARKS);
	change({ marks: all });
	keepOwn(all);
}

const isAt = (a: Pick<Mark, "op" | "step">) => (b: Mark) => a.op === b.op && a.step === b.step;

/** By their moments; of two at one moment the first that has a name. */
function inOrder(marks: readonly Mark[]): Mark[] {
	const at = new Map<string, Mark>();
	for (const m of marks) {
		const moment = `${m.op}/${m.step}`;
		const before = at.get(moment);
		if (!before || before.label === "") at.set(moment, m);
	}
	return [...at.values()].toSorted((a, b) => a.op - b.op || end(a) - end(b));
}

const end = ({ step }: Mark) => (step < 0 ? Number.MAX_SAFE_INTEGER : step);

/** The moment on screen, as a mark has it. */
export function here(): Pick<Mark, "op" | "step"> | undefined {
	const { moment } = facts();
	if (!moment) return undefined;
	const { op, step } = moment.position;
	return { op, step: step >= moment.nrSteps - 1 ? -1 : step };
}

/** "event 1,234", or "event 1,234, step 2" in its middle. */
export function momentWords({ op, step }: Pick<Mark, "op" | "step">): string {
	return `${eventWords(op)}${step < 0 ? "" : `, step ${count(numberOf(step))}`}`;
}

/** Marks the moment on screen, or takes the mark away; a mark that has a name stays. */
export function toggleMark(): void {
	const at = here();
	if (!at) return;
	const { marks } = facts();
	const there = marks.find(isAt(at));
	const words = momentWords(at);
	if (there && there.label !== "") {
		say(`This position is marked already: ${there.label}.`);
		change({ marking: true });
	} else if (there) {
		removeMark(there);
		say(`Removed the mark at ${words}.`);
	} else if (marks.length >= MOST_MARKS) {
		say(`A trace can have ${MOST_MARKS} marks: remove one first.`);
		change({ marking: true });
	} else {
		keep(inOrder([...marks, { ...at, label: "" }]));
		say(`Marked ${words}.`);
	}
}

export function goToMark({ op, step }: Mark): void {
	pause();
	go({ kind: "at", op, step: step < 0 ? "last" : step });
}

export function renameMark(which: Mark, label: string): void {
	const clean = label
		.replace(/\p{Cc}/gu, " ")
		.trim()
		.slice(0, LABEL_MOST);
	keep(facts().marks.map((m) => (isAt(which)(m) ? { ...m, label: clean } : m)));
}

export function removeMark(which: Mark): void {
	keep(facts().marks.filter((m) => !isAt(which)(m)));
}
