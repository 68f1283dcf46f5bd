/** The strip of chapters above the stage: a link for each, and while the tour runs, how far it has played. */

import { useEffect, useMemo, useRef } from "react";
import { CHAPTER_KIND_WORDS } from "#abi";
import type { Chapter } from "#wasm";
import { chapterAddress, chapterAt, goToChapter } from "../../app/playback/chapters.ts";
import { chaptersOfGuide, takeTour, turnTo } from "../../app/playback/guide.ts";
import { chaptersOf, type Guide, type Range } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import type { Moment } from "../../engine/types.ts";
import { letterScale, useSize } from "../../ui/hooks.ts";
import css from "./chapters.module.css";
import { TourControls } from "./tour_controls.tsx";

export function Chapters() {
	const all = useChapters();
	const current = all.findIndex(({ isCurrent }) => isCurrent);
	const touring = useFacts((f) => f.guide !== null);
	const isFirst = useFacts((f) => f.guide?.at === -1);
	const list = useRef<HTMLOListElement>(null);
	// Only sideways: the page itself stays where it is.
	useEffect(() => {
		const item = list.current?.querySelectorAll("a")[current]?.parentElement;
		if (item instanceof HTMLElement) list.current?.scrollTo({ left: item.offsetLeft });
	}, [current]);
	return (
		<nav className={`flex gap-4 tall small ${css.chapters}`} aria-label="Tour">
			<ol ref={list}>
				{touring && (
					<li>
						<button type="button" aria-current={isFirst ? "step" : undefined} onClick={takeTour}>
							{!isFirst && <span className={css.done} style={{ width: "100%" }} />}
							<span className={`flex one-line ${css.name}`}>
								<span className="number">0</span> <span>A slab</span>
							</span>
						</button>
					</li>
				)}
				{all.map(({ kind, number, words, title, href, link, done }) => (
					<li key={kind}>
						<a href={href} {...link} title={title}>
							{done > 0 && (
								<span
									className={`absolute ${css.done}`}
									style={{ width: `${Math.round(done * 100)}%` }}
								/>
							)}
							<span className={`flex one-line ${css.name}`}>
								<span className="number">{number}</span>{" "}
								<span className={`narrows clips ${css.words}`} data-words={words}>
									{words}
								</span>
								<span className="hidden">:</span>
							</span>{" "}
							<span className={`absolute clips ${css.title}`}>{title}</span>
						</a>
					</li>
				))}
			</ol>
			<TourControls />
		</nav>
	);
}

/* The chapters of the trace on screen, as the strip above the stage and the pins on the timeline show them. */

interface ChapterItem extends Pick<Chapter, "op" | "kind" | "title"> {
	/** Its number from 1, in the order of time. */
	readonly number: number;
	/** The short name of its kind. */
	readonly words: string;
	readonly isCurrent: boolean;
	readonly href: string | undefined;
	/** The share of it that the tour has played. */
	readonly done: number;
	/** The link's other attributes. */
	readonly link: React.ComponentProps<"a">;
}

