/** The marks of this trace as a list: go there, name them, remove them. */

import { useRef } from "react";
import {
	adoptMarks,
	goToMark,
	marksAside,
	marksOfLink,
	momentWords,
	removeMark,
	renameMark,
	showOwnMarks,
	toggleMark,
} from "../../app/playback/marks.ts";
import { change, type Mark } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { quantity } from "../../base/format.ts";
import { Button, LinkButton } from "../../ui/controls.tsx";
import { useVisit } from "../../ui/use_focus.ts";
import { Entry } from "../../ui/view/entry.tsx";
import css from "./breakpoints.module.css";

export function Marks() {
	const marks = useFacts((f) => f.marks);
	const panel = useRef<HTMLElement>(null);
	useVisit(panel);
	return (
		<section ref={panel} tabIndex={-1} className={`${css.panel} ${css.marks}`} aria-label="Marks">
			<div className={css.bar}>
				<h2>Marks</h2>
				<Button onClick={toggleMark}>Mark this position</Button>
				<Whose />
				<LinkButton onClick={() => change({ marking: false })}>Close</LinkButton>
			</div>
			{marks.length > 0 && (
				<ul className={css.list} aria-label="Marked positions">
					{marks.map((m) => (
						<Item key={`${m.op}/${m.step}`} mark={m} />
					))}
				</ul>
			)}
		</section>
	);
}

/** Explains the two kinds of marks to a visitor who opened a link with marks. */
function Whose() {
	const ofLink = useFacts((f) => marksOfLink(f).length);
	const aside = useFacts((f) => marksAside(f).length);
	const none = useFacts((f) => f.marks.length === 0);
	if (ofLink === 0)
		return (
			<p className="hint">
				{none
					? "No position is marked. This browser keeps the marks, and links contain them."
					: "This browser keeps the marks, and links contain them."}
			</p>
		);
	return (
		<p className="hint">
			{quantity(ofLink, "mark")} came with the link.{" "}
			{aside > 0 && (
				<>
					{quantity(aside, "mark")} of yours {aside === 1 ? "is" : "are"} hidden.{" "}
					<LinkButton onClick={showOwnMarks}>Show mine</LinkButton>{" "}
				</>
			)}
			<LinkButton onClick={adoptMarks}>Keep the link's too</LinkButton>
		</p>
	);
}

function Item({ mark }: { mark: Mark }) {
	const words = momentWords(mark);
	return (
		<li>
			<LinkButton className="number" onClick={() => goToMark(mark)}>
				{words}
			</LinkButton>
			<Entry
				aria-label={`Name of the mark at ${words}`}
				placeholder="Name"
				value={mark.label}
				onEnter={(name) => renameMark(mark, name)}
			/>
			<LinkButton aria-label={`Remove the mark at ${words}`} onClick={() => removeMark(mark)}>
				Remove
			</LinkButton>
		</li>
	);
}
