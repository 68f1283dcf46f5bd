/** A number in the text that the reader can move: a size, a parameter or an event, with the core's results beside it. */

import { type CSSProperties, type ReactNode, useId, useRef, useState } from "react";
import { COUNTER_NAMES } from "#abi";
import { bytes, count, eventWords, numberOf } from "../../base/format.ts";
import type { Figures, Film, SizeFigures } from "../../engine/answers.ts";
import type { Step } from "../../engine/types.ts";
import { useAsync, useSeen, useSize } from "../../ui/hooks.ts";
import { metricsOf, SHORT_NAMES } from "../compare/metrics.ts";
import { type Passage, Picture, passageOf } from "./figure/figure.tsx";
import { Picture as FilmPicture, filmOf } from "./figure/small_stage.tsx";
import lessons from "./lessons.module.css";
import { useAround, within, withValue } from "./model/context.ts";
import { figuresAt, machineIn, type Place, scriptPlace, withHelper } from "./model/places.ts";
import css from "./slider.module.css";

export interface SliderProps extends Place {
	/** What the reader moves: a size, events or parameters with their values, as text/README.md says. */
	readonly over: string;
	/** Where it starts: "size=704; page_size=4096". Left out: the first values. */
	readonly at?: string;
	/** Names of figures, separated by commas; see text/README.md. */
	readonly figures: string;
	/** Whether to show figures alone, without the small stage. */
	readonly bare?: boolean;
	/** A slabtrace in place of the lesson's trace, with {NAME} where a value of `over` goes. */
	readonly script?: string;
	/** Whether to show the event's sentences too. */
	readonly says?: boolean;
	/** One sentence: what to try. */
	readonly children?: ReactNode;
}

/** One thing to move. */
interface Dial {
	readonly name: string;
	readonly values: readonly string[];
}

/** Sizes of objects are multiples of it. */
const SIZE_STEP = 8;

const parted = (words: string, by: string) =>
	words
		.split(by)
		.map((word) => word.trim())
		.filter((word) => word !== "");

export function dialsIn(over: string): readonly Dial[] {
	return parted(over, ";").map((part) => {
		const [name = "", range = ""] = parted(part, "=");
		const [from = 0, to = 0] = range.split("..").map(Number);
		if (!range.includes("..")) return { name, values: parted(range, " ") };
		const step = name === "size" ? SIZE_STEP : 1;
		const nr = Math.floor((to - from) / step) + 1;
		return { name, values: Array.from({ length: nr }, (_, i) => String(from + i * step)) };
	});
}

type Values = Readonly<Record<string, string>>;

/** Returns the values that the reader sees at first. */
export function startOf(dials: readonly Dial[], at = ""): Values {
	const given = Object.fromEntries(parted(at, ";").map((part) => parted(part, "=")));
	return Object.fromEntries(dials.map(({ name, values }) => [name, given[name] ?? values[0]]));
}

/** Returns the place that the values lead to: sizes and events are not parameters. */
export function placeWith(
	place: Place,
	{ op, size: _, ...others }: Values,
	script?: string,
): Place {
	const isParam = ([name]: readonly [string, string]) => !script?.includes(`{${name}}`);
	const machine = Object.entries(others)
		.filter(isParam)
		.reduce((words, [param, value]) => withValue(words, param, value), place.machine ?? "");
	const at = { ...place, machine, ...(op === undefined ? {} : { op: Number(op) }) };
	if (script === undefined) return at;
	return scriptPlace(
		at,
		script.replaceAll(/\{(\w+)\}/g, (all, name: string) => others[name] ?? all),
	);
}

/** A figure: its number, in bytes or of things; undefined if the allocator has none. */
export interface Shown {
	readonly value: number | undefined;
	readonly isBytes?: boolean;
	/** Of 1. */
	readonly isShare?: boolean;
}

export function figureOfSize(name: string, row: SizeFigures): Shown {
	const slab = row.pageBytes * 2 ** row.order;
	const shown: Readonly<Record<string, Shown>> = {
		order: { value: row.order },
		pages: { value: 2 ** row.order },
		"bytes of a slab": { value: slab, isBytes: true },
		"objects in a slab": { value: row.objects },
		slot: { value: row.alignedSize, isBytes: true },
		"tail waste": { value: row.waste, isBytes: true },
		"share wasted": { value: row.waste / slab, isShare: true },
		min_partial: { value: row.minPartial },
		"slabs on a per-CPU partial list": { value: row.cpuPartialSlabs },
	};
	return shown[name] ?? { value: undefined };
}

