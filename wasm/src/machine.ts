// machine.ts - questions about the caches of a real machine, beside the model; session.realMachine. A machine state must be read
// first (session.readMachineState).

import * as abi from "./abi.ts";
import { type Calls, readText } from "./core.ts";
import { type Named, readRows } from "./rows.ts";

/** A cache of the machine under two rules. Numbers that the file does not have are NONE32. */
export type MachineOrder = Named<abi.OrderMachineRow>;

export interface MachineOrders {
	readonly totals: abi.OrderMachineTotals;
	readonly rows: readonly MachineOrder[];
}

export class MachineCaches {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** Two order rules for every cache of the machine; needs no trace. */
	orders(rule: string, against: string, pageBytes: number, cpus: number): MachineOrders {
		const { kmem, s, base, scratch } = this.host;
		const ruleAt = this.host.putText(rule, 4);
		const againstAt = this.host.putText(against, 8 + rule.length * 3);
		const at = this.host.pointer(
			kmem.kmem_order_machine(s, ruleAt, againstAt, pageBytes, cpus, scratch),
		);
		const view = new DataView(kmem.memory.buffer);
		const nr = view.getUint32(scratch, true);
		return {
			totals: abi.readOrderMachineTotals(view, kmem.kmem_order_machine_totals(s) >>> 0),
			rows: readRows(view, at, nr, abi.ORDER_MACHINE_ROW_SIZE, abi.readOrderMachineRow).map(
				(row) => ({ ...row, name: readText(kmem.memory, base + row.nameAt) }),
			),
		};
	}
}
