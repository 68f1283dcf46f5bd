/** Compares machines: the calls to the worker. */
import type { Totals } from "#abi";
import { engine, onProgress } from "../../app/platform/engine_link.ts";
import { ownRecording } from "../../app/platform/page_files.ts";
import { inFull } from "../../app/playback/opened.ts";
import { go, pause } from "../../app/playback/player.ts";
import { say } from "../../app/state/announce.ts";
import { futureIn, letterOf, machineOf, traceIn } from "../../app/state/machine_spec.ts";
import { forkOf } from "../../app/state/sandbox_text.ts";
import { busy, facts, lookUp } from "../../app/state/store.ts";
import { isCancelled } from "../../base/errors.ts";
import type {
	ComparedMachine,
	Comparison,
	DifferenceOf,
	Fork,
	StageOf,
} from "../../engine/answers.ts";
import type { Built, Moment } from "../../engine/types.ts";

/** The comparison that the worker holds, and its inputs. */
let made:
	| { built: Built | null; specs: readonly string[]; answer: Promise<Comparison | null> }
	| undefined;

/**
 * Null if it was cancelled; rejects with a sentence for an invalid machine. Asking the same again gives the same object. */
export function compareWith(specs: readonly string[]): Promise<Comparison | null> {
	const { built } = facts();
	if (made?.built === built && made.specs === specs) return made.answer;
	const answer = compared(specs);
	made = { built, specs, answer };
	const forget = () => {
		if (made?.answer === answer) made = undefined;
	};
	answer.then((comparison) => comparison ?? forget(), forget);
	return answer;
}

function futureNamed(future: string): Fork | null {
	const { sandbox } = facts();
	if (future === "recorded") return null;
	if (!sandbox?.after)
		throw new Error("This trace has no branch any more: choose another trace for the machine.");
	return forkOf(sandbox);
}

async function compared(specs: readonly string[]): Promise<Comparison | null> {
	const { trace, machine } = facts();
	const comparedOf = async (spec: string): Promise<ComparedMachine> => {
		const other = traceIn(spec);
		const future = futureIn(other);
		if (future !== undefined)
			return { ...machineOf(spec, inFull(trace, machine)), future: futureNamed(future) };
		const base = inFull(other || trace, machine);
		const isSample = facts().samples.some(({ file }) => file === other);
		const file = isSample ? await ownRecording(other) : undefined;
		return { ...machineOf(spec, base), ...(other && { trace: other, file }) };
	};
	try {
		return await lookUp(async () =>
			engine().compare(await Promise.all(specs.map(comparedOf)), onProgress),
		);
	} catch (error) {
		if (isCancelled(error)) return null;
		throw error;
	}
}

export function totalsAt(op: number): Promise<readonly Totals[]> {
	return busy(() => engine().compareAt(op));
}

/** Both machines take the steps of the event together; the last step stands for all that the other machine has left. */
export function stageOf(other: number, { position, nrSteps }: Moment, cache: string): StageOf {
	const { op, step } = position;
	return { other, op, step: step >= nrSteps - 1 ? "last" : step, cache };
}

/** Goes to an event that costs the other machine more or less, or says that there is none. */
export async function goToDifference(of: DifferenceOf): Promise<void> {
	pause();
	try {
		const op = await lookUp(() => engine().difference(of, onProgress));
		if (op !== undefined) go({ kind: "at", op, step: "last" });
		else {
			const later = of.after === undefined ? "" : "later ";
			const events = `every ${later}event${of.cache && ` of ${of.cache}`}`;
			say(`A and ${letterOf(of.other)} take the same number of cycles for ${events}.`);
		}
	} catch (error) {
		if (!isCancelled(error)) throw error;
	}
}
