/** Memory over time, as counter tracks of a Perfetto trace. */
import type { KmemSession } from "#wasm";
import type { Pace } from "../pace.ts";

/** Caches with tracks of their own, as the command has them. */
const TOP = 8;

/** One more replay, in slices. */
export async function perfettoTracks(session: KmemSession, pace: Pace): Promise<Blob> {
	const total = session.nrOps;
	const parts: Uint8Array<ArrayBuffer>[] = [];
	for (const { bytes, left } of session.tracks.parts(TOP)) {
		parts.push(bytes);
		await pace.breathe({ phase: "measuring", done: total - left, total, events: total });
	}
	return new Blob(parts, { type: "application/octet-stream" });
}
