/** Progress as a person wants it: how far, and how long still. Told now and then, so that telling costs nothing. */
import { CANCELLED } from "./engine.ts";
import type { Progress } from "./types.ts";

const BREATH_MS = 40;
/** A rate that is younger than this says little. */
const SURE_AFTER_MS = 400;

export class Pace {
	readonly #tell: (progress: Progress) => void;
	readonly #cancelled: () => boolean;
	/** What is over sooner nobody needs to be told of. */
	readonly #quietMs: number;
	#phase: Progress["phase"] | undefined;
	#begin = 0;
	#lastBreath = 0;

	constructor(tell: (progress: Progress) => void, cancelled: () => boolean, quietMs = 0) {
		this.#quietMs = quietMs;
		this.#tell = tell;
		this.#cancelled = cancelled;
	}

	/** Between two slices of work: lets calls of the page come in, a cancel among them. */
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
		if (this.#cancelled()) throw new Error(CANCELLED);
	}
}

/** One turn of the event loop. A timer would do, but browsers make nested timers wait. */
export function turn(): Promise<void> {
	return new Promise((resolve) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => {
			port1.close();
			resolve();
		};
		port2.postMessage(0);
	});
}
