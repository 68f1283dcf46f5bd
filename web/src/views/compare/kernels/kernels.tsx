/**
 * The trace on the stage under SLUB of every preset: slow paths, memory and model cycles by kernel version, as dots
 * against 6.1, as a table, and in sentences.
 */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { viewOf } from "../../../app/link/url.ts";
import { restore } from "../../../app/navigation/sync.ts";
import { facts } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { tableOf, type Value } from "../../../base/csv_table.ts";
import { count, quantity } from "../../../base/format.ts";
import { unscaledWords } from "../../../base/words.ts";
import { alikeWords } from "../../../engine/alike.ts";
import { Button } from "../../../ui/controls.tsx";
import { type Column, DataTable } from "../../../ui/table/data_table.tsx";
import { DownloadCsv } from "../../../ui/table/download.tsx";
import { From, fromKey } from "../../../ui/view/from.tsx";
import { Fault, Heading, Page, Working } from "../../../ui/view/view.tsx";
import { KernelCharts } from "./charts.tsx";
import { findingsOf, type KernelRow } from "./finding.ts";
import css from "./kernels.module.css";
import {
	kernelRows,
	measuredKernels,
	measureKernels,
	stopKernels,
	versionOf,
} from "./measured_kernels.ts";

/** A longer trace waits for the visitor: the replays take a while. */
const AT_ONCE_EVENTS = 200_000;
/** The first and the last year of the presets: 2.6.26 and 7.2. */
const YEARS = 18;

export function Kernels() {
	const built = useFacts((f) => f.built);
	const sampling = useFacts((f) => f.report?.sampling ?? 0);
	const measured = useStore(measuredKernels);
	const isCurrent = measured.built === built;
	useEffect(() => {
		if (!built || built.nrOps > AT_ONCE_EVENTS) return;
		if (measuredKernels.getState().built !== built) void measureKernels();
	}, [built]);
	useEffect(() => stopKernels, []);
	if (!built) return null;
	const rows = isCurrent ? kernelRows(measured) : [];
	const isDone = rows.length === built.presets.length;
	const refused = isCurrent ? measured.replays.find(({ why }) => why !== "")?.why : undefined;
	return (
		<Page label="Kernels" className={css.view}>
			<Heading>
				<h2>{YEARS} years of your workload</h2>
				<p className="quiet">
					The trace on the stage is replayed under SLUB of{" "}
					{quantity(built.presets.length, "kernel")}. The machine stays the same; only the
					allocator’s rules change. {unscaledWords([["The trace", sampling]])}
				</p>
			</Heading>
			<Controls isRunning={measured.isRunning} done={rows.length} isDone={isDone} />
			<Fault sentence={measured.sentence || refused || ""} />
			<div role="status" className={css.finding}>
				{isDone && findingsOf(rows).map((sentence) => <p key={sentence}>{sentence}</p>)}
			</div>
			{isCurrent && measured.alike && (
				<p>{alikeWords(measured.alike, built.presets[measured.alike.cannot]?.name ?? "")}</p>
			)}
			{rows.length > 0 && <Results rows={rows} isDone={isDone} />}
			<Caution />
		</Page>
	);
}

interface ControlsProps {
	readonly isRunning: boolean;
	readonly done: number;
	readonly isDone: boolean;
}

function Controls({ isRunning, done, isDone }: ControlsProps) {
	const all = useFacts((f) => f.built?.presets.length ?? 0);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	if (isDone && !isRunning) return null;
	return (
		<div className="row">
			{isRunning ? (
				<>
					<Working label="Replays" done={done} all={all}>
						{count(done)} of {count(all)} kernels
					</Working>
					<Button onClick={stopKernels}>Stop</Button>
				</>
			) : (
				<Button className="primary" onClick={() => void measureKernels()}>
					Replay {quantity(nrOps, "event")} under {quantity(all, "kernel")}
				</Button>
			)}
		</div>
	);
}

