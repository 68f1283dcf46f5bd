/** The actions of a sandbox, each as one line of a slabtrace and back. */

/** The ways in which memory is corrupted, as a slabtrace names them. */
export const CORRUPTIONS = ["write", "double-free", "wild-free", "freelist"] as const;
export type Corruption = (typeof CORRUPTIONS)[number];

export type Act =
	/** An object of a cache, or of so many bytes if `cache` is "". node -1: any. */
	| {
			readonly kind: "alloc";
			readonly id: number;
			readonly cache: string;
			readonly bytes: number;
			readonly cpu: number;
			readonly node: number;
	  }
	| { readonly kind: "free"; readonly id: number; readonly cpu: number }
	/** Objects of one cache, with one request: kmem_cache_alloc_bulk(), kmem_cache_free_bulk(). */
	| {
			readonly kind: "bulk-alloc";
			readonly ids: readonly number[];
			readonly cache: string;
			readonly cpu: number;
	  }
	| { readonly kind: "bulk-free"; readonly ids: readonly number[]; readonly cpu: number }
	/** A sheaf of that CPU and cache, with at least so many objects: kmem_cache_prefill_sheaf(), kmem_cache_refill_sheaf(). */
	| {
			readonly kind: "prefill" | "refill";
			readonly slot: number;
			readonly cache: string;
			readonly objects: number;
			readonly cpu: number;
	  }
	/** An object of such a sheaf: kmem_cache_alloc_from_sheaf(). */
	| {
			readonly kind: "take";
			readonly id: number;
			readonly cache: string;
			readonly cpu: number;
			readonly slot: number;
	  }
	/** kmem_cache_return_sheaf(). */
	| {
			readonly kind: "return";
			readonly slot: number;
			readonly cache: string;
			readonly cpu: number;
	  }
	/** kfree_rcu(): free after the next grace period. */
	| { readonly kind: "rcu"; readonly id: number; readonly cpu: number }
	| { readonly kind: "grace" }
	/** That CPU goes offline. */
	| { readonly kind: "dead"; readonly cpu: number }
	| { readonly kind: "flush" | "shrink" | "validate"; readonly cache: string }
	| { readonly kind: "tick"; readonly seconds: number }
	| { readonly kind: "reap"; readonly cpu: number }
	| { readonly kind: "expire" }
	/** A parameter of one cache, or of all if `cache` is "". */
	| {
			readonly kind: "set";
			readonly key: string;
			readonly value: string;
			readonly cache: string;
	  }
	| {
			readonly kind: "corrupt";
			readonly how: Corruption;
			readonly id: number;
			readonly cpu: number;
			/** The first byte written, or the wrong pointer, from the object's start; 0 for other ways. */
			readonly at: number;
	  };

/** The ways of corruption that have an offset. */
export const hasOffset = (how: Corruption): boolean => how === "write" || how === "wild-free";

/** How many events the action is: a bulk request has one for itself and one for each object. */
export function eventsOf(acts: readonly Act[]): number {
	return acts.reduce((nr, act) => nr + ("ids" in act ? act.ids.length : 0) + 1, 0);
}

/** A list of one ends with a comma. */
const listOf = (ids: readonly number[]) => (ids.length === 1 ? `${ids[0]},` : ids.join(","));

export function lineOf(act: Act): string {
	switch (act.kind) {
		case "alloc": {
			const what = act.cache === "" ? `k ${act.id} ${act.bytes}` : `a ${act.id} ${act.cache}`;
			return `${what} cpu=${act.cpu}${act.node >= 0 ? ` node=${act.node}` : ""}`;
		}
		case "free":
			return `f ${act.id} cpu=${act.cpu}`;
		case "bulk-alloc":
			return `a ${listOf(act.ids)} ${act.cache} cpu=${act.cpu}`;
		case "bulk-free":
			return `f ${listOf(act.ids)} cpu=${act.cpu}`;
		case "prefill":
		case "refill":
			return `${act.kind} ${act.slot} ${act.cache} ${act.objects} cpu=${act.cpu}`;
		case "take":
			return `a ${act.id} ${act.cache} cpu=${act.cpu} sheaf=${act.slot}`;
		case "return":
			return `return ${act.slot} ${act.cache} cpu=${act.cpu}`;
		case "rcu":
			return `r ${act.id} cpu=${act.cpu}`;
		case "grace":
			return "grace";
		case "dead":
			return `dead cpu=${act.cpu}`;
		case "tick":
			return `tick ${act.seconds}`;
		case "reap":
			return `reap cpu=${act.cpu}`;
		case "expire":
			return "expire";
		case "set":
			return `set ${act.key}=${act.value}${act.cache === "" ? "" : ` cache=${act.cache}`}`;
		case "corrupt": {
			const at = hasOffset(act.how) ? ` at=${act.at}` : "";
			return `corrupt ${act.how} ${act.id} cpu=${act.cpu}${at}`;
		}
		default:
			return `${act.kind} ${act.cache}`;
	}
}

