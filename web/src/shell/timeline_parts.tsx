/**
 * Parts of the timeline: a line at the event under the pointer, with its number, its time, the cache's values and its
 * sentence; and, below the curves, the lanes of the CPUs and the events that match the filter.
 */

import { useEffect, useMemo, useRef, useState } from "react";
import type { Lanes as Depths } from "#wasm";
import { engine } from "../app/platform/engine_link.ts";
import { hasOverview } from "../app/playback/chapters.ts";
import { cacheNumber, meant } from "../app/playback/player.ts";
import { busy, facts, type Range } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, eventWords, quantity, time } from "../base/format.ts";
import type { Glance } from "../engine/types.ts";
import type { ChosenParts } from "../engine/worker/filtering.ts";
import { type Size, useAsync, useSize } from "../ui/hooks.ts";
import css from "./timeline_parts.module.css";

interface CrosshairProps {
	/** The event. */
	readonly at: number;
	readonly span: Range;
}

export function Crosshair({ at, span }: CrosshairProps) {
	const { from, to } = span;
	const seen = useGlance(at, span);
	const share = Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)));
	return (
		<div
			className={`absolute covers untouched ${css.crosshair}`}
			style={{ "--at": `${share * 100}%` } as React.CSSProperties}
			data-part="crosshair"
			aria-hidden="true"
		>
			<div className={`absolute ${css.line}`} />
			<div className={`absolute paper small ${css.label}`}>
				<p className="number">
					<strong>{eventWords(seen?.event ?? at)}</strong>
					{seen && <Values seen={seen} />}
				</p>
				<p className={`clips quiet one-line ${css.sentence}`}>{seen?.sentence}</p>
			</div>
		</div>
	);
}

function Values({ seen: { time: at, live, slabs, partial } }: { readonly seen: Glance }) {
	const report = useFacts((f) => f.report);
	return (
		<>
			{report && report.timeLast > 0 && ` · ${time(at, report.timeIsNs)}`}
			{` · ${count(live)} live · ${count(slabs)} slabs · ${count(partial)} partial`}
		</>
	);
}

/** Asks one question at a time: meanwhile, only the latest event waits. Undefined until the answer arrives. */
function useGlance(op: number, span: Range): Glance | undefined {
	const built = useFacts((f) => f.built);
	const cache = useFacts((f) => f.cache);
	const isWhole = useFacts((f) => f.isWhole);
	const wanted = useRef(op);
	const isAsking = useRef(false);
	const [answer, setAnswer] = useState<{ of: unknown; cache: string; seen: Glance }>();
	useEffect(() => {
		wanted.current = op;
		if (!isWhole || !built || isAsking.current) return;
		isAsking.current = true;
		void askFor(wanted, span, (seen) => setAnswer({ of: built, cache, seen })).finally(() => {
			isAsking.current = false;
		});
	}, [op, built, cache, isWhole]);
	const isCurrent = answer?.seen.op === op && answer.of === built && answer.cache === cache;
	return isCurrent ? answer.seen : undefined;
}

/** The keyboard moves the position itself, event by event. */
const isHere = (op: number) => facts().moment?.position.op === op;

async function askFor(
	wanted: { readonly current: number },
	span: Range,
	show: (seen: Glance) => void,
): Promise<void> {
	for (let last = -1; last !== wanted.current; ) {
		last = wanted.current;
		const seen = await engine()
			.glance(last, cacheNumber(), isHere(last) ? undefined : meant(span))
			.catch(() => undefined);
		if (seen) show(seen);
	}
}

/* Ticks below the timeline where events match the filter, taller where more of them do. */

/** The distance from one tick to the next, in pixels; the tick is half of that. */
const STEP = 4;
const HEIGHT = 8;
/** The least height at which one event among thousands can still be seen. */
const LEAST_HEIGHT = 3;

export function ChosenRow({ span }: { readonly span: Range }) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const parts = useParts(span, Math.floor(width / STEP));
	const path = useMemo(() => (parts ? ticks(parts, span, width) : ""), [parts, span, width]);
	const nr = parts?.counts.reduce((a, b) => a + b, 0) ?? 0;
	return (
		<div className={`clips untouched ${css.row}`} ref={box}>
			{parts && (
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`${count(nr)} of ${quantity(parts.to - parts.from + 1, "event")} on the timeline match the filter`}
				>
					<path d={path} />
				</svg>
			)}
		</div>
	);
}

