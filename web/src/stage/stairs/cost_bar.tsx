/** One proportional bar: where an event's model cycles go, step by step. Its code is fetched with the first figures. */
import { type CSSProperties, type RefObject, useEffect, useRef, useState } from "react";
import { count, percent, quantity } from "../../base/format.ts";
import type { EventPath } from "../../engine/types.ts";
import { classes } from "../../ui/classes.ts";
import { Terms } from "../../ui/term.tsx";
import { useSize } from "../../ui/use_element.ts";
import { type Segment, stepsOf } from "./cost.ts";
import css from "./cost_bar.module.css";

interface Props {
	readonly cost: EventPath;
	readonly segments: readonly Segment[];
	/** The name of the level at which a step happens, "" if it is not known. */
	readonly levelOf: (step: number) => string;
	/** Highlights the steps of a segment; null: of none. */
	readonly light: (segment: Segment | null) => void;
	/** Goes to a step. */
	readonly jump: (step: number) => void;
}

/** The room of a letter in a label, in parts of the size of its type. */
const LETTER_EM = 0.6;

/** Room around a label, in letters: a number, which says what matters, may come nearer to the edges than words. */
const AROUND = { words: 2, number: 0.6, small: 0.3 };
/** The size of small numbers. */
const SMALL = 0.83;
/** So many segments have room for their numbers on a phone; more have at least room for one digit (cost_bar.module.css). */
const FEW = 12;
const LEAST = 1.4;

/** The longest label that has room in its segment, if need be of small digits. */
function labelOf(
	{ cycles }: Segment,
	level: string,
	letters: number,
	isFew: boolean,
): [string, isSmall: boolean] {
	const number = count(cycles);
	const words = `${level}: ${number}`;
	if (level !== "" && words.length + AROUND.words <= letters) return [words, false];
	if (number.length + AROUND.number <= letters) return [number, false];
	const fits = isFew || number.length * SMALL + AROUND.small <= Math.max(letters, LEAST);
	return [fits ? number : "", true];
}

/** The letters that have room in the whole bar. */
function useLetters(bar: RefObject<HTMLElement | null>): number {
	const { width } = useSize(bar);
	const [size, setSize] = useState(0);
	useEffect(() => {
		const segment = width > 0 ? bar.current?.firstElementChild : null;
		if (segment) setSize(Number.parseFloat(getComputedStyle(segment).fontSize));
	}, [bar, width]);
	return size > 0 ? width / (size * LETTER_EM) : 0;
}

/** The level of all of its steps. */
function nameOf({ from, to }: Segment, levelOf: Props["levelOf"]): string {
	const name = levelOf(from);
	for (let step = from + 1; step <= to; step++) if (levelOf(step) !== name) return "";
	return name;
}

function wordsOf(segment: Segment, total: number): string {
	const kind = segment.kind === "" ? "several kinds" : segment.kind;
	const cycles = quantity(segment.cycles, "cycle");
	return `${stepsOf(segment)}, ${kind}: ${cycles}, ${percent(segment.cycles, total)}`;
}

export function CostBar({ cost: { cycles, fastCycles }, segments, levelOf, light, jump }: Props) {
	const bar = useRef<HTMLDivElement>(null);
	const letters = useLetters(bar);
	const most = Math.max(...segments.map((s) => s.cycles));
	const isFew = segments.length <= FEW;
	return (
		<>
			<p className={css.title}>
				<span>
					<Terms>{`Where ${quantity(cycles, "model cycle")} go`}</Terms>
				</span>
				{fastCycles > 0 && fastCycles !== cycles && (
					<span className="quiet">the fast path takes {count(fastCycles)}</span>
				)}
			</p>
			{/* biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form */}
			<div
				ref={bar}
				className={css.bar}
				role="group"
				aria-label={`Where ${quantity(cycles, "cycle")} go`}
			>
				{segments.map((s) => {
					const share = s.cycles / cycles;
					const [label, isSmall] = labelOf(s, nameOf(s, levelOf), letters * share, isFew);
					return (
						<button
							key={s.from}
							type="button"
							className={classes(css.segment, s.cycles === most && css.most, isSmall && css.small)}
							style={
								{
									flexGrow: s.cycles,
									"--digits": isFew ? count(s.cycles).length : 1,
								} as CSSProperties
							}
							aria-label={wordsOf(s, cycles)}
							title={wordsOf(s, cycles)}
							onPointerEnter={() => light(s)}
							onPointerLeave={() => light(null)}
							onFocus={() => light(s)}
							onBlur={() => light(null)}
							onClick={() => jump(s.from)}
						>
							{label}
						</button>
					);
				})}
			</div>
		</>
	);
}
