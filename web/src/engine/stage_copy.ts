/** A copy of the session on the stage, with its start, for replays elsewhere. The first view does not need it. */
import { KmemSession } from "#wasm";
import type { Machine } from "./types.ts";

/** What a replay starts from, apart from its trace and machine. */
export interface Start {
	/** The machine state that is shown with the model. */
	readonly state: Uint8Array | undefined;
	/** The one from before the trace, if the one that is shown is from after it. */
	readonly before: Uint8Array | undefined;
	/** Whether caches have its parameters. */
	readonly hasCaches: boolean;
	/** Whether the replay starts from its slabs. */
	readonly isWarm: boolean;
	/** Whether it otherwise starts from the slabs that the trace's pointers reveal. */
	readonly infers: boolean;
	/** Whether it starts from the state of the kernel that recorded this trace. */
	readonly isKernels: boolean;
}

export const COLD: Start = {
	state: undefined,
	before: undefined,
	hasCaches: false,
	isWarm: false,
	infers: false,
	isKernels: false,
};

/** Reads the machine states: the one from before the trace, and the one that is shown. */
export function readStates(session: KmemSession, { state, before }: Start): void {
	if (before) {
		session.readMachineState([before]);
		session.realMachine.isBefore(true);
	}
	if (state) session.readMachineState([state]);
}

/**
 * Another trace starts as the one on the stage does, except from a kernel state. A copy of that session needs no such
 * call.
 */
export function useStart(session: KmemSession, start: Start): void {
	const { hasCaches, isWarm, infers } = start;
	session.inferStart(infers);
	if (!(hasCaches || isWarm)) return;
	readStates(session, start);
	session.applyMachineState(hasCaches);
	session.beginWarm(isWarm);
}

/** A copy of the session on the stage for replays elsewhere, with all its settings and its start. */
export interface StageCopy {
	readonly trace: string;
	readonly image: Blob;
	readonly machine: Machine;
	readonly start: Start;
}

const PIECE_BYTES = 16 << 20;

/** Makes a session like the one on the stage; it has to be built again. */
export async function sessionOf(
	module: WebAssembly.Module,
	{ image }: StageCopy,
): Promise<KmemSession> {
	const session = await KmemSession.ofImage(module, image.size);
	for (let at = 0; at < image.size; at += PIECE_BYTES)
		session.fillImage(at, new Uint8Array(await image.slice(at, at + PIECE_BYTES).arrayBuffer()));
	return session;
}
