/** Answers requests with positions: finds the position that a goal means and reads everything that is shown there. */
import { Granularity } from "#abi";
import { type KmemSession, type KmemViewer, stepKind } from "#wasm";
import type { OtherStage } from "../answers.ts";
import type { PackedFrame } from "../frame.ts";
import type { PackedMoment } from "../moment.ts";
import { nearestEvent } from "../nearest_event.ts";
import type { FoundThere } from "../query/compare.ts";
import { packFrame, stepOf } from "../rows.ts";
import { ALL_CACHES, type Goal, type Position, type ZoneRow } from "../types.ts";

/** How many steps of one event are read at once. */
const STEPS_MOST = 400;
/** A move of many units stops after this long, and the next call continues it. */
const MOVE_MS = 24;

const GRANULARITY = {
	event: Granularity.GO_EVENT,
	slow: Granularity.GO_SLOW_PATH,
	slab: Granularity.GO_SLAB,
} as const;

export type Granular = keyof typeof GRANULARITY;

export interface Found {
	readonly position: Position;
	readonly ended: boolean;
}

export class Navigator {
	readonly #session: KmemViewer;

	constructor(session: KmemViewer) {
		this.#session = session;
	}

	go(goal: Goal, cache: number): PackedMoment {
		const { position, ended } = this.#find(goal);
		const own = goal.kind === "at" && goal.own ? this.#session.op(position.op).cache : ALL_CACHES;
		return this.#read(position, own === ALL_CACHES ? cache : own, ended);
	}

	#nrSteps(op: number): number {
		return this.#session.steps(op, 0, 0).total;
	}

	protected lastStep(op: number): Position {
		return { op, step: Math.max(0, this.#nrSteps(op) - 1) };
	}

	#find(goal: Goal): Found {
		const nrOps = this.#session.nrOps;
		if (goal.kind === "at") {
			const op = nearestEvent(this.#session, Math.min(Math.max(0, goal.op), nrOps - 1), goal.near);
			const last = this.lastStep(op);
			const step = goal.step === "last" ? last.step : Math.min(goal.step, last.step);
			return { position: { op, step }, ended: false };
		}
		const until = performance.now() + MOVE_MS;
		let found: Found = { position: goal.from, ended: false };
		for (let i = 0; i < goal.count && !found.ended; i++) {
			found =
				goal.unit === "step"
					? this.#step(found.position, goal)
					: this.jump(found.position, goal, goal.unit);
			if (performance.now() > until) break;
		}
		if (found.ended && goal.orNearest) return this.#nearest(goal);
		if (goal.until !== undefined && found.position.op > goal.until)
			return { position: this.lastStep(goal.until), ended: false };
		return found;
	}

	#nearest({ from, ...goal }: Goal & { kind: "move" }): Found {
		for (const unit of [goal.unit, "event"] as const)
			for (const direction of [-1, 1] as const) {
				const found = unit !== "step" && this.jump(from, { from, ...goal, direction }, unit);
				if (found && !found.ended) return { ...found, ended: false };
			}
		return { position: from, ended: false };
	}

	#step(from: Position, goal: Goal & { kind: "move" }): Found {
		const step = from.step + goal.direction;
		if (step >= 0 && step < this.#nrSteps(from.op))
			return { position: { op: from.op, step }, ended: false };
		const found = this.jump(from, goal, "event");
		if (found.ended || goal.direction < 0) return found;
		return { position: { op: found.position.op, step: 0 }, ended: false };
	}

	/** Goes to the end of the next event of that kind. */
	protected jump(from: Position, goal: Goal & { kind: "move" }, unit: Granular): Found {
		const s = this.#session;
		const forwards = goal.direction > 0;
		s.seek(from.op + 1);
		const done = forwards
			? s.next(GRANULARITY[unit], goal.scope)
			: s.previous(GRANULARITY[unit], goal.scope);
		const op = done - 1;
		const nowhere = op < 0 || (forwards ? op <= from.op : op >= from.op);
		if (nowhere) return { position: from, ended: true };
		const isInScope = goal.scope === ALL_CACHES || s.op(op).cache === goal.scope;
		return isInScope
			? { position: this.lastStep(op), ended: false }
			: { position: from, ended: true };
	}

	#read(position: Position, cache: number, ended: boolean): PackedMoment {
		const s = this.#session;
		const { op, step } = position;
		const firstStep = Math.max(0, step - STEPS_MOST / 2);
		// Sentences name what exists at the session's position, and other questions move that.
		s.seek(op + 1);
		const { total, rows } = s.steps(op, firstStep, STEPS_MOST);
		const kinds = rows.map((r) => stepKind(r).name);
		const zones = this.#zones(op, kinds.slice(0, step - firstStep + 1), kinds);
		s.seek(op + 1);
		return {
			position,
			op: s.op(op),
			steps: rows.map(stepOf),
			firstStep,
			nrSteps: total,
			cache,
			frame: frameAt(s, position, cache, total),
			caches: s.cacheTable(),
			zones,
			ended,
		};
	}

	/**
	 * The core has the page allocator's tables only between events: the table from before the event holds until pages
	 * move. If the event moves none, the tables before and after are equal, and there is no need to go back.
	 */
	#zones(op: number, done: readonly string[], all: readonly string[]): ZoneRow[] {
		const moved = done.some(movesPages) || !all.some(movesPages);
		this.#session.seek(moved ? op + 1 : op);
		return this.#session.zones();
	}
}

/** Returns all slabs and lists of a cache at a position. Moves the session past the event. */
export function cacheFrame(session: KmemViewer, at: Position, cache: number): PackedFrame {
	session.seek(at.op + 1);
	return frameAt(session, at, cache, session.steps(at.op, 0, 0).total);
}

/** Returns the stage of a compared machine at an event. */
export function stageAt(found: FoundThere | undefined): OtherStage | undefined {
	if (!found) return undefined;
	const { session, goal, cache, taken } = found;
	return { moment: new Navigator(session).go(goal, cache), taken };
}

/** The session has to be right after the event. */
function frameAt(
	session: KmemViewer,
	{ op, step }: Position,
	cache: number,
	nrSteps: number,
): PackedFrame {
	return packFrame(step >= nrSteps - 1 ? session.view(cache) : session.peek(op, step, cache));
}

function movesPages(kind: string): boolean {
	return /^(PAGES|LARGE)_/.test(kind);
}

/** Moves through the events that a filter chooses. */
export class FilteredNavigator extends Navigator {
	readonly #filter: KmemSession["filter"];

	constructor(session: KmemSession) {
		super(session);
		this.#filter = session.filter;
	}

	protected override jump(from: Position, goal: Goal & { kind: "move" }, unit: Granular): Found {
		if (!goal.chosen) return super.jump(from, goal, unit);
		const { direction, scope } = goal;
		const forwards = direction > 0;
		if (unit === "event") {
			const op = this.#filter.next(forwards ? from.op + 1 : from.op, direction, scope);
			return op === undefined
				? { position: from, ended: true }
				: { position: this.lastStep(op), ended: false };
		}
		// Takes the next event of that kind, then the next chosen one from there, and so on until both are the same.
		for (let at = from; ; ) {
			const found = super.jump(at, goal, unit);
			const { op } = found.position;
			const near = found.ended
				? undefined
				: this.#filter.next(forwards ? op : op + 1, direction, scope);
			if (near === undefined) return { position: from, ended: true };
			if (near === op) return found;
			at = { op: forwards ? near - 1 : near + 1, step: 0 };
		}
	}
}
