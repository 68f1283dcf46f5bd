/**
 * The work of the last second's events, while they pass too fast for a path: the engine is asked a few times a second,
 * one call at a time.
 */
import { wake } from "../../base/frame_clock.ts";
import { ALL_CACHES } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { change, facts, store } from "../state/store.ts";
import { SLIDE_LIMIT } from "./player.ts";

const ASK_MS = 150;
const WINDOW_MS = 1000;

/** Positions of the last second. */
let passed: { readonly ms: number; readonly op: number }[] = [];
let askedMs = 0;
let inFlight = false;

export function startTraffic(): void {
	store.subscribe((now, before) => {
		if (now.moment !== before.moment || now.playing !== before.playing) follow();
	});
}

/** Events pass faster than a path can be read. */
function isFast(): boolean {
	const { playing, speed } = facts();
	return playing && speed > SLIDE_LIMIT;
}

function follow(): void {
	const { moment, traffic } = facts();
	if (!moment || !isFast()) {
		passed = [];
		if (traffic) change({ traffic: null });
		return;
	}
	const ms = performance.now();
	passed = passed.filter((p) => ms - p.ms < WINDOW_MS);
	passed.push({ ms, op: moment.position.op });
	const [first] = passed;
	if (inFlight || !first || ms - askedMs < ASK_MS) return;
	askedMs = ms;
	void ask(Math.min(first.op, moment.position.op), Math.max(first.op, moment.position.op));
}

async function ask(from: number, to: number): Promise<void> {
	inFlight = true;
	const { cache, onlyCache, built } = facts();
	const number = built?.caches.find((c) => c.name === cache)?.cache ?? ALL_CACHES;
	const traffic = await engine()
		.traffic(onlyCache ? number : ALL_CACHES, from, to)
		.catch(() => undefined);
	inFlight = false;
	if (isFast()) change({ traffic: traffic ?? null });
	wake();
}
