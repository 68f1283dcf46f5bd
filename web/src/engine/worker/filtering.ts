/** The filter of the trace on the stage: the events that it chooses, their live objects, and excerpts as text. */
import type { FilterCondition, KmemSession } from "#wasm";
import { Pace } from "../pace.ts";

const SLICE_OPS = 1 << 16;

/** How many events were chosen. */
export interface ChosenEvents {
	readonly events: number;
	/** Events that an excerpt starts with: allocations of objects that are live at that point, and settings. */
	readonly before: number;
}

/** Chosen objects that are live at a position, by their slab's serial number and their index in it. */
export interface ChosenObjects {
	readonly serials: Uint32Array;
	readonly indices: Uint16Array;
}

/** A part of the trace as a slabtrace. */
export interface Excerpt extends ChosenEvents {
	readonly text: Blob;
}

/** How many events of each part of the trace pass the filter: equal parts from event `from` to event `to`. */
export interface ChosenParts {
	readonly from: number;
	readonly to: number;
	readonly counts: Uint32Array;
}

export class Filtering {
	/** A session has one filter, so questions wait for one another. */
	#last: Promise<unknown> = Promise.resolve();
	#onStage: readonly FilterCondition[] = [];
	#partsAsked = 0;

	/**
	 * From now on, moves can go through the chosen events; passing no conditions ends that. Rejects for a bad
	 * condition.
	 */
	choose(
		session: KmemSession,
		conditions: readonly FilterCondition[],
		pace: Pace,
	): Promise<ChosenEvents> {
		return this.#next(() => {
			this.#onStage = conditions;
			return this.#run(session, conditions, pace);
		});
	}

	/** Writes the chosen events as text; the stage keeps its own filter. */
	excerpt(
		session: KmemSession,
		conditions: readonly FilterCondition[],
		anonymous: boolean,
		pace: Pace,
	): Promise<Excerpt> {
		return this.#next(async () => {
			try {
				const { events, before } = await this.#run(session, conditions, pace);
				if (events === 0)
					throw new Error("No event passes all the conditions: relax or remove one of them.");
				const chosen = conditions.length > 0;
				const parts: Uint8Array<ArrayBuffer>[] = [];
				for (const part of session.export("slabtrace", { chosen, anonymous })) {
					parts.push(part);
					await pace.breathe({ phase: "measuring", done: 0, total: events, events });
				}
				return { events, before, text: new Blob(parts) };
			} finally {
				await this.#run(session, this.#onStage, pace);
			}
		});
	}

	/**
	 * Counts the events that pass the stage's filter in each of at most this many equal parts of events `from` to `to`;
	 * a part has at least one event. A later question stops an earlier one, which rejects. Without a filter all counts
	 * are 0.
	 */
	parts(session: KmemSession, from: number, to: number, most: number): Promise<ChosenParts> {
		const question = ++this.#partsAsked;
		const pace = new Pace(
			() => {},
			() => this.#partsAsked !== question,
		);
		return this.#next(async () => {
			pace.check();
			const last = Math.min(to, session.nrOps - 1);
			const events = Math.max(0, last - from + 1);
			const counts = new Uint32Array(Math.min(most, events));
			const startOf = (part: number) => from + Math.floor((part * events) / counts.length);
			// Parts without chosen events cost nothing, because the next chosen event is past them.
			for (let op = session.filter.next(from, 1); op !== undefined && op <= last; ) {
				const part = Math.floor(((op - from + 1) * counts.length - 1) / events);
				const end = startOf(part + 1);
				counts[part] = nrOfBits(session.filter.bits(op, end - op));
				await pace.breathe({ phase: "searching", done: end - from, total: events, events });
				op = session.filter.next(end, 1);
			}
			return { from, to: last, counts };
		});
	}

	async #run(
		session: KmemSession,
		conditions: readonly FilterCondition[],
		pace: Pace,
	): Promise<ChosenEvents> {
		const total = session.nrOps;
		if (conditions.length === 0) {
			session.filter.end();
			return { events: total, before: 0 };
		}
		for (const left of session.filter.slices(conditions, SLICE_OPS))
			await pace.breathe({
				phase: "searching",
				done: Math.max(0, total - left),
				total,
				events: total,
			});
		const { events, before } = session.filter.chosen();
		return { events, before };
	}

	#next<T>(work: () => Promise<T>): Promise<T> {
		const next = this.#last.then(work);
		this.#last = next.catch(() => {});
		return next;
	}
}

function nrOfBits(words: Uint32Array): number {
	let nr = 0;
	for (let word of words) for (; word !== 0; word &= word - 1) nr++;
	return nr;
}

export function chosenObjects(session: KmemSession, ops: number, cache: number): ChosenObjects {
	session.seek(ops);
	const rows = session.filter.objects(cache);
	return {
		serials: Uint32Array.from(rows, (row) => row.slab),
		indices: Uint16Array.from(rows, (row) => row.index),
	};
}
