/** A small thing that slides along the path when the page goes from one step to the next, and leaves a ghost behind. */
import { type RefObject, useEffect, useRef } from "react";
import { slideMs } from "../../app/playback/rate.ts";
import { facts } from "../../app/state/store.ts";
import type { Position } from "../../engine/types.ts";
import type { Path, Stop } from "./path.ts";

const GHOST_MS = 1500;

export function useSlide(
	token: RefObject<HTMLElement | null>,
	ghost: RefObject<HTMLElement | null>,
	shown: Path | undefined,
	{ op, step }: Position,
): void {
	const last = useRef<Position>(undefined);
	// Another rendering of the same step does not end the slide.
	const latest = useRef(shown);
	latest.current = shown;
	useEffect(() => {
		const path = latest.current;
		const before = last.current;
		last.current = { op, step };
		const [moving, left] = [token.current, ghost.current];
		if (!moving || !left || before?.op !== op || Math.abs(before.step - step) !== 1) return;
		const stopAt = (at: number) => path?.stops.find((s) => s.from <= at && at <= s.to);
		const [start, stop] = [stopAt(before.step), stopAt(step)];
		if (!start || !stop || start === stop) return;
		const { playing, speed } = facts();
		const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const duration = slideMs(speed, playing, isReduced);
		if (duration === 0) return;
		const at = ({ x, y }: Stop) => `translate(${x}px, ${y}px)`;
		const line = path?.lines.find((l) => l.to === Math.max(before.step, step));
		const moves = [moving, left];
		for (const element of moves) element.hidden = false;
		moving.style.offsetPath = line ? `path("${line.d}")` : "none";
		const ends = line
			? [{ offsetDistance: "0%" }, { offsetDistance: "100%" }]
			: [{ transform: at(start) }, { transform: at(stop) }];
		const slide = moving.animate(ends, {
			duration,
			easing: "ease-in-out",
			direction: line && step < before.step ? "reverse" : "normal",
		});
		slide.onfinish = () => {
			moving.hidden = true;
		};
		const fade = left.animate(
			[
				{ transform: at(start), opacity: 1 },
				{ transform: at(start), opacity: 0 },
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
	}, [token, ghost, op, step]);
}
