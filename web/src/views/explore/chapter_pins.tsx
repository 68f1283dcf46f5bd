/** Chapters as named pins on the timeline: links, moved apart where their events are close together. */
import { useRef } from "react";
import type { Range } from "../../app/state/store.ts";
import { letterScale, useSize } from "../../ui/use_element.ts";
import css from "./chapter_pins.module.css";
import { placePins } from "./place_pins.ts";
import { useChapters } from "./use_chapters.ts";

/** In pixels, where its letters have the usual size: a pin with its number alone and the gap to the next one. */
const PIN_PX = 26;
/** A letter of a name at most, and what is around a name. */
const LETTER_PX = 7.6;
const AROUND_PX = 18;
/** The gap between two pins. */
const GAP_PX = 2;
/** Names show where they take at most this share of the timeline: then they stand near their events. */
const NAMED_SHARE = 0.6;

/** Pixels that a press on a pin may move. */
const STILL_PX = 4;

/** A drag that begins on a pin is one of the timeline below it; so is a press that chooses a part. */
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

/** Where a stem leaves its pin, of this width and roundness: as near to its event as it can, so that stems never cross. */
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
		<ul ref={box} className={css.pins} data-named={isNamed} aria-label="Chapters on the timeline">
			{width > 0 &&
				shown.map(({ kind, number, words, title, href, link }, i) => {
					const [x, w] = [centres[i] ?? 0, widths[i] ?? PIN_PX];
					const end = (own[i] ?? x) - x;
					return (
						<li key={kind} style={{ left: x }}>
							<svg className={css.stem} aria-hidden="true">
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
								className={css.title}
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
