/**
 * The order rule on its own: what each of a few rules answers for every slot size, and why for one of them. A session
 * without a trace serves it, so that asking what would be disturbs nothing that is on the stage.
 */
import { KmemError, KmemSession } from "#wasm";
import type { Machine } from "./types.ts";

/** Sizes are multiples of this, as all slots of caches are. */
export const SIZE_STEP = 8;
/** No order holds an object of that size. */
export const NO_ORDER = 0xff;

export interface OrderQuestion {
	/** In force for all rules. */
	readonly machine: Machine;
	/** The parameter that is the rule, and the values to compare. */
	readonly key: string;
	readonly rules: readonly string[];
	readonly size: number;
	readonly toBytes: number;
}

export interface OrderAnswer {
	readonly pageBytes: number;
	readonly cpus: number;
	readonly rules: readonly OrderRule[];
}

/** By index: (i + 1) * SIZE_STEP bytes. */
export interface OrderRule {
	readonly rule: string;
	readonly order: Uint8Array;
	readonly objects: Uint16Array;
	/** Bytes left over in a slab. */
	readonly waste: Uint32Array;
	/** Of the size that was asked for; null where no order holds such an object. */
	readonly why: OrderWhy | null;
}

export interface OrderWhy {
	readonly size: number;
	/** Bytes of the slot that the allocator makes of it. */
	readonly slotBytes: number;
	readonly order: number;
	readonly objects: number;
	readonly waste: number;
	readonly minPartial: number;
	readonly cpuPartialObjects: number;
	readonly cpuPartialSlabs: number;
	readonly tries: readonly OrderTry[];
	/** Tries made; of very many only the first are in `tries`. */
	readonly nrTries: number;
}

export interface OrderTry {
	readonly minObjects: number;
	/** The left-over may be 1/fraction of the slab; 0 where the rule asks for something else. */
	readonly fraction: number;
	readonly order: number;
	readonly remainder: number;
	readonly accepted: boolean;
}

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
