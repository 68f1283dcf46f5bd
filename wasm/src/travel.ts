// travel.ts - histories and searches in a session: what happened to a cache, a slab or an object, and where a
// condition next holds or last held.

import * as abi from "./abi.ts";
import { copyBytes } from "./core.ts";
import type { Named, Series } from "./rows.ts";
import { KmemViewer } from "./viewer.ts";

/** Stands for no such event, slab or object. */
const NONE = 0xffffffff;
const ANY_CACHE = 0xffff;
const ANY_CPU = 0xffff;
const ANY_NODE = 0xffff;
const NO_LEVEL = 0xffff;
const INDEX_SLICE_OPS = 1 << 16;
const FIND_SLICE_OPS = 1 << 15;
const ROWS_MOST = 4096;
const PRINTS_MOST = 4096;

/** How deep the events of each CPU went: lane by lane, a byte for each bucket of events. */
export interface Lanes extends abi.Lanes {
	readonly depths: Uint8Array<ArrayBuffer>;
}

/** A cache; with `slab`, one of its slabs by serial number; with `index` as well, a slot in that slab. */
export interface Thing {
	readonly cache: number;
	readonly slab?: number | undefined;
	readonly index?: number | undefined;
}

/** A condition, for one cache, slab or object, or for any. */
export interface Condition extends Partial<Thing> {
	readonly when: abi.When;
	/** With WHEN_STEP: the kind of step. */
	readonly step?: abi.StepKindName | undefined;
}

/** Steps done of that event; all events before it are done. */
export interface Point {
	readonly op: number;
	readonly step: number;
}

export interface LifePage {
	/** The event to start at or, backwards, before. */
	readonly from?: number | undefined;
	readonly back?: boolean | undefined;
	readonly max?: number | undefined;
}

/**
 * Where each step of an event happens, what it does there and which slab it moves; and the same in columns: levels, model
 * cycles, and 1 for steps that found nothing. There, a step without a level has the level of the step before it.
 */
export interface Path extends abi.Path {
	readonly steps: readonly abi.PathStep[];
	readonly levels: Uint8Array<ArrayBuffer>;
	readonly cyclesOf: Uint32Array<ArrayBuffer>;
	readonly vain: Uint8Array<ArrayBuffer>;
}

/** The contents of a place: who put them there, and the facts in sentences. */
export interface Why extends abi.Why {
	readonly sources: readonly abi.WhySource[];
	/** The latest of the events in which the first source put things there. */
	readonly events: Uint32Array<ArrayBuffer>;
	/** The question that the facts answer. */
	readonly title: string;
	/** The cache, or "" for all of them. */
	readonly name: string;
	/** A value of the setting to try; "" if there is none. */
	readonly value: string;
	readonly facts: readonly string[];
}

/** Whose place it is, and `which` of several of its kind: the target, or the largest size. */
export interface WhyOwner {
	readonly cache?: number;
	readonly cpu?: number;
	readonly node?: number;
	readonly which?: number;
}

export type Chapter = Named<abi.Chapter> & { readonly title: string };

/** The conditions in a row's `what`. */
export function conditionsOf(what: number): abi.When[] {
	return Object.values(abi.When).filter((when) => (what >>> when) & 1);
}

export class KmemTravel extends KmemViewer {
	private searches = 0;

