/** The trace: choose a sample or a recent trace, open or paste another one, and read how the import went. */

import { WORKLOADS } from "#abi";
import { LOCAL, SANDBOX } from "../../app/link/fields.ts";
import { pause } from "../../app/playback/player.ts";
import { openSandbox } from "../../app/sandbox/scenes.ts";
import { ANSWERS, allocatorOf, change, USUAL_ALLOCATOR } from "../../app/state/store.ts";
import { useFacts, useHasMoment } from "../../app/state/use_facts.ts";
import {
	modelWords,
	openRecent,
	openSample,
	presetInForce,
	setMachine,
	setParam,
	USUAL_PRESET,
} from "../../app/trace/actions.ts";
import { bytes, count, quantity, time } from "../../base/format.ts";
import { sampledWords } from "../../base/words.ts";
import { MADE } from "../../engine/generated_trace.ts";
import type { Report } from "../../engine/types.ts";
import { Button, Field, LinkButton, type Option, Options } from "../../ui/controls.tsx";
import { openDialog, Sheet, WarmStart } from "./sheet.tsx";
import css from "./sheets.module.css";

/** The choice that opens a field for text instead of a trace. */
const PASTE = "paste";

export function TraceSheet() {
	const hasRecent = useFacts((f) => f.recent.length > 0);
	const isEmpty = !useHasMoment();
	return (
		<Sheet name="trace" title="Trace">
			<TracePicker />
			<div className="row">
				<Button onClick={() => openDialog(PASTE)}>Paste a trace …</Button>
				{hasRecent && <Button onClick={() => openDialog("recent")}>Recent traces</Button>}
			</div>
			<p className="hint">
				Open a file with the Open trace button or Ctrl O, or drop it anywhere on the page. It never
				leaves this page.
			</p>
			<div className="row">
				<Button disabled={isEmpty} onClick={() => change({ answer: ANSWERS[0], sheet: "" })}>
					Suggestions: changes that save memory or slow paths
				</Button>
			</div>
			<Recording />
		</Sheet>
	);
}

/** The value is the file for a sample, the key for a kept file, and the name for any other open file. */
function TracePicker() {
	const samples = useFacts((f) => f.samples);
	const recent = useFacts((f) => f.recent);
	const trace = useFacts((f) => f.trace);
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : "";
	const open = useFacts((f) => f.recent.find((r) => name !== "" && r.key === f.fileKey));
	const choose = (value: string) => {
		if (value === PASTE) return openDialog(PASTE);
		pause();
		const kept = recent.find((r) => r.key === value);
		if (value === SANDBOX) void openSandbox();
		else void (kept ? openRecent(kept.key) : openSample(value));
	};
	return (
		<Field label="Trace">
			{(id) => (
				<select id={id} value={open?.key ?? trace} onChange={(e) => choose(e.currentTarget.value)}>
					{trace === "" && <option value="">choose a trace</option>}
					{name !== "" && !open && <option value={trace}>{name}</option>}
					<Group label="Yours" of={[[PASTE, "Paste a trace …"]]} />
					{recent.length > 0 && <Group label="Recent" of={recent.map((r) => [r.key, r.name])} />}
					<Group label="Samples" of={samples.map((s) => [s.file, s.title])} />
					<Group label="Generated" of={generated(trace)} />
				</select>
			)}
		</Field>
	);
}

function Group({ label, of }: { label: string; of: readonly Option[] }) {
	return (
		<optgroup label={label}>
			<Options of={of} />
		</optgroup>
	);
}

/** The playground, the workloads, and the open workload if it has its own settings. */
function generated(trace: string): Option[] {
	const names: readonly string[] = WORKLOADS.map(({ name }) => MADE + name);
	const own = trace.startsWith(MADE) && !names.includes(trace);
	return [
		[SANDBOX, "Playground: allocate and free by hand"],
		...(own ? [[trace, trace.slice(MADE.length)] as const] : []),
		...WORKLOADS.map(({ name, meaning }) => [MADE + name, `${name}: ${meaning}`] as const),
	];
}

