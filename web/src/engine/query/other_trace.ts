/** Opens and replays the trace of a compared machine if that is not the trace on the stage. */
import type { KmemSession } from "#wasm";
import type { ComparedMachine } from "../answers.ts";
import { make } from "../generated_trace.ts";
import { importFile } from "../import/loader.ts";
import { blobOf } from "../input.ts";
import { configure, NOTHING, replay } from "../machine.ts";
import type { Pace } from "../pace.ts";

/** Prefix for the key of a trace that this browser keeps. */
const RECENT = "recent:";

interface Opened {
	readonly session: KmemSession;
}

/**
 * Undefined if the machine replays the trace on the stage; `kept` reads a trace that the browser keeps, `begin` sets
 * its start.
 */
export async function replayedTrace(
	module: WebAssembly.Module,
	machine: ComparedMachine,
	pace: Pace,
	kept: (key: string) => Promise<Opened | undefined>,
	begin: (session: KmemSession) => void,
): Promise<(Opened & { readonly trace: string }) | undefined> {
	const { trace, file } = machine;
	if (!trace) return undefined;
	const { session } = file
		? await importFile(module, await blobOf(file), pace)
		: await opened(module, trace, pace, kept);
	begin(session);
	configure(session, NOTHING, machine, true);
	await replay(session, pace);
	return { session, trace };
}

async function opened(
	module: WebAssembly.Module,
	trace: string,
	pace: Pace,
	kept: (key: string) => Promise<Opened | undefined>,
): Promise<Opened> {
	if (!trace.startsWith(RECENT)) return { session: await make(module, trace, pace) };
	const found = await kept(trace.slice(RECENT.length));
	if (!found)
		throw new Error("This browser no longer has that trace: choose another one to compare.");
	return found;
}
