/** The controls of the first minute: beside the strip of chapters, or above the buttons where the page is one column. */
import {
	chaptersOfGuide,
	exploreFreely,
	isCalm,
	playChapter,
	turnTo,
} from "../../app/playback/guide.ts";
import { chaptersOf } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { IconButton, LinkButton } from "../../ui/controls.tsx";
import css from "./first_minute.module.css";

export function FirstMinute() {
	const guide = useFacts((f) => f.guide);
	const nr = useFacts((f) => chaptersOfGuide(chaptersOf(f)).length);
	if (!guide) return null;
	const { at, isPlaying, isOver } = guide;
	const isReady = nr > 0;
	return (
		<div className={css.controls} data-part="first-minute">
			{isReady && !isOver && (
				<>
					<IconButton name="Previous chapter" disabled={at <= 0} onClick={() => turnTo(at - 1)}>
						‹
					</IconButton>
					<IconButton name="Next chapter" disabled={at >= nr - 1} onClick={() => turnTo(at + 1)}>
						›
					</IconButton>
					{at >= 0 && !isPlaying && !isCalm() && (
						<LinkButton onClick={() => playChapter(at)}>Go on with the tour</LinkButton>
					)}
				</>
			)}
			<LinkButton onClick={exploreFreely}>Explore freely</LinkButton>
		</div>
	);
}

/** Two lines from the start: nothing moves when the first minute begins. */
export function FirstMinuteNearby() {
	const nothing = useFacts((f) => f.built === null && f.error === "");
	const isShown = useFacts((f) => f.guide !== null && f.built !== null && f.tab === "explore");
	const title = useFacts((f) => chaptersOfGuide(chaptersOf(f))[f.guide?.at ?? -1]?.title);
	const kernel = useFacts((f) => f.samples.find((s) => s.file === f.trace)?.kernel);
	if (nothing)
		return (
			<p className={css.nearby}>
				The Linux slab allocators, made visible. A trace of a real machine is being opened.
			</p>
		);
	if (!isShown) return null;
	return (
		<div className={css.nearby}>
			<p className={css.title}>
				{title ?? `A trace of a real machine with Linux ${kernel ?? ""}, replayed.`}
			</p>
			<FirstMinute />
		</div>
	);
}
