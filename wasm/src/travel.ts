// travel.ts - histories and searches in a session: what happened to a cache, a slab or an object, and where a
// condition next holds or last held. Used through KmemSession; see kmem.h.

import * as abi from "./abi.ts";
import { copyBytes, type KmemExports } from "./core.ts";

/** No such event, slab or object. */
const NONE = 0xffffffff;
const ANY_CACHE = 0xffff;
const INDEX_SLICE_OPS = 1 << 16;
const FIND_SLICE_OPS = 1 << 15;
const ROWS_MOST = 4096;
const PRINTS_MOST = 4096;

/** A cache; with `slab` one of its slabs by serial number; with `index` too, a slot in that slab. */
export interface Thing {
	readonly cache: number;
	readonly slab?: number | undefined;
	readonly index?: number | undefined;
}

/** A condition, for one thing or for any. */
export interface Condition extends Partial<Thing> {
	readonly when: abi.When;
	/** With WHEN_STEP: the kind of step. */
	readonly step?: abi.StepKindName | undefined;
}

/** So many steps of that event; all events before it are done. */
export interface Point {
	readonly op: number;
	readonly step: number;
}

export interface LifePage {
	/** From this event on; backwards, before it. */
	readonly from?: number | undefined;
	readonly back?: boolean | undefined;
	readonly max?: number | undefined;
}

/** The parts of a session that are needed: its module, itself, room for arguments, and its way to read answers. */
export interface Calls {
	readonly kmem: KmemExports;
	readonly s: number;
	readonly scratch: number;
	check(result: number): number;
	pointer(address: number): number;
	memory(): DataView;
}

/** The conditions in a row's `what`. */
export function moments(what: number): abi.When[] {
	return Object.values(abi.When).filter((when) => (what >>> when) & 1);
}

export class Travel {
	private readonly calls: Calls;
	private searches = 0;

	constructor(calls: Calls) {
		this.calls = calls;
	}

	*index(budgetBytes: number, sliceOps = INDEX_SLICE_OPS): Generator<number, void, void> {
		const { kmem, s, check } = this.calls;
		check(kmem.kmem_index_begin(s, BigInt(budgetBytes)));
		for (;;) {
			const left = check(Number(kmem.kmem_index_run(s, sliceOps)));
			if (left === 0) {
				return;
			}
			yield left;
		}
	}

	get indexBytes(): number {
		return Number(this.calls.kmem.kmem_index_bytes(this.calls.s));
	}

	life({ cache, slab = NONE, index = NONE }: Thing): abi.Life {
		const { kmem, s, pointer, memory } = this.calls;
		const at = pointer(kmem.kmem_life(s, cache, slab, index));
		return abi.readLife(memory(), at);
	}

	rows({ cache, slab = NONE, index = NONE }: Thing, page: LifePage): abi.LifeRow[] {
		const { kmem, s, scratch, pointer, memory } = this.calls;
		const back = page.back ? 1 : 0;
		const from = page.from ?? (back ? NONE : 0);
		const max = page.max ?? ROWS_MOST;
		const at = pointer(kmem.kmem_life_rows(s, cache, slab, index, from, back, max, scratch));
		const view = memory();
		return Array.from({ length: view.getUint32(scratch, true) }, (_, i) =>
			abi.readLifeRow(view, at + i * abi.LIFE_ROW_SIZE),
		);
	}

	incarnation(op: number): abi.Incarnation {
		const { kmem, s, pointer, memory } = this.calls;
		const at = pointer(kmem.kmem_incarnation(s, op));
		return abi.readIncarnation(memory(), at);
	}

	allocAt(cache: number, slab: number, index: number, op: number): number | undefined {
		const { kmem, s } = this.calls;
		const found = kmem.kmem_alloc_at(s, cache, slab, index, op) >>> 0;
		return found === NONE ? undefined : found;
	}

	/**
	 * A number for the decisions of each of n events from op on, at most MAX_PRINTS: machines decide alike while
	 * their numbers are equal.
	 */
	prints(op: number, n = PRINTS_MOST): Uint32Array<ArrayBuffer> {
		const { kmem, s, scratch, pointer, memory } = this.calls;
		const at = pointer(kmem.kmem_prints(s, op, n, scratch));
		const nr = memory().getUint32(scratch, true);
		return new Uint32Array(copyBytes(kmem.memory, at, nr * 4));
	}

	/** Yields how many events may be left. A new search ends the previous one, which then finds nothing. */
	*find(
		conditions: readonly Condition[],
		from: Point,
		back: boolean,
		sliceOps = FIND_SLICE_OPS,
	): Generator<number, abi.Found | undefined, void> {
		const { kmem, s, scratch, check, memory } = this.calls;
		this.put(conditions);
		const mine = ++this.searches;
		const direction = back ? 1 : 0;
		check(kmem.kmem_find_begin(s, scratch, conditions.length, from.op, from.step, direction));
		for (;;) {
			const left = check(Number(kmem.kmem_find_run(s, sliceOps)));
			if (left === 0) {
				break;
			}
			yield left;
			if (mine !== this.searches) {
				return undefined;
			}
		}
		const at = kmem.kmem_found(s) >>> 0;
		return at === 0 ? undefined : abi.readFound(memory(), at);
	}

	findNow(conditions: readonly Condition[], from: Point, back: boolean): abi.Found | undefined {
		const search = this.find(conditions, from, back);
		for (;;) {
			const { done, value } = search.next();
			if (done) {
				return value;
			}
		}
	}

	/** Conditions as rows in the scratch area; the core refuses more than 64. */
	private put(conditions: readonly Condition[]): void {
		const { scratch, memory } = this.calls;
		const view = memory();
		conditions.slice(0, ROWS_MOST).forEach((condition, i) => {
			const at = scratch + i * abi.CONDITION_SIZE;
			view.setUint32(at, condition.slab ?? NONE, true);
			view.setUint32(at + 4, condition.index ?? NONE, true);
			view.setUint16(at + 8, condition.when, true);
			view.setUint16(at + 10, stepNumber(condition.step), true);
			view.setUint16(at + 12, condition.cache ?? ANY_CACHE, true);
			view.setUint16(at + 14, 0, true);
		});
	}
}

function stepNumber(name: abi.StepKindName | undefined): number {
	return name === undefined ? 0 : abi.STEP_KINDS.findIndex((kind) => kind.name === name);
}
