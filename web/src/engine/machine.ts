/** Sets the page's machine in a session. */
import type { KmemSession, KmemViewer } from "#wasm";
import type { WithMachineState } from "./answers.ts";
import type { Pace } from "./pace.ts";
import { builtOf, known } from "./rows.ts";
import type { Start } from "./stage_copy.ts";
import type { Machine } from "./types.ts";

/** How many events to process before other work gets a turn. */
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

/** Replays the trace on the machine that is set. */
export async function replay(session: KmemViewer, pace: Pace): Promise<void> {
	const total = session.nrOps;
	for (const left of session.buildSlices(0, SLICE_OPS))
		await pace.breathe({ phase: "replaying", done: total - left, total, events: total });
}

/** The machine state that is shown, and the built caches with their other names in it. */
export function withMachineState(
	session: KmemSession,
	{ hasCaches, isWarm }: Start,
): WithMachineState {
	const built = builtOf(session);
	const names = built.caches.map(
		({ name }) => [name, session.realMachine.aliasesOf(name)] as const,
	);
	return {
		machineState: session.machineState().map(known),
		aliases: Object.fromEntries(names.filter(([, others]) => others !== "")),
		built,
		used: hasCaches,
		warm: isWarm,
		said: "",
	};
}
