/** Places the Why card beside its subject on the map, again after each zoom and whenever a size changes. */
import { type CSSProperties, type RefObject, useLayoutEffect, useState } from "react";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import type { Rect } from "../../scene/scene.ts";
import { type Stand, standAt } from "./stand.ts";

/** The visible part of a subject (engine/subject.ts) on the stage. */
export type BoxOf = (subject: string) => Rect | undefined;

interface Anchor {
	readonly side: Stand["side"];
	readonly style: CSSProperties;
}

/** Not seen yet, and already able to take the focus. */
const AT_FIRST: Anchor = { side: "none", style: { opacity: 0 } };

export function useAnchor(card: RefObject<HTMLElement | null>, why: string, boxOf: BoxOf): Anchor {
	const [anchor, setAnchor] = useState(AT_FIRST);
	const zoom = useFacts((f) => f.zoom);
	const moment = useEachPosition((f) => f.moment);
	useLayoutEffect(() => {
		const own = card.current;
		const around = own?.parentElement;
		if (!own || !around || zoom === undefined || moment === undefined) return;
		const place = () => {
			const { clientWidth: w, clientHeight: h } = around;
			const edges = own.offsetHeight - own.clientHeight;
			const size = { w: own.offsetWidth, h: (own.firstElementChild?.scrollHeight ?? 0) + edges };
			setAnchor(anchorAt(standAt(size, { w, h }, boxOf(why), barIn(around))));
		};
		place();
		// Its content arrives later.
		const watch = new ResizeObserver(place);
		for (const part of [around, own]) watch.observe(part);
		return () => watch.disconnect();
	}, [card, why, zoom, moment, boxOf]);
	return anchor;
}

/** The bar of cycles, with its words, on the stage. */
function barIn(around: HTMLElement): Rect | undefined {
	const bar = around.querySelector<HTMLElement>('[data-part="cycles"]')?.getBoundingClientRect();
	if (!bar || bar.height === 0) return undefined;
	const { left, top } = around.getBoundingClientRect();
	return { x: bar.x - left, y: bar.y - top, w: bar.width, h: bar.height };
}

function anchorAt({ left, top, maxHeight, side, pointer }: Stand): Anchor {
	const style = {
		"--left": `${left}px`,
		"--top": `${top}px`,
		"--room": `${maxHeight}px`,
		"--pointer": `${pointer}px`,
	} as CSSProperties;
	return { side, style };
}
