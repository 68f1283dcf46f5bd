/** Call sites: who allocates, how long objects live, where they are freed, and what is left at the end of the trace. */

import { type CSSProperties, type ReactNode, useMemo, useRef, useState } from "react";
import { From, LEAK_WORDS, SITE_COLUMNS } from "#abi";
import type { SitesQuestion } from "#wasm";
import { toNextCall } from "../../../app/commands/entries.ts";
import { engine } from "../../../app/platform/engine_link.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { goToEvent } from "../../../app/playback/why.ts";
import { say } from "../../../app/state/announce.ts";
import { spanOf } from "../../../app/state/range.ts";
import {
	change,
	facts,
	SITES_COLOURS,
	SITES_MAPS,
	type SitesChoice,
} from "../../../app/state/store.ts";
import { useCalm } from "../../../app/state/use_calm.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { fileName, save } from "../../../app/trace/files.ts";
import { tableOf } from "../../../base/csv_table.ts";
import { bytes, count, eventsWords, eventWords, quantity } from "../../../base/format.ts";
import { sampledWords } from "../../../base/words.ts";
import { LIFETIMES, type SiteShown, type SitesAnswered } from "../../../engine/query/sites.ts";
import {
	Button,
	classes,
	Field,
	LinkButton,
	SelectField,
	TextInput,
} from "../../../ui/controls.tsx";
import { DataTable, type Sorting, type Column as TableColumn } from "../../../ui/data_table.tsx";
import { useAsync, useRows, useSize } from "../../../ui/hooks.ts";
import { Choices, DownloadCsv, Entry, Fault, fromKey, Heading } from "../../../ui/view.tsx";
import {
	ageOf,
	type Clock,
	COLUMNS,
	type Column,
	GROUPS,
	hasCaches,
	hasSites,
	matching,
	nameOf,
	PIVOTS,
	type Pivot,
	pivotOf,
	sorted,
	summary,
	type Tile,
	tilesOf,
	verdictOf,
	withSites,
} from "./rows.ts";
import css from "./sites.module.css";

/** Browsers take long to find the column widths of a longer table. */
const ROWS_AT_ONCE = 200;
const REASONS_MOST = 100;
const NONE = 0xffffffff;

interface Answered {
	readonly answer: SitesAnswered;
	/** The pivot of these rows, which may differ from the chosen one until the next answer arrives. */
	readonly pivot: Pivot;
}

/** "" is any; otherwise "cpu3" or "node1". */
function allocatedOn(text: string): { cpu?: number; node?: number } {
	const number = Number(/\d+$/.exec(text)?.[0]);
	if (text.startsWith("cpu")) return { cpu: number };
	return text.startsWith("node") ? { node: number } : {};
}

const choose = (some: Partial<SitesChoice>) => change({ sites: { ...facts().sites, ...some } });

