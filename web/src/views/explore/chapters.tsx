/** The strip of chapters at the stage: a link for each, and during the first minute how far it has played. */
import { useEffect, useRef } from "react";
import { takeTour } from "../../app/playback/guide.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import css from "./chapters.module.css";
import { FirstMinute } from "./first_minute.tsx";
import { useChapters } from "./use_chapters.ts";

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
		<nav className={css.chapters} aria-label="Chapters">
			<ol ref={list}>
				{touring && (
					<li>
						<button type="button" aria-current={isFirst ? "step" : undefined} onClick={takeTour}>
							<span className={css.name}>
								<span className="number">0</span> <span>A slab</span>
							</span>
						</button>
					</li>
				)}
				{all.map(({ kind, number, words, title, href, link, done }) => (
					<li key={kind}>
						<a href={href} {...link} title={title}>
							{done > 0 && (
								<span className={css.done} style={{ width: `${Math.round(done * 100)}%` }} />
							)}
							<span className={css.name}>
								<span className="number">{number}</span>{" "}
								<span className={css.words} data-words={words}>
									{words}
								</span>
								<span className="hidden">:</span>
							</span>{" "}
							<span className={css.title}>{title}</span>
						</a>
					</li>
				))}
			</ol>
			<FirstMinute />
		</nav>
	);
}
