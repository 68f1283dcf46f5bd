/**
 * Histories and searches in a session: which events touched a thing, and where a condition next holds or last held.
 */
import type { StepKindName, When } from "#abi";
import { conditionsOf, type KmemSession } from "#wasm";
import { NO_PACE, type Pace, through } from "../pace.ts";
import { known } from "../rows.ts";
import type {
	Condition,
	Found,
	Lifetime,
	ObjectHistory,
	Overview,
	Position,
	Thing,
} from "../types.ts";
import { explain, type WhyAnswer } from "./why.ts";

/** How many rows of a history to show on each side of an event. */
const ROWS = 6;
const SLICE_OPS = 1 << 14;
/** Searching fewer events than this is faster than building an index. */
const INDEX_FROM_OPS = 500_000;

export class Histories {
	readonly #session: KmemSession;
	#indexing: Promise<void> | undefined;
	/** The latest call that needs the index reports its progress, even if another call started building it. */
	#pace: Pace = NO_PACE;

	constructor(session: KmemSession) {
		this.#session = session;
	}

	/**
	 * Builds the index once; calls that come meanwhile wait for it. A cancel stops all of them, and the next call
	 * starts over.
	 */
	#index(pace: Pace): Promise<void> {
		this.#pace = pace;
		this.#indexing ??= this.#makeIndex().catch((error) => {
			this.#indexing = undefined;
			throw error;
		});
		return this.#indexing;
	}

	async #makeIndex(): Promise<void> {
		const { nrOps } = this.#session;
		await through(this.#pace, "indexing", nrOps, this.#session.indexSlices(0, SLICE_OPS));
	}

	async overview(pace: Pace): Promise<Overview> {
		await this.#index(pace);
		return { all: this.#session.chapters(), lanes: this.#session.lanes() };
	}

	async why(subject: string, ops: number, cache: number, pace: Pace): Promise<WhyAnswer> {
		await this.#index(pace);
		return explain(this.#session, subject, ops, cache, pace);
	}

	/** Says in words where a thing was before and after each of these events. */
	async moves(thing: Thing, ops: readonly number[], pace: Pace): Promise<readonly string[]> {
		const words: string[] = [];
		for (const op of ops) {
			words.push(this.#session.move(thing, op));
			const [done, total] = [words.length, ops.length];
			await pace.breathe({ phase: "searching", done, total, events: 0 });
		}
		return words;
	}

	async find(
		conditions: readonly Condition[],
		from: Position,
		direction: 1 | -1,
		pace: Pace,
	): Promise<Found | undefined> {
		const total = this.#session.nrOps;
		if (total >= INDEX_FROM_OPS) await this.#index(pace);
		const wanted = conditions.map((c) => ({
			...c,
			when: c.when as When,
			step: c.step as StepKindName | undefined,
		}));
		const back = direction < 0;
		const start = back ? from : { op: from.op, step: from.step + 1 };
		const search = this.#session.findSlices(wanted, start, back, SLICE_OPS);
		for (;;) {
			const { done, value } = search.next();
			if (done)
				return (
					value && { position: { op: value.op, step: value.step }, condition: value.condition }
				);
			const events = total;
			await pace.breathe({ phase: "searching", done: total - value, total, events });
		}
	}

	async objectHistory(thing: Thing, op: number, pace: Pace): Promise<ObjectHistory> {
		await this.#index(pace);
		const before = this.#session.lifeRows(thing, { from: op + 1, back: true, max: ROWS });
		const after = this.#session.lifeRows(thing, { from: op + 1, max: ROWS });
		return {
			...known(this.#session.life(thing)),
			object: this.#lifetime(thing, op),
			rows: [...before, ...after].map(({ op: at, what }) => {
				return { op: at, moments: conditionsOf(what), sentence: this.#session.op(at).sentence };
			}),
		};
	}

	async touch(thing: Thing, op: number, direction: 1 | -1, pace: Pace): Promise<number> {
		await this.#index(pace);
		const page =
			direction > 0 ? { from: op + 1, max: 1 } : ({ from: op, back: true, max: 1 } as const);
		return this.#session.lifeRows(thing, page)[0]?.op ?? -1;
	}

	#lifetime({ cache, slab, index }: Thing, op: number): Lifetime | undefined {
		if (slab === undefined || index === undefined) return undefined;
		const allocOp = this.#session.allocAt(cache, slab, index, op);
		if (allocOp === undefined) return undefined;
		const object = known(this.#session.lifetime(allocOp));
		return { ...object, allocSite: this.#session.op(allocOp).site };
	}
}