	/**
	 * Builds the index of histories, once after a build, at some 17 bytes per event; yields about how many events are
	 * still to go. Moves the position.
	 */
	*indexSlices(budgetBytes = 0, sliceOps = INDEX_SLICE_OPS): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_INDEX, budgetBytes);
		yield* this.jobSlices(abi.Job.JOB_INDEX, sliceOps);
	}

	/** Returns its size in bytes, 0 while there is none. */
	get indexBytes(): number {
		return Number(this.kmem.kmem_index_bytes(this.s));
	}

	/** Returns the history of a cache, a slab or a slot in numbers; needs the index. */
	life({ cache, slab = NONE, index = NONE }: Thing): abi.Life {
		const at = this.address(this.kmem.kmem_life(this.s, cache, slab, index));
		return abi.readLife(this.memory(), at);
	}

	/** Yields every event that touched it, in order, page by page. */
	lifeRows({ cache, slab = NONE, index = NONE }: Thing, page: LifePage = {}): abi.LifeRow[] {
		const back = Number(page.back ?? false);
		const from = page.from ?? (back ? NONE : 0);
		const max = page.max ?? ROWS_MOST;
		return this.table(
			(s, nr) => this.kmem.kmem_life_rows(s, cache, slab, index, from, back, max, nr),
			abi.LIFE_ROW_SIZE,
			abi.readLifeRow,
		);
	}

	/** Says in words where a slab, or an object, was before and after an event. Moves to after the event. */
	move({ cache, slab = NONE, index = NONE }: Thing, op: number): string {
		const at = this.address(this.kmem.kmem_move(this.s, cache, slab, index, op));
		return this.text(this.base + abi.readMove(this.memory(), at).textAt);
	}

	/** Returns the object that an event allocated or freed, from allocation to free, and its neighbours in time. */
	lifetime(op: number): abi.Lifetime {
		const at = this.address(this.kmem.kmem_lifetime(this.s, op));
		return abi.readLifetime(this.memory(), at);
	}

	/** Finds the allocation of the object in a slot at or before event op, or else the first one after it. */
	allocAt(cache: number, slab: number, index: number, op: number): number | undefined {
		const found = this.kmem.kmem_alloc_at(this.s, cache, slab, index, op) >>> 0;
		return found === NONE ? undefined : found;
	}

	/** Returns the levels of a cache's places, or of all caches together, from fast to slow; with an index, also what ended there. */
	levels(cache = ANY_CACHE): abi.LevelRow[] {
		return this.table(
			(s, nr) => this.kmem.kmem_levels(s, cache, nr),
			abi.LEVEL_ROW_SIZE,
			abi.readLevelRow,
		);
	}

	/** Returns the path of an event through the levels of its cache, numbered from 0. Moves to after the event. */
	path(op: number): Path {
		const at = this.address(this.kmem.kmem_path(this.s, op));
		// Afterwards: while it goes there, the memory may grow.
		const path = abi.readPath(this.memory(), at);
		const steps = this.table(
			(s, nr) => this.kmem.kmem_path_steps(s, op, nr),
			abi.PATH_STEP_SIZE,
			abi.readPathStep,
		);
		let level = 0;
		return {
			...path,
			steps,
			levels: Uint8Array.from(steps, (step) => {
				level = step.level === NO_LEVEL ? level : step.level;
				return level;
			}),
			cyclesOf: Uint32Array.from(steps, ({ cycles }) => cycles),
			vain: Uint8Array.from(steps, ({ verb }) => Number(verb === abi.Verb.VERB_IN_VAIN)),
		};
	}

	/** Returns an event as a title, and what it cost or why as a sentence, "" if there is nothing worth saying. Moves to after the event. */
	caption(op: number): { readonly caption: string; readonly consequence: string } {
		const at = this.address(this.kmem.kmem_caption(this.s, op));
		const { captionAt, consequenceAt } = abi.readCaption(this.memory(), at);
		return { caption: this.textAt(captionAt), consequence: this.textAt(consequenceAt) };
	}

	/** Says where the next object lands: for one cache or all of them, on one CPU or each. */
	nextObjects(cache = ANY_CACHE, cpu = ANY_CPU): abi.NextObject[] {
		return this.table(
			(s, nr) => this.kmem.kmem_next_objects(s, cache, cpu, nr),
			abi.NEXT_OBJECT_SIZE,
			abi.readNextObject,
		);
	}

	/** Needs the index. */
	lanes(): Lanes {
		const raw = abi.readLanes(this.memory(), this.address(this.kmem.kmem_lanes(this.s)));
		const bytes = copyBytes(
			this.kmem.memory,
			this.base + raw.depthsAt,
			raw.nrLanes * raw.nrBuckets,
		);
		return { ...raw, depths: new Uint8Array(bytes) };
	}

	/** Returns the events worth seeing, with the name of their cache and one sentence; needs the index. */
	chapters(): Chapter[] {
		const rows = this.table(this.kmem.kmem_chapters, abi.CHAPTER_SIZE, abi.readChapter);
		return this.named(rows).map((row) => ({ ...row, title: this.textAt(row.titleAt) }));
	}

	/** Finds the metrics of one cache by another replay; yields about how many events are still to go. Moves the position. */
	*cacheSeriesSlices(cache: number, sliceOps = INDEX_SLICE_OPS): Generator<number, void, void> {
		this.beginJob(abi.Job.JOB_CACHE_SERIES, cache);
		yield* this.jobSlices(abi.Job.JOB_CACHE_SERIES, sliceOps);
	}

	/** Returns a metric of the cache whose metrics were found last, in buckets like those of `series`. */
	cacheSeries(metric: abi.Metric): Series {
		return this.seriesAt(this.kmem.kmem_cache_series(this.s, metric));
	}

	/** Explains the contents of a place and how they got there; needs the index. A node, CPU or cache that is left out stands for any. */
	why(kind: abi.PlaceKind, owner: WhyOwner = {}): Why {
		return this.whyAbout(abi.About.ABOUT_PLACE, kind, owner);
	}

	/** Explains the same about a CPU, a node or its pages; then `kind` has no meaning. */
	whyAbout(about: abi.About, kind: number, owner: WhyOwner = {}): Why {
		const { cache = ANY_CACHE, cpu = ANY_CPU, node = ANY_NODE, which = NONE } = owner;
		const at = this.address(this.kmem.kmem_why_about(this.s, about, cache, kind, cpu, node, which));
		const why = abi.readWhy(this.memory(), at);
		const text = (from: number) => this.textAt(from);
		const { sourcesAt, nrSources } = why;
		const sources = this.rowsAt(sourcesAt, nrSources, abi.WHY_SOURCE_SIZE, abi.readWhySource);
		const { memory } = this.kmem;
		const events = new Uint32Array(copyBytes(memory, this.base + why.eventsAt, why.nrEvents * 4));
		return {
			...why,
			sources,
			events,
			title: text(why.titleAt),
			name: text(why.nameAt),
			value: text(why.valueAt),
			facts: text(why.textAt).split("\n").filter(Boolean),
		};
	}

	/**
	 * Returns a number for the decisions of each of n events from op on, at most MAX_FINGERPRINTS: machines make the same
	 * decisions while their numbers are equal.
	 */
	prints(op: number, n = PRINTS_MOST): Uint32Array<ArrayBuffer> {
		const at = this.address(this.kmem.kmem_fingerprints(this.s, op, n, this.scratch));
		const nr = this.memory().getUint32(this.scratch, true);
		return new Uint32Array(copyBytes(this.kmem.memory, at, nr * 4));
	}

	/**
	 * Finds the first step at or after a position at which a condition holds, or the last before it. Works in slices: yields how
	 * many events may be left. Works without the index, and faster with it. Moves the position. A new search ends the
	 * previous one, which then finds nothing.
	 */
	*findSlices(
		conditions: readonly Condition[],
		from: Point,
		back = false,
		sliceOps = FIND_SLICE_OPS,
	): Generator<number, abi.Found | undefined, void> {
		const { kmem, s, scratch } = this;
		this.put(conditions);
		const mine = ++this.searches;
		const { JOB_FIND } = abi.Job;
		this.beginJob(JOB_FIND, scratch, conditions.length, from.op, from.step, Number(back));
		for (const left of this.jobSlices(JOB_FIND, sliceOps)) {
			yield left;
			if (mine !== this.searches) {
				return undefined;
			}
		}
		const at = kmem.kmem_found(s) >>> 0;
		return at === 0 ? undefined : abi.readFound(this.memory(), at);
	}

	/** Does the same in one call. */
	find(conditions: readonly Condition[], from: Point, back = false): abi.Found | undefined {
		const search = this.findSlices(conditions, from, back);
		for (;;) {
			const { done, value } = search.next();
			if (done) {
				return value;
			}
		}
	}

	/** Writes conditions as rows into the scratch area; the core refuses more than 64. */
	private put(conditions: readonly Condition[]): void {
		const view = this.memory();
		conditions.slice(0, ROWS_MOST).forEach((condition, i) => {
			const at = this.scratch + i * abi.CONDITION_SIZE;
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
