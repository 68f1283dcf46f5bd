/** A small chart: the lines of machines over each other, a crosshair, and the number of each machine there. */
import { type ScaleLinear, scaleLinear } from "d3";
import { type PointerEvent, type ReactNode, useMemo, useRef } from "react";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { classes } from "../../ui/classes.ts";
import { useSize } from "../../ui/use_element.ts";
import { Letter } from "./letter.tsx";
import css from "./line_chart.module.css";

const HEIGHT = 92;
const [TOP, BOTTOM, SIDE] = [6, 4, 2];

export type Scale = ScaleLinear<number, number>;

/** Charts beside each other, as many as there is room for. */
export function ChartGrid({ children }: { readonly children: ReactNode }) {
	return <div className={css.grid}>{children}</div>;
}

interface LineChartProps {
	readonly name: string;
	readonly unit?: string;
	/** Its accessible name. */
	readonly label: string;
	/** The lines in words, for the file of the chart; left out if it has none. */
	readonly legend?: string;
	/** The largest value, and its words. */
	readonly most: number;
	readonly mostWords: string;
	/** Across are the positions from 0 to this one. */
	readonly last: number;
	readonly at: number;
	/** The path of each machine. The same function draws the same paths. */
	readonly pathsOf: (x: Scale, y: Scale) => readonly string[];
	/** The words of each machine's number at the crosshair. */
	readonly values: readonly string[];
	/** Behind the numbers. */
	readonly more?: ReactNode;
	readonly onPoint: (at: number | null) => void;
	readonly onChoose?: (at: number) => void;
	/** The chart for readers who do not see it. */
	readonly children: ReactNode;
}

export function LineChart({ name, unit, label, legend, values, more, ...props }: LineChartProps) {
	const { most, mostWords, last, at, pathsOf, onPoint, onChoose, children } = props;
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const { x, y, paths } = useMemo(() => {
		const across = scaleLinear([0, last], [SIDE, Math.max(SIDE + 10, width - SIDE)]).clamp(true);
		const up = scaleLinear([0, Math.max(1, most)], [HEIGHT - BOTTOM, TOP]);
		return { x: across, y: up, paths: pathsOf(across, up) };
	}, [last, width, most, pathsOf]);
	const positionAt = (e: PointerEvent) => Math.round(x.invert(e.nativeEvent.offsetX));
	// A touch chooses; where there is nothing to choose, it points.
	const points = (e: PointerEvent) => e.pointerType === "mouse" || !onChoose;
	return (
		<figure className={css.multiple}>
			<figcaption>
				<strong>{name}</strong> {unit && <span className="small quiet">{unit}</span>}
				<span className={`small quiet number ${css.most}`}>up to {mostWords}</span>
			</figcaption>
			<div className={`chart ${css.chart}`} ref={box}>
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					data-export={legend && name.toLowerCase()}
					data-legend={legend}
					aria-label={label}
					onPointerDown={onChoose && ((e) => e.button === 0 && onChoose(positionAt(e)))}
					onPointerMove={(e) => onPoint(points(e) ? positionAt(e) : null)}
					onPointerLeave={() => onPoint(null)}
				>
					<g className="axis">
						<path d={`M0 ${y(0)}H${width}M0 ${TOP}H${width}`} />
					</g>
					{paths
						.map((path, i) => (
							<path key={LETTERS[i]} className={classes(css.curve, css[`run${i}`])} d={path} />
						))
						.toReversed()}
					<path className={css.crosshair} d={`M${x(at)} 0V${HEIGHT}`} />
				</svg>
			</div>
			<dl className={`number ${css.values}`}>
				{values.map((words, i) => (
					<div key={LETTERS[i]}>
						<dt>
							<Letter nr={i} />
						</dt>
						<dd>{words}</dd>
					</div>
				))}
				{more}
			</dl>
			{children}
		</figure>
	);
}