export function SitesView() {
	const built = useFacts((f) => f.built);
	const range = useFacts((f) => f.range);
	const { by, on, task, filter, map, colour } = useFacts((f) => f.sites);
	const pivot = pivotOf(by);
	const { from, to } = spanOf(range, built?.nrOps ?? 0);
	const question: SitesQuestion = {
		by: pivot.by,
		...allocatedOn(on),
		task: task || undefined,
		events: range ? [from, to + 1] : undefined,
	};
	const ask = async (): Promise<Answered> => ({ answer: await engine().sites(question), pivot });
	const { value: kept } = useAsync(built ? () => engine().keptOfEvents() : undefined, [built]);
	const needsTasks = kept?.tasks === false && (by === "task" || task !== "");
	const { value, sentence } = useAsync(built && !needsTasks ? ask : undefined, [
		built,
		by,
		on,
		task,
		range,
		needsTasks,
	]);
	const places = (what: string, words: string, nr: number) =>
		Array.from({ length: nr }, (_, i) => [`${what}${i}`, `${words} ${i}`] as const);
	return (
		<section aria-label="Call sites">
			<Heading>
				<h2>Call sites of {range ? eventsWords(from, to) : "the whole trace"}</h2>
				{range && (
					<p>
						This counts only the allocations in the part of the trace that the timeline shows. Live
						objects are those still allocated at the end of the trace.{" "}
						<LinkButton onClick={() => change({ range: null })}>Count the whole trace</LinkButton>
					</p>
				)}
				<StageAt />
			</Heading>
			<Choices>
				<SelectField
					label="Group by"
					value={by}
					onSelect={(key) => choose({ by: pivotOf(key).key })}
					options={PIVOTS.map((p) => [p.key, p.words] as const)}
				/>
				<SelectField
					label="Allocated on"
					value={on}
					onSelect={(chosen) => choose({ on: chosen })}
					options={[
						["", "any CPU"],
						...places("node", "node", built?.nrNodes ?? 0),
						...places("cpu", "CPU", built?.nrCpus ?? 0),
					]}
				/>
				<Field label="Allocated by task">
					{(id) => (
						<Entry
							id={id}
							value={task}
							maxLength={128}
							placeholder="any name or PID"
							onEnter={(entered) => choose({ task: entered })}
						/>
					)}
				</Field>
				<Field label="Filter">
					{(id) => (
						<TextInput
							id={id}
							value={filter}
							placeholder="call site or cache"
							onChange={(e) => choose({ filter: e.currentTarget.value })}
						/>
					)}
				</Field>
				<SelectField
					label="Treemap of"
					value={map}
					onSelect={(name) => choose({ map: SITES_MAPS.find((m) => m === name) ?? map })}
					options={SITES_MAPS}
				/>
				{hasCaches(pivot) && (
					<SelectField
						label="Colour by"
						value={colour}
						onSelect={(name) => choose({ colour: SITES_COLOURS.find((c) => c === name) ?? colour })}
						options={SITES_COLOURS}
					/>
				)}
			</Choices>
			<Fault sentence={sentence} />
			{needsTasks ? (
				<Fault sentence={noTasks(kept.dropped)} />
			) : value ? (
				<Found
					{...value}
					text={filter}
					areaName={map}
					colour={hasCaches(pivot) ? colour : "age"}
					profile={() => engine().profile({ ...question, by: withSites(pivot) })}
				/>
			) : (
				sentence === "" && <p className="quiet">Counting call sites …</p>
			)}
		</section>
	);
}

/** Says how to keep tasks. */
const noTasks = (didNotFit: boolean) =>
	didNotFit
		? "The tasks of this trace did not fit in memory. Cut the trace by time with slabscope convert and open it again, or run slabscope sites --by task."
		: "This trace has no tasks: either they weren't recorded, or you have an older copy of the trace open. Open the recorded file again to get them.";

/** Says where the stage is: the drawer may cover it, and the links go there. */
function StageAt() {
	const op = useCalm((f) => f.moment?.position.op);
	return (
		<p className="quiet number">
			{op === undefined
				? ""
				: `The stage shows ${eventWords(op)}. Click a name to go to its next event.`}
		</p>
	);
}

interface FoundProps extends Answered {
	/** The words typed into the filter. */
	readonly text: string;
	/** The name of a column. */
	readonly areaName: string;
	readonly colour: SitesChoice["colour"];
	/** All rows by call site, for pprof. */
	readonly profile: () => Promise<Blob>;
}

function Found({ answer, pivot, text, areaName, colour, profile }: FoundProps) {
	const sampling = useFacts((f) => f.report?.sampling);
	const isNs = useFacts((f) => f.report?.timeIsNs ?? false);
	const clock: Clock = useMemo(
		() => ({ ops: answer.ops, isKnown: answer.timeIsKnown, isNs, parts: answer.lifetimeParts }),
		[answer, isNs],
	);
	const rows = useMemo(() => matching(answer.rows, pivot, text), [answer, pivot, text]);
	const area = COLUMNS.find(({ name }) => name === areaName);
	return (
		<>
			<p role="status" className="number">
				{summary(rows, answer.rows.length, pivot)}
				{answer.isGuess &&
					` ${sampledWords(sampling) || "Events were lost or cut off, so an object that looks live may have been freed."}`}
			</p>
			{area && <Treemap {...{ rows, pivot, area, clock, colour }} onChoose={goToNext} />}
			<Table rows={rows} answer={answer} pivot={pivot} clock={clock} />
			<div>
				<DownloadCsv table={() => fileOf(rows, answer)} />{" "}
				<Button
					title="All rows by call site as a profile for pprof, speedscope and other tools"
					onClick={() =>
						void profile().then(
							(file) => save(file, fileName("sites", "pb.gz")),
							(error) => say(sentenceOf(error)),
						)
					}
				>
					Download pprof
				</Button>
			</div>
			<Reasons answer={answer} rows={rows} />
		</>
	);
}

