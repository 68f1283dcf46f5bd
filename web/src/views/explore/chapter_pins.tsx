/** Chapters as numbered pins on the timeline: links, moved apart where their events are close together. */
import { useRef } from "react";
import type { Range } from "../../app/state/store.ts";
import { useSize } from "../../ui/use_element.ts";
import css from "./chapter_pins.module.css";
import { placePins } from "./place_pins.ts";
import { useChapters } from "./use_chapters.ts";

/** A pin and the gap to the next one, in pixels. */
const PIN_PX = 26;

export function ChapterPins({ span: { from, to } }: { readonly span: Range }) {
	const box = useRef<HTMLUListElement>(null);
	const { width } = useSize(box);
	const shown = useChapters()
		.filter(({ op }) => op >= from && op <= to)
		.toSorted((a, b) => a.op - b.op);
	const own = shown.map(({ op }) => (width * (op - from)) / Math.max(1, to - from));
	const centres = placePins(own, PIN_PX, width);
	return (
		<ul ref={box} className={css.pins} aria-label="Chapters on the timeline">
			{width > 0 &&
				shown.map(({ kind, number, title, href, link }, i) => {
					const x = centres[i] ?? 0;
					return (
						<li key={kind} style={{ left: x }}>
							<svg className={css.stem} aria-hidden="true">
								<line x1="0" y1="0" x2={(own[i] ?? x) - x} y2="100%" />
							</svg>
							<a
								href={href}
								{...link}
								className="number"
								aria-label={`Chapter ${number}: ${title}`}
							>
								{number}
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
