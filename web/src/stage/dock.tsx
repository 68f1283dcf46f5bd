/**
 * The details of what somebody chose on the stage: the selected slab or object, or the answer to a question "why?". It
 * stands in the column beside the stage; on a narrow page above the buttons; elsewhere over the stage's corner.
 */
import { useFacts } from "../app/state/use_facts.ts";
import { lazyPart, Part } from "../ui/lazy_part.tsx";
import css from "./dock.module.css";

const Inspector = lazyPart(() => import("./inspector.tsx").then((m) => m.Inspector));
const WhyCard = lazyPart(() => import("./why_card.tsx").then((m) => m.WhyCard));

export function Dock({ isOver = false }: { readonly isOver?: boolean }) {
	const isAsked = useFacts((f) => f.why !== "");
	const isHeld = useFacts((f) => f.selected !== null);
	if (!isAsked && !isHeld) return null;
	return (
		<div className={isOver ? `${css.dock} ${css.over}` : css.dock} data-part="dock">
			<Part name="The Why card">{isAsked && <WhyCard />}</Part>
			<Part name="The inspector">{isHeld && <Inspector />}</Part>
		</div>
	);
}
