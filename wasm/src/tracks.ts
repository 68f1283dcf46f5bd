// tracks.ts - memory over time as counter tracks of a Perfetto trace; session.tracks.

import type { Calls } from "./core.ts";
import { copyBytes } from "./core.ts";

const ALL_CACHES = 0xffff;
const SLICE_OPS = 1 << 14;

/** The next bytes of the file, and the events still to go. */
export interface TracksPart {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly left: number;
}

export class Tracks {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** Replays the trace once more: all caches together, and the `top` largest. Moves the position. */
	*parts(top: number, sliceOps = SLICE_OPS): Generator<TracksPart, void, void> {
		const { kmem, s, scratch } = this.host;
		this.host.check(kmem.kmem_tracks_begin(s, ALL_CACHES, top, 0));
		for (;;) {
			const left = this.host.check(Number(kmem.kmem_tracks_run(s, sliceOps)));
			const at = this.host.pointer(kmem.kmem_tracks_bytes(s, scratch));
			const nr = new DataView(kmem.memory.buffer).getUint32(scratch, true);
			yield { bytes: new Uint8Array(copyBytes(kmem.memory, at, nr)), left };
			if (left === 0) return;
		}
	}
}
