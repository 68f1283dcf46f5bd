/** One proportional bar: where an event's model cycles go, step by step. Its code is fetched with the first figures. */

import { count, percent, quantity } from "../../base/format.ts";
import type { EventPath } from "../../engine/types.ts";
import { classes } from "../../ui/classes.ts";
import { Terms } from "../../ui/term.tsx";
import { type Segment, stepsOf } from "./cost.ts";
import css from "./cost_bar.module.css";

interface Props {
	readonly cost: EventPath;
	readonly segments: readonly Segment[];
	/** Highlights the steps of a segment; null: of none. */
	readonly light: (segment: Segment | null) => void;
	/** Goes to a step. */
	readonly jump: (step: number) => void;
}

/** Where labels are counted: the bar of the narrowest page, in pixels, and what a letter of a label takes. */
const BAR_PX = 320;
const LETTER_PX = 7;

/** The longest label that has room in its segment. */
function labelOf({ kind, cycles }: Segment, total: number): string {
	const room = (BAR_PX * cycles) / total / LETTER_PX - 2;
	const labels = [kind && `${kind} ${count(cycles)}`, count(cycles)];
	return labels.find((label) => label !== "" && label.length <= room) ?? "";
}

function wordsOf(segment: Segment, total: number): string {
	const kind = segment.kind === "" ? "several kinds" : segment.kind;
	const cycles = quantity(segment.cycles, "cycle");
	return `${stepsOf(segment)}, ${kind}: ${cycles}, ${percent(segment.cycles, total)}`;
}

export function CostBar({ cost: { cycles, fastCycles }, segments, light, jump }: Props) {
	const most = Math.max(...segments.map((s) => s.cycles));
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
			<div className={css.bar} role="group" aria-label={`Where ${quantity(cycles, "cycle")} go`}>
				{segments.map((s) => (
					<button
						key={s.from}
						type="button"
						className={classes(css.segment, s.cycles === most && css.most)}
						style={{ flexGrow: s.cycles }}
						aria-label={wordsOf(s, cycles)}
						title={wordsOf(s, cycles)}
						onPointerEnter={() => light(s)}
						onPointerLeave={() => light(null)}
						onFocus={() => light(s)}
						onBlur={() => light(null)}
						onClick={() => jump(s.from)}
					>
						{labelOf(s, cycles)}
					</button>
				))}
			</div>
		</>
	);
}
