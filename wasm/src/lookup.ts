// lookup.ts - recorded pointers and tasks of events, for imports that keep them.

import * as abi from "./abi.ts";
import { type Calls, readText } from "./core.ts";

/** enum kmem_keep of kmem_doctor.h. */
const KEEP_POINTERS = 1;
const KEEP_TASKS = 2;

/** What an import keeps of each event beside the event itself. */
export interface Keep {
	readonly pointers: boolean;
	readonly tasks: boolean;
}

export interface Kept extends Keep {
	/** It did not fit in memory, or the events have another order now. */
	readonly dropped: boolean;
	/** Memory that it takes. */
	readonly bytes: number;
}

export class Lookup {
	private readonly calls: Calls;

	constructor(calls: Calls) {
		this.calls = calls;
	}

	/**
	 * After importBegin, before the first chunk: also keeps each event's recorded pointer (8 bytes) and its task (4). They
	 * are dropped if they do not fit: see kept().
	 */
	keep(what: Keep): void {
		const { kmem, s } = this.calls;
		const flags = (what.pointers ? KEEP_POINTERS : 0) | (what.tasks ? KEEP_TASKS : 0);
		this.calls.check(kmem.kmem_import_keep(s, flags));
	}

	kept(): Kept {
		const { kmem, s } = this.calls;
		const row = this.calls.pointer(kmem.kmem_kept(s));
		const { flags, dropped, bytes } = abi.readKept(new DataView(kmem.memory.buffer), row);
		return {
			pointers: (flags & KEEP_POINTERS) !== 0,
			tasks: (flags & KEEP_TASKS) !== 0,
			dropped: dropped !== 0,
			bytes: Number(bytes),
		};
	}

	/** The event's pointer as recorded, hashed or not; 0n if it is unknown or was not kept. */
	pointer(op: number): bigint {
		return BigInt.asUintN(64, this.calls.kmem.kmem_pointer(this.calls.s, op));
	}

	/** The event's task as "comm-pid"; "" if it is unknown or was not kept. */
	task(op: number): string {
		const { kmem, s } = this.calls;
		return readText(kmem.memory, kmem.kmem_task(s, op));
	}
}
