/** Shows the step on screen as one sentence, and a button for its cache if the stage shows a different one. */

import { useMemo } from "react";
import { otherCache, pathOf } from "../app/playback/event_path.ts";
import { stepRows } from "../app/playback/step_rows.ts";
import { isUntouched } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { chooseCache } from "../app/trace/actions.ts";
import { numberOf, quantity } from "../base/format.ts";
import { capital } from "../base/words.ts";
import { ALL_CACHES, type EventPath, type Moment } from "../engine/types.ts";
import { Button } from "./controls.tsx";
import css from "./current_step.module.css";
import { Terms } from "./term.tsx";

/** A blank line for the first sentence, which appears before React is loaded (boot/first_words.ts). */
const NOT_YET = "\u00a0";

interface Said {
	readonly other: string | undefined;
	/** The sequence that the step belongs to, or that led to it; usually "". */
	readonly within: string;
	readonly sentence: string;
}

/** Describes the drain of a full per-CPU partial list, because a single step doesn't say why it is taken. */
function drainIn({ steps, firstStep, position }: Moment): string {
	const from = steps.findIndex(({ kind }) => kind === "CHAIN_DETACH");
	const to = steps.findIndex(({ kind }, i) => i > from && kind === "CPU_PARTIAL_DRAIN");
	const at = position.step - firstStep;
	if (from < 0 || to < 0 || at < from) return "";
	const range = `steps ${numberOf(from + firstStep)} to ${numberOf(to + firstStep)}`;
	return at <= to ? `drain of a full list, ${range}` : `after the drain of a full list, ${range}`;
}

/** Returns the sentence of the step on screen, and its cache if the stage shows a different one. */
function useSentence(): Said {
	const moment = useCalm((f) => f.moment);
	const shown = useFacts(
		(f) => f.built?.caches.find((c) => c.name === f.cache)?.cache ?? ALL_CACHES,
	);
	const untouched = useFacts(isUntouched);
	const step = moment?.steps[moment.position.step - moment.firstStep];
	const path = useFacts((f) => pathOf(f, moment));
	const isGuided = useFacts((f) => f.guide?.isPlaying === true);
	const together = useMemo(
		() => (isGuided && moment ? wordsTogether(moment, path) : undefined),
		[isGuided, moment, path],
	);
	if (untouched)
		return {
			other: undefined,
			within: "",
			sentence:
				"The machine is empty. Click a CPU to allocate an object there, or drag the dashed tile onto it.",
		};
	const other = moment ? otherCache(moment, shown) : undefined;
	const within = moment ? drainIn(moment) : "";
	const sentence = together ?? step?.sentence ?? moment?.op.sentence ?? NOT_YET;
	return { other, within, sentence };
}

/** The tour passes over steps that share a row: it shows their words together, not each sentence for half a second. */
function wordsTogether(moment: Moment, path: EventPath | undefined): string | undefined {
	const { step } = moment.position;
	const row = stepRows(moment, path).find(({ from, to }) => from <= step && step <= to);
	if (!row || row.from === row.to || row.words === "") return undefined;
	return capital(row.nodes === "" ? `${row.words}.` : `${row.words}: ${row.nodes}.`);
}

/**
 * The step as one sentence, for the stage's caption and for screen readers. They read every step, even if its
 * sentence is the same; playing is too fast for them, so they read where it stopped.
 */
export function CurrentStep() {
	const { other, within, sentence } = useSentence();
	const playing = useFacts((f) => f.playing);
	const at = useCalm((f) => f.moment?.position);
	return (
		<p
			className={`flex baseline gap-2 ${css.current}`}
			role="status"
			aria-label="Current step"
			aria-live={playing ? "off" : "polite"}
		>
			{other && <Tag>in {other}</Tag>}
			{within !== "" && <Tag>{within}</Tag>}
			<span key={`${at?.op}/${at?.step}/${playing}`} data-sentence suppressHydrationWarning>
				<Terms>{sentence}</Terms>
			</span>
		</p>
	);
}

/** Words before the sentence, set apart for the eye and for the ear. */
function Tag({ children }: { readonly children: React.ReactNode }) {
	return (
		<>
			<span className="tag">{children}</span>
			<span className="hidden">: </span>
		</>
	);
}

/**
 * Shows the cache of the step, if it is not on the stage. On a phone the button is above the others, elsewhere it is
 * on the stage.
 */
export function ShowOtherCache({ where }: { where: "stage" | "buttons" }) {
	const { other } = useSentence();
	if (!other) return null;
	return (
		<Button
			className={`${css.otherCache} ${where === "stage" ? css.onStage : css.overButtons}`}
			title={`Show cache ${other}`}
			onClick={() => chooseCache(other)}
		>
			<span>Show cache {other}</span>
		</Button>
	);
}

/** The number of letters that no longer fit in two lines on a phone. */
const LONG = 80;

/** Shows the model cycles of the step on screen, once they are known. */
function useStepCycles(): number | undefined {
	const moment = useCalm((f) => f.moment);
	const path = useFacts((f) => pathOf(f, moment));
	const untouched = useFacts(isUntouched);
	return moment && !untouched ? path?.cyclesOf[moment.position.step] : undefined;
}

/**
 * Shows the same sentence beside the buttons of a narrow page, where the caption is out of view while you
 * press them.
 */
export function StepNearby() {
	const { other, within, sentence } = useSentence();
	const about = [other && `in ${other}`, within].filter(Boolean).join(", ");
	const words = about === "" ? sentence : `${about}: ${sentence}`;
	const cycles = useStepCycles();
	const cost = cycles === undefined ? "" : quantity(cycles, "cycle");
	const isLong = words.length + cost.length > LONG;
	return (
		<div className={`relative ${css.nearbyBox}`}>
			<p className={isLong ? `${css.nearby} ${css.long}` : css.nearby} aria-hidden="true">
				<span data-sentence suppressHydrationWarning>
					{words}
				</span>{" "}
				{cost !== "" && <strong className={`one-line ${css.cost}`}>{cost}</strong>}
			</p>
			<ShowOtherCache where="buttons" />
		</div>
	);
}
