/**
 * The order rule alone: the answer of each rule for every slot size, and the reasons for one size. It has a session
 * without a trace, so that "what if" questions disturb nothing on the stage.
 */

import { KmemError, KmemSession } from "#wasm";
import {
	NO_ORDER,
	type OrderAnswer,
	type OrderQuestion,
	type OrderWhy,
	SIZE_STEP,
} from "../answers.ts";
import type { Machine } from "../types.ts";

type Key = Parameters<KmemSession["set"]>[0];

export class Lab {
	#session: KmemSession;
	#set: string[] = [];

	private constructor(session: KmemSession) {
		this.#session = session;
	}

	static async open(module: WebAssembly.Module): Promise<Lab> {
		return new Lab(await KmemSession.open(module));
	}

	orders({ machine, key, rules, size, toBytes }: OrderQuestion): OrderAnswer {
		this.#configure(machine);
		const asked = rules.map((rule) => {
			this.#put(key, rule);
			return {
				rule,
				...table(this.#session, Math.floor(toBytes / SIZE_STEP)),
				why: why(this.#session, size),
			};
		});
		return {
			pageBytes: Number(this.#session.param("page_size")),
			cpus: answer(this.#session, SIZE_STEP)?.nrCpus ?? 1,
			rules: asked,
		};
	}

	#configure(machine: Machine): void {
		for (const key of this.#set) this.#session.set(key as Key, "");
		this.#set = [];
		this.#session.preset(machine.preset);
		for (const [key, value] of Object.entries(machine.values)) this.#put(key, value);
	}

	#put(key: string, value: string): void {
		this.#session.set(key as Key, value);
		this.#set.push(key);
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

function why(session: KmemSession, size: number): OrderWhy | null {
	const row = answer(session, size);
	return (
		row && {
			size,
			slotBytes: row.alignedSize,
			order: row.order,
			objects: row.objects,
			waste: row.waste,
			minPartial: row.minPartial,
			cpuPartialObjects: row.cpuPartialObjects,
			cpuPartialSlabs: row.cpuPartialSlabs,
			nrTries: row.nrTries,
			tries: row.tries.map((t) => ({
				minObjects: t.minObjects,
				fraction: t.fraction,
				order: t.order,
				remainder: t.remainder,
				accepted: t.accepted !== 0,
			})),
		}
	);
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
