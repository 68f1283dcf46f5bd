/**
 * The part of the engine that answers the order lab, with rules alone and with rules for the caches of a real machine. It also
 * gives what a session answers in one call: its text, its counters, its clock, its addresses, and what lies where.
 */
import { transfer } from "comlink";
import type { KmemSession } from "#wasm";
import type {
	CountersCompared,
	ForkObject,
	MachineOrdersAnswer,
	MachineOrdersQuestion,
	OrderAnswer,
	OrderQuestion,
} from "../answers.ts";
import type { PackedFrame } from "../frame.ts";
import { glance } from "../query/cache_series.ts";
import { type CloseUp, closeUps } from "../query/close_up.ts";
import { forkObjects } from "../query/fork.ts";
import { levelsOf, pathOf } from "../query/levels.ts";
import { objectAt, opAtTime } from "../query/locate.ts";
import { Lab } from "../query/order_rules.ts";
import type {
	EventPath,
	Glance,
	LevelRow,
	Near,
	ObjectId,
	ParamNames,
	Position,
} from "../types.ts";
import { cacheFrame } from "./navigator.ts";

export abstract class LabEngine {
	#lab: Promise<Lab> | undefined;

	protected abstract get compiled(): WebAssembly.Module;
	/** The machine state that is shown with the model. */
	protected abstract get shownState(): Uint8Array | undefined;
	/** The session in use, once it is not being built. */
	protected abstract built(): Promise<KmemSession>;
	/** The same; undefined without a trace. */
	protected abstract ifBuilt(): Promise<KmemSession | undefined>;

	/** The answers of order rules; needs no trace. */
	async orders(question: OrderQuestion): Promise<OrderAnswer> {
		return (await this.#open()).orders(question);
	}

	/** The caches of the machine state under two order rules; null without a machine state. */
	async machineOrders(question: MachineOrdersQuestion): Promise<MachineOrdersAnswer | null> {
		const lab = await this.#open();
		return this.shownState ? lab.machineOrders(this.shownState, question) : null;
	}

	/** The trace in use as a slabtrace. */
	async text(): Promise<Blob> {
		return new Blob([...(await this.built()).export("slabtrace")]);
	}

	/** The kernel counters of each cache; none if the trace has none. */
	async kernelCounters(): Promise<CountersCompared> {
		const session = await this.built();
		const counters = session.measures.kernelCounters();
		if (counters.length > 0) session.seek(session.nrOps);
		return { counters, why: session.measures.kernelCountersWhy() };
	}

	async forkObjects(most: number): Promise<readonly ForkObject[]> {
		return forkObjects(await this.built(), most);
	}

	/** The names of parameters, and every cost with the value in use. */
	async paramNames(): Promise<ParamNames> {
		return JSON.parse((await this.built()).paramNamesJson()) as ParamNames;
	}

	/** The last event that had begun by a time of the trace's clock. */
	async opAtTime(time: number): Promise<number> {
		return opAtTime(await this.built(), time);
	}

	/** The object that has an address after an event; index -1: the slab's own bytes. undefined: no slab's. */
	async objectAt(at: Position, address: number): Promise<ObjectId | undefined> {
		return objectAt(await this.built(), at, address);
	}

	/** Another cache than the one on the stage at a position, all its slabs and lists. */
	async cacheFrame(at: Position, cache: number): Promise<PackedFrame | undefined> {
		const session = await this.ifBuilt();
		const frame = session && cacheFrame(session, at, cache);
		return frame && transfer(frame, [frame.bytes]);
	}

	/** Objects as they lie in memory at a position; within an event, without the parts that the event is changing. */
	async objects(at: Position, wanted: readonly ObjectId[]): Promise<readonly CloseUp[]> {
		const session = await this.ifBuilt();
		return session ? closeUps(session, at, wanted) : [];
	}

	/** The level and the model cycles of each step of an event; undefined without a trace. */
	async eventPath(op: number): Promise<EventPath | undefined> {
		const session = await this.ifBuilt();
		return session && pathOf(session, op);
	}

	/** The levels of a cache's places after an event, from fast to slow; undefined without a trace. */
	async levels(cache: number, op?: number): Promise<readonly LevelRow[] | undefined> {
		const session = await this.ifBuilt();
		return session && levelsOf(session, cache, op);
	}

	/** An event, or the one near it, and a cache right after that; undefined without a trace. */
	async glance(op: number, cache: number, near?: Near): Promise<Glance | undefined> {
		const session = await this.ifBuilt();
		return session && glance(session, op, cache, near);
	}

	#open(): Promise<Lab> {
		this.#lab ??= Lab.open(this.compiled);
		return this.#lab;
	}
}