/** Goes to the next event of a call site. A row without one goes to its first allocation. */
function goToNext({ callSite, firstOp }: SiteShown): void {
	if (callSite === "") goToEvent(firstOp);
	else void toNextCall(callSite);
}

interface TableProps extends Answered {
	readonly rows: readonly SiteShown[];
	readonly clock: Clock;
}

function Table({ rows, answer, pivot, clock }: TableProps) {
	const [sorting, setSorting] = useState<Sorting>({ by: "live bytes", up: false });
	const [wanted, setFrom] = useState(0);
	const [group, setGroup] = useState<string>(GROUPS[0]);
	const sort = (chosen: Sorting) => {
		setSorting(chosen);
		setFrom(0);
	};
	const ordered = useMemo(() => sorted(rows, pivot, sorting, clock), [rows, pivot, sorting, clock]);
	const from = wanted < ordered.length ? wanted : 0;
	const end = Math.min(from + ROWS_AT_ONCE, ordered.length);
	const part = useMemo(() => ordered.slice(from, end), [ordered, from, end]);
	const shown = useRows(part);
	const hasBoth = hasSites(pivot) && hasCaches(pivot);
	const name: TableColumn<SiteShown> = {
		name: "name",
		head: hasBoth ? "call site" : pivot.words,
		title: "By name",
		isOfWords: true,
		show: (row) => (
			<>
				<LinkButton
					className={`clips breaks left ${css.site}`}
					title={`${nameOf(row, pivot)}: go to its ${row.callSite === "" ? "first allocation" : "next event"}`}
					onClick={() => goToNext(row)}
				>
					{nameOf(row, pivot)}
				</LinkButton>
				{hasBoth && (
					<span className={`quiet ${css.cacheBelow}`} aria-hidden="true">
						{row.cacheName}
					</span>
				)}
			</>
		),
	};
	return (
		<>
			<Choices>
				<SelectField label="Columns" value={group} onSelect={setGroup} options={GROUPS} />
			</Choices>
			<DataTable
				label="Table of call sites"
				caption={`Allocations by ${pivot.words}`}
				className={classes(`wide ${css.rows}`, hasBoth && css.both)}
				columns={[
					name,
					...(hasBoth ? [CACHE] : []),
					...COLUMNS.filter((c) => c.group === undefined || c.group === group).map((column) => ({
						name: column.name,
						title: column.title,
						className: column.name === "leak suspects" ? css.verdict : undefined,
						show: (row: SiteShown) => <Cell {...{ column, row, answer, clock }} />,
					})),
				]}
				rows={shown}
				keyOf={keyOf}
				sorting={sorting}
				onSort={sort}
			/>
			{ordered.length > ROWS_AT_ONCE && (
				<div className="row">
					<span className="number">
						Rows {count(from + 1)} to {count(end)} of {count(ordered.length)}
					</span>
					<Button disabled={from === 0} onClick={() => setFrom(from - ROWS_AT_ONCE)}>
						Previous {ROWS_AT_ONCE}
					</Button>
					<Button disabled={end === ordered.length} onClick={() => setFrom(end)}>
						Next {ROWS_AT_ONCE}
					</Button>
				</div>
			)}
		</>
	);
}

const CACHE: TableColumn<SiteShown> = {
	name: "cache",
	title: "The cache, or the kmalloc size class",
	isOfWords: true,
	className: css.cache,
	show: (row) => row.cacheName,
};

interface CellProps {
	readonly column: Column;
	readonly row: SiteShown;
	readonly answer: SitesAnswered;
	readonly clock: Clock;
}