/* The import report in short: the trace, its numbers and its gaps. */

export function Recording() {
	const report = useFacts((f) => f.report);
	const trace = useFacts((f) => f.trace);
	const sample = useFacts((f) => f.samples.find((s) => s.file === f.trace));
	const preset = useFacts((f) => f.machine.preset);
	const model = useFacts((f) => modelWords(allocatorOf(f.built), presetInForce(f)));
	const recorded = useFacts((f) => f.built?.kernel?.recorded ?? "");
	const note = useFacts((f) => f.keptNote);
	if (!report) return null;
	return (
		<section className={css.recording} aria-label="Import report">
			<div className="panel-head">
				<h3>Import report</h3>
				<LinkButton onClick={() => openDialog("report")}>Show the full report</LinkButton>
			</div>
			<p className="quiet">
				{sample
					? sample.what
					: trace.startsWith(LOCAL)
						? `${trace.slice(LOCAL.length)}, from your disk.`
						: trace === SANDBOX
							? "Made by hand in the playground."
							: trace}
			</p>
			<p className="quiet">
				{sample && sample.kernel !== "" && `Recorded on Linux ${sample.kernel}. `}
				{!sample && recorded !== "" && `Recorded on Linux ${recorded}. `}
				Replayed by {model}
				{preset === "" && "; for another kernel, choose a preset under Machine"}.
				{sample && <AsRecorded kernel={sample.kernel} />}
				{!sample && recorded === "" && <AsNewest format={report.format} />}
			</p>
			<MoreCpus recorded={report.cpus} />
			<MoreNodes asked={report.nodes} />
			<WarmStart />
			<dl className="facts small number">
				<dt>format</dt>
				<dd>{report.format}</dd>
				<dt>read</dt>
				<dd>
					{bytes(report.bytes)}
					{report.lines > 0 && `, ${quantity(report.lines, "line")}`}
				</dd>
				<dt>events</dt>
				<dd>
					{count(report.events)}
					{report.ops !== report.events && `, replayed as ${count(report.ops)}`}
				</dd>
				<dt>allocations</dt>
				<dd>{count(report.allocs)}</dd>
				<dt>frees</dt>
				<dd>{count(report.frees)}</dd>
				{report.timeLast > report.timeFirst && (
					<>
						<dt>time span</dt>
						<dd>{time(report.timeLast - report.timeFirst, report.timeIsNs)}</dd>
					</>
				)}
			</dl>
			{report.sampling > 0 && <p className="quiet">{sampledWords(report.sampling)}</p>}
			<Gaps report={report} />
			<Problems report={report} />
			<p className="hint">
				<LinkButton onClick={() => openDialog("fidelity")}>Read the limits of the model</LinkButton>
			</p>
			{note !== "" && <p className="hint">{note}</p>}
		</section>
	);
}

/** The recorded kernel's own rules are one click away. */
function AsRecorded({ kernel }: { kernel: string }) {
	const name = `linux-${kernel}`;
	const machine = useFacts((f) => f.machine);
	const offered = useFacts(
		(f) =>
			allocatorOf(f.built) === USUAL_ALLOCATOR && f.built?.presets.some((p) => p.name === name),
	);
	const inForce = useFacts(presetInForce);
	if (!offered || inForce === name || (inForce === "" && name === USUAL_PRESET)) return null;
	return (
		<>
			{" "}
			<LinkButton onClick={() => void setMachine({ ...machine, preset: name })}>
				Replay as {kernel} would
			</LinkButton>
		</>
	);
}

/** Formats that a kernel writes. Most recorders' text does not name the kernel. */
const RECORDED = new Set([
	"ftrace",
	"trace.dat",
	"perf script",
	"perf.data",
	"perf trace",
	"bpftrace",
]);

