// lookup.ts - recorded pointers and tasks of events, for imports that keep them, and what dmesg says about them.

import * as abi from "./abi.ts";
import { Group } from "./group.ts";

/** Matches enum kmem_keep in kmem_doctor.h. */
const KEEP_POINTERS = 1;
const KEEP_TASKS = 2;
const KEEP_EFFECTS = 4;

/** Details that an import keeps of each event. */
export interface Keep {
	readonly pointers: boolean;
	readonly tasks: boolean;
	/** The lines slub_stat and slub_op, which say what the kernel did in an event. */
	readonly effects: boolean;
}

export interface Kept extends Keep {
	/** Whether it was dropped: it did not fit in memory, or the events are in another order now. */
	readonly dropped: boolean;
	/** Memory that it takes. */
	readonly bytes: number;
}

/** An allocation or a free as a report describes it. */
export interface LookupTrack extends abi.LookupTrack {
	readonly site: string;
}

/** A matching object, from its allocation to its free. */
export interface LookupLife extends abi.LookupLife {
	readonly cache: string;
	readonly allocSite: string;
	readonly freeSite: string;
	readonly allocTask: string;
	readonly freeTask: string;
	/** Words for each match. */
	readonly fits: readonly string[];
}

export interface LookupNeighbour extends abi.LookupNeighbour {
	readonly cache: string;
}

/** A pointer or a dmesg report, and the events that match it. */
export interface LookupResult extends abi.Lookup {
	readonly title: string;
	readonly cache: string;
	readonly site: string;
	readonly task: string;
	readonly answer: string;
	readonly note: string;
	readonly allocated: LookupTrack;
	readonly freed: LookupTrack;
	readonly lives: readonly LookupLife[];
	readonly neighbours: readonly LookupNeighbour[];
}

/** Stands for no event or number. */
const NONE = 0xffffffff;

export class Lookup extends Group {
	/**
	 * After importBegin, before the first chunk: also keeps each event's recorded pointer (8 bytes) and its task (4), and
	 * the lines of slub_stat and slub_op (40 each). They are dropped if they do not fit: see kept().
	 */
	keep(what: Keep): void {
		const { kmem, s } = this;
		const flags =
			(what.pointers ? KEEP_POINTERS : 0) |
			(what.tasks ? KEEP_TASKS : 0) |
			(what.effects ? KEEP_EFFECTS : 0);
		this.ok(kmem.kmem_import_keep(s, flags));
	}

	kept(): Kept {
		const row = this.address(this.kmem.kmem_kept(this.s));
		const { flags, dropped, bytes } = abi.readKept(this.memory(), row);
		return {
			pointers: (flags & KEEP_POINTERS) !== 0,
			tasks: (flags & KEEP_TASKS) !== 0,
			effects: (flags & KEEP_EFFECTS) !== 0,
			dropped: (dropped & (KEEP_POINTERS | KEEP_TASKS)) !== 0,
			bytes: Number(bytes),
		};
	}

	/** Returns the event's pointer as recorded, hashed or not; 0n if it is unknown or was not kept. */
	pointer(op: number): bigint {
		return BigInt.asUintN(64, this.kmem.kmem_pointer(this.s, op));
	}

	/** Returns the event's task as "comm-pid"; "" if it is unknown or was not kept. */
	task(op: number): string {
		return this.text(this.kmem.kmem_task(this.s, op));
	}

	/** Finds the first event at or after `op` with this recorded pointer, or the last one before it; undefined if there is none. */
	findPointer(pointer: bigint, op: number, back = false): number | undefined {
		const { kmem, s } = this;
		const found = kmem.kmem_find_pointer(s, BigInt.asIntN(64, pointer), op, back ? 1 : 0) >>> 0;
		return found === NONE ? undefined : found;
	}

	/** Looks up a pointer, or one report from SLUB's debugging or KASAN; see kmem_lookup. */
	find(text: string): LookupResult {
		const at = this.putText(text, 0);
		const length = new TextEncoder().encode(text).length;
		const row = this.address(this.kmem.kmem_lookup(this.s, at, length));
		const raw = abi.readLookup(this.memory(), row);
		const words = (offset: number) => this.textAt(offset);
		const tracks = this.rowsAt(raw.tracksAt, 2, abi.LOOKUP_TRACK_SIZE, abi.readLookupTrack).map(
			(track) => ({ ...track, site: words(track.siteAt) }),
		);
		const lives = this.rowsAt(
			raw.livesAt,
			raw.nrLives,
			abi.LOOKUP_LIFE_SIZE,
			abi.readLookupLife,
		).map((life) => ({
			...life,
			cache: words(life.cacheAt),
			allocSite: words(life.allocSiteAt),
			freeSite: words(life.freeSiteAt),
			allocTask: words(life.allocTaskAt),
			freeTask: words(life.freeTaskAt),
			fits: abi.LOOKUP_MATCH_WORDS.filter((_, bit) => ((life.matched >> bit) & 1) !== 0),
		}));
		const neighbours = this.rowsAt(
			raw.neighboursAt,
			raw.nrNeighbours,
			abi.LOOKUP_NEIGHBOUR_SIZE,
			abi.readLookupNeighbour,
		).map((neighbour) => ({ ...neighbour, cache: words(neighbour.cacheAt) }));
		const [allocated, freed] = tracks as [LookupTrack, LookupTrack];
		return {
			...raw,
			title: words(raw.titleAt),
			cache: words(raw.cacheAt),
			site: words(raw.siteAt),
			task: words(raw.taskAt),
			answer: words(raw.answerAt),
			note: words(raw.noteAt),
			allocated,
			freed,
			lives,
			neighbours,
		};
	}
}
