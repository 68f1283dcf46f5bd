/** The part of the engine that answers the order lab: rules alone, and rules for the caches of a real machine. */
import type {
	MachineOrdersAnswer,
	MachineOrdersQuestion,
	OrderAnswer,
	OrderQuestion,
} from "../answers.ts";
import { Lab } from "../query/order_rules.ts";

export abstract class LabEngine {
	#lab: Promise<Lab> | undefined;

	protected abstract get compiled(): WebAssembly.Module;
	/** The machine state that is shown with the model. */
	protected abstract get shownState(): Uint8Array | undefined;

	/** The answers of order rules; needs no trace. */
	async orders(question: OrderQuestion): Promise<OrderAnswer> {
		return (await this.#open()).orders(question);
	}

	/** The caches of the machine state under two order rules; null without a machine state. */
	async machineOrders(question: MachineOrdersQuestion): Promise<MachineOrdersAnswer | null> {
		const lab = await this.#open();
		return this.shownState ? lab.machineOrders(this.shownState, question) : null;
	}

	#open(): Promise<Lab> {
		this.#lab ??= Lab.open(this.compiled);
		return this.#lab;
	}
}
