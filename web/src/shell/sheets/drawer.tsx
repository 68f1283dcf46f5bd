/** Answers about the trace, in a drawer over the view. The transport below it stays in use. */
import { type ComponentType, useRef } from "react";
import { ANSWERS, type Answer, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { Button } from "../../ui/controls.tsx";
import { useFocusWithin } from "../../ui/hooks.ts";
import { onFirstUse, Part } from "../../ui/lazy_part.tsx";
import css from "./sheets.module.css";

interface AnswerPart {
	readonly name: string;
	readonly View: ComponentType;
}

const PARTS: Readonly<Record<Answer, AnswerPart>> = {
	slabinfo: {
		name: "Slabinfo",
		View: onFirstUse(() => import("../../views/slabinfo/slabinfo.tsx"), "Slabinfo"),
	},
	memory: {
		name: "Where memory goes",
		View: onFirstUse(() => import("../../views/answers/memory/memory.tsx"), "MemoryView"),
	},
	sites: {
		name: "Call sites",
		View: onFirstUse(() => import("../../views/answers/sites/sites.tsx"), "SitesView"),
	},
	doctor: {
		name: "Suggestions",
		View: onFirstUse(() => import("../../views/answers/doctor/doctor.tsx"), "DoctorView"),
	},
	lookup: {
		name: "Look up",
		View: onFirstUse(() => import("../../views/answers/lookup/lookup.tsx"), "LookupView"),
	},
};

const backToChip = () =>
	document.querySelector<HTMLElement>('[data-chip="cache"]')?.focus({ preventScroll: true });

export function Drawer() {
	const panel = useRef<HTMLDivElement>(null);
	const answer = useFacts((f) => f.answer);
	useFocusWithin(panel, backToChip);
	if (answer === "") return null;
	const { name, View } = PARTS[answer];
	return (
		<div
			ref={panel}
			className={`relative grid shrinks ground ${css.drawer}`}
			data-part="drawer"
			tabIndex={-1}
		>
			<nav className={`flex gap-1 relative ${css.answers}`} aria-label="Answers about the trace">
				{ANSWERS.map((a) => (
					<button
						key={a}
						type="button"
						aria-current={a === answer ? "page" : undefined}
						onClick={() => change({ answer: a })}
					>
						{PARTS[a].name}
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
