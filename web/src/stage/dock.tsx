/**
 * The details of what somebody chose on the stage: the selected slab or object, or the answer to a question "why?".
 * They are shown in the column beside the stage, on a narrow page above the buttons, and otherwise over the stage's
 * corner.
 */

import { useSyncExternalStore } from "react";
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

export type Phone = "no" | "upright" | "sideways";

const SIDEWAYS = "(max-width: 1199px) and (max-height: 559px) and (orientation: landscape)";
const UPRIGHT = "(max-width: 759px)";

function subscribe(listen: () => void): () => void {
	const queries = [SIDEWAYS, UPRIGHT, WIDE].map((query) => matchMedia(query));
	for (const query of queries) query.addEventListener("change", listen);
	return () => {
		for (const query of queries) query.removeEventListener("change", listen);
	};
}

function phone(): Phone {
	if (matchMedia(SIDEWAYS).matches) return "sideways";
	return matchMedia(UPRIGHT).matches ? "upright" : "no";
}

const WIDE = "(min-width: 1200px)";

/** Whether there is a column beside the stage. */
export function useIsWide(): boolean {
	return useSyncExternalStore(
		subscribe,
		() => matchMedia(WIDE).matches,
		() => true,
	);
}

/** The first page is rendered before there is a window. */
const unknown = (): Phone => "no";

export function usePhone(): Phone {
	return useSyncExternalStore(subscribe, phone, unknown);
}
