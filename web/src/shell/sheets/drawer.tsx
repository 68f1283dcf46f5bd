/** Answers about the trace, in a drawer over the view. The transport below it can still be used. */
import { useRef } from "react";
import { ANSWERS, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { Button } from "../../ui/controls.tsx";
import { useFocusWithin } from "../../ui/hooks.ts";
import { Part } from "../../ui/lazy_part.tsx";
import { ANSWER_PARTS } from "../../views/features.ts";
import css from "./sheets.module.css";

const backToChip = () =>
	document.querySelector<HTMLElement>('[data-chip="cache"]')?.focus({ preventScroll: true });

export function Drawer() {
	const panel = useRef<HTMLDivElement>(null);
	const answer = useFacts((f) => f.answer);
	useFocusWithin(panel, backToChip);
	if (answer === "") return null;
	const { name, View } = ANSWER_PARTS[answer];
	return (
		<div
			ref={panel}
			className={`relative grid shrinks ground ${css.drawer}`}
			data-part="drawer"
			tabIndex={-1}
		>
			<nav
				className={`flex gap-1 relative one-of ${css.answers}`}
				aria-label="Answers about the trace"
			>
				{ANSWERS.map((a) => (
					<button
						key={a}
						type="button"
						aria-current={a === answer ? "page" : undefined}
						onClick={() => change({ answer: a })}
					>
						{ANSWER_PARTS[a].name}
					</button>
				))}
			</nav>
			<div className={`shrinks line-above ${css.answer}`} data-answer={answer}>
				<Part key={answer} name={name}>
					<View />
				</Part>
			</div>
			<Button className={css.leave} onClick={() => change({ answer: "" })}>
				Close
			</Button>
		</div>
	);
}
