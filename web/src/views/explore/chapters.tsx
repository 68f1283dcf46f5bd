/** The strip of chapters at the stage: a link for each. */
import css from "./chapters.module.css";
import { useChapters } from "./use_chapters.ts";

export function Chapters() {
	return (
		<nav className={css.chapters} aria-label="Chapters">
			<ol>
				{useChapters().map(({ kind, number, words, title, href, link }) => (
					<li key={kind}>
						<a href={href} {...link} title={title}>
							<span className={css.name}>
								<span className="number">{number}</span> <span className={css.words}>{words}</span>
								<span className="hidden">:</span>
							</span>{" "}
							<span className={css.title}>{title}</span>
						</a>
					</li>
				))}
			</ol>
		</nav>
	);
}
