/** A small thing that slides along the path when the page goes from one step to the next, and leaves a ghost behind. */
import { type RefObject, useEffect, useRef } from "react";
import { slideMs } from "../../app/playback/rate.ts";
import { facts } from "../../app/state/store.ts";
import type { Position } from "../../engine/types.ts";
import type { Path, Stop } from "./path.ts";

const GHOST_MS = 1500;

interface Last {
	readonly position: Position;
	readonly stop: Stop | undefined;
}

export function useSlide(
	token: RefObject<HTMLElement | null>,
	ghost: RefObject<HTMLElement | null>,
	path: Path | undefined,
	position: Position,
): void {
	const last = useRef<Last>(undefined);
	useEffect(() => {
		const stop = path?.stops.find((s) => s.when === "now");
		const before = last.current;
		last.current = { position, stop };
		const [moving, left] = [token.current, ghost.current];
		const isNext =
			before?.position.op === position.op && Math.abs(before.position.step - position.step) === 1;
		if (!moving || !left || !before?.stop || !stop || !isNext) return;
		const { playing, speed } = facts();
		const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const duration = slideMs(speed, playing, isReduced);
		if (duration === 0 || (before.stop.x === stop.x && before.stop.y === stop.y)) return;
		const at = ({ x, y }: Stop) => `translate(${x}px, ${y}px)`;
		const moves = [moving, left];
		for (const element of moves) element.hidden = false;
		const slide = moving.animate([{ transform: at(before.stop) }, { transform: at(stop) }], {
			duration,
			easing: "ease-in-out",
		});
		slide.onfinish = () => {
			moving.hidden = true;
		};
		const fade = left.animate(
			[
				{ transform: at(before.stop), opacity: 1 },
				{ transform: at(before.stop), opacity: 0 },
			],
			{ duration: GHOST_MS },
		);
		fade.onfinish = () => {
			left.hidden = true;
		};
		return () => {
			slide.cancel();
			fade.cancel();
			for (const element of moves) element.hidden = true;
		};
	}, [token, ghost, path, position]);
}