/** A trace that does not name its kernel may come from the newest one that has a preset. */
function AsNewest({ format }: { format: string }) {
	const machine = useFacts((f) => f.machine);
	const newest = useFacts((f) => f.built?.presets.at(-1)?.name ?? "");
	const isSlub = useFacts((f) => allocatorOf(f.built) === USUAL_ALLOCATOR);
	const [, kernel, major] = /^linux-((\d+)\.\d+)$/.exec(newest) ?? [];
	if (!RECORDED.has(format) || !isSlub || machine.preset !== "" || kernel === undefined)
		return null;
	return (
		<>
			{" "}
			The file does not name its kernel. Was it recorded on {major}.x?{" "}
			<LinkButton onClick={() => void setMachine({ ...machine, preset: newest })}>
				Replay as Linux {kernel}
			</LinkButton>
		</>
	);
}

/** If the trace has more CPUs than the machine, several recorded CPUs share one of the machine's. */
function MoreCpus({ recorded }: { recorded: number }) {
	const has = useFacts((f) => f.built?.nrCpus ?? 0);
	if (has === 0 || recorded <= has) return null;
	return (
		<p className="quiet">
			The trace is from {quantity(recorded, "CPU")}; this machine replays it on{" "}
			{quantity(has, "CPU")}.{" "}
			<LinkButton onClick={() => void setParam("cpus", String(recorded))}>
				Replay on {recorded} CPUs
			</LinkButton>
			.
		</p>
	);
}

/**
 * Traces record which nodes were requested, not how many there were: the machine has one unless somebody sets more.
 */
function MoreNodes({ asked }: { asked: number }) {
	const has = useFacts((f) => f.built?.nrNodes ?? 0);
	if (has === 0 || asked <= has) return null;
	return (
		<p className="quiet">
			The trace asks for memory of nodes 0 to {asked - 1}; this machine has {quantity(has, "node")}.{" "}
			<LinkButton onClick={() => void setParam("nodes", String(asked))}>
				Replay on {asked} nodes
			</LinkButton>{" "}
			(the recorded machine may have had more).
		</p>
	);
}

function Gaps({ report: r }: { report: Report }) {
	const all: readonly (readonly [number, string])[] = [
		[r.nullFrees, "freed NULL"],
		[r.orphanFrees, "freed objects allocated before the trace began"],
		[r.unseenFrees, "reused an object whose free is missing"],
		[r.failedAllocs, "failed in the kernel"],
		[r.lost, r.lost === 1 ? "was lost by the recorder" : "were lost by the recorder"],
		[r.liveAtEnd, r.liveAtEnd === 1 ? "object is never freed" : "objects are never freed"],
	];
	const seen = all.filter(([n]) => n > 0);
	if (seen.length === 0) return null;
	return (
		<ul className={css.gaps}>
			{seen.map(([n, what]) => (
				<li key={what}>
					<strong className="number">{count(n)}</strong> {what}
				</li>
			))}
		</ul>
	);
}

function Problems({ report }: { report: Report }) {
	if (report.skippedLines === 0 && !report.truncated) return null;
	// A file without lines is binary, and the reason names the byte.
	const unit = report.lines > 0 ? "line" : "record";
	return (
		<details className={css.problems} open>
			<summary>
				{report.skippedLines > 0
					? `${quantity(report.skippedLines, unit)} could not be used`
					: `The last ${unit} is cut off`}
			</summary>
			<ol>
				{report.problems.slice(0, 8).map((p) => (
					<li key={`${p.line}:${p.column}:${p.reason}`}>
						{p.line > 0 && (
							<span className="number strong">
								line {count(p.line)}, column {count(p.column)}:{" "}
							</span>
						)}
						{p.reason}
						{p.line > 0 && <code className={`block breaks quiet ${css.excerpt}`}>{p.text}</code>}
					</li>
				))}
			</ol>
			{report.truncated && <p className="hint">The file is cut off: its end is missing.</p>}
		</details>
	);
}
