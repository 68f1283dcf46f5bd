/**
 * Progress as people want it: how far along, and how much longer. It is reported only now and then, so that it costs
 * nothing. Also runs long work in slices and reports between them.
 */
import { Cancelled } from "../base/errors.ts";
import type { Progress } from "./types.ts";

const BREATH_MS = 40;
/** A rate measured over less time than this says little. */
const SURE_AFTER_MS = 400;

export class Pace {
	readonly #tell: (progress: Progress) => void;
	readonly #cancelled: () => boolean;
	/** Shorter work is not reported. */
	readonly #quietMs: number;
	#phase: Progress["phase"] | undefined;
	#begin = 0;
	#lastBreath = 0;

	constructor(tell: (progress: Progress) => void, cancelled: () => boolean, quietMs = 0) {
		this.#quietMs = quietMs;
		this.#tell = tell;
		this.#cancelled = cancelled;
	}

	/** Runs between two slices of work, so that calls from the page can arrive, such as a cancel. */
	async breathe(now: Omit<Progress, "secondsLeft">): Promise<void> {
		const ms = performance.now();
		if (this.#phase !== now.phase) {
			this.#phase = now.phase;
			this.#begin = ms;
		}
		if (ms - this.#lastBreath < BREATH_MS) return;
		this.#lastBreath = ms;
		const passed = ms - this.#begin;
		const sure = passed >= SURE_AFTER_MS && now.done > 0 && now.total > 0;
		const secondsLeft = sure ? (passed * (now.total - now.done)) / now.done / 1000 : -1;
		if (passed >= this.#quietMs) this.#tell({ ...now, secondsLeft });
		await turn();
		this.check();
	}

	/** Throws if the work was cancelled. */
	check(): void {
		if (this.#cancelled()) throw new Cancelled();
	}
}

/** Reports nothing and cannot be stopped. */
export const NO_PACE = new Pace(
	() => {},
	() => false,
);

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/**
 * Waits for one turn of the event loop. A timer would do, but browsers delay nested timers. The channel is made once and kept:
 * an unreferenced channel may be collected together with its message.
 */
export function turn(): Promise<void> {
	channel ??= newChannel();
	const { port2 } = channel;
	return new Promise((resolve) => {
		waiting.push(resolve);
		port2.postMessage(0);
	});
}

function newChannel(): MessageChannel {
	const made = new MessageChannel();
	made.port1.onmessage = () => waiting.shift()?.();
	// In Node.js a port with a listener would keep the process alive.
	if ("unref" in made.port1 && typeof made.port1.unref === "function") made.port1.unref();
	return made;
}

/**
 * Does work of this many parts in slices; each yields how many parts are left. `events`: the number of events in the
 * trace, if that is not the number of parts. Other work may start before the caller continues, so this is not for
 * results that such work would replace.
 */
export async function through(
	pace: Pace,
	phase: Progress["phase"],
	total: number,
	slices: Iterable<number>,
	events = total,
): Promise<void> {
	for (const left of slices) await pace.breathe({ phase, done: total - left, total, events });
}