/** Any name of a cache that is one word; the core knows which exist. */
const CACHE = "[\\w.:+-]{1,64}";
const ALLOC = new RegExp(`^([ak]) (\\d{1,10}) (${CACHE}) cpu=(\\d{1,4})(?: node=(\\d{1,4}))?$`);
const FREE = /^f (\d{1,10}) cpu=(\d{1,4})$/;
const IDS = "\\d{1,10},(?:\\d{1,10}(?:,\\d{1,10}){0,510})?";
const BULK_ALLOC = new RegExp(`^a (${IDS}) (${CACHE}) cpu=(\\d{1,4})$`);
const BULK_FREE = new RegExp(`^f (${IDS}) cpu=(\\d{1,4})$`);
const FILL = new RegExp(`^(prefill|refill) (\\d{1,2}) (${CACHE}) (\\d{1,3}) cpu=(\\d{1,4})$`);
const TAKE = new RegExp(`^a (\\d{1,10}) (${CACHE}) cpu=(\\d{1,4}) sheaf=(\\d{1,2})$`);
const RETURN = new RegExp(`^return (\\d{1,2}) (${CACHE}) cpu=(\\d{1,4})$`);
const RCU = /^r (\d{1,10}) cpu=(\d{1,4})$/;
const DEAD = /^dead cpu=(\d{1,4})$/;
const OF_CACHE = new RegExp(`^(flush|shrink|validate) (${CACHE})$`);
const TICK = /^tick (\d{1,6})$/;
const REAP = /^reap cpu=(\d{1,4})$/;
const SET = new RegExp(`^set ([\\w.]{1,40})=([\\w.-]{1,40})(?: cache=(${CACHE}))?$`);
const CORRUPT = /^corrupt ([a-z-]+) (\d{1,10}) cpu=(\d{1,4})(?: at=(-?\d{1,7}))?$/;

type Reader = (line: string) => Act | undefined;

const READERS: readonly Reader[] = [
	readAlloc,
	(line) => {
		const [, id, cpu] = FREE.exec(line) ?? [];
		return id === undefined ? undefined : { kind: "free", id: Number(id), cpu: Number(cpu) };
	},
	(line) => {
		const [, kind, cache = ""] = OF_CACHE.exec(line) ?? [];
		return kind === "flush" || kind === "shrink" || kind === "validate"
			? { kind, cache }
			: undefined;
	},
	(line) => {
		const seconds = TICK.exec(line)?.[1];
		return seconds === undefined ? undefined : { kind: "tick", seconds: Number(seconds) };
	},
	(line) => {
		const cpu = REAP.exec(line)?.[1];
		return cpu === undefined ? undefined : { kind: "reap", cpu: Number(cpu) };
	},
	(line) => (line === "expire" ? { kind: "expire" } : undefined),
	readBulk,
	readSheaf,
	(line) => {
		const [, id, cpu] = RCU.exec(line) ?? [];
		return id === undefined ? undefined : { kind: "rcu", id: Number(id), cpu: Number(cpu) };
	},
	(line) => (line === "grace" ? { kind: "grace" } : undefined),
	(line) => {
		const cpu = DEAD.exec(line)?.[1];
		return cpu === undefined ? undefined : { kind: "dead", cpu: Number(cpu) };
	},
	(line) => {
		const [, key, value = "", cache = ""] = SET.exec(line) ?? [];
		return key === undefined ? undefined : { kind: "set", key, value, cache };
	},
	readCorruption,
];

/** Undefined for a line that lineOf did not write. */
export function actOf(line: string): Act | undefined {
	for (const read of READERS) {
		const act = read(line);
		if (act) return act;
	}
	return undefined;
}

function readAlloc(line: string): Act | undefined {
	const [, word, id, what = "", cpu, node = "-1"] = ALLOC.exec(line) ?? [];
	if (word === undefined) return undefined;
	const bytes = word === "k" ? Number(what) : 0;
	if (!Number.isInteger(bytes)) return undefined;
	const cache = word === "a" ? what : "";
	return { kind: "alloc", id: Number(id), cache, bytes, cpu: Number(cpu), node: Number(node) };
}

function readBulk(line: string): Act | undefined {
	const [, made, cache = "", on] = BULK_ALLOC.exec(line) ?? [];
	const [, freed, cpu] = BULK_FREE.exec(line) ?? [];
	const ids = (made ?? freed ?? "").split(",").filter(Boolean).map(Number);
	if (made !== undefined) return { kind: "bulk-alloc", ids, cache, cpu: Number(on) };
	return freed === undefined ? undefined : { kind: "bulk-free", ids, cpu: Number(cpu) };
}

function readSheaf(line: string): Act | undefined {
	const [, kind, slot, cache = "", objects, cpu] = FILL.exec(line) ?? [];
	if (kind === "prefill" || kind === "refill")
		return { kind, slot: Number(slot), cache, objects: Number(objects), cpu: Number(cpu) };
	const [, id, from = "", by, number] = TAKE.exec(line) ?? [];
	if (id !== undefined)
		return { kind: "take", id: Number(id), cache: from, cpu: Number(by), slot: Number(number) };
	const [, back, of = "", on] = RETURN.exec(line) ?? [];
	return back === undefined
		? undefined
		: { kind: "return", slot: Number(back), cache: of, cpu: Number(on) };
}

function readCorruption(line: string): Act | undefined {
	const [, word, id, cpu, at] = CORRUPT.exec(line) ?? [];
	const how = CORRUPTIONS.find((one) => one === word);
	if (!how || hasOffset(how) !== (at !== undefined)) return undefined;
	return { kind: "corrupt", how, id: Number(id), cpu: Number(cpu), at: Number(at ?? 0) };
}
