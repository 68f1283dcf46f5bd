/** Bytes in slabs over the whole trace, a curve for each machine, with the position on screen. */
import { scaleLinear } from "d3";
import { useRef } from "react";
import { seek } from "../../app/playback/player.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { bytes } from "../../base/format.ts";
import type { Comparison } from "../../engine/answers.ts";
import { classes } from "../../ui/classes.ts";
import { useSize } from "../../ui/use_element.ts";
import css from "./compare_chart.module.css";

/** The lines as the style sheet draws them. */
const LINES = ["A, solid", "B, dashed", "C, dotted", "D, dashes and dots"];
const [TOP, BOTTOM] = [8, 8];
/** For numbers as long as "16.0 MiB"; wider charts than this have larger letters. */
const [LEFT, LEFT_OF_LARGE, LARGE] = [62, 78, 1300];

export function CompareChart({ comparison, nrOps }: { comparison: Comparison; nrOps: number }) {
	const box = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(box);
	const most = Math.max(1, ...comparison.runs.flatMap((r) => [...r.slabBytes.max]));
	const left = width > LARGE ? LEFT_OF_LARGE : LEFT;
	const x = scaleLinear([0, Math.max(1, nrOps - 1)], [left, Math.max(left + 10, width - 8)]);
	const y = scaleLinear([0, most], [Math.max(TOP + 20, height - BOTTOM), TOP]);
	return (
		<div className={`chart ${css.chart}`} ref={box}>
			<svg
				width={width}
				height={height}
				role="img"
				data-export="bytes in slabs"
				data-legend={comparison.runs.map((r, i) => `${LINES[i]}: ${r.machine}`).join("\n")}
				aria-label={`Bytes in slabs of ${comparison.runs.length} machines, up to ${bytes(most)}`}
				onPointerDown={(e) => seek(x.invert(e.nativeEvent.offsetX))}
			>
				{binaryTicks(most).map((v) => (
					<g key={v} className="axis">
						<path d={`M${left} ${y(v)}H${x.range()[1]}`} />
						<text x={left - 6} y={y(v) + 4} textAnchor="end">
							{bytes(v)}
						</text>
					</g>
				))}
				{comparison.runs
					.map((run, i) => (
						<path
							key={i}
							className={classes(css.curve, css[`run${i}`])}
							d={[...run.slabBytes.max]
								.map(
									(v, k) =>
										`${k === 0 ? "M" : "L"}${x(k * run.slabBytes.opsPerBucket).toFixed(1)} ${y(v).toFixed(1)}`,
								)
								.join("")}
						/>
					))
					.toReversed()}
				<Here x={x} bottom={height - BOTTOM} />
			</svg>
		</div>
	);
}

/** The position on screen: a component of its own, because the curves stay while it moves. */
function Here({ x, bottom }: { readonly x: (op: number) => number; readonly bottom: number }) {
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	return <path className={css.here} d={`M${x(op)} ${TOP}V${bottom}`} />;
}

/** Three to six round numbers of bytes: multiples of a power of two. */
function binaryTicks(most: number): number[] {
	const step = 2 ** Math.max(0, Math.floor(Math.log2(most)) - 1);
	return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
