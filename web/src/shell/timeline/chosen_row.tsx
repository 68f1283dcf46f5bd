/** Ticks below the timeline where events match the filter, taller where more of them do. */
import { useMemo, useRef } from "react";
import { engine } from "../../app/platform/engine_link.ts";
import { busy, type Range } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import type { ChosenParts } from "../../engine/worker/filtering.ts";
import { useAsync } from "../../ui/use_async.ts";
import { useSize } from "../../ui/use_element.ts";
import css from "./chosen_row.module.css";

/** From one tick to the next, in pixels; half of it is the tick. */
const STEP = 4;
const HEIGHT = 8;
/** One event among thousands can still be seen. */
const LEAST_HEIGHT = 3;

export function ChosenRow({ span }: { readonly span: Range }) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const parts = useParts(span, Math.floor(width / STEP));
	const path = useMemo(() => (parts ? ticks(parts, span, width) : ""), [parts, span, width]);
	const nr = parts?.counts.reduce((a, b) => a + b, 0) ?? 0;
	return (
		<div className={css.row} ref={box}>
			{parts && (
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`${count(nr)} of ${quantity(parts.to - parts.from + 1, "event")} on the timeline match the filter`}
				>
					<path d={path} />
				</svg>
			)}
		</div>
	);
}

/** While a new part of the trace is counted, the former one stays, at its own place. */
function useParts({ from, to }: Range, most: number): ChosenParts | undefined {
	const built = useFacts((f) => f.built);
	const filter = useFacts((f) => f.filter);
	const isRun = useFacts((f) => f.chosen?.built === f.built && f.chosen?.filter === f.filter);
	const ask = async () => {
		const parts = await busy(() => engine().chosenParts(from, to, most));
		return { built, filter, parts };
	};
	const asked = [built, filter, isRun, from, to, most];
	const { value } = useAsync(isRun && most > 0 ? ask : undefined, asked);
	return value?.built === built && value.filter === filter ? value.parts : undefined;
}

function ticks({ from, to, counts }: ChosenParts, span: Range, width: number): string {
	const most = counts.reduce((a, b) => Math.max(a, b), 1);
	const eventsPerPart = (to - from + 1) / counts.length;
	return Array.from(counts, (nr, i) => {
		if (nr === 0) return "";
		const middle = from + (i + 0.5) * eventsPerPart - 0.5;
		const x = ((middle - span.from) / (span.to - span.from)) * (width - STEP / 2);
		const height = Math.max(LEAST_HEIGHT, Math.round(Math.sqrt(nr / most) * HEIGHT));
		return `M${Math.round(x)} ${HEIGHT}h${STEP / 2}v${-height}h${-STEP / 2}z`;
	}).join("");
}
