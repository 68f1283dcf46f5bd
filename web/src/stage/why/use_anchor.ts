/** Places the Why card beside its subject on the map, again after each zoom and whenever a size changes. */
import { type CSSProperties, type RefObject, useLayoutEffect, useState } from "react";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import type { Rect } from "../../scene/scene.ts";
import { type Free, type Stand, standAt } from "./stand.ts";

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
			setAnchor(anchorAt(standAt(size, { w, h }, boxOf(why), freeIn(around))));
		};
		place();
		// Its content arrives later.
		const watch = new ResizeObserver(place);
		for (const part of [around, own]) watch.observe(part);
		return () => watch.disconnect();
	}, [card, why, zoom, moment, boxOf]);
	return anchor;
}

/** The bar of cycles, with its words, and the stops of the path, on the stage. */
function freeIn(around: HTMLElement): Free {
	const { left, top } = around.getBoundingClientRect();
	const boxes = (selector: string): Rect[] =>
		[...around.querySelectorAll(selector)]
			.map((part) => part.getBoundingClientRect())
			.filter((box) => box.height > 0)
			.map((box) => ({ x: box.x - left, y: box.y - top, w: box.width, h: box.height }));
	return { bar: boxes('[data-part="cycles"]')[0], stops: boxes("[data-stop]") };
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
