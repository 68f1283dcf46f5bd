// machine.ts - questions about the caches of a real machine, beside the model; session.realMachine. A machine state must be read
// first (session.readMachineState).

import * as abi from "./abi.ts";
import { Group } from "./group.ts";
import type { Named } from "./rows.ts";

/** A cache of the machine under two rules. Numbers that the file does not have are NONE32. */
export type MachineOrder = Named<abi.OrderMachineRow>;

export interface MachineOrders {
	readonly totals: abi.OrderMachineTotals;
	readonly rows: readonly MachineOrder[];
}

/** A cache before and after the trace, on the machine and in the model. Unknown numbers are NONE32. */
export interface Growth extends Omit<Named<abi.GrowthRow>, "why"> {
	/** A sentence that says why both changed by different numbers of slabs; "" if they agree. */
	readonly why: string;
}

export class MachineCaches extends Group {
	/** Keeps the current machine state as the one from before the trace, or forgets that one. */
	isBefore(on: boolean): void {
		this.ok(this.kmem.kmem_machine_state_is_before(this.s, Number(on)));
	}

	/** Returns the changes from the state before the trace to the current one, the largest first. Moves the position to the end. */
	growth(): Growth[] {
		const { kmem, s } = this;
		const rows = this.rowsOf(kmem.kmem_growth, abi.GROWTH_ROW_SIZE, abi.readGrowthRow);
		return this.named(rows).map((row, i) => ({
			...row,
			why: this.text(kmem.kmem_growth_why(s, i)),
		}));
	}

	/** Lists the other caches that the kernel has merged with it, "a, b"; "" if none are known. */
	aliasesOf(cache: string): string {
		return this.text(this.kmem.kmem_machine_aliases(this.s, this.putText(cache, 0)));
	}

	/** Compares every cache of the machine under two order rules; needs no trace. */
	orders(rule: string, against: string, pageBytes: number, cpus: number): MachineOrders {
		const { kmem } = this;
		const ruleAt = this.putText(rule, 4);
		const againstAt = this.putText(against, 8 + rule.length * 3);
		const rows = this.rowsOf(
			(s, nr) => kmem.kmem_order_machine(s, ruleAt, againstAt, pageBytes, cpus, nr),
			abi.ORDER_MACHINE_ROW_SIZE,
			abi.readOrderMachineRow,
		);
		const totalsAt = kmem.kmem_order_machine_totals(this.s) >>> 0;
		return {
			totals: abi.readOrderMachineTotals(this.memory(), totalsAt),
			rows: this.named(rows),
		};
	}
}
