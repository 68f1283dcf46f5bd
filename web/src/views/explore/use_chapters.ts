/** The chapters of the trace on screen, as the strip above the stage and the pins on the timeline show them. */
import { useMemo } from "react";
import { CHAPTER_KIND_WORDS } from "#abi";
import type { Chapter } from "#wasm";
import { chapterAddress, chapterAt, goToChapter } from "../../app/playback/chapters.ts";
import { chaptersOf } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";

export interface ChapterItem extends Pick<Chapter, "op" | "kind" | "title"> {
	/** From 1, in the core's order. */
	readonly number: number;
	/** The short name of its kind. */
	readonly words: string;
	readonly isCurrent: boolean;
	readonly href: string | undefined;
	/** The other attributes of its link. */
	readonly link: React.ComponentProps<"a">;
}

export function useChapters(): readonly ChapterItem[] {
	const all = useFacts(chaptersOf);
	const machine = useFacts((f) => f.machine);
	const sandboxCode = useFacts((f) => f.sandboxCode);
	const current = useCalm((f) => chapterAt(all, f.moment?.position.op ?? -1)?.kind);
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
			href: addresses[i],
			link: {
				"aria-current": isCurrent ? "step" : undefined,
				onClick: (event) => follow(event, chapter),
			},
		};
	});
}

/** A plain press stays in the page; with a key the browser opens another tab or window. */
function follow(event: React.MouseEvent, chapter: Chapter): void {
	if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
	event.preventDefault();
	goToChapter(chapter);
}
