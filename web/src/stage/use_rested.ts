/**
 * The position that has rested on screen for a while; until then, the previous one. Does not change while the trace
 * plays.
 */
import { useEffect, useState } from "react";
import { facts, store } from "../app/state/store.ts";
import type { Moment } from "../engine/types.ts";

export function useRestedMoment(restMs: number): Moment | null {
	const [rested, setRested] = useState<Moment | null>(null);
	useEffect(() => {
		let changedMs = performance.now();
		// One timer at a time, however many moments come.
		const rest = () => {
			const leftMs = changedMs + restMs - performance.now();
			timer = leftMs > 0 ? window.setTimeout(rest, leftMs) : 0;
			if (timer === 0) setRested(facts().moment);
		};
		let timer = window.setTimeout(rest, restMs);
		const stop = store.subscribe((now, before) => {
			if (now.moment === before.moment) return;
			changedMs = performance.now();
			if (timer === 0) timer = window.setTimeout(rest, restMs);
		});
		return () => {
			stop();
			window.clearTimeout(timer);
		};
	}, [restMs]);
	return rested;
}
