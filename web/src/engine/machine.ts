/** Sets the page's machine in a session. */
import { KmemSession, type KmemViewer } from "#wasm";
import type { WithMachineState } from "./answers.ts";
import type { Pace } from "./pace.ts";
import { builtOf, known } from "./rows.ts";
import type { Machine } from "./types.ts";

/** Events between two breaths. */
export const SLICE_OPS = 50_000;

export const NOTHING: Machine = { preset: "", values: {} };

/** Resets the settings of `before` and sets those of `after`. */
export function configure(
	session: KmemViewer,
	before: Machine,
	after: Machine,
	force = false,
): void {
	for (const key of Object.keys(before.values))
		if (!(key in after.values)) setKey(session, key, "");
	if (after.preset !== before.preset || force) session.preset(after.preset);
	for (const [key, value] of Object.entries(after.values)) setKey(session, key, value);
}

function setKey(session: KmemViewer, key: string, value: string): void {
	session.set(key as Parameters<KmemViewer["set"]>[0], value);
}

/** The start of a replay, beside its trace and machine. */
export interface Start {
	/** The machine state that is shown with the model. */
	readonly state: Uint8Array | undefined;
	/** Caches have its parameters. */
	readonly hasCaches: boolean;
	/** The replay begins with its slabs. */
	readonly isWarm: boolean;
	/** Else it begins with the slabs that the trace's pointers show. */
	readonly infers: boolean;
}

export const COLD: Start = { state: undefined, hasCaches: false, isWarm: false, infers: false };

/** Another trace begins as the one on the stage does. A copy of that session needs no such call. */
export function useStart(session: KmemSession, { state, hasCaches, isWarm, infers }: Start): void {
	session.inferStart(infers);
	if (!state || !(hasCaches || isWarm)) return;
	session.readMachineState([state]);
	session.applyMachineState(hasCaches);
	session.beginWarm(isWarm);
}

/** The session on the stage for replays elsewhere: all its settings and its start come along. */
export interface StageCopy {
	readonly trace: string;
	readonly image: Blob;
	readonly machine: Machine;
	readonly start: Start;
}

const PIECE_BYTES = 16 << 20;

/** A session like the one on the stage; it has to be built again. */
export async function sessionOf(
	module: WebAssembly.Module,
	{ image }: StageCopy,
): Promise<KmemSession> {
	const session = await KmemSession.ofImage(module, image.size);
	for (let at = 0; at < image.size; at += PIECE_BYTES)
		session.fillImage(at, new Uint8Array(await image.slice(at, at + PIECE_BYTES).arrayBuffer()));
	return session;
}

/** Replays the trace on the machine that is set. */
export async function replay(session: KmemViewer, pace: Pace): Promise<void> {
	const total = session.nrOps;
	for (const left of session.buildSlices(0, SLICE_OPS))
		await pace.breathe({ phase: "replaying", done: total - left, total, events: total });
}

/** The machine state that is shown, and the built caches with their other names in it. */
export function withMachineState(session: KmemSession): WithMachineState {
	const built = builtOf(session);
	const names = built.caches.map(
		({ name }) => [name, session.realMachine.aliasesOf(name)] as const,
	);
	return {
		machineState: session.machineState().map(known),
		aliases: Object.fromEntries(names.filter(([, others]) => others !== "")),
		built,
	};
}
