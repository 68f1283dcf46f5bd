/** The timeline as vectors: the part of the trace and the series that are on screen, with a legend. */

import { behindOf, curvesShown, mostOf, SERIES_LOOKS, spanOf } from "../app/state/range.ts";
import { type Facts, facts, type Range } from "../app/state/store.ts";
import { count } from "../base/format.ts";
import { eventsWords } from "../base/numbering.ts";
import { readPalette } from "../stage/draw/colours.ts";
import { BEHIND_OPACITY, DASHES, LINE_WIDTH, shapeBehind, shapesOf } from "../ui/timeline_draw.ts";
import { element, picture, rect, short, text } from "./svg.ts";

const WIDE = 1200;
const HIGH = 160;
const LINE = 18;

export function timelineSvg(): string {
	const f = facts();
	const { built, moment, trace } = f;
	if (!built) return "";
	const span = spanOf(f.range, built.nrOps);
	const p = readPalette(document.documentElement);
	const name =
		`${trace.replace(/^local:/, "")}, ${eventsWords(span.from, span.to)}` +
		` of ${count(built.nrOps)}`;
	const height = HIGH + LINE * 2.7;
	const font = { "font-family": p.sans, "font-size": 12 };
	const here = (WIDE * ((moment?.position.op ?? 0) - span.from)) / (span.to - span.from);
	return picture(
		WIDE,
		height,
		name,
		[
			rect({ x: 0, y: 0, w: WIDE, h: height }, { fill: p.paper }),
			element("svg", { width: WIDE, height: HIGH }, curves(f, span).join("\n")),
			element("path", { d: `M${short(here)} 0V${HIGH}`, stroke: p.ink, "stroke-width": 1.5 }),
			text(name, 12, HIGH + LINE, { ...font, fill: p.ink }),
			text(legend(f, span), 12, HIGH + 2 * LINE, { ...font, fill: p.soft }),
		].join("\n"),
	);
}

function curves(f: Facts, span: Range): string[] {
	const style = getComputedStyle(document.documentElement);
	const own = curvesShown(f);
	if (!own) return [];
	const size = { width: WIDE, height: HIGH };
	const what = { curves: own, behind: behindOf(f), shown: f.series, span };
	const behind = shapeBehind(what, size);
	const line = style.getPropertyValue("--series-behind").trim();
	const ground = { d: shortened(behind), fill: line, "fill-opacity": BEHIND_OPACITY };
	const shapes = shapesOf(what, size).map(({ name, fill, opacity, line }) => {
		const colour = style.getPropertyValue(`--series-${name}`).trim();
		const dashes = { "stroke-width": LINE_WIDTH, "stroke-dasharray": DASHES[name].join(" ") };
		return [
			fill && element("path", { d: shortened(fill), fill: colour, "fill-opacity": opacity }),
			line && element("path", { d: shortened(line), fill: "none", stroke: colour, ...dashes }),
		].join("");
	});
	return behind === "" ? shapes : [element("path", ground), ...shapes];
}

/** A path with its numbers as short as possible. */
function shortened(path: string): string {
	return path.replaceAll(/\d+\.\d{3,}/g, (n) => short(Number(n)));
}

const SIGNS: Readonly<Record<string, string>> = {
	live: "area",
	slabs: "dashed",
	partial: "short dashes",
	bytes: "dashes and dots",
	waste: "dotted",
	slow: "bars",
};

function legend(f: Facts, span: Range): string {
	const { series: shown } = f;
	const own = curvesShown(f);
	const series = SERIES_LOOKS.filter(({ name }) => shown.includes(name))
		.map(({ name, words, of, text: show }) => {
			const most = own && name !== "slow" ? ` up to ${show(mostOf(of(own), span))}` : "";
			return `${words}${most} (${SIGNS[name]})`;
		})
		.join(" · ");
	return `${behindOf(f) ? f.cache : "all caches"}: ${series}`;
}
