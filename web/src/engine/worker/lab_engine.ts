/**
 * The part of the engine that answers the order lab, with rules alone and with rules for the caches of a real machine; and
 * what a session answers in one call: its text, its counters, its clock and its addresses.
 */
import type { KmemSession } from "#wasm";
import type {
	CountersCompared,
	ForkObject,
	MachineOrdersAnswer,
	MachineOrdersQuestion,
	OrderAnswer,
	OrderQuestion,
} from "../answers.ts";
import { forkObjects } from "../query/fork.ts";
import { objectAt, opAtTime } from "../query/locate.ts";
import { Lab } from "../query/order_rules.ts";
import type { ObjectId, ParamNames, Position } from "../types.ts";

export abstract class LabEngine {
	#lab: Promise<Lab> | undefined;

	protected abstract get compiled(): WebAssembly.Module;
	/** The machine state that is shown with the model. */
	protected abstract get shownState(): Uint8Array | undefined;
	/** The session in use, once it is not being built. */
	protected abstract built(): Promise<KmemSession>;

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

	#open(): Promise<Lab> {
		this.#lab ??= Lab.open(this.compiled);
		return this.#lab;
	}
}
