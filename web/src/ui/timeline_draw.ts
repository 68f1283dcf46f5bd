/**
 * The timeline's picture, on screen and in a file: live objects as an area, slow paths as bars from below, all other
 * series as lines with different dashes. Each has its own scale, up to its maximum in the shown part. Behind the
 * curves of one cache, the live objects of all caches are drawn faintly, on their own scale.
 */

import { bucketsOf, mostOf, SERIES_LOOKS } from "../app/state/range.ts";
import type { Range, SeriesName } from "../app/state/store.ts";
import type { Curves, Series } from "../engine/types.ts";
import type { Size } from "./hooks.ts";

const BARS_SHARE = 0.34;
const AREA_OPACITY = 0.16;
export const BEHIND_OPACITY = 0.55;
export const LINE_WIDTH = 1.5;
export const DASHES: Readonly<Record<SeriesName, readonly number[]>> = {
	live: [],
	slabs: [5, 2],
	partial: [2, 2],
	bytes: [9, 2, 2, 2],
	waste: [1, 3],
	slow: [],
};
/** The drawing order. */
const ORDER: readonly SeriesName[] = ["slow", "live", "bytes", "waste", "partial", "slabs"];

interface What {
	readonly curves: Curves;
	/** All caches, if the curves are those of one. */
	readonly behind: Curves | undefined;
	readonly shown: readonly SeriesName[];
	readonly span: Range;
}

/** A series as SVG paths: a fill, and a line around or above it. Either may be "". */
interface Shape {
	readonly name: SeriesName;
	readonly fill: string;
	readonly opacity: number;
	readonly line: string;
}

/** Returns the shown series in the drawing order. */
export function shapesOf({ curves, shown, span }: What, size: Size): Shape[] {
	return ORDER.flatMap((name): Shape[] => {
		const look = SERIES_LOOKS.find((l) => l.name === name);
		if (!look || !shown.includes(name)) return [];
		const curve = new Curve(look.of(curves), span, size);
		if (name === "slow") return [{ name, fill: bars(curve, size), opacity: 1, line: "" }];
		const fill = name === "live" ? area(curve, size) : "";
		return [{ name, fill, opacity: AREA_OPACITY, line: `M${curve.points()}` }];
	});
}

/** Draws the live objects of all caches as a filled path; "" if there is no background. */
export function shapeBehind({ behind, span }: What, size: Size): string {
	return behind ? area(new Curve(behind.liveObjects, span, size), size) : "";
}

export function drawSeries(canvas: HTMLCanvasElement, size: Size, what: What): void {
	const ratio = window.devicePixelRatio;
	canvas.width = Math.max(1, Math.round(size.width * ratio));
	canvas.height = Math.max(1, Math.round(size.height * ratio));
	const ctx = canvas.getContext("2d");
	if (!ctx || size.width === 0) return;
	ctx.scale(ratio, ratio);
	ctx.lineWidth = LINE_WIDTH;
	ctx.lineJoin = "round";
	const style = getComputedStyle(canvas);
	ctx.fillStyle = style.getPropertyValue("--series-behind").trim();
	ctx.globalAlpha = BEHIND_OPACITY;
	ctx.fill(new Path2D(shapeBehind(what, size)));
	for (const { name, fill, opacity, line } of shapesOf(what, size)) {
		ctx.strokeStyle = style.getPropertyValue(`--series-${name}`).trim();
		ctx.fillStyle = ctx.strokeStyle;
		ctx.globalAlpha = opacity;
		ctx.fill(new Path2D(fill));
		ctx.globalAlpha = 1;
		ctx.setLineDash([...DASHES[name]]);
		ctx.stroke(new Path2D(line));
	}
}

/** A series as points on screen, from one bucket before the shown part to one after it. */
class Curve {
	readonly #series: Series;
	readonly #span: Range;
	readonly #size: Size;
	readonly #most: number;
	readonly first: number;
	readonly end: number;

	constructor(series: Series, span: Range, size: Size) {
		this.#series = series;
		this.#span = span;
		this.#size = size;
		this.#most = Math.max(1, mostOf(series, span));
		const [first, end] = bucketsOf(series, span);
		this.first = Math.max(0, first - 1);
		this.end = Math.min(series.max.length, end + 1);
	}

	value(bucket: number): number {
		return this.#series.max[bucket] ?? 0;
	}

	x(bucket: number): number {
		const { from, to } = this.#span;
		return (this.#size.width * (bucket * this.#series.opsPerBucket - from)) / (to - from);
	}

	/** Joins all the points into a path. */
	points(): string {
		const [bottom, top] = [this.#size.height - 1, 4];
		return Array.from({ length: this.end - this.first }, (_, i) => {
			const y = bottom + ((top - bottom) * this.value(this.first + i)) / this.#most;
			return `${this.x(this.first + i)} ${y}`;
		}).join("L");
	}
}

function area(curve: Curve, { height }: Size): string {
	const [left, right] = [curve.x(curve.first), curve.x(curve.end)];
	return `M${left} ${height}L${curve.points()}L${right} ${height}z`;
}

/** Shows how many slow paths fall on each pixel, as a height; taking the root keeps rare ones visible beside bursts. */
function bars(curve: Curve, { width, height }: Size): string {
	const sums = new Float64Array(Math.ceil(width / 2) + 1);
	for (let i = curve.first; i < curve.end; i++) {
		const at = Math.floor(curve.x(i) / 2);
		if (at >= 0 && at < sums.length) sums[at] = (sums[at] ?? 0) + curve.value(i);
	}
	const most = sums.reduce((a, b) => Math.max(a, b), 1);
	return Array.from(sums, (sum, i) => {
		const h = Math.sqrt(sum / most) * height * BARS_SHARE;
		return h > 0 ? `M${i * 2} ${height}h1.5v${-h}h-1.5z` : "";
	}).join("");
}
