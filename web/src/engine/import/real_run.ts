/** The model against the run of a real kernel: a copy of the session reads the states and checks every allocation. */
import type { Checked, Edge, KmemSession } from "#wasm";
import { type Pace, through } from "../pace.ts";
import { type StageCopy, sessionOf } from "../stage_copy.ts";
import { readBytes } from "./unpack.ts";

/** How many parts of the run the band of agreement shows. */
export const BAND_PARTS = 200;

/** How many events to process before other work gets a turn. */
const SLICE_EVENTS = 20_000;
const THOUSAND = 1000;

export interface RunStates {
	readonly start: File;
	readonly stop: File | undefined;
}

/** `stage`: the session with the trace. Its copy is checked. */
export async function checkRun(
	module: WebAssembly.Module,
	stage: StageCopy,
	{ start, stop }: RunStates,
	pace: Pace,
): Promise<Checked> {
	const session = await sessionOf(module, stage);
	// The check has its own copy of the start state, because the stage may also start from that state.
	session.reality.beginWithState(false);
	await readState(module, session, "start", start);
	if (stop) await readState(module, session, "stop", stop);
	const slices = session.reality.checkSlices(false, SLICE_EVENTS);
	await through(pace, "measuring", THOUSAND, slices, 0);
	return session.reality.checked(BAND_PARTS);
}

/** Reads the state of a run; rejects with a sentence that names the file. */
export async function readState(
	module: WebAssembly.Module,
	{ reality }: KmemSession,
	edge: Edge,
	file: File,
): Promise<void> {
	const take = async (bytes: Uint8Array) => reality.stateChunk(bytes);
	reality.stateBegin(edge);
	try {
		await readBytes(file, module, { take, onRead: async () => {} });
		reality.stateEnd();
	} catch (error) {
		throw new Error(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