function Results({
	rows,
	isDone,
}: {
	readonly rows: readonly KernelRow[];
	readonly isDone: boolean;
}) {
	const [chosen, setChosen] = useState("");
	const shown = rows.find((row) => row.version === chosen) ?? rows.at(-1);
	const presets = useFacts((f) => f.built?.presets ?? NO_PRESETS);
	const versions = presets.map(({ name }) => versionOf(name));
	// One kernel whose start is a guess makes the comparison one.
	const marks = rows.flatMap(({ from }) => from ?? []);
	const mark = marks.toSorted((a, b) => b - a)[0];
	const meaning = presets.find(({ name }) => versionOf(name) === shown?.version)?.meaning ?? "";
	return (
		<>
			<KernelCharts {...{ rows, versions }} shown={shown} choose={setChosen} />
			{shown && (
				<div className={css.meaning}>
					<p>
						<strong>Linux {shown.version}</strong>{" "}
						<span className="quiet">{meaning.replaceAll("_", "_\u200b")}</span>
					</p>
					<Button onClick={() => openUnder(shown.version)}>
						Show Linux {shown.version} on the stage
					</Button>
				</div>
			)}
			<div className={css.scroll}>
				<DataTable
					caption="The same numbers as a table"
					className={css.table}
					columns={COLUMNS}
					rows={rows}
					keyOf={({ version }) => version}
					rowProps={(row) => ({ "aria-current": row === shown ? "true" : undefined })}
				/>
			</div>
			{mark !== undefined && (
				<p className="hint">
					Memory in slabs is modelled from a <From of={mark} />.
				</p>
			)}
			{isDone && <DownloadCsv table={() => tableOf("kernels", FILE_COLUMNS, rows)} />}
		</>
	);
}

const NO_PRESETS: readonly { readonly name: string; readonly meaning: string }[] = [];

/** The same trace and event in Explore, under that kernel. */
function openUnder(version: string): void {
	const view = viewOf(facts());
	const { values } = view.machine;
	void restore({ ...view, tab: "explore", machine: { preset: `linux-${version}`, values } });
}

/** As the command prints it. */
const FILE_COLUMNS: Readonly<Record<string, (row: KernelRow) => Value>> = {
	trace: () => facts().trace,
	preset: (row) => `linux-${row.version}`,
	version: (row) => row.version,
	slow_paths: (row) => row.slowPaths,
	slab_bytes: (row) => row.slabBytes,
	slab_bytes_peak: (row) => row.slabBytesPeak,
	page_calls: (row) => row.pageCalls,
	cycles: (row) => row.cycles,
	from: (row) => fromKey(row.from),
};

/** The numbers of the charts, and page allocator calls. */
const COLUMNS: readonly Column<KernelRow>[] = [
	{ name: "Linux", show: (row) => row.version },
	{ name: "Events off the fast path", show: (row) => count(row.slowPaths) },
	{ name: "Bytes in slabs, end", show: (row) => count(row.slabBytes) },
	{ name: "Bytes in slabs, peak", show: (row) => count(row.slabBytesPeak) },
	{ name: "Page allocator calls", show: (row) => count(row.pageCalls) },
	{ name: "Model cycles", show: (row) => count(row.cycles) },
];

/** Why the rows of different kernels compare only in part. */
function Caution() {
	return (
		<p className={`hint ${css.caution}`}>
			“Slow path” means different things in different versions. Up to 6.12 the fast path is the cpu
			freelist of one slab. In 6.18 some caches have sheaves in front of it; since 7.0 the sheaf is
			the fast path. The kernel’s own counters changed with it, so these charts do not use them: the
			core counts each event that left the fast path of its kernel. One such event moves one object
			in 2.6.26, and a whole sheaf in 7.2. Model cycles compare kernels; they do not predict times.
			5.10 and 5.14, and 7.0 and 7.2, have the same rules here. Settings of the machine on the stage
			apply to all kernels.
		</p>
	);
}