export function figureOfTrace(name: string, figures: Figures): Shown {
	const { totals, steps, eventCycles, reports, cache, counters } = figures;
	const own: Readonly<Record<string, number | undefined>> = {
		"steps of this event": steps,
		"model cycles of this event": eventCycles,
		reports: reports.length,
		"slabs of the cache": cache?.slabs ?? 0,
		"live objects": cache?.liveObjects ?? 0,
		"slabs on node partial lists": cache?.partial ?? 0,
	};
	if (name in own) return { value: own[name] };
	const metric = metricsOf([totals]).find((one) => one.name === name);
	if (metric) return { value: metric.of(totals), isBytes: metric.bytes };
	// Compare's table leaves out what is 0 everywhere.
	const counter = COUNTER_NAMES.findIndex((one) => one.toLowerCase() === name);
	const isThere = counter >= 0 ? counters.includes(counter) : SHORT_NAMES.includes(name);
	return { value: isThere ? 0 : undefined };
}

export function Slider(props: SliderProps) {
	const { over, at, figures, bare = false, script, says = false, children, ...own } = props;
	const around = within(useAround().place, own);
	const box = useRef<HTMLElement>(null);
	const seen = useSeen(box);
	const id = useId();
	const dials = dialsIn(over);
	const [values, setValues] = useState(() => startOf(dials, at));
	const place = placeWith(around, values, script);
	const key = JSON.stringify([place, values]);
	const { size } = values;
	const ask = async (): Promise<readonly Shown[]> => {
		const names = parted(figures, ",");
		if (size !== undefined) {
			const row = await sizeAt(place, Number(size));
			return names.map((name) => figureOfSize(name, row));
		}
		const all = await figuresAtEvent(place);
		return names.map((name) => figureOfTrace(name, all));
	};
	const { value: shown, sentence } = useAsync(seen ? ask : undefined, [seen, key, figures]);
	return (
		<figure
			className={`grid gap-3 narrows framed round ground ${lessons.task} ${css.slider}`}
			data-slider={over}
			ref={box}
			aria-labelledby={id}
		>
			<div className={css.dials}>
				{dials.map((dial) => (
					<DialOf
						key={dial.name}
						dial={dial}
						value={values[dial.name] ?? ""}
						set={(value) => setValues({ ...values, [dial.name]: value })}
					/>
				))}
			</div>
			<dl className={css.results} aria-live="polite">
				{parted(figures, ",").map((name, i) => (
					<div key={name} data-figure-name={name}>
						<dt>{name}</dt>
						<dd className="number">{shown?.[i] ? inDigits(shown[i]) : "…"}</dd>
					</div>
				))}
			</dl>
			{sentence !== "" && <p className="danger">{sentence}</p>}
			{size !== undefined && <SlabOfSize place={place} size={Number(size)} seen={seen} />}
			{place.op !== undefined && !bare && (
				<StageOf place={place} dials={dials} seen={seen} says={says} />
			)}
			<figcaption id={id} className="quiet">
				{children}
			</figcaption>
		</figure>
	);
}

function inDigits({ value, isBytes, isShare }: Shown): string {
	if (value === undefined) return "–";
	if (isShare) return `${(100 * value).toFixed(1)} %`;
	return isBytes ? bytes(value) : count(value);
}

interface DialProps {
	readonly dial: Dial;
	readonly value: string;
	readonly set: (value: string) => void;
}

function DialOf({ dial: { name, values }, value, set }: DialProps) {
	const shown =
		name === "op"
			? eventWords(Number(value))
			: name === "size" || name === "page_size"
				? bytes(Number(value))
				: value;
	if (values.join(" ") === "off on")
		return (
			<label className="check">
				<input
					type="checkbox"
					data-dial={name}
					checked={value === "on"}
					onChange={(e) => set(e.currentTarget.checked ? "on" : "off")}
				/>
				<span>{name.replaceAll("_", " ")}</span>
			</label>
		);
	return (
		<label className={`grid ${css.dial}`}>
			<span>
				{name === "size" ? "size of an object" : name === "op" ? "" : <code>{name}</code>}{" "}
				<strong className="number">{shown}</strong>
			</span>
			<input
				type="range"
				aria-label={name === "op" ? "event" : name === "size" ? "size of an object" : name}
				aria-valuetext={shown}
				data-dial={name}
				min={0}
				max={values.length - 1}
				value={Math.max(0, values.indexOf(value))}
				onChange={(e) => set(values[Number(e.currentTarget.value)] ?? value)}
			/>
		</label>
	);
}

interface StageProps {
	readonly place: Place;
	readonly dials: readonly Dial[];
	readonly seen: boolean;
	readonly says: boolean;
}

