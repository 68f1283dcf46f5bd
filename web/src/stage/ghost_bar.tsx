/** Explains the marks of another machine over the stage, and lists the differences. Loaded when one is chosen. */

import { letterOf } from "../app/state/machine_letters.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { differencesInWords, type Ghosts } from "../scene/layout/ghosts.ts";
import css from "./stage.module.css";

const MARKS = [
	{ kind: "there", words: (letter: string) => `where ${letter} has it` },
	{ kind: "elsewhere", words: (letter: string) => `elsewhere on ${letter}` },
	{ kind: "missing", words: (letter: string) => `not on ${letter}` },
	{ kind: "object", words: () => "allocated on one machine only" },
] as const;

/** Below the bar while a ghost is on: the meaning of its marks, and the number of differences. */
export function GhostLegend({ ghosts }: { ghosts: Ghosts | undefined }) {
	const ghost = useFacts((f) => f.ghost);
	const isUnknown = useFacts((f) => f.ghosts !== null && f.ghosts.frame === undefined);
	const cache = useFacts((f) => f.cache);
	if (ghost === 0) return null;
	const letter = letterOf(ghost);
	const words = ghosts && differencesInWords(ghosts.differences, letter);
	return (
		<div className={css.ghostLegend}>
			<p aria-live="polite">
				<strong>{letter}</strong>{" "}
				{isUnknown
					? `${letter} has no cache ${cache}.`
					: words === undefined
						? "compared when playing stops"
						: words === ""
							? `Nothing of ${cache} differs here.`
							: words}
			</p>
			<GhostMarks letter={letter} />
		</div>
	);
}

/** The meaning of each mark; `letter` names the machine that differs. */
export function GhostMarks({ letter }: { readonly letter: string }) {
	return (
		<ul className={css.legend}>
			{MARKS.map(({ kind, words: meaning }) => (
				<li key={kind}>
					<i className={`${css.ghostMark} ${css[kind]}`} /> {meaning(letter)}
				</li>
			))}
		</ul>
	);
}

/** The same for readers who do not see the marks. */
export function GhostWords({ ghosts }: { ghosts: Ghosts | undefined }) {
	const ghost = useFacts((f) => f.ghost);
	if (!ghosts || ghosts.sentences.length === 0) return null;
	return (
		<table className="hidden">
			<caption>Differences on {letterOf(ghost)}</caption>
			<tbody>
				{ghosts.sentences.map((sentence) => (
					<tr key={sentence}>
						<td>{sentence}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}
