/**
 * The traces that the browser keeps, and the queue of those being written: one after another in the background, and
 * none that the visitor has removed in the meantime.
 */

import { type Imported, importKept, KeptDamaged } from "../import/loader.ts";
import { type Pace, turn } from "../pace.ts";
import type { Card, RecentStore } from "../recent/recent_store.ts";
import type { Recent } from "../types.ts";
import { keep } from "./save_recording.ts";

/** The visitor's file, or one that another page supplied; only a copy has no `file`. */
export type Source = Pick<Card, "key" | "name" | "sizeBytes"> & {
	readonly file?: File;
	readonly isGiven?: boolean;
};

/** A longer file is kept in its canonical form. */
const ORIGINAL_MOST_BYTES = 1 << 30;

const isShort = (file: File | undefined) => file !== undefined && file.size <= ORIGINAL_MOST_BYTES;

/**
 * Its canonical form has no pointers and always describes a machine, so it would start a different replay. A damaged
 * file would be refused.
 */
function needsOriginal({ report, note, csv }: Imported): boolean {
	return note === "" && !csv && !report.hashed;
}

/** Few may wait, because each waiting entry holds its trace in memory. */
const WAITING_MOST = 2;

export class Archive {
	readonly #store: RecentStore;
	readonly #loads: () => Promise<unknown>;
	#keeping: Promise<string> = Promise.resolve("");
	/** Keys of traces that are being written or waiting, and of those that were removed. */
	readonly #queue: string[] = [];
	readonly #unwanted = new Set<string>();

	/** `loads` resolves when nothing is loading: only then is there time to write. */
	constructor(store: RecentStore, loads: () => Promise<unknown>) {
		this.#store = store;
		this.#loads = loads;
	}

	begin(): Promise<void> {
		return ifAlone(() => this.#store.sweep());
	}

	async card(key: string): Promise<Card | undefined> {
		if (key === "") return undefined;
		return (await this.#store.cards()).find((card) => card.key === key);
	}

	/** Returns undefined if it is no longer kept; throws KeptDamaged if it cannot be used. */
	async read(
		module: WebAssembly.Module,
		card: Card | undefined,
		pace: Pace,
	): Promise<Imported | undefined> {
		return card && importKept(module, this.#store, card, pace);
	}

	/** Reads the text of a kept trace: the file itself, or its canonical form. */
	text(key: string): Promise<File | undefined> {
		return this.#store.read(key);
	}

	list(): Promise<readonly Recent[]> {
		return this.#store.list();
	}

	async forget(key: string | "all"): Promise<readonly Recent[]> {
		const stopped = this.#queue.filter((k) => key === "all" || k === key);
		for (const k of stopped) this.#unwanted.add(k);
		if (stopped.length > 0) await this.#keeping;
		await (key === "all" ? this.#store.clear() : this.#store.remove(key));
		return this.#store.list();
	}

	/** Resolves once the last one is kept, to "", or to the reason why it is not. */
	kept(): Promise<string> {
		return this.#keeping;
	}

	/**
	 * Runs after the current write. If more than two wait, the oldest is dropped. A file from another page is not kept.
	 */
	keep({ key, name, sizeBytes, file, isGiven }: Source, imported: Imported): void {
		if (isGiven) {
			const nothing = async () => "";
			this.#keeping = this.#keeping.then(nothing, nothing);
			return;
		}
		const { session, report, note, kept } = imported;
		const original = needsOriginal(imported) && isShort(file) ? file : undefined;
		const what = { key, name, sizeBytes, report, note, session, kept, original };
		const pause = () => this.#mayGoOn(key);
		const work = () => alone(() => keep(this.#store, what, pause));
		this.#queue.push(key);
		if (this.#queue.length > WAITING_MOST) this.#unwanted.add(this.#queue[0] ?? "");
		this.#keeping = this.#keeping.then(work, work).finally(() => {
			this.#queue.shift();
			this.#unwanted.delete(key);
		});
	}

	/** Waits while something is loading. Resolves to false if the write must stop. */
	async #mayGoOn(key: string): Promise<boolean> {
		await this.#loads();
		await turn();
		return !this.#unwanted.has(key);
	}
}

/** A damaged copy is not an error as long as the file itself is there. */
export function damagedOnly(error: unknown): "damaged" {
	if (error instanceof KeptDamaged) return "damaged";
	throw error;
}

/**
 * Several tabs of this page share one folder of kept traces. One tab at a time writes there, and none removes files
 * while another writes. A browser without locks, or one that refuses them as in a page of another site, has no such
 * folder either.
 */
const NAME = "slabscope.recent";

export function alone(work: () => Promise<string>): Promise<string> {
	return locked({}, work);
}

/** Does nothing if another tab is at work. */
export function ifAlone(work: () => Promise<void>): Promise<void> {
	return locked({ ifAvailable: true }, async (lock) => {
		if (lock !== null) await work();
	});
}

/** `work` receives null if another tab is at work and the call does not wait. */
async function locked<T>(
	options: LockOptions,
	work: (lock?: Lock | null) => Promise<T>,
): Promise<T> {
	const locks: LockManager | undefined = globalThis.navigator?.locks;
	let hasBegun = false;
	const begin = (lock?: Lock | null) => {
		hasBegun = true;
		return work(lock);
	};
	try {
		return await (locks ? locks.request(NAME, options, begin) : begin());
	} catch (error) {
		if (hasBegun) throw error;
		return begin();
	}
}
