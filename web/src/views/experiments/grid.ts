/**
 * Reads the text form of a grid of replays, as the command's --x and --y take it, and derives the settings of each cell.
 */
import { MADE, madeWith } from "../../engine/generated_trace.ts";
import type { Machine, Param } from "../../engine/types.ts";

interface Axis {
	readonly key: string;
	readonly values: readonly string[];
	/** Whether the trace has to be generated again for each value. */
	readonly isRemade: boolean;
}

export interface Question {
	readonly trace: string;
	readonly base: Machine;
	readonly x: Axis;
	/** Undefined for a grid of one row. */
	readonly y: Axis | undefined;
}

/** One replay: its trace and its machine. */
interface Run {
	readonly trace: string;
	readonly machine: Machine;
}

const MOST_VALUES = 512;

/** KEY=V1,V2 or KEY=FIRST..LAST or KEY=FIRST..LAST:STEP; semicolons separate values that contain commas. */
export function axisOf(
	text: string,
	trace: string,
	params: readonly Param[],
	workloadKeys: readonly string[],
): Axis {
	const equals = text.indexOf("=");
	const key = text.slice(0, Math.max(0, equals)).trim();
	const words = text.slice(equals + 1);
	if (key === "") throw new Error(`Expected KEY=V1,V2 or KEY=FIRST..LAST, found \`${text}\`.`);
	const values = words.split(words.includes(";") ? ";" : ",").flatMap(expand(key));
	if (values.length > MOST_VALUES) throw new Error(`${key} has more than ${MOST_VALUES} values.`);
	const isMachine = params.some((p) => p.key === key && p.allocators.includes("machine"));
	const isRemade = trace.startsWith(MADE) && (isMachine || workloadKeys.includes(key));
	return { key, values, isRemade };
}

function expand(key: string) {
	return (word: string): string[] => {
		const value = word.trim();
		if (value === "") throw new Error(`Expected a value of ${key} before and after each comma.`);
		if (!value.includes("..")) return [value];
		const range = /^(\d{1,15})\.\.(\d{1,15})(?::(\d{1,15}))?$/.exec(value);
		if (!range)
			throw new Error(
				`\`${value}\` is not a range: expected FIRST..LAST or FIRST..LAST:STEP, integers from 0 up.`,
			);
		const [first, last, by] = [Number(range[1]), Number(range[2]), Number(range[3] ?? 1)];
		if (by === 0) throw new Error(`\`${value}\` is not a range: expected a step of at least 1.`);
		if (last < first)
			throw new Error(`\`${value}\` is not a range: expected LAST to be at least FIRST.`);
		const length = Math.floor((last - first) / by) + 1;
		if (length > MOST_VALUES) throw new Error(`${key} has more than ${MOST_VALUES} values.`);
		return Array.from({ length }, (_, i) => String(first + i * by));
	};
}

export function cellsOf({ x, y }: Question): number {
	return x.values.length * (y?.values.length ?? 1);
}

/** Returns the values of a cell; cells are numbered row by row. */
export function pairOf({ x, y }: Question, cell: number): [Axis, string][] {
	const at = (axis: Axis, i: number): [Axis, string] => [axis, axis.values[i] ?? ""];
	const row = Math.floor(cell / x.values.length);
	return [at(x, cell % x.values.length), ...(y ? [at(y, row)] : [])];
}

export function runOf(question: Question, cell: number): Run {
	const pairs = pairOf(question, cell);
	const made = pairs.filter(([axis]) => axis.isRemade).map(([{ key }, value]) => [key, value]);
	const values = { ...question.base.values };
	let { preset } = question.base;
	for (const [{ key, isRemade }, value] of pairs) {
		if (key === "preset") preset = value.startsWith("linux-") ? value : `linux-${value}`;
		else if (!isRemade) values[key] = value;
	}
	const { trace } = question;
	return {
		trace: made.length > 0 ? madeWith(trace, Object.fromEntries(made)) : trace,
		machine: { preset, values },
	};
}
