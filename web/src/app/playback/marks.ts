/**
 * Marks: named positions in a trace. The browser keeps them with the trace, and links contain them. A link's marks
 * are shown alone and are not kept, while the visitor's own stay hidden. Storage is read again before each write, so
 * that two tabs do not undo each other's changes.
 */
import * as v from "valibot";
import { count, eventWords, numberOf } from "../../base/format.ts";
import { recall, remember } from "../../base/kept.ts";
import { LOCAL } from "../link/fields.ts";
import { LABEL_MOST, mark, markText } from "../link/link_parts.ts";
import { say } from "../state/announce.ts";
import { change, facts, type Mark, type StillFacts } from "../state/store.ts";
import { go, pause } from "./player.ts";

const KEPT = "slabscope.marks";
const MOST_RECORDINGS = 40;
const MOST_MARKS = 64;
/** Storage counts from 0, as it always did. */
const STORED_FIRST = 0;
const storedText = (m: Mark) => markText(m, STORED_FIRST);

const Kept = v.record(v.string(), v.array(v.pipe(mark(STORED_FIRST), v.readonly())));

/**
 * Returns the key under which a trace's marks are stored: a sample's name or a file's key; "" for a trace that
 * could not be recognised later.
 */
function nameOf(trace: string, fileKey: string): string {
	return trace.startsWith(LOCAL) ? fileKey : trace;
}

function kept(): Record<string, readonly Mark[]> {
	const read = v.safeParse(Kept, recall(KEPT));
	return read.success ? read.output : {};
}

function marksOf(trace: string, fileKey: string): readonly Mark[] {
	return kept()[nameOf(trace, fileKey)] ?? [];
}

/** Stores the marks of this trace. Reads the storage again first: another tab may have written to it. */
function keepOwn(own: readonly Mark[]): void {
	change({ ownMarks: own });
	const { trace, fileKey } = facts();
	const name = nameOf(trace, fileKey);
	if (name === "") return;
	const { [name]: _, ...others } = kept();
	const latest = Object.entries(others).slice(1 - MOST_RECORDINGS);
	const all = own.length > 0 ? [...latest, [name, own] as const] : latest;
	const texts = all.map(([key, some]) => [key, some.map(storedText)]);
	remember(KEPT, Object.fromEntries(texts));
}

const without = (some: readonly Mark[], others: readonly Mark[]) => {
	const texts = new Set(others.map(storedText));
	return some.filter((m) => !texts.has(storedText(m)));
};

/** Changing the marks on screen changes the visitor's own; a link's marks stay the link's. */
function keep(marks: readonly Mark[]): void {
	const { trace, fileKey, marks: before } = facts();
	const stays = without(marksOf(trace, fileKey), without(before, marks));
	change({ marks });
	keepOwn(inOrder([...without(marks, before), ...stays]).slice(0, MOST_MARKS));
}

/** Whether the marks on screen came with the link. */
export const marksOfLink = ({ marks, ownMarks }: StillFacts) => without(marks, ownMarks);
/** Returns the visitor's own marks while they are hidden because the link has others. */
export const marksAside = ({ marks, ownMarks }: StillFacts) => without(ownMarks, marks);

/** Opens the marks of a trace: a link's marks replace the visitor's own on screen, unless they are the same. */
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

/** Adds the link's marks to the visitor's own. */
export function adoptMarks(): void {
	const { marks, ownMarks } = facts();
	const all = inOrder([...marks, ...ownMarks]).slice(0, MOST_MARKS);
	change({ marks: all });
	keepOwn(all);
}

const isAt = (a: Pick<Mark, "op" | "step">) => (b: Mark) => a.op === b.op && a.step === b.step;

/** Sorts by position; of two marks at the same position, keeps the first one that has a name. */
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

/** Returns the position on screen in the form that a mark stores. */
function here(): Pick<Mark, "op" | "step"> | undefined {
	const { moment } = facts();
	if (!moment) return undefined;
	const { op, step } = moment.position;
	return { op, step: step >= moment.nrSteps - 1 ? -1 : step };
}

/** Names a position: "event 1,234", or "event 1,234, step 2" in the middle of an event. */
export function momentWords({ op, step }: Pick<Mark, "op" | "step">): string {
	return `${eventWords(op)}${step < 0 ? "" : `, step ${count(numberOf(step))}`}`;
}

/** Marks the position on screen, or removes its mark; a mark with a name stays. */
export function toggleMark(): void {
	const at = here();
	if (!at) return;
	const { marks } = facts();
	const there = marks.find(isAt(at));
	const words = momentWords(at);
	if (there && there.label !== "") {
		say(`This position is already marked: ${there.label}.`);
		change({ marking: true });
	} else if (there) {
		removeMark(there);
		say(`Removed the mark at ${words}.`);
	} else if (marks.length >= MOST_MARKS) {
		say(`A trace can have at most ${MOST_MARKS} marks: remove one first.`);
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
