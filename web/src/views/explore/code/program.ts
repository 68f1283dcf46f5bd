/**
 * The kernel functions in our own words: short programs whose lines light up at their steps. A line names the step
 * kinds that light it; `WHAT_…` is a threshold of that sort.
 */
import { WHAT_NAMES } from "#abi";
import type { Step } from "../../../engine/types.ts";

interface CodeLine {
	readonly text: string;
	/** Step kinds and thresholds that happen on this line. */
	readonly on: readonly string[];
}

export interface Procedure {
	/** Kernel functions that this describes; the first names it. */
	readonly names: readonly string[];
	readonly lines: readonly CodeLine[];
	/** Set if it differs from the program's. */
	readonly version?: string;
	/** Some of its steps are in a procedure of allocations too; within a free, this one counts. */
	readonly isOfFrees?: true;
}

/** All procedures of an allocator. */
export interface Program {
	/** The version whose names and behaviour they follow. */
	readonly version: string;
	readonly procedures: readonly Procedure[];
	/** Kernels before or after this version may skip some lines. */
	readonly dependsOnPreset?: true;
}

/** The names of functions; then lines, each with ` @ ` before the step kinds that light it. */
export function procedure(names: string, ...lines: string[]): Procedure {
	return {
		names: names.split(" "),
		lines: lines.map((line) => {
			const [text = "", on = ""] = line.split(" @ ");
			return { text: text.trimEnd(), on: on.split(" ").filter((k) => k !== "") };
		}),
	};
}

export function procedureOfFrees(names: string, ...lines: string[]): Procedure {
	return { ...procedure(names, ...lines), isOfFrees: true };
}

/** Allocations too large for any slab, in every allocator. */
export const LARGE = procedure(
	"kmalloc_large free_large_kmalloc",
	"too large for any slab:",
	"  take pages directly @ LARGE_ALLOC",
	"  or free them @ LARGE_FREE",
);

interface AtWork {
	/** Returns undefined if no program describes the function. */
	readonly procedure: Procedure | undefined;
	/** Line that is lit, -1 for none. */
	readonly line: number;
	/** The kernel function of the step. */
	readonly fn: string;
}

/**
 * Returns the program of step i. A step that the previous program describes too stays in it: a slab joins a node partial list
 * within a free or while a per-CPU partial list is unfrozen, by the same kernel function.
 */
export function codeAt(
	{ procedures }: Program,
	steps: readonly Step[],
	i: number,
): AtWork | undefined {
	let work: AtWork | undefined;
	const isFree = steps.some(({ kind }) => FREES.has(kind));
	const inOrder = isFree ? procedures.toSorted(byFrees) : procedures;
	for (let k = 0; k <= i; k++) {
		const step = steps[k];
		if (step) work = after(inOrder, work, step) ?? work;
	}
	return work;
}

/** Steps that only a free has. */
const FREES: ReadonlySet<string> = new Set(["FREE_FASTPATH", "FREE_PAST_SHEAF", "BULK_TO_SHEAF"]);

/** Puts the procedures of frees first. */
function byFrees(a: Procedure, b: Procedure): number {
	return Number(b.isOfFrees ?? false) - Number(a.isOfFrees ?? false);
}

function after(
	procedures: readonly Procedure[],
	before: AtWork | undefined,
	step: Step,
): AtWork | undefined {
	const key = step.kind === "THRESHOLD" ? WHAT_NAMES[step.args.what ?? -1] : step.kind;
	const lineIn = (p: Procedure | undefined) =>
		p?.lines.findIndex((l) => l.on.includes(key ?? "")) ?? -1;
	const own = procedures.find((p) => p.names.includes(step.fn.split(" ")[0] ?? ""));
	const first = procedures[0]?.isOfFrees ? procedures[0] : undefined;
	const found = [before?.procedure, first, own, ...procedures].find((p) => lineIn(p) >= 0);
	if (found) {
		const fn = found.names.includes(step.fn) ? step.fn : (found.names[0] ?? "");
		return { procedure: found, line: lineIn(found), fn };
	}
	if (step.fn === "" || before?.procedure) return before && { ...before, line: -1 };
	return { procedure: own, line: -1, fn: step.fn };
}
