/** The complete import report: numbers, assumptions and faults. */

import type { KeptOfEvents } from "#wasm";
import { LOCAL } from "../../app/link/fields.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, quantity, time } from "../../base/format.ts";
import { sampledWords } from "../../base/words.ts";
import type { Report } from "../../engine/types.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./dialogs.module.css";

export function ReportDialog() {
	const report = useFacts((f) => f.report);
	const trace = useFacts((f) => f.trace);
	const note = useFacts((f) => f.keptNote);
	const csv = useFacts((f) => f.csv);
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	return (
		<Dialog title="Import report" wide>
			{report && (
				<div className={`grid one-column gap-4 ${css.report}`}>
					<p>
						<strong>{name}</strong>: {report.format}, {bytes(report.bytes)}
						{report.lines > 0 && `, ${quantity(report.lines, "line")}`}
						{csv && (
							<>
								{" "}
								<LinkButton onClick={() => change({ dialog: "columns" })}>
									Change its columns
								</LinkButton>
							</>
						)}
					</p>
					<Numbers report={report} />
					<Assumed report={report} />
					<Skipped report={report} />
					<Kinds report={report} />
					<Caches report={report} />
					{note !== "" && <p className="hint">{note}</p>}
				</div>
			)}
		</Dialog>
	);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(3)} s`;

/** Says what they cost in memory, or why they are missing. */
function keptWords({ pointers, tasks, dropped, bytes: taken }: KeptOfEvents): string {
	if (dropped) return "did not fit in memory";
	const each = [pointers ? "8" : "", tasks ? "4" : ""].filter((words) => words !== "");
	if (each.length === 0) return "not kept";
	return `${bytes(taken)} of memory, ${each.join(" and ")} bytes per event`;
}

function Numbers({ report: r }: { report: Report }) {
	const took = useFacts((f) => f.took);
	const { value: kept } = useAsync(() => engine().keptOfEvents(), [r]);
	const timed = r.timeLast > r.timeFirst;
	const rows: readonly (readonly [string, string])[] = [
		["events", count(r.events)],
		["events replayed", count(r.ops)],
		["allocations", count(r.allocs)],
		["frees", count(r.frees)],
		["CPUs", count(r.cpus)],
		["caches", count(r.caches.length)],
		["first event at", timed ? time(r.timeFirst, r.timeIsNs) : "no times"],
		["last event at", timed ? time(r.timeLast, r.timeIsNs) : "no times"],
		["time span", timed ? time(r.timeLast - r.timeFirst, r.timeIsNs) : "no times"],
		["live at the end", count(r.liveAtEnd)],
		["freed objects from before the trace", count(r.orphanFrees)],
		["missing frees", count(r.unseenFrees)],
		["frees of NULL", count(r.nullFrees)],
		["failed allocations", count(r.failedAllocs)],
		["lost events", count(r.lost)],
		[r.lines > 0 ? "skipped lines" : "skipped records", count(r.skippedLines)],
		["recorded pointers and tasks", kept ? keptWords(kept) : "–"],
		["read in", took ? seconds(took.readMs) : "–"],
		["replayed in", took ? seconds(took.replayMs) : "–"],
	];
	return (
		<dl className={`facts number ${css.numbers}`}>
			{rows.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

function Assumed({ report }: { report: Report }) {
	const all = assumptions(report);
	return (
		<section aria-label="Assumptions">
			<h3>Assumptions</h3>
			{all.length === 0 ? (
				<p>None: every event could be replayed as recorded.</p>
			) : (
				<ul className={css.assumed}>
					{all.map((sentence) => (
						<li key={sentence}>{sentence}</li>
					))}
				</ul>
			)}
			<p>
				<LinkButton onClick={() => change({ dialog: "fidelity" })}>
					Read the limits of the model
				</LinkButton>{" "}
				and how much its numbers differ from a real kernel's.
			</p>
		</section>
	);
}

type Problem = Report["problems"][number];

const PROBLEMS: readonly Column<Problem>[] = [
	{ name: "line", show: (p) => (p.line > 0 ? count(p.line) : "–") },
	{ name: "column", show: (p) => (p.line > 0 ? count(p.column) : "–") },
	{ name: "reason", isOfWords: true, className: css.words, show: (p) => p.reason },
	{ name: "text", isOfWords: true, className: css.words, show: (p) => <code>{p.text}</code> },
];

function Skipped({ report }: { report: Report }) {
	if (report.problems.length === 0) return null;
	const more = report.skippedLines - report.problems.length;
	return (
		<section aria-label="Input that could not be used">
			<h3>Input that could not be used</h3>
			<Rows
				name="Lines that could not be used"
				columns={PROBLEMS}
				rows={report.problems}
				nameless
				keyOf={(p) => `${p.line}:${p.column}:${p.reason}`}
			/>
			{more > 0 && <p className="hint number">and {count(more)} more</p>}
		</section>
	);
}

function Kinds({ report }: { report: Report }) {
	return (
		<section aria-label="Events by kind">
			<h3>Events by kind</h3>
			<Rows
				name="Events by kind"
				columns={[
					{ name: "event", show: (k) => k.name },
					{ name: report.lines > 0 ? "lines" : "records", show: (k) => count(k.lines) },
				]}
				rows={report.kinds}
				keyOf={(k) => k.name}
			/>
		</section>
	);
}

const CACHES: readonly Column<Report["caches"][number]>[] = [
	{ name: "cache", show: (c) => c.name },
	{ name: "bytes", show: (c) => (c.size > 0 ? count(c.size) : "–") },
	{ name: "allocations", show: (c) => count(c.allocs) },
	{ name: "frees", show: (c) => count(c.frees) },
];

function Caches({ report }: { report: Report }) {
	return (
		<section aria-label="Caches of the trace">
			<h3>Caches of the trace</h3>
			<Rows
				name="Caches of the trace"
				columns={CACHES}
				rows={report.caches.toSorted((a, b) => b.allocs + b.frees - a.allocs - a.frees)}
				keyOf={(c) => `${c.name}/${c.size}/${c.objectSize}`}
			/>
		</section>
	);
}

interface RowsProps<Row> {
	readonly name: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly keyOf: (row: Row) => string;
	readonly nameless?: boolean;
}

function Rows<Row>({ name, ...table }: RowsProps<Row>) {
	return (
		<DataTable
			label={`Table: ${name}`}
			caption={name}
			className={`stays small ${css.table}`}
			{...table}
		/>
	);
}

/* Describes in sentences what a replay does with the gaps of a trace. */

const were = (n: number) => (n === 1 ? "was" : "were");

/** Lists the assumptions, most important first; empty if every event is replayed as it was recorded. */
function assumptions(r: Report): string[] {
	const estimates =
		r.sampling > 1
			? ` On the machine there were about ${quantity(r.estimatedAllocs, "allocation")} and ${quantity(r.estimatedFrees, "free")}.`
			: "";
	const all: readonly (readonly [holds: boolean | number, says: string])[] = [
		[
			r.sampling,
			`${sampledWords(r.sampling)}${estimates} The replay has only the recorded events.`,
		],
		[
			r.orphanFrees,
			`${quantity(r.orphanFrees, "freed object")} from before the trace: the replay has nothing to free.`,
		],
		[
			r.unseenFrees,
			`${quantity(r.unseenFrees, "allocation")} of a pointer that was still live: its free was not recorded, so the replay frees it just before.`,
		],
		[r.nullFrees, `${quantity(r.nullFrees, "free")} of NULL: nothing happens, as in the kernel.`],
		[
			r.failedAllocs,
			`${quantity(r.failedAllocs, "allocation")} failed in the kernel: nothing happens.`,
		],
		[
			r.lost,
			`The recorder lost ${quantity(r.lost, "event")}: an object that was freed there stays allocated until its pointer is allocated again.`,
		],
		[
			r.reordered,
			`${quantity(r.reordered, "event")} arrived after later ones and ${were(r.reordered)} sorted by time.`,
		],
		[
			r.late,
			`${quantity(r.late, "event")} ${were(r.late)} too late to be sorted and ${r.late === 1 ? "stays" : "stay"} in place.`,
		],
		[
			r.liveAtEnd,
			`${quantity(r.liveAtEnd, "object")} ${were(r.liveAtEnd)} never freed: leaked, or still live when the trace ended.`,
		],
		[
			r.skippedLines,
			`${quantity(r.skippedLines, r.lines > 0 ? "line" : "record")} ${were(r.skippedLines)} skipped, because ${r.skippedLines === 1 ? "it" : "they"} could not be read.`,
		],
		[r.truncated, "The file is cut off, so it is replayed up to that point."],
		[r.hashed, "Pointers are hashed: they identify objects, but they are not addresses."],
		[
			r.timeLast > r.timeFirst && !r.timeIsNs,
			"The trace does not name its clock, so times are in ticks.",
		],
		[
			r.nodes > 1,
			`The trace asks for nodes 0 to ${r.nodes - 1}; the Machine panel sets how many the machine has.`,
		],
	];
	return all.filter(([holds]) => holds).map(([, says]) => says);
}
