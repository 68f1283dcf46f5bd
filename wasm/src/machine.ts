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

/** A cache before and after the trace, on the machine and in the model. Unknown numbers are NONE32. */
export type Growth = Named<abi.GrowthRow>;

export class MachineCaches {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/** Makes the machine state that is shown the one before the trace, or forgets that one. */
	isBefore(on: boolean): void {
		this.host.check(this.host.kmem.kmem_machine_state_is_before(this.host.s, Number(on)));
	}

	/** The change from the state before to the one that is shown, the largest first; the position moves to the end. */
	growth(): Growth[] {
		const { kmem, s, base, scratch } = this.host;
		const at = this.host.pointer(kmem.kmem_growth(s, scratch));
		const view = new DataView(kmem.memory.buffer);
		const nr = view.getUint32(scratch, true);
		return readRows(view, at, nr, abi.GROWTH_ROW_SIZE, abi.readGrowthRow).map((row) => ({
			...row,
			name: readText(kmem.memory, base + row.nameAt),
		}));
	}

	/** The other caches that the kernel has merged with it, "a, b"; "" if none is known. */
	aliasesOf(cache: string): string {
		const { kmem, s } = this.host;
		return readText(kmem.memory, kmem.kmem_machine_aliases(s, this.host.putText(cache, 0)));
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
