/** The timeline's picture: live objects as an area, slabs as a line, slow paths as bars from below. */
import type { Built, Series } from "../engine/types.ts";
import type { Size } from "../stage/use_size.ts";

const BARS_SHARE = 0.34;

export function drawSeries(canvas: HTMLCanvasElement, size: Size, built: Built): void {
	const ratio = window.devicePixelRatio;
	canvas.width = Math.max(1, Math.round(size.width * ratio));
	canvas.height = Math.max(1, Math.round(size.height * ratio));
	const ctx = canvas.getContext("2d");
	if (!ctx || size.width === 0) return;
	ctx.scale(ratio, ratio);
	const style = getComputedStyle(canvas);
	const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
	const x = (series: Series) => {
		const perBucket = (size.width * series.opsPerBucket) / Math.max(1, built.nrOps - 1);
		return (bucket: number) => bucket * perBucket;
	};
	bars(ctx, built.slowPaths, x(built.slowPaths), size, token("series-slow"));
	area(ctx, built.liveObjects, x(built.liveObjects), size, token("series-live"));
	line(ctx, built.slabs, x(built.slabs), size, token("series-slabs"));
}

type Scale = (n: number) => number;

function heightScale(series: Series, size: Size): Scale {
	const most = series.max.reduce((a, b) => Math.max(a, b), 1);
	const [bottom, top] = [size.height - 1, 4];
	return (value) => bottom + ((top - bottom) * value) / most;
}

function area(
	ctx: CanvasRenderingContext2D,
	series: Series,
	x: Scale,
	size: Size,
	colour: string,
): void {
	const y = heightScale(series, size);
	ctx.beginPath();
	ctx.moveTo(0, size.height);
	for (const [i, value] of series.max.entries()) ctx.lineTo(x(i), y(value));
	ctx.lineTo(x(series.max.length), size.height);
	ctx.closePath();
	ctx.globalAlpha = 0.16;
	ctx.fillStyle = colour;
	ctx.fill();
	ctx.globalAlpha = 1;
	stroke(ctx, series, x, y, colour, 1.5);
}

function line(
	ctx: CanvasRenderingContext2D,
	series: Series,
	x: Scale,
	size: Size,
	colour: string,
): void {
	ctx.setLineDash([5, 2]);
	stroke(ctx, series, x, heightScale(series, size), colour, 1.5);
	ctx.setLineDash([]);
}

function stroke(
	ctx: CanvasRenderingContext2D,
	series: Series,
	x: Scale,
	y: Scale,
	colour: string,
	width: number,
): void {
	ctx.beginPath();
	for (const [i, value] of series.max.entries()) ctx.lineTo(x(i), y(value));
	ctx.strokeStyle = colour;
	ctx.lineWidth = width;
	ctx.lineJoin = "round";
	ctx.stroke();
}

/** How many slow paths fall on each pixel, by height; the root keeps rare ones visible beside bursts. */
function bars(
	ctx: CanvasRenderingContext2D,
	series: Series,
	x: Scale,
	size: Size,
	colour: string,
): void {
	const sums = new Float64Array(Math.ceil(size.width / 2) + 1);
	series.max.forEach((value, i) => {
		const at = Math.floor(x(i) / 2);
		if (at < sums.length) sums[at] = (sums[at] ?? 0) + value;
	});
	const most = sums.reduce((a, b) => Math.max(a, b), 1);
	ctx.fillStyle = colour;
	sums.forEach((sum, i) => {
		const h = Math.sqrt(sum / most) * size.height * BARS_SHARE;
		if (h > 0) ctx.fillRect(i * 2, size.height - h, 1.5, h);
	});
}
