/**
 * Every slot size by two rules: the envelope of the tail waste as a share of the slab, and the order, with exact numbers
 * under the pointer.
 */
import { area, curveMonotoneX, line, scaleLinear, scaleLog } from "d3";
import { useMemo, useRef, useState } from "react";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import { NO_ORDER, type OrderAnswer, type OrderRule, SIZE_STEP } from "../../engine/answers.ts";
import { useSize } from "../../ui/hooks.ts";
import css from "./order_lab.module.css";
import { differences, sizeAt } from "./order_question.ts";

interface Props {
	readonly answer: OrderAnswer;
	readonly size: number;
	readonly choose: (size: number) => void;
}

const LEFT = 44;
const RIGHT = 12;
const PLOT_TOP = 10;
/** Below the plot: the axis, then the strips of orders and of differences. */
const BELOW = 92;
const STRIP = 16;
/** The sizes within this many pixels make one point of the envelope. */
const BIN = 12;

export function OrderChart({ answer, size, choose }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(box);
	const [pointed, setPointed] = useState<number | null>(null);
	const length = answer.rules[0]?.order.length ?? 0;
	const bottom = Math.max(PLOT_TOP + 40, height - BELOW);
	const x = scaleLog(
		[SIZE_STEP, Math.max(2, length) * SIZE_STEP],
		[LEFT, Math.max(LEFT + 10, width - RIGHT)],
	).base(2);
	const y = scaleLinear([0, most(answer)], [bottom, PLOT_TOP]);
	const index = (event: React.PointerEvent) => {
		const at = event.nativeEvent.offsetX;
		const i = Math.round(x.invert(at) / SIZE_STEP) - 1;
		return Math.min(length - 1, Math.max(0, i));
	};
	const shown = pointed ?? Math.min(length - 1, Math.max(0, Math.ceil(size / SIZE_STEP) - 1));
	return (
		<>
			<Reading answer={answer} index={shown} />
			<div className={`chart ${css.chart}`} ref={box}>
				<svg
					width={width}
					height={height}
					role="img"
					data-export="order of all sizes"
					data-legend={legendOf(answer)}
					aria-label={`Tail waste and order of all sizes up to ${bytes(length * SIZE_STEP)}`}
					onPointerMove={(e) => setPointed(index(e))}
					onPointerLeave={() => setPointed(null)}
					onPointerDown={(e) => e.button === 0 && choose(sizeAt(index(e)))}
				>
					<Axes x={x} y={y} bottom={bottom} />
					{answer.rules.toReversed().map((rule) => (
						<Waste
							key={rule.rule}
							rule={rule}
							name={rule === answer.rules[0] ? "a" : "b"}
							pageBytes={answer.pageBytes}
							x={x}
							y={y}
						/>
					))}
					{answer.rules.map((rule, i) => (
						<Orders key={rule.rule} rule={rule} x={x} top={bottom + 26 + i * (STRIP + 4)} />
					))}
					<Differences answer={answer} x={x} top={bottom + 26 + 2 * (STRIP + 4)} />
					<path
						className={pointed === null ? css.chosen : css.pointed}
						d={`M${x(sizeAt(shown))} ${PLOT_TOP}V${bottom + 4}M${x(sizeAt(shown))} ${bottom + 22}V${height - 4}`}
					/>
				</svg>
			</div>
		</>
	);
}

/** The legend for an exported picture of the chart. */
function legendOf({ rules: [a, b], cpus, pageBytes }: OrderAnswer): string {
	return [
		`${quantity(cpus, "CPU")}, pages of ${count(pageBytes)} bytes. Lines: the most tail waste of sizes near each other, as a share of the slab.`,
		`First strip and solid line: ${a?.rule}. Second: ${b?.rule}. Ticks below: sizes where they differ.`,
	].join("\n");
}

/** Returns the largest share of tail waste, rounded up to a twentieth. */
function most(answer: OrderAnswer): number {
	const shares = answer.rules.flatMap((rule) =>
		[...rule.order.keys()].map((i) => share(rule, i, answer.pageBytes) ?? 0),
	);
	return Math.max(0.1, Math.ceil(Math.max(...shares) * 20) / 20);
}

