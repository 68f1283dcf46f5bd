/**
 * The worker of the lessons: it draws small stages and judges problems, so that the stage's own worker is free. It
 * starts with the first question and ends when it has had nothing to do for a while.
 */
import type { Remote } from "comlink";
import { type Hand, hire } from "../../../app/platform/helper_workers.ts";
import { busy } from "../../../app/state/store.ts";
import type { Workbench } from "../../../engine/worker/workbench.ts";

/** Its traces stay replayed for so long. */
const IDLE_MS = 20_000;

let hand: Promise<Hand> | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let timer: ReturnType<typeof setTimeout> | undefined;

function release(): void {
	void hand?.then(({ release }) => release());
	hand = undefined;
}

/** Runs work in the helper, one piece after another. */
export function withHelper<T>(work: (helper: Remote<Workbench>) => Promise<T>): Promise<T> {
	clearTimeout(timer);
	waiting++;
	const run = async () => {
		hand ??= hire();
		const { helper } = await hand.catch((error: unknown) => {
			hand = undefined;
			throw error;
		});
		return work(helper);
	};
	const answer = busy(() => last.then(run, run));
	last = answer.catch(() => {});
	void last.then(() => {
		waiting--;
		if (waiting === 0) timer = setTimeout(release, IDLE_MS);
	});
	return answer;
}