/** While a new part of the trace is being counted, the previous one stays in its place. */
function useParts({ from, to }: Range, most: number): ChosenParts | undefined {
	const built = useFacts((f) => f.built);
	const filter = useFacts((f) => f.filter);
	const isRun = useFacts((f) => f.chosen?.built === f.built && f.chosen?.filter === f.filter);
	const ask = async () => {
		const parts = await busy(() => engine().chosenParts(from, to, most));
		return { built, filter, parts };
	};
	const asked = [built, filter, isRun, from, to, most];
	const { value } = useAsync(isRun && most > 0 ? ask : undefined, asked);
	return value?.built === built && value.filter === filter ? value.parts : undefined;
}

function ticks({ from, to, counts }: ChosenParts, span: Range, width: number): string {
	const most = counts.reduce((a, b) => Math.max(a, b), 1);
	const eventsPerPart = (to - from + 1) / counts.length;
	return Array.from(counts, (nr, i) => {
		if (nr === 0) return "";
		const middle = from + (i + 0.5) * eventsPerPart - 0.5;
		const x = ((middle - span.from) / (span.to - span.from)) * (width - STEP / 2);
		const height = Math.max(LEAST_HEIGHT, Math.round(Math.sqrt(nr / most) * HEIGHT));
		return `M${Math.round(x)} ${HEIGHT}h${STEP / 2}v${-height}h${-STEP / 2}z`;
	}).join("");
}

/** The most pixels of a lane, including the gap below. */
const LANE_MOST = 6;
const GAP = 0.5;
const DEEPEST = 255;
/** The opacity of an event at the second level; at the last, it is 1. */
const SECOND = 0.3;

/**
 * A lane for each CPU below the curves: the darker, the deeper its events went in the levels of their caches. It
 * shows where a whole trace is slow, and on which CPUs.
 */
export function Lanes({ span: { from, to } }: { readonly span: Range }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const built = useFacts((f) => f.built);
	const lanes = useFacts((f) => (f.chapters?.built === f.built ? f.chapters?.lanes : undefined));
	const look = useFacts((f) => f.look);
	const ratio = useFacts((f) => f.pixelRatio);
	const size = useSize(canvas);
	useEffect(() => {
		if (canvas.current) drawLanes(canvas.current, size, ratio, lanes, { from, to });
	}, [lanes, look, ratio, size, from, to]);
	// Its room is reserved until it arrives, so that nothing moves then.
	if (!built || !hasOverview(built)) return null;
	const per = lanes?.cpusPerLane ?? 1;
	return (
		<canvas
			ref={canvas}
			className={`block wide untouched ${css.lanes}`}
			role="img"
			aria-label={`A lane for each ${per === 1 ? "CPU" : quantity(per, "CPU")}: the darker, the deeper its events went`}
		/>
	);
}

function drawLanes(
	canvas: HTMLCanvasElement,
	size: Size,
	ratio: number,
	lanes: Depths | undefined,
	{ from, to }: Range,
): void {
	canvas.width = Math.max(1, Math.round(size.width * ratio));
	canvas.height = Math.max(1, Math.round(size.height * ratio));
	const ctx = canvas.getContext("2d");
	if (!ctx || !lanes) return;
	const { depths, nrLanes, nrBuckets, opsPerBucket } = lanes;
	const pitch = Math.min(LANE_MOST * ratio, canvas.height / nrLanes);
	const style = getComputedStyle(canvas);
	const colour = (name: string) => style.getPropertyValue(name).trim();
	const [fast, slow] = [colour("--cell-full"), colour("--series-slow")];
	const bucketAt = (x: number) => (from + ((to - from) * x) / canvas.width) / opsPerBucket;
	for (let lane = 0; lane < nrLanes; lane++)
		for (let x = 0; x < canvas.width; x++) {
			const first = Math.floor(bucketAt(x));
			const last = Math.min(nrBuckets - 1, Math.max(first, Math.ceil(bucketAt(x + 1)) - 1));
			let depth = 0;
			for (let i = first; i <= last; i++)
				depth = Math.max(depth, depths[lane * nrBuckets + i] ?? 0);
			if (depth === 0) continue;
			ctx.fillStyle = depth === 1 ? fast : slow;
			ctx.globalAlpha = depth === 1 ? 1 : SECOND + (1 - SECOND) * (depth / DEEPEST);
			ctx.fillRect(x, lane * pitch, 1, pitch - GAP * ratio);
		}
}