function Cell({ column, row, answer, clock }: CellProps) {
	if (column.name === "leak suspects")
		return (
			<span className={row.leakSuspects > 0 ? "danger strong" : undefined}>
				{verdictOf(row, answer)}
			</span>
		);
	const words = column.show(row, clock);
	if (column.name !== "oldest live" || row.oldestLiveOp === NONE) return words;
	return (
		<>
			<LinkButton onClick={() => goToEvent(row.oldestLiveOp)}>
				{eventWords(row.oldestLiveOp)}
			</LinkButton>
			<span className="block">{words}</span>
		</>
	);
}

/** Explains why the live objects of the caches in the table count as leak suspects or not. */
function Reasons({ answer, rows }: { answer: SitesAnswered; rows: readonly SiteShown[] }) {
	const shown = new Set(rows.map((row) => row.cache));
	const caches = answer.caches
		.filter((cache, i) => cache.liveObjects > 0 && (shown.has(i) || shown.has(NONE)))
		.toSorted((a, b) => b.leak - a.leak || b.liveObjects - a.liveObjects);
	if (caches.length === 0) return null;
	return (
		<details>
			<summary>Why these verdicts? {quantity(caches.length, "cache")} with live objects</summary>
			<dl className={`grid gap-2 ${css.reasons}`}>
				{caches.slice(0, REASONS_MOST).map(({ name, leak, liveObjects, why }) => (
					<div key={name}>
						<dt>
							{name}, {quantity(liveObjects, "live object")}: {LEAK_WORDS[leak]}
						</dt>
						<dd>{why}</dd>
					</div>
				))}
			</dl>
		</details>
	);
}

const orNull = (nr: number) => (nr === 0xffff ? null : nr);

/** Writes the filtered rows, with the keys of `slabscope sites --csv`. */
const fileOf = (rows: readonly SiteShown[], answer: SitesAnswered) =>
	tableOf<SiteShown>(
		"sites",
		{
			call_site: (row) => row.callSite,
			cache: (row) => row.cacheName,
			cpu: (row) => orNull(row.cpu),
			node: (row) => orNull(row.node),
			task: (row) => row.task,
			...Object.fromEntries(
				SITE_COLUMNS.map(({ key, field }) => [key, (row: SiteShown) => row[field]]),
			),
			...lifetimesOf(answer),
			leak: (row) => verdictOf(row, answer),
			from: () => fromKey(From.FROM_MEASURED),
		},
		rows,
	);

function lifetimesOf({ timeIsKnown }: SitesAnswered) {
	const known = (row: SiteShown, lifetime = 0) => (row.frees === 0 ? null : lifetime);
	return Object.fromEntries(
		LIFETIMES.flatMap((name, i) => [
			[`lifetime_events_${name}`, (row: SiteShown) => known(row, row.lifetimeEvents[i])],
			[
				`lifetime_time_${name}`,
				(row: SiteShown) => (timeIsKnown ? known(row, row.lifetimeTime[i]) : null),
			],
		]),
	);
}

/* A treemap of the rows of call sites. The table below it is its text twin, so the keyboard skips its tiles. */

/** Smaller tiles have no name and are too small to click. */
const NAMED = { width: 56, height: 24 };
const TWO_LINES = 38;
/** The largest caches each have their own hue; the others are grey. */
const HUES = [
	"--series-live",
	"--series-slabs",
	"--series-partial",
	"--series-bytes",
	"--series-chosen",
	"--series-slow",
];
const [YOUNG, OLD] = [8, 58];

interface Props {
	readonly rows: readonly SiteShown[];
	readonly pivot: Pivot;
	readonly area: Column;
	readonly clock: Clock;
	readonly colour: SitesChoice["colour"];
	readonly onChoose: (row: SiteShown) => void;
}

