/**
 * The cost of the event on one scale for all events of its cache: the fast path is a sliver, and ticks say what the
 * levels cost. Its code is fetched together with the first figures.
 */
import { type ReactNode, useMemo, useRef } from "react";
import { count, percent, quantity } from "../base/format.ts";
import { capital } from "../base/words.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { EventPath, LevelRow, Step } from "../engine/types.ts";
import { classes } from "../ui/controls.tsx";
import { letterScale, useSize } from "../ui/hooks.ts";
import {
	multipleOf,
	namesOf,
	type Segment,
	scaleOf,
	segmentsOf,
	stepsOf,
	type Tick,
} from "./cost.ts";
import css from "./cost_bar.module.css";

interface Props {
	/** The event, if it is not the one on the stage. */
	readonly name?: ReactNode;
	readonly cost: EventPath;
	/** Where the scale ends, if not where the levels' scale does. */
	readonly most?: number;
	/** Steps that the other machine's event has too. */
	readonly isCommon?: (segment: Segment) => boolean;
	/** The levels of its cache; empty while they are unknown. */
	readonly levels: readonly LevelRow[];
	/** Its steps, from `firstStep` on. */
	readonly steps: readonly Step[];
	readonly firstStep: number;
	/** Highlights the steps of a segment; null: no steps. */
	readonly light?: (segment: Segment | null) => void;
	/** Goes to a step. */
	readonly jump: (step: number) => void;
}

/** The width of a letter of the usual size, and the room around a label and between two ticks. */
const LETTER = 7.2;
const AROUND = 8;
const APART = 10;
/** Size of a dot with its spacing, and how many are stacked. */
const DOT = 5;
const DOTS_HIGH = 4;

export function Cost(props: Props) {
	const { name, cost, most, isCommon, levels, steps, firstStep, light, jump } = props;
	const bar = useRef<HTMLDivElement>(null);
	// In letters of the usual size.
	const width = useSize(bar).width / letterScale(bar);
	const segments = useMemo(
		() => segmentsOf(cost.cyclesOf, (i) => steps[i - firstStep]?.kind),
		[cost, steps, firstStep],
	);
	const { cycles, fastCycles } = cost;
	const { end, ticks } = most === undefined ? scaleOf(levels, cycles) : { end: most, ticks: [] };
	const largest = Math.max(...segments.map((s) => s.cycles));
	const multiple = multipleOf(cycles, fastCycles);
	if (segments.length === 0) return null;
	return (
		<div className={classes(css.cost, most !== undefined && css.beside)}>
			<p className={css.title}>
				{name ?? (
					<>
						<strong>This event</strong> <span className="quiet">on the scale of all events</span>
					</>
				)}
			</p>
			<p className={classes(css.sum, "number")}>
				{quantity(cycles, most === undefined ? "model cycle" : "cycle")}
				{multiple !== "" && ` · ${multiple}`}
			</p>
			{/* biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form */}
			<div
				ref={bar}
				className={css.bar}
				role="group"
				aria-label={`Where ${quantity(cycles, "model cycle")} go`}
			>
				{segments.map((s) => {
					const names = namesOf(s, cost, levels);
					const words = wordsOf(s, names[0], cycles, steps[s.from - firstStep]?.sentence);
					return (
						<button
							key={s.from}
							type="button"
							className={classes(
								css.segment,
								s.cycles === largest && css.most,
								isCommon?.(s) && css.common,
							)}
							style={{ width: `${(100 * s.cycles) / end}%` }}
							aria-label={words}
							title={words}
							onPointerEnter={() => light?.(s)}
							onPointerLeave={() => light?.(null)}
							onFocus={() => light?.(s)}
							onBlur={() => light?.(null)}
							onClick={() => jump(s.from)}
						>
							{labelOf(s, names, (width * s.cycles) / end)}
						</button>
					);
				})}
			</div>
			<Ticks ticks={ticks} fastCycles={fastCycles} width={width} />
		</div>
	);
}

interface DotsProps {
	readonly traffic: Traffic;
	readonly levels: readonly LevelRow[];
}

