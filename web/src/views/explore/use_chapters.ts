/** The chapters of the trace on screen, as the strip above the stage and the pins on the timeline show them. */
import { useMemo } from "react";
import { CHAPTER_KIND_WORDS } from "#abi";
import type { Chapter } from "#wasm";
import { chapterAddress, chapterAt, goToChapter } from "../../app/playback/chapters.ts";
import { chaptersOfGuide, turnTo } from "../../app/playback/guide.ts";
import { chaptersOf, type Guide } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import type { Moment } from "../../engine/types.ts";

export interface ChapterItem extends Pick<Chapter, "op" | "kind" | "title"> {
	/** From 1, in the order of time. */
	readonly number: number;
	/** The short name of its kind. */
	readonly words: string;
	readonly isCurrent: boolean;
	readonly href: string | undefined;
	/** The share of it that the first minute has played. */
	readonly done: number;
	/** The other attributes of its link. */
	readonly link: React.ComponentProps<"a">;
}

export function useChapters(): readonly ChapterItem[] {
	const guide = useFacts((f) => f.guide);
	const everything = useFacts(chaptersOf);
	const all = useMemo(
		() => (guide ? chaptersOfGuide(everything) : everything),
		[everything, guide !== null],
	);
	const machine = useFacts((f) => f.machine);
	const sandboxCode = useFacts((f) => f.sandboxCode);
	const current = useCalm((f) =>
		f.guide?.at === -1 ? undefined : chapterAt(all, f.moment?.position.op ?? -1)?.kind,
	);
	const playedOf = useCalm((f) => playedShare(all[guide?.at ?? -1], f.moment));
	// The address holds the machine and the sandbox.
	const addresses = useMemo(() => all.map(chapterAddress), [all, machine, sandboxCode]);
	return all.map((chapter, i) => {
		const { op, kind, title } = chapter;
		const isCurrent = kind === current;
		return {
			op,
			kind,
			title,
			number: i + 1,
			words: CHAPTER_KIND_WORDS[kind] ?? "",
			isCurrent,
			done: doneOf(guide, i, playedOf),
			href: addresses[i],
			link: {
				"aria-current": isCurrent ? "step" : undefined,
				onClick: (event) => follow(event, chapter, guide ? i : -1),
			},
		};
	});
}

/** Chapters before the one that plays are done. */
function doneOf(guide: Guide | null, i: number, played: number): number {
	if (!guide || i > guide.at) return 0;
	return i < guide.at || guide.isOver ? 1 : played;
}

/** A chapter of one event is as far as its steps, one of several as far as its events. */
function playedShare(chapter: Chapter | undefined, moment: Moment | null): number {
	if (!chapter || !moment) return 0;
	const { op, lastOp } = chapter;
	const { position, nrSteps } = moment;
	if (position.op < op || position.op > lastOp) return 0;
	const ofEvent = (position.step + 1) / Math.max(1, nrSteps);
	return (position.op - op + ofEvent) / (lastOp - op + 1);
}

/** A plain press stays in the page; with a key the browser opens another tab or window. */
function follow(event: React.MouseEvent, chapter: Chapter, inGuide: number): void {
	if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
	event.preventDefault();
	if (inGuide >= 0) turnTo(inGuide);
	else goToChapter(chapter);
}