function useChapters(): readonly ChapterItem[] {
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

/** A plain click stays in the page; with a modifier key, the browser opens another tab or window. */
function follow(event: React.MouseEvent, chapter: Chapter, inGuide: number): void {
	if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
	event.preventDefault();
	if (inGuide >= 0) turnTo(inGuide);
	else goToChapter(chapter);
}

/* Chapters as named pins on the timeline: links, moved apart where their events are close together. */

/** Pixels of a pin with only its number, and the gap to the next one, at the usual letter size. */
const PIN_PX = 26;
/** The widest letter of a name, and the room around a name. */
const LETTER_PX = 7.6;
const AROUND_PX = 18;
/** The gap between two pins. */
const GAP_PX = 2;
/** Names show where they take at most this share of the timeline: then they stand near their events. */
const NAMED_SHARE = 0.6;

/** Pixels that the pointer may move during a click on a pin. */
const STILL_PX = 4;

/** A drag that starts on a pin goes to the timeline below it; so does a press that selects a part. */
function passOn(event: React.PointerEvent<HTMLAnchorElement>): void {
	const { currentTarget: pin, clientX, nativeEvent } = event;
	if (event.type === "pointerdown") pin.dataset.from = String(clientX);
	const moved = Math.abs(clientX - Number(pin.dataset.from ?? clientX));
	if ((event.buttons & 1) === 0 || (!event.shiftKey && moved < STILL_PX)) return;
	event.preventDefault();
	pin
		.closest("[data-part=plot]")
		?.querySelector("[role=slider]")
		?.dispatchEvent(new PointerEvent("pointerdown", nativeEvent));
}

/** Where a stem leaves its pin, of this width and roundness: as near to its event as it can be, so stems never cross. */
function stemAt(event: number, width: number, round: number): number {
	const most = Math.max(0, width - round) / 2;
	return Math.max(-most, Math.min(most, event));
}

export function ChapterPins({ span: { from, to } }: { readonly span: Range }) {
	const box = useRef<HTMLUListElement>(null);
	const { width } = useSize(box);
	const shown = useChapters().filter(({ op }) => op >= from && op <= to);
	const own = shown.map(({ op }) => (width * (op - from)) / Math.max(1, to - from));
	const scale = letterScale(box);
	const named = shown.map(({ words }) => scale * (words.length * LETTER_PX + AROUND_PX));
	const isNamed = named.reduce((sum, w) => sum + w, 0) <= width * NAMED_SHARE;
	const widths = isNamed ? named : shown.map(() => scale * PIN_PX);
	const centres = placePins(own, widths, width);
	return (
		<ul
			ref={box}
			className={`absolute covers small untouched ${css.pins}`}
			data-named={isNamed}
			aria-label="Tour on the timeline"
		>
			{width > 0 &&
				shown.map(({ kind, number, words, title, href, link }, i) => {
					const [x, w] = [centres[i] ?? 0, widths[i] ?? PIN_PX];
					const end = (own[i] ?? x) - x;
					return (
						<li key={kind} style={{ left: x }}>
							<svg className={`absolute ${css.stem}`} aria-hidden="true">
								<line x1={stemAt(end, w, scale * PIN_PX)} y1="0" x2={end} y2="100%" />
							</svg>
							<a
								href={href}
								{...link}
								className="number"
								draggable={false}
								onPointerDown={passOn}
								onPointerMove={passOn}
								style={{ width: w - GAP_PX }}
								aria-label={`Chapter ${number}, ${words}: ${title}`}
							>
								{isNamed ? words : number}
							</a>
							<span
								className={`absolute framed paper small ${css.chapterPinsTitle}`}
								style={{ [x < width / 2 ? "left" : "right"]: 0 }}
								aria-hidden="true"
							>
								{title}
							</span>
						</li>
					);
				})}
		</ul>
	);
}

/* Places pins side by side: each as near to its own position as its neighbours leave room. */

/** A group of pins that touch each other. */
interface Block {
	readonly widths: readonly number[];
	readonly width: number;
	/** Its left edge, where its pins are on average nearest to their positions. */
	readonly left: number;
}

/**
 * Places the centres of pins of these widths on a line from 0 to `room`, for wanted centres in ascending order. None overlap as
 * long as all fit; otherwise they are spaced evenly.
 */
export function placePins(
	wanted: readonly number[],
	widths: readonly number[],
	room: number,
): number[] {
	const shrink = Math.min(1, room / widths.reduce((sum, w) => sum + w, 0));
	const inside = (block: Block): Block => ({
		...block,
		left: Math.max(0, Math.min(room - block.width, block.left)),
	});
	const blocks: Block[] = [];
	for (const [i, centre] of wanted.entries()) {
		const own = (widths[i] ?? 0) * shrink;
		let block = inside({ widths: [own], width: own, left: centre - own / 2 });
		for (;;) {
			const before = blocks.at(-1);
			if (!before || before.left + before.width <= block.left) break;
			blocks.pop();
			const both = [...before.widths, ...block.widths];
			const sum =
				before.left * before.widths.length + (block.left - before.width) * block.widths.length;
			const width = before.width + block.width;
			block = inside({ widths: both, width, left: sum / both.length });
		}
		blocks.push(block);
	}
	return blocks.flatMap(({ widths, left }) => {
		let edge = left;
		return widths.map((w) => {
			edge += w;
			return edge - w / 2;
		});
	});
}
