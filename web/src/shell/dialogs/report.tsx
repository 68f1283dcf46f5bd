/** The import's complete report: its numbers, assumptions and faults. */

import type { KeptOfEvents } from "#wasm";
import { LOCAL } from "../../app/link/fields.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, quantity, time } from "../../base/format.ts";
import type { Report } from "../../engine/types.ts";
import { LinkButton, Scrolls } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./report.module.css";
import { assumptions } from "./report_words.ts";
import tableCss from "./table.module.css";

export function ReportDialog() {
	const report = useFacts((f) => f.report);
	const trace = useFacts((f) => f.trace);
	const note = useFacts((f) => f.keptNote);
	const csv = useFacts((f) => f.csv);
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	return (
		<Dialog title="Import report" wide>
			{report && (
				<div className={css.report}>
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

/** Their cost in memory, or why they are not there. */
function keptWords({ pointers, tasks, dropped, bytes: taken }: KeptOfEvents): string {
	if (dropped) return "did not fit in memory";
	const each = [pointers ? "8" : "", tasks ? "4" : ""].filter((words) => words !== "");
	if (each.length === 0) return "not kept";
	return `${bytes(taken)} of memory, ${each.join(" and ")} bytes an event`;
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
		["orphan frees", count(r.orphanFrees)],
		["double allocations", count(r.unseenFrees)],
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
				<p>None: every event could be replayed as it was recorded.</p>
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

function Skipped({ report }: { report: Report }) {
	if (report.problems.length === 0) return null;
	const more = report.skippedLines - report.problems.length;
	return (
		<section aria-label="Input that could not be used">
			<h3>Input that could not be used</h3>
			<Table name="Lines that could not be used" heads={["line", "column", "reason", "text"]}>
				{report.problems.map((p) => (
					<tr key={`${p.line}:${p.column}:${p.reason}`}>
						<td>{p.line > 0 ? count(p.line) : "–"}</td>
						<td>{p.line > 0 ? count(p.column) : "–"}</td>
						<td className={tableCss.words}>{p.reason}</td>
						<td className={tableCss.words}>
							<code>{p.text}</code>
						</td>
					</tr>
				))}
			</Table>
			{more > 0 && <p className="hint number">and {count(more)} more</p>}
		</section>
	);
}

function Kinds({ report }: { report: Report }) {
	return (
		<section aria-label="Events by kind">
			<h3>Events by kind</h3>
			<Table name="Events by kind" heads={["event", report.lines > 0 ? "lines" : "records"]}>
				{report.kinds.map((k) => (
					<tr key={k.name}>
						<th scope="row">{k.name}</th>
						<td>{count(k.lines)}</td>
					</tr>
				))}
			</Table>
		</section>
	);
}

function Caches({ report }: { report: Report }) {
	const rows = report.caches.toSorted((a, b) => b.allocs + b.frees - a.allocs - a.frees);
	return (
		<section aria-label="Caches of the trace">
			<h3>Caches of the trace</h3>
			<Table name="Caches of the trace" heads={["cache", "bytes", "allocations", "frees"]}>
				{rows.map((c) => (
					<tr key={`${c.name}/${c.size}/${c.objectSize}`}>
						<th scope="row">{c.name}</th>
						<td>{c.size > 0 ? count(c.size) : "–"}</td>
						<td>{count(c.allocs)}</td>
						<td>{count(c.frees)}</td>
					</tr>
				))}
			</Table>
		</section>
	);
}

/** Columns of words are aligned left, columns of numbers right. */
const WORDS = ["reason", "text"];

interface TableProps {
	readonly name: string;
	readonly heads: readonly string[];
	readonly children: React.ReactNode;
}

function Table({ name, heads, children }: TableProps) {
	return (
		<Scrolls label={`Table: ${name}`}>
			<table className={`stays number ${tableCss.table}`}>
				<thead>
					<tr>
						{heads.map((head) => (
							<th
								key={head}
								scope="col"
								className={WORDS.includes(head) ? tableCss.words : undefined}
							>
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>{children}</tbody>
			</table>
		</Scrolls>
	);
}
