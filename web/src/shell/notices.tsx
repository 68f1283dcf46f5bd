/** The page's own notices: an error as one sentence, progress with a way to cancel it. */

import { useEffect, useState } from "react";
import { restart } from "../app/navigation/sync.ts";
import { useNewVersion } from "../app/platform/offline.ts";
import { type Crash, change, isEmptyFrame, type Refused } from "../app/state/store.ts";
import { useEachPosition, useFacts } from "../app/state/use_facts.ts";
import { cancel, openFirstPart, openRecent } from "../app/trace/actions.ts";
import { bytes, count, duration, eventWords, percent, quantity } from "../base/format.ts";
import type { Progress } from "../engine/types.ts";
import { Button } from "../ui/controls.tsx";
import css from "./notices.module.css";

export function ErrorNotice() {
	const error = useFacts((f) => f.error);
	const refused = useFacts((f) => f.refused);
	const crash = useFacts((f) => f.crash);
	const isEmpty = useFacts(isEmptyFrame);
	// An open sheet would cover the sentence.
	useEffect(() => {
		if (refused) change({ sheet: "" });
	}, [refused]);
	return (
		<div role="alert">
			{crash && <Stopped crash={crash} />}
			{error !== "" && !crash && (
				<div className={`danger ${css.alert}`}>
					<p>{error}</p>
					{!isEmpty && <Button onClick={() => change({ error: "" })}>Dismiss</Button>}
				</div>
			)}
			{refused && <Refusal refused={refused} />}
		</div>
	);
}

/** The simulator has stopped: the reason, and ways to restart it. */
function Stopped({ crash }: { crash: Crash }) {
	const moment = useEachPosition((f) => f.moment);
	const again = useFacts((f) => f.restarts > 0);
	const where = moment ? ` at ${eventWords(moment.position.op)}` : "";
	return (
		<div className={`danger ${css.alert}`}>
			<p>
				{crash.what}
				{where}. This is Slabscope's fault, not your file's.
			</p>
			{again && <Button onClick={() => void restart(true)}>Restart at the first event</Button>}
			<Button onClick={() => void restart(false)}>Restart at this event</Button>
		</div>
	);
}

/** Several files were opened at once: the result for each, and buttons for the kept ones. */
export function SeveralNotice() {
	const several = useFacts((f) => f.several);
	return (
		<div role="status" aria-label="Files">
			{several && (
				<div className={`${css.update} wrap breaks ${css.several}`}>
					<p>{several.sentences.join(" ")}</p>
					{several.offers.map(({ key, name }) => (
						<Button key={key} onClick={() => void openRecent(key)}>
							Open {name}
						</Button>
					))}
					<Button onClick={() => change({ several: null })}>Dismiss</Button>
				</div>
			)}
		</div>
	);
}

export function UpdateNotice() {
	const [later, setLater] = useState(false);
	const here = useFacts((f) => f.newVersion) && !later;
	return (
		<div role="status" aria-label="Version">
			{here && (
				<div className={css.update}>
					<p>A new version of Slabscope is available.</p>
					<Button onClick={useNewVersion}>Reload</Button>
					<Button onClick={() => setLater(true)}>Later</Button>
				</div>
			)}
		</div>
	);
}

/** Why a file was not opened, and how to continue. The previous trace stays open. */
function Refusal({ refused }: { refused: Refused }) {
	const { name, sentence, ways, share } = refused;
	const before = useFacts((f) => f.built !== null);
	return (
		<section className={`danger ${css.alert} ${css.refusal}`} aria-label="Not opened">
			<div>
				<p>
					{name}: {sentence}
				</p>
				{ways.length > 0 && (
					<ul>
						{ways.map((way) => (
							<li key={way}>{way}</li>
						))}
					</ul>
				)}
				{before && <p className={css.after}>The trace that was open before is still open.</p>}
			</div>
			{share > 0 && <Button onClick={openFirstPart}>Open its first {percent(share, 1)}</Button>}
			<Button onClick={() => change({ refused: null })}>Dismiss</Button>
		</section>
	);
}

export function ProgressNotice() {
	const progress = useFacts((f) => f.progress);
	if (!progress) return null;
	const { done, total } = progress;
	const [first, ...more] = inWords(progress);
	return (
		<div className={css.progress}>
			<progress aria-label={first} {...(total > 0 ? { value: done, max: total } : {})} />
			<span className="number">{[first, ...more].join(" · ")}</span>
			<Button onClick={cancel}>Cancel</Button>
		</div>
	);
}

function inWords({ phase, done, total, events, secondsLeft }: Progress): string[] {
	const left = secondsLeft >= 0 ? [`${duration(secondsLeft)} left`] : [];
	if (phase === "making" || phase === "measuring")
		return [
			`${phase === "making" ? "Generating the trace" : "Measuring"}: ${percent(done, total)}`,
			...left,
		];
	const working: Partial<Record<Progress["phase"], string>> = {
		indexing: "Indexing the trace",
		searching: "Searching",
		comparing: "Replaying on another machine",
	};
	if (working[phase])
		return [`${working[phase]}: ${count(done)} of ${count(total)} events`, ...left];
	if (phase === "replaying")
		return [
			total > 0 ? `Replaying ${count(done)} of ${count(total)} events` : "Replaying",
			...left,
		];
	const verb = phase === "reading" ? "Reading" : "Opening";
	return [
		`${verb} ${bytes(done)}${total > 0 ? ` of ${bytes(total)}` : ""}`,
		...(events > 0 ? [quantity(events, "event")] : []),
		...left,
	];
}
