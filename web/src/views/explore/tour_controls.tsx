/** The controls of the tour: beside the strip of chapters, or above the buttons where the page is one column. */
import { CHAPTER_KIND_WORDS } from "#abi";
import {
	chapterOfGuide,
	chaptersOfGuide,
	consequenceOfGuide,
	exploreFreely,
	isCalm,
	playChapter,
	turnTo,
} from "../../app/playback/guide.ts";
import { chaptersOf, isOpeningFirst } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count } from "../../base/format.ts";
import { IconButton, LinkButton } from "../../ui/controls.tsx";
import css from "./tour_controls.module.css";

export function TourControls() {
	const guide = useFacts((f) => f.guide);
	const nr = useFacts((f) => chaptersOfGuide(chaptersOf(f)).length);
	if (!guide) return null;
	const { at, isPlaying, isOver } = guide;
	const isReady = nr > 0;
	return (
		<div className={`flex middle gap-3 one-line ${css.controls}`} data-part="tour-controls">
			{isReady && !isOver && (
				<>
					<IconButton name="Previous chapter" disabled={at <= 0} onClick={() => turnTo(at - 1)}>
						‹
					</IconButton>
					<IconButton name="Next chapter" disabled={at >= nr - 1} onClick={() => turnTo(at + 1)}>
						›
					</IconButton>
					{at >= 0 && !isPlaying && !isCalm() && (
						<LinkButton onClick={() => playChapter(at)}>Continue the tour</LinkButton>
					)}
				</>
			)}
			<LinkButton onClick={exploreFreely}>Explore freely</LinkButton>
		</div>
	);
}

/** Has two lines from the start, so nothing moves when the tour starts. */
export function TourNearby() {
	const isOpening = useFacts(isOpeningFirst);
	const isShown = useFacts((f) => f.guide !== null && f.built !== null && f.tab === "explore");
	const at = useFacts((f) => f.guide?.at ?? -1);
	const nr = useFacts((f) => chaptersOfGuide(chaptersOf(f)).length);
	const consequence = useCalm(consequenceOfGuide);
	const kind = useFacts((f) => chapterOfGuide(f)?.kind);
	const kernel = useFacts((f) => f.samples.find((s) => s.file === f.trace)?.kernel);
	if (isOpening) return <p className={css.nearby}>Opening a trace from a real machine …</p>;
	if (!isShown) return null;
	return (
		<div className={css.nearby}>
			<p className={css.title}>
				{consequence ??
					(kind !== undefined
						? `Chapter ${count(at + 1)} of ${count(nr)}: ${CHAPTER_KIND_WORDS[kind]}`
						: `A replay of a real machine with Linux ${kernel ?? ""}.`)}
			</p>
			<TourControls />
		</div>
	);
}