/** Shows the stage at the event; a passage is laid out once, so that nothing but its contents moves. */
function StageOf({ place, dials, seen, says }: StageProps) {
	const events = dials.find(({ name }) => name === "op")?.values;
	const { trace, text, machine, cache, op = 0 } = place;
	const from = Number(events?.[0] ?? op);
	const to = Number(events?.at(-1) ?? op);
	const { value: passage } = useAsync<Passage>(
		seen && events ? () => passageOf({ trace, machine, cache }, from, to) : undefined,
		[seen, trace, machine, cache, from, to],
	);
	const { value: film } = useAsync<Film>(
		seen && !events && place.op !== undefined
			? () => filmOf({ trace, text, machine, cache }, [{ op }])
			: undefined,
		[seen, text, trace, machine, cache, op],
	);
	const label = `The stage at event ${numberOf(op)}`;
	const steps = (passage?.moments[op - from] ?? film?.moments[0])?.steps ?? [];
	return (
		<>
			{says && <Sentences steps={steps} />}
			<div className={`framed round paper ${css.sliderStage}`}>
				{events
					? passage && <Picture passage={passage} nr={op - from} label={label} />
					: film && <FilmStage film={film} label={label} />}
			</div>
		</>
	);
}

/** A film's only picture. */
export function FilmStage({ film, label }: { readonly film: Film; readonly label: string }) {
	const box = useRef<HTMLSpanElement>(null);
	const size = useSize(box);
	return (
		<span className="block relative wide tall clips" ref={box}>
			{size.width > 0 && <FilmPicture film={film} size={size} label={label} plays={false} />}
		</span>
	);
}

/** Lists what the allocator did in the event, step by step. */
export function Sentences({ steps }: { readonly steps: readonly Pick<Step, "sentence">[] }) {
	return (
		<ol className={`small ${css.sentences}`} aria-live="polite">
			{steps.map(({ sentence }, i) => (
				<li key={i}>{sentence}</li>
			))}
		</ol>
	);
}

interface SlabProps {
	readonly place: Place;
	readonly size: number;
	readonly seen: boolean;
}

/** Draws a slab for objects of one size, a row for each page: slots, and what is left at the end. */
function SlabOfSize({ place, size, seen }: SlabProps) {
	const { value: row } = useAsync(seen ? () => sizeAt(place, size) : undefined, [
		seen,
		place.machine,
		size,
	]);
	if (!row) return <div className={css.slab} />;
	return (
		<div
			className={css.slab}
			role="img"
			aria-label={`${2 ** row.order} pages with ${row.objects} slots of ${row.alignedSize} bytes, ${row.waste} bytes of tail waste`}
		>
			{Array.from({ length: 2 ** row.order }, (_, page) => (
				<PageOfSlab key={page} row={row} page={page} />
			))}
		</div>
	);
}

/** Slots narrower than this share of a page are drawn without borders. */
const BORDER_SHARE = 1 / 128;

function PageOfSlab({ row, page }: { row: SizeFigures; page: number }) {
	const { alignedSize: slot, objects, pageBytes } = row;
	const share = (at: number) => Math.min(1, Math.max(0, (at - page * pageBytes) / pageBytes));
	const style = {
		"--used": `${100 * share(slot * objects)}%`,
	} as CSSProperties;
	const borders: number[] = [];
	if (slot / pageBytes >= BORDER_SHARE)
		for (let nr = 1; nr <= objects; nr++) {
			const at = nr * slot - page * pageBytes;
			if (at > 0 && at < pageBytes) borders.push(at / pageBytes);
		}
	return (
		<span className={css.page} style={style}>
			{borders.map((at) => (
				<i key={at} style={{ left: `${100 * at}%` }} />
			))}
		</span>
	);
}

/* Answers of the core, each asked for once. */

const MOST_KEPT = 400;

function keeping<A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) {
	const kept = new Map<string, Promise<T>>();
	return (...args: A): Promise<T> => {
		const key = JSON.stringify(args);
		const known = kept.get(key);
		if (known) return known;
		if (kept.size >= MOST_KEPT) kept.clear();
		const answer = work(...args);
		kept.set(key, answer);
		answer.catch(() => kept.delete(key));
		return answer;
	};
}

const sizeOf = keeping((machine: string, size: number) =>
	withHelper((helper) => helper.ofSize(machineIn(machine), size)),
);
const sizeAt = ({ machine = "" }: Place, size: number) => sizeOf(machine, size);

const figuresAtEvent = keeping(figuresAt);
