/** Sentences about one trace across kernel versions. Every number in them is one that the core measured. */
import type { From } from "#abi";
import { percent } from "../../../base/format.ts";
import { amount, type MetricUnit } from "../metrics.ts";

/** The numbers of one kernel; keys are those of `slabscope compare --kernels`. */
export interface KernelRow {
	/** "6.18". */
	readonly version: string;
	readonly slowPaths: number;
	readonly slabBytes: number;
	readonly slabBytesPeak: number;
	readonly pageCalls: number;
	readonly cycles: number;
	/** Where the figures of memory come from. */
	readonly from: From | undefined;
}

type KernelNumber = Exclude<keyof KernelRow, "version" | "from">;

/** A number whose change is shown. */
export interface Change {
	readonly key: KernelNumber;
	readonly subject: string;
	readonly unit: MetricUnit;
}

const CHANGES: readonly Change[] = [
	{ key: "slowPaths", subject: "events that left the fast path", unit: "events" },
	{ key: "slabBytes", subject: "memory in slabs at the end", unit: "KiB" },
	{ key: "slabBytesPeak", subject: "memory in slabs at the peak", unit: "KiB" },
	{ key: "cycles", subject: "model cycles", unit: "model cycles" },
];

const NUMBERS: readonly KernelNumber[] = [
	"slowPaths",
	"slabBytes",
	"slabBytesPeak",
	"pageCalls",
	"cycles",
];

/** The numbers that a trace has: one that frees everything has no memory at the end, and the peak stands for it. */
export function changesOf(rows: readonly KernelRow[]): Change[] {
	const isEmptied = rows[0]?.slabBytes === 0 && rows.at(-1)?.slabBytes === 0;
	return CHANGES.filter(({ key }) => key !== (isEmptied ? "slabBytes" : "slabBytesPeak"));
}

/** The change of a number as a share of that of another kernel; undefined: that is 0. */
export function shareOf({ key }: Change, from: KernelRow, to: KernelRow): number | undefined {
	if (from[key] === to[key]) return 0;
	return from[key] === 0 ? undefined : to[key] / from[key] - 1;
}

/** Sentences about the change from the first kernel to the last one; none for fewer than two kernels. */
export function findingsOf(rows: readonly KernelRow[]): string[] {
	const [first, last] = [rows[0], rows.at(-1)];
	if (!first || !last || first === last) return [];
	const changes = changesOf(rows).map((one) => changeOf(one, first, last));
	const between = `From Linux ${first.version} to ${last.version}, `;
	return [`${between}${changes.join("; ")}.`, largestStep(rows), unchanged(rows)].filter(Boolean);
}

/** "model cycles rose from 97,186 to 109,726 (+13 %)". */
function changeOf({ key, subject, unit }: Change, first: KernelRow, last: KernelRow): string {
	const [from, to] = [first[key], last[key]];
	const words = unit === "KiB" ? " KiB" : "";
	if (from === to) return `${subject} stayed at ${amount(to, unit)}${words}`;
	const sign = to > from ? "+" : "−";
	const share = from > 0 ? ` (${sign}${percent(Math.abs(to - from), from)})` : "";
	return `${subject} ${to > from ? "rose" : "fell"} from ${amount(from, unit)} to ${amount(to, unit)}${words}${share}`;
}

/** The version with the largest change of slow paths against the one before it. */
function largestStep(rows: readonly KernelRow[]): string {
	let most = 0;
	let at = 0;
	rows.forEach((row, i) => {
		const by = Math.abs(row.slowPaths - (rows[i - 1] ?? row).slowPaths);
		if (by <= most) return;
		most = by;
		at = i;
	});
	const [before, after] = [rows[at - 1], rows[at]];
	if (!before || !after) return "";
	return `The largest change of slow paths came with ${after.version}: ${amount(before.slowPaths, "events")} before, ${amount(after.slowPaths, "events")} with it.`;
}

/** Versions whose numbers all equal those of the version before. */
function unchanged(rows: readonly KernelRow[]): string {
	const same = rows.filter((row, i) => {
		const before = rows[i - 1];
		return before !== undefined && NUMBERS.every((key) => row[key] === before[key]);
	});
	if (same.length === 0) return "";
	const names = same.map(({ version }) => version);
	const list =
		names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : `${names[0]}`;
	return `${list} changed none of these numbers.`;
}
