/** The timeline as vectors: the part of the trace and the series that are on screen, with a legend. */

import { bucketsOf, mostOf, SERIES_LOOKS, spanOf } from "../app/state/range.ts";
import { type Facts, facts, type Range } from "../app/state/store.ts";
import { count } from "../base/format.ts";
import { eventsWords } from "../base/numbering.ts";
import type { Series } from "../engine/types.ts";
import { readPalette } from "../stage/draw/colours.ts";
import { DASHES, ORDER } from "../ui/timeline_draw.ts";
import { element, picture, rect, short, text } from "./svg.ts";

const WIDE = 1200;
const HIGH = 160;
const LINE = 18;
const BARS_SHARE = 0.34;
const TOP = 8;

type Scale = (op: number) => number;

export function timelineSvg(): string {
	const f = facts();
	const { built, moment, trace } = f;
	if (!built) return "";
	const span = spanOf(f.range, built.nrOps);
	const p = readPalette(document.documentElement);
	const x: Scale = (op) => (WIDE * (op - span.from)) / (span.to - span.from);
	const name =
		`${trace.replace(/^local:/, "")}, ${eventsWords(span.from, span.to)}` +
		` of ${count(built.nrOps)}`;
	const height = HIGH + LINE * 2.7;
	const font = { "font-family": p.sans, "font-size": 12 };
	const here = x(moment?.position.op ?? 0);
	return picture(
		WIDE,
		height,
		name,
		[
			rect({ x: 0, y: 0, w: WIDE, h: height }, { fill: p.paper }),
			element("svg", { width: WIDE, height: HIGH }, curves(f, span, x).join("\n")),
			element("path", { d: `M${short(here)} 0V${HIGH}`, stroke: p.ink, "stroke-width": 1.5 }),
			text(name, 12, HIGH + LINE, { ...font, fill: p.ink }),
			text(legend(f, span), 12, HIGH + 2 * LINE, { ...font, fill: p.soft }),
		].join("\n"),
	);
}

function curves({ built, series: shown }: Facts, span: Range, x: Scale): string[] {
	const style = getComputedStyle(document.documentElement);
	return ORDER.flatMap((name) => {
		const look = SERIES_LOOKS.find((l) => l.name === name);
		if (!built || !look || !shown.includes(name)) return [];
		const series = look.of(built);
		const colour = style.getPropertyValue(`--series-${name}`).trim();
		if (name === "slow") return [bars(series, span, x, colour)];
		const points = pointsOf(series, span, x).join("L");
		const dashes = DASHES[name].join(" ");
		const of = { fill: "none", stroke: colour, "stroke-width": 1.5, "stroke-dasharray": dashes };
		const line = element("path", { d: `M${points}`, ...of });
		const under = `M0 ${HIGH}L${points}L${WIDE} ${HIGH}z`;
		const area = element("path", { d: under, fill: colour, "fill-opacity": 0.16 });
		return name === "live" ? [area, line] : [line];
	});
}

function pointsOf(series: Series, span: Range, x: Scale): string[] {
	const [first, end] = bucketsOf(series, span);
	const most = Math.max(1, mostOf(series, span));
	return [...series.max.subarray(first, end)].map((value, i) => {
		const y = HIGH - (HIGH - TOP) * (value / most);
		return `${short(x((first + i) * series.opsPerBucket))} ${short(y)}`;
	});
}

function bars(series: Series, span: Range, x: Scale, stroke: string): string {
	const [first, end] = bucketsOf(series, span);
	const most = Math.max(1, mostOf(series, span));
	const d = [...series.max.subarray(first, end)].map((value, i) => {
		const h = HIGH * BARS_SHARE * Math.sqrt(value / most);
		return h > 0 ? `M${short(x((first + i) * series.opsPerBucket))} ${HIGH}v${short(-h)}` : "";
	});
	return element("path", { d: d.join(""), fill: "none", stroke, "stroke-width": 1.5 });
}

const SIGNS: Readonly<Record<string, string>> = {
	live: "area",
	slabs: "dashed",
	partial: "short dashes",
	bytes: "dashes and dots",
	waste: "dotted",
	slow: "bars",
};

function legend({ built, series: shown }: Facts, span: Range): string {
	return SERIES_LOOKS.filter(({ name }) => shown.includes(name))
		.map(({ name, words, of, text: show }) => {
			const most = built && name !== "slow" ? ` up to ${show(mostOf(of(built), span))}` : "";
			return `${words}${most} (${SIGNS[name]})`;
		})
		.join(" · ");
}