export function Treemap({ rows, pivot, area, clock, colour, onChoose }: Props) {
	const ref = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(ref);
	const tiles = useMemo(
		() => tilesOf(rows, (row) => area.of(row, clock), { width, height }),
		[rows, area, clock, width, height],
	);
	const caches = [...new Set(tiles.flatMap(({ row }) => row?.cacheName ?? []))];
	const look = (row: SiteShown) =>
		colour === "age"
			? aged(ageOf(row, clock) / clock.ops)
			: tint(HUES[caches.indexOf(row.cacheName)], 24);
	const isEmpty = !rows.some((row) => area.of(row, clock) > 0);
	return (
		<figure className={`grid gap-1 ${css.figure}`} aria-label={`Treemap of ${area.name}`}>
			<div ref={ref} className={classes("relative clips", css.map, isEmpty && css.empty)}>
				{tiles.map((tile) => (
					<TileOf
						key={tile.row ? keyOf(tile.row) : ""}
						{...{ tile, pivot, area, onChoose }}
						look={tile.row && look(tile.row)}
					/>
				))}
			</div>
			{isEmpty ? (
				<figcaption className="small quiet">No row has any {area.name}.</figcaption>
			) : (
				<figcaption className="small quiet">
					<span>Area: {area.name}. Colour:</span>
					{colour === "cache" &&
						caches.map(
							(cache, i) =>
								i < HUES.length && (
									<Key key={cache} look={tint(HUES[i], 24)}>
										{cache}
									</Key>
								),
						)}
					{colour === "cache" && caches.length > HUES.length && <Key>other caches</Key>}
					{colour === "age" && <Key look={aged(0)}>nothing live</Key>}
					{colour === "age" && <Key look={aged(1)}>live since the first event</Key>}
					{tiles.some(({ row }) => row?.leakSuspects) && (
						<Key className={css.treemapSuspect}>has leak suspects</Key>
					)}
				</figcaption>
			)}
		</figure>
	);
}

/** Returns a hue pale enough for text on it to be readable. */
const tint = (hue: string | undefined, percent: number): CSSProperties | undefined =>
	hue === undefined
		? undefined
		: { background: `color-mix(in srgb, var(${hue}) ${percent.toFixed(0)}%, var(--paper))` };

/** `age` is from 0 to 1, which is as old as the trace. */
const aged = (age: number) => tint("--series-slow", YOUNG + (OLD - YOUNG) * age);

interface KeyProps {
	readonly look?: CSSProperties | undefined;
	readonly className?: string | undefined;
	readonly children: ReactNode;
}

function Key({ look, className, children }: KeyProps) {
	return (
		<span className={`middle gap-1 ${css.key}`}>
			<i className={className} style={look} />
			<span>{children}</span>
		</span>
	);
}

export const keyOf = ({ callSite, cacheName, cpu, node, task }: SiteShown) =>
	`${callSite} ${cacheName} ${cpu} ${node} ${task}`;

interface TileProps extends Pick<Props, "pivot" | "area" | "onChoose"> {
	readonly tile: Tile;
	readonly look: CSSProperties | undefined;
}

function TileOf({ tile, pivot, area, look, onChoose }: TileProps) {
	const { row, nr, value, x, y, width, height } = tile;
	const name = row ? nameOf(row, pivot) : "other";
	const amount = area.group === "memory" ? bytes(value) : count(value);
	const number = row ? amount : `${quantity(nr, "row")}, ${amount}`;
	const suspects = row?.leakSuspects ? `, ${quantity(row.leakSuspects, "leak suspect")}` : "";
	const cache = row && row.cacheName !== name ? row.cacheName : "";
	const isNamed = width >= NAMED.width && height >= NAMED.height;
	const props = {
		className: classes(
			"absolute clips small left",
			css.tile,
			isNamed && css.named,
			suspects !== "" && css.treemapSuspect,
		),
		title: [name, cache, number].filter((text) => text !== "").join(", ") + suspects,
		style: { ...look, left: x, top: y, width, height },
	};
	const words = isNamed && (
		<>
			<span className={css.name}>{name}</span>
			{height >= TWO_LINES && (
				<span>
					{number}
					{cache !== "" && ` ${cache}`}
				</span>
			)}
		</>
	);
	if (!row || !isNamed) return <div {...props}>{words}</div>;
	return (
		<button type="button" tabIndex={-1} {...props} onClick={() => onChoose(row)}>
			{words}
		</button>
	);
}
