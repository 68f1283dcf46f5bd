/**
 * Order rules on their own: each rule's answer for every slot size, and the reasons for one size. They run in a
 * session without a trace, so that "what if" questions disturb nothing on the stage.
 */

import { KmemError, KmemSession } from "#wasm";
import {
	type MachineOrdersAnswer,
	type MachineOrdersQuestion,
	NO_ORDER,
	type OrderAnswer,
	type OrderQuestion,
	SIZE_STEP,
} from "../answers.ts";
import { configure, NOTHING } from "../machine.ts";
import { known } from "../rows.ts";
import type { Machine } from "../types.ts";

export class Lab {
	readonly #session: KmemSession;
	#machine: Machine = NOTHING;

	private constructor(session: KmemSession) {
		this.#session = session;
	}

	static async open(module: WebAssembly.Module): Promise<Lab> {
		return new Lab(await KmemSession.open(module));
	}

	orders({ machine, key, rules, size, toBytes }: OrderQuestion): OrderAnswer {
		const asked = rules.map((rule) => {
			this.#configure({ ...machine, values: { ...machine.values, [key]: rule } });
			return {
				rule,
				...table(this.#session, Math.floor(toBytes / SIZE_STEP)),
				why: answer(this.#session, size),
			};
		});
		return {
			pageBytes: Number(this.#session.param("page_size")),
			cpus: answer(this.#session, SIZE_STEP)?.nrCpus ?? 1,
			rules: asked,
		};
	}

	/** Compares the caches of a real machine under two rules: totals for each page size, and the caches for one of them. */
	machineOrders(
		state: Uint8Array,
		{ machine, rules: [rule, against], pageBytes, pageSizes, cpus }: MachineOrdersQuestion,
	): MachineOrdersAnswer {
		this.#configure(machine);
		this.#session.readMachineState([state]);
		const ask = (bytes: number) => this.#session.realMachine.orders(rule, against, bytes, cpus);
		return {
			totals: pageSizes.map((bytes) => ask(bytes).totals),
			rows: ask(pageBytes).rows.map(known),
		};
	}

	#configure(machine: Machine): void {
		const before = this.#machine;
		this.#machine = machine;
		configure(this.#session, before, machine, true);
	}
}

function answer(session: KmemSession, size: number) {
	try {
		return session.order(size);
	} catch (error) {
		if (error instanceof KmemError) return null;
		throw error;
	}
}

function table(session: KmemSession, length: number) {
	const order = new Uint8Array(length).fill(NO_ORDER);
	const objects = new Uint16Array(length);
	const waste = new Uint32Array(length);
	for (let i = 0; i < length; i++) {
		const row = answer(session, (i + 1) * SIZE_STEP);
		if (!row) continue;
		order[i] = row.order;
		objects[i] = row.objects;
		waste[i] = row.waste;
	}
	return { order, objects, waste };
}
