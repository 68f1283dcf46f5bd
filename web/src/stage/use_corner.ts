/** Where the inspector stands: computed again when the step, the zoom or its own size changes. */
import { type RefObject, useLayoutEffect, useState } from "react";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import type { Rect } from "../scene/scene.ts";
import { type Stand, standFor } from "./corner.ts";
import { stage, visiblePart } from "./shown.ts";

const AT_FIRST: Stand = { corner: "bottom-right", maxHeight: Number.POSITIVE_INFINITY };

/** It does not cover the CPU that acts; a card about a box of the scene does not cover that box. */
export function useStand(card: RefObject<HTMLElement | null>, about?: Rect): Stand {
	const [stand, setStand] = useState(AT_FIRST);
	const cpu = useCalm(({ moment }) => moment?.steps[moment.position.step - moment.firstStep]?.cpu);
	const zoom = useFacts((f) => f.zoom);
	useLayoutEffect(() => {
		const own = card.current;
		const around = own?.parentElement;
		if (!own || !around || zoom === undefined) return;
		const choose = () => {
			const size = {
				w: own.offsetWidth,
				h: own.scrollHeight + own.offsetHeight - own.clientHeight,
			};
			const room = { w: around.clientWidth, h: around.clientHeight };
			setStand((now) => {
				const next = standFor(size, room, inTheWay(about, cpu), now.corner);
				return next.corner === now.corner && next.maxHeight === now.maxHeight ? now : next;
			});
		};
		choose();
		// Content such as a history may arrive later and make it longer.
		const watch = new ResizeObserver(choose);
		for (const part of [around, own, ...own.children]) watch.observe(part);
		return () => watch.disconnect();
	}, [card, about, cpu, zoom]);
	return stand;
}

/** The visible part of a box, or of a CPU's card, on the screen. */
function inTheWay(about: Rect | undefined, cpu: number | undefined): Rect | undefined {
	const shown = stage.shown();
	const card = about ?? shown?.plan.cpus.find((c) => c.cpu === cpu)?.card;
	return shown && card && visiblePart(shown, card);
}