/** At speed, each event of the last second is a dot on the same scale; those that cost about the same form a column. */
export function CostDots({ traffic: { costs, events, cycles }, levels }: DotsProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const { end, ticks } = scaleOf(levels, Math.max(0, ...costs.map((cost) => cost.cycles)));
	const heights = new Map<number, number>();
	const dots = costs.map(({ op, cycles, isFree }) => {
		const column = Math.floor(((cycles / end) * width) / DOT);
		const row = heights.get(column) ?? 0;
		heights.set(column, row + 1);
		// Five dots to a column, then the next column.
		const x = (column + Math.floor(row / DOTS_HIGH)) * DOT + DOT / 2;
		return { op, isFree, x, y: 21 - (row % DOTS_HIGH) * DOT };
	});
	return (
		<div className={css.cost}>
			<p className={css.title}>
				<strong>These {quantity(events, "event")}</strong>{" "}
				<span className="quiet">one dot each</span>
			</p>
			<p className={classes(css.sum, "number")}>
				{count(Math.round(cycles / Math.max(1, events)))} model cycles per event
			</p>
			<div ref={box} className={css.dots}>
				<svg width={width} height={24} aria-hidden="true">
					{dots.map(({ op, isFree, x, y }) => (
						<circle
							key={op}
							cx={x}
							cy={y}
							r={DOT / 2 - 0.4}
							className={isFree ? css.free : css.alloc}
						/>
					))}
				</svg>
			</div>
			<Ticks ticks={ticks} fastCycles={0} width={width / letterScale(box)} />
		</div>
	);
}

interface TicksProps {
	readonly ticks: readonly Tick[];
	readonly fastCycles: number;
	readonly width: number;
}

function Ticks({ ticks, fastCycles, width }: TicksProps) {
	return (
		<div className={css.ticks} aria-hidden="true">
			{withRoom(ticks, fastCycles, width).map(({ tick, words }) => (
				<span
					key={tick.words}
					className={css.tick}
					data-end={tick.at > 0.8}
					style={{ left: `${100 * tick.at}%` }}
				>
					{words}
				</span>
			))}
		</div>
	);
}

/** Chooses the longest label that has room. */
function labelOf({ cycles }: Segment, names: readonly string[], width: number): string {
	const number = count(cycles);
	const all = [...names.map((name) => `${name} ${number}`), number];
	return all.find((words) => words.length * LETTER + AROUND <= width) ?? "";
}

/** Says what work was paid for, its share, and the sentence of its first step. */
function wordsOf(
	segment: Segment,
	name: string | undefined,
	total: number,
	sentence: string | undefined,
): string {
	const of = `${count(segment.cycles)} of ${quantity(total, "model cycle")}`;
	const what = `${capital(stepsOf(segment))}${name === undefined ? "" : `, ${name}`}: ${of}, ${percent(segment.cycles, total)}`;
	// Steps of several kinds have no sentence in common.
	return segment.kind === "" || sentence === undefined ? what : `${what}. ${sentence}`;
}

interface Shown {
	readonly tick: Tick;
	readonly words: string;
}

/** Ticks keep their line; one without room for its words has only its number, or nothing. */
function withRoom(ticks: readonly Tick[], fastCycles: number, width: number): Shown[] {
	let right = 0;
	return ticks.map((tick, i) => {
		// Words go between two lines.
		const nextLine = (ticks[i + 1]?.at ?? 2) * width;
		const number = count(tick.cycles);
		const name = tick.cycles === fastCycles ? "fast" : tick.words;
		const isEnd = tick.at > 0.8;
		for (const words of [`${number} ${name}`, number]) {
			const w = words.length * LETTER;
			const left = tick.at * width - (isEnd ? w : 0);
			if (left < right || (!isEnd && left + w + AROUND / 2 > nextLine)) continue;
			right = left + w + APART;
			return { tick, words };
		}
		right = Math.max(right, tick.at * width + AROUND / 2);
		return { tick, words: "" };
	});
}
