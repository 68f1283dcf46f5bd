/**
 * Marks: moments with a name, a recording's own. They are kept in the browser by the recording, and travel in links. What
 * is kept is read anew before each writing, so that two tabs do not undo each other's recordings.
 */
import * as v from "valibot";
import { LABEL_MOST, mark, markText } from "./link_parts.ts";
import { change, facts, type Mark } from "./store.ts";
import { LOCAL } from "./url.ts";

const KEPT = "slabscope.marks";
const MOST_RECORDINGS = 40;
const MOST_MARKS = 64;

const Kept = v.record(v.string(), v.array(v.pipe(mark, v.readonly())));

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

export function marksOf(trace: string, fileKey: string): readonly Mark[] {
	return kept()[nameOf(trace, fileKey)] ?? [];
}

function keep(marks: readonly Mark[]): void {
	change({ marks });
	const { trace, fileKey } = facts();
	const name = nameOf(trace, fileKey);
	if (name === "") return;
	const { [name]: _, ...others } = kept();
	const latest = Object.entries(others).slice(1 - MOST_RECORDINGS);
	const all = marks.length > 0 ? [...latest, [name, marks] as const] : latest;
	const texts = all.map(([key, some]) => [key, some.map(markText)]);
	try {
		localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(texts)));
	} catch {
		// A browser that keeps nothing is no reason to stop.
	}
}

const isAt = (a: Pick<Mark, "op" | "step">) => (b: Mark) => a.op === b.op && a.step === b.step;

/** By their moments; of two at one moment the first that has a name. */
export function inOrder(marks: readonly Mark[]): Mark[] {
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

/** Marks the moment on screen; one that is marked already stays so. */
export function addMark(label = ""): void {
	const at = here();
	const { marks } = facts();
	if (!at || marks.some(isAt(at))) return;
	if (marks.length >= MOST_MARKS) {
		change({ error: `A recording has room for ${MOST_MARKS} marks: remove one first.` });
		return;
	}
	keep(inOrder([...marks, { ...at, label: label.slice(0, LABEL_MOST) }]));
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