function share(rule: OrderRule, i: number, pageBytes: number): number | null {
	const order = rule.order[i] ?? NO_ORDER;
	return order === NO_ORDER ? null : (rule.waste[i] ?? 0) / (pageBytes * 2 ** order);
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;
type SizeScale = ReturnType<typeof scaleLog<number, number>>;

function Axes({ x, y, bottom }: { x: SizeScale; y: Scale; bottom: number }) {
	const [from = 0, to = 0] = x.range();
	const sizes = x.ticks().filter((_, i) => to - from > 480 || i % 2 === 0);
	return (
		<g className="axis">
			{y.ticks(4).map((v) => (
				<g key={v}>
					<path d={`M${from} ${y(v)}H${to}`} />
					<text x={from - 6} y={y(v) + 4} textAnchor="end">
						{Math.round(v * 100)}%
					</text>
				</g>
			))}
			{sizes.map((v) => (
				<g key={v}>
					<path d={`M${x(v)} ${bottom}v4`} />
					<text x={x(v)} y={bottom + 17} textAnchor="middle">
						{v < 1024 ? v : `${v / 1024}K`}
					</text>
				</g>
			))}
		</g>
	);
}

interface Bin {
	readonly at: number;
	/** Shares. */
	low: number;
	high: number;
}

interface WasteProps {
	readonly rule: OrderRule;
	readonly name: "a" | "b";
	readonly pageBytes: number;
	readonly x: SizeScale;
	readonly y: Scale;
}

/** Draws the most and the least that neighbouring sizes lose: a line through all of them would look like a saw. */
function Waste({ rule, name, pageBytes, x, y }: WasteProps) {
	const { most, range } = useMemo(() => {
		const [from = 0, to = 0] = x.range();
		const bins = Array.from(
			{ length: Math.max(1, Math.ceil((to - from) / BIN)) },
			(_, bin): Bin => ({
				at: from + (bin + 0.5) * BIN,
				low: Number.POSITIVE_INFINITY,
				high: -1,
			}),
		);
		for (const i of rule.order.keys()) {
			const bin = bins[Math.min(bins.length - 1, Math.floor((x(sizeAt(i)) - from) / BIN))];
			const waste = share(rule, i, pageBytes);
			if (!bin || waste === null) continue;
			bin.low = Math.min(bin.low, waste);
			bin.high = Math.max(bin.high, waste);
		}
		const known = bins.filter(({ high }) => high >= 0);
		const at = (bin: Bin) => bin.at;
		const high = (bin: Bin) => y(bin.high);
		return {
			most: line<Bin>(at, high).curve(curveMonotoneX).digits(1)(known) ?? "",
			range:
				area<Bin>(at, ({ low }) => y(low), high)
					.curve(curveMonotoneX)
					.digits(1)(known) ?? "",
		};
	}, [rule, pageBytes, x, y]);
	return (
		<g className={name === "a" ? css.orderChartRuleA : css.orderChartRuleB}>
			<path className={css.range} d={range} />
			<path className={css.waste} d={most} />
		</g>
	);
}

/** Draws runs of sizes with the same order, each with its order if there is room for the digit. */
function Orders({ rule, x, top }: { rule: OrderRule; x: SizeScale; top: number }) {
	const runs = useMemo(() => runsOf(rule.order), [rule]);
	return (
		<g className={css.orders}>
			{runs.map(({ from, to, order }) => {
				const [left, right] = [x(Math.max(1, from) * SIZE_STEP), x(to * SIZE_STEP)];
				if (order === NO_ORDER) return null;
				return (
					<g key={from}>
						<rect
							fillOpacity={0.08 + 0.12 * Math.min(order, 4)}
							x={left}
							y={top}
							width={Math.max(0.5, right - left)}
							height={STRIP}
						/>
						{right - left > 10 && (
							<text x={(left + right) / 2} y={top + 12} textAnchor="middle">
								{order}
							</text>
						)}
					</g>
				);
			})}
		</g>
	);
}

function runsOf(orders: Uint8Array): { from: number; to: number; order: number }[] {
	const runs: { from: number; to: number; order: number }[] = [];
	for (const [i, order] of orders.entries()) {
		const last = runs.at(-1);
		if (last?.order === order) last.to = i + 1;
		else runs.push({ from: i, to: i + 1, order });
	}
	return runs;
}

function Differences({ answer, x, top }: { answer: OrderAnswer; x: SizeScale; top: number }) {
	const d = differences(answer)
		.map((i) => `M${x(sizeAt(i)).toFixed(1)} ${top}v8`)
		.join("");
	return <path className={css.differences} d={d} />;
}

/** Shows exact numbers for the size under the pointer, or the chosen one. */
function Reading({ answer, index }: { answer: OrderAnswer; index: number }) {
	return (
		<dl className={`grid small ${css.reading} number`}>
			<div className="strong" data-size>
				<dt className="hidden">Size</dt>
				<dd>{count(sizeAt(index))} bytes</dd>
			</div>
			{answer.rules.map((rule, i) => {
				const order = rule.order[index] ?? NO_ORDER;
				const left = rule.waste[index] ?? 0;
				return (
					<div key={rule.rule}>
						<dt>
							<span className={`swatch ${i === 0 ? css.ruleA : css.ruleB}`} /> {rule.rule}
						</dt>
						<dd>
							{order === NO_ORDER
								? "no order"
								: `order ${order}, ${count(rule.objects[index] ?? 0)} objects, ${count(left)} bytes of tail waste (${percent(left, answer.pageBytes * 2 ** order)})`}
						</dd>
					</div>
				);
			})}
		</dl>
	);
}
