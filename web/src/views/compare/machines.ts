/** Compares machines: their text form, and the calls to the worker. */
import type { Totals } from "#abi";
import { engine, onProgress } from "../../app/platform/engine_link.ts";
import { ownRecording } from "../../app/platform/page_files.ts";
import { inFull } from "../../app/playback/opened.ts";
import { forkOf } from "../../app/state/sandbox_text.ts";
import {
	allocatorOf,
	busy,
	change,
	type Future,
	facts,
	lookUp,
	MOST_OTHERS,
	partOf,
	START,
} from "../../app/state/store.ts";
import { isCancelled } from "../../base/errors.ts";
import type { ComparedMachine, Comparison, Fork, StageOf } from "../../engine/answers.ts";
import type { Built, Machine, Moment } from "../../engine/types.ts";

/** A trace that the browser keeps, as a machine's own trace. */
export function recentTrace(key: string): string {
	return `recent:${key}`;
}

/** The futures of a forked trace, as a machine's own trace. */
const FUTURE = "future:";
export const futureTrace = (future: Future) => `${FUTURE}${future}`;
const FUTURE_WORDS: Readonly<Record<string, string>> = {
	[futureTrace("recorded")]: "the recorded future",
	[futureTrace("yours")]: "your future",
};

/** Whether a machine replays the trace on the stage, or a future of it: then its slabs are comparable. */
export function isOnStageTrace(spec: string): boolean {
	const trace = traceIn(spec);
	return trace === "" || trace.startsWith(FUTURE);
}

/** A machine's own trace as people read it. */
export function traceWords(trace: string): string {
	return FUTURE_WORDS[trace] ?? trace;
}

/** Opens Compare with the other future of the forked trace as a machine, beside the one on the stage. */
export function compareFutures(): void {
	const { built, versus, future, comparing } = facts();
	const other = futureTrace(future === "yours" ? "recorded" : "yours");
	const isFuture = (spec: string) => traceIn(spec).startsWith(FUTURE);
	const rest = versus === START.versus ? [] : versus.filter((spec) => !isFuture(spec));
	const specs = [specOf(allocatorOf(built), "", other), ...rest].slice(0, MOST_OTHERS);
	change({
		versus: specs,
		comparing: { ...comparing, other: 1 },
		...partOf("compare", "machines"),
	});
}

/** The key of a machine's own trace among its settings. */
const TRACE = "trace";

/**
 * ALLOCATOR[,KEY=VALUE...], as on the command line: a value may contain commas. The settings are added to those of
 * the machine on the stage.
 */
export function machineOf(spec: string, base: Machine): Machine {
	const values: Record<string, string> = { ...base.values };
	let preset = base.preset;
	for (const [i, part] of spec.split(/,(?=[^,]*=)/).entries()) {
		const equals = part.indexOf("=");
		const [key, value] =
			equals < 0 ? ["allocator", part] : [part.slice(0, equals), part.slice(equals + 1)];
		if (equals < 0 && i > 0) continue;
		if (key === TRACE) continue;
		if (key === "preset") preset = value;
		else values[key] = value;
	}
	return { preset, values };
}

export function allocatorIn(spec: string): string {
	return spec.split(",")[0] ?? "";
}

/** The settings as the visitor writes them; the trace has a choice of its own. */
export function settingsIn(spec: string): string {
	return partsOf(spec)
		.filter((part) => !part.startsWith(`${TRACE}=`))
		.join(",");
}

/** The trace that the machine replays; "" for the trace on the stage. */
export function traceIn(spec: string): string {
	const part = partsOf(spec).find((one) => one.startsWith(`${TRACE}=`));
	return part?.slice(TRACE.length + 1) ?? "";
}

function partsOf(spec: string): string[] {
	return spec.split(/,(?=[^,]*=)/).slice(1);
}

export function specOf(allocator: string, settings: string, trace = ""): string {
	const parts = [allocator, settings.trim().replace(/\s+/g, ","), trace && `${TRACE}=${trace}`];
	return parts.filter((part) => part !== "").join();
}

/** The comparison that the worker holds, and its inputs. */
let made:
	| { built: Built | null; specs: readonly string[]; answer: Promise<Comparison | null> }
	| undefined;

/**
 * Null if it was cancelled; rejects with a sentence for an invalid machine. The same question gives the same object.
 */
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
		throw new Error("This trace has no fork any more: choose another trace for the machine.");
	return forkOf(sandbox);
}

async function compared(specs: readonly string[]): Promise<Comparison | null> {
	const { trace, machine } = facts();
	const comparedOf = async (spec: string): Promise<ComparedMachine> => {
		const other = traceIn(spec);
		if (other.startsWith(FUTURE))
			return {
				...machineOf(spec, inFull(trace, machine)),
				future: futureNamed(other.slice(FUTURE.length)),
			};
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

/** In the middle of an event the other machine is shown as it was before it. */
export function stageOf(other: number, moment: Moment, cache: string): StageOf {
	const { op, step } = moment.position;
	return { other, op, isDone: step >= moment.nrSteps - 1, cache };
}
