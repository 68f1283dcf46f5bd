/**
 * The timeline's picture: live objects as an area, slow paths as bars from below, all other series as lines with
 * different dashes. Each has its own scale, up to its maximum in the shown part.
 */

import { bucketsOf, mostOf, SERIES_LOOKS } from "../app/state/range.ts";
import type { Range, SeriesName } from "../app/state/store.ts";
import type { Built, Series } from "../engine/types.ts";
import type { Size } from "./use_size.ts";

const BARS_SHARE = 0.34;
export const DASHES: Readonly<Record<SeriesName, readonly number[]>> = {
	live: [],
	slabs: [5, 2],
	partial: [2, 2],
	bytes: [9, 2, 2, 2],
	waste: [1, 3],
	slow: [],
};
/** The drawing order. */
export const ORDER: readonly SeriesName[] = ["slow", "live", "bytes", "waste", "partial", "slabs"];

export interface What {
	readonly built: Built;
	readonly shown: readonly SeriesName[];
	readonly span: Range;
}

export function drawSeries(
	canvas: HTMLCanvasElement,
	size: Size,
	{ built, shown, span }: What,
): void {
	const ratio = window.devicePixelRatio;
	canvas.width = Math.max(1, Math.round(size.width * ratio));
	canvas.height = Math.max(1, Math.round(size.height * ratio));
	const ctx = canvas.getContext("2d");
	if (!ctx || size.width === 0) return;
	ctx.scale(ratio, ratio);
	const style = getComputedStyle(canvas);
	for (const name of ORDER) {
		const look = SERIES_LOOKS.find((l) => l.name === name);
		if (!look || !shown.includes(name)) continue;
		const curve = new Curve(look.of(built), span, size);
		ctx.strokeStyle = style.getPropertyValue(`--series-${name}`).trim();
		ctx.fillStyle = ctx.strokeStyle;
		if (name === "slow") bars(ctx, curve, size);
		else {
			if (name === "live") area(ctx, curve, size);
			ctx.setLineDash([...DASHES[name]]);
			stroke(ctx, curve);
		}
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

	y(bucket: number): number {
		const [bottom, top] = [this.#size.height - 1, 4];
		return bottom + ((top - bottom) * this.value(bucket)) / this.#most;
	}
}

function area(ctx: CanvasRenderingContext2D, curve: Curve, size: Size): void {
	ctx.beginPath();
	ctx.moveTo(curve.x(curve.first), size.height);
	for (let i = curve.first; i < curve.end; i++) ctx.lineTo(curve.x(i), curve.y(i));
	ctx.lineTo(curve.x(curve.end), size.height);
	ctx.closePath();
	ctx.globalAlpha = 0.16;
	ctx.fill();
	ctx.globalAlpha = 1;
}

function stroke(ctx: CanvasRenderingContext2D, curve: Curve): void {
	ctx.beginPath();
	for (let i = curve.first; i < curve.end; i++) ctx.lineTo(curve.x(i), curve.y(i));
	ctx.lineWidth = 1.5;
	ctx.lineJoin = "round";
	ctx.stroke();
	ctx.setLineDash([]);
}

/** How many slow paths fall on each pixel, by height; the root keeps rare ones visible beside bursts. */
function bars(ctx: CanvasRenderingContext2D, curve: Curve, size: Size): void {
	const sums = new Float64Array(Math.ceil(size.width / 2) + 1);
	for (let i = curve.first; i < curve.end; i++) {
		const at = Math.floor(curve.x(i) / 2);
		if (at >= 0 && at < sums.length) sums[at] = (sums[at] ?? 0) + curve.value(i);
	}
	const most = sums.reduce((a, b) => Math.max(a, b), 1);
	sums.forEach((sum, i) => {
		const h = Math.sqrt(sum / most) * size.height * BARS_SHARE;
		if (h > 0) ctx.fillRect(i * 2, size.height - h, 1.5, h);
	});
}
