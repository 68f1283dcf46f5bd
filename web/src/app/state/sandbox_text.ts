/**
 * A sandbox: actions done by hand, as text and back. The core replays them.
 *
 * One that begins on an empty machine is a slabtrace. Its first event only lets time pass: so there is a position before
 * anything has happened. An action is one event, and a bulk request one more for each of its objects. A fork continues a trace after an event: its text names that
 * event, and its lines follow the trace's own. There the ID of an object is the number of the event that allocated it.
 */

import type { Fork } from "../../engine/answers.ts";

export interface SandboxCache {
	readonly name: string;
	readonly size: number;
	/** 0: the default for the size. */
	readonly align: number;
	readonly ctor: boolean;
}

export interface Sandbox {
	readonly cpus: number;
	readonly nodes: number;
	/** The events of the trace that it continues; 0: it begins on an empty machine. */
	readonly after: number;
	readonly caches: readonly SandboxCache[];
	readonly acts: readonly Act[];
}

export const EMPTY: Sandbox = { cpus: 4, nodes: 1, after: 0, caches: [], acts: [] };

/** As KMEM_MAX_FORK_EVENTS of the core. */
export const ACTS_MOST = 4096;

/** A fork after so many events. */
export const forkAfter = (after: number): Sandbox => ({ ...EMPTY, after });

const CACHE_NAME = /^[A-Za-z][\w-]{0,30}$/;
const MOST_BYTES = 1 << 22;

/** Why a cache is invalid, in one sentence; "" if it is valid. */
export function faultOfCache({ caches }: Sandbox, { name, size, align }: SandboxCache): string {
	if (!CACHE_NAME.test(name))
		return "A cache's name has at most 31 characters: a letter, then letters, digits, - and _.";
	if (caches.some((c) => c.name === name)) return `The cache ${name} exists already.`;
	if (!(Number.isInteger(size) && size >= 1 && size <= MOST_BYTES))
		return `An object has 1 to ${MOST_BYTES} bytes.`;
	const isPower = Number.isInteger(Math.log2(align)) && align >= 1 && align <= 4096;
	return align === 0 || isPower ? "" : "An alignment is a power of two up to 4096, or 0.";
}

function cacheLine({ name, size, align, ctor }: SandboxCache): string {
	const more = `${align > 0 ? ` align=${align}` : ""}${ctor ? " flags=ctor" : ""}`;
	return `cache ${name} size=${size} name=${name}${more}`;
}

/** The lines of caches and actions, as the core reads them behind the events of a trace. */
export function linesOf({ caches, acts }: Sandbox): string {
	return [...caches.map(cacheLine), ...acts.map(lineOf)].map((line) => `${line}\n`).join("");
}

/** A fork as the engine takes it. */
export function forkOf(sandbox: Sandbox): Fork {
	return { events: sandbox.after, lines: linesOf(sandbox) };
}

export function textOf(sandbox: Sandbox): string {
	const { cpus, nodes, after, caches, acts } = sandbox;
	if (after > 0) return `fork after=${after}\n${linesOf(sandbox)}`;
	const head = ["slabtrace 1", `machine cpus=${cpus} nodes=${nodes}`];
	return `${[...head, ...caches.map(cacheLine), "tick 0", ...acts.map(lineOf)].join("\n")}\n`;
}

/** The text as a file, with its number of events, so that the reader notices a cut. */
export function fileOf(sandbox: Sandbox): string {
	const [title = "", machine = "", ...lines] = textOf(sandbox).trimEnd().split("\n");
	const events = eventsOf(sandbox.acts) + 1;
	return `${[title, machine, `#events ${events}`, ...lines, `#end ${events}`].join("\n")}\n`;
}

const MACHINE = /^machine cpus=(\d{1,4}) nodes=(\d{1,4})$/;
const FORK = /^fork after=([1-9]\d{0,9})$/;
const CACHE_LINE = /^cache (\S+) size=(\d{1,7}) name=\S+(?: align=(\d{1,4}))?( flags=ctor)?$/;

/** Undefined for any other text: another sandbox's file is opened as a trace. */
export function sandboxOf(text: string): Sandbox | undefined {
	const [title = "", ...rest] = text.trimEnd().split("\n");
	const after = FORK.exec(title)?.[1];
	if (after !== undefined) return withLines(forkAfter(Number(after)), rest, false);
	const [machine = "", ...lines] = rest;
	const [, cpus, nodes] = MACHINE.exec(machine) ?? [];
	if (title !== "slabtrace 1" || cpus === undefined || nodes === undefined) return undefined;
	return withLines({ ...EMPTY, cpus: Number(cpus), nodes: Number(nodes) }, lines, true);
}

/** Reads caches and then actions, with the event between them that only lets time pass. */
function withLines(
	empty: Sandbox,
	lines: readonly string[],
	hasTick: boolean,
): Sandbox | undefined {
	let sandbox = empty;
	const end = lines.findIndex((line) => !line.startsWith("cache "));
	const start = end < 0 ? lines.length : end;
	if (hasTick && lines[start] !== "tick 0") return undefined;
	for (const line of lines.slice(0, start)) {
		const [, name = "", size, align = "0", ctor] = CACHE_LINE.exec(line) ?? [];
		const cache = { name, size: Number(size), align: Number(align), ctor: ctor !== undefined };
		if (faultOfCache(sandbox, cache) !== "") return undefined;
		sandbox = { ...sandbox, caches: [...sandbox.caches, cache] };
	}
	const acts: Act[] = [];
	for (const line of lines.slice(start + Number(hasTick))) {
		const act = actOf(line);
		if (!act || acts.length === ACTS_MOST) return undefined;
		acts.push(act);
	}
	return { ...sandbox, acts };
}

type Alloc = Act & { readonly kind: "alloc" };

/** The objects that an action frees, now or after a grace period. */
export function freedBy(act: Act): readonly number[] {
	if (act.kind === "bulk-free") return act.ids;
	return act.kind === "free" || act.kind === "rcu" ? [act.id] : [];
}

/** The live objects, oldest first. */
export function liveOf({ acts }: Sandbox): Alloc[] {
	const live = new Map<number, Alloc>();
	for (const act of acts) {
		if (act.kind === "alloc") live.set(act.id, act);
		if (act.kind === "bulk-alloc" || act.kind === "take")
			for (const id of madeBy(act))
				live.set(id, { kind: "alloc", id, cache: act.cache, bytes: 0, cpu: act.cpu, node: -1 });
		for (const id of freedBy(act)) live.delete(id);
	}
	return [...live.values()];
}

/** The objects that were freed, the latest first; a fork may free recorded ones. */
export function freedOf({ acts }: Sandbox): number[] {
	const freed = acts.flatMap(freedBy);
	return [...new Set(freed.toReversed())];
}

/** A fork numbers objects by their events. */
export function nextId({ acts, after }: Sandbox): number {
	if (after > 0) return after + eventsOf(acts) + 1;
	return Math.max(0, ...acts.flatMap(madeBy)) + 1;
}

function madeBy(act: Act): readonly number[] {
	if (act.kind === "bulk-alloc") return act.ids;
	return act.kind === "alloc" || act.kind === "take" ? [act.id] : [];
}

/** The prefilled sheaves of a cache that a CPU has not returned yet, by their numbers, in order. */
export function prefilledOf({ acts }: Sandbox, cache: string, cpu: number): number[] {
	const slots = new Set<number>();
	for (const act of acts) {
		if (act.kind !== "prefill" && act.kind !== "return") continue;
		if (act.cache !== cache || act.cpu !== cpu) continue;
		if (act.kind === "prefill") slots.add(act.slot);
		else slots.delete(act.slot);
	}
	return [...slots].sort((a, b) => a - b);
}

/** The object that the nr-th event of the actions allocates, counted from 0; undefined if it allocates none. */
export function allocatedBy({ acts }: Sandbox, nr: number): number | undefined {
	let left = nr;
	for (const act of acts) {
		const events = eventsOf([act]);
		if (left >= events) {
			left -= events;
			continue;
		}
		/** The request itself comes before its objects. */
		return madeBy(act)[act.kind === "bulk-alloc" ? left - 1 : left];
	}
	return undefined;
}

/* The actions of a sandbox, each as one line of a slabtrace and back. */

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

function lineOf(act: Act): string {
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
function actOf(line: string): Act | undefined {
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

/* A text as a short code for the address, and back. */

/** Chat and mail programs cut off longer addresses; servers never see this part (address.ts). */
export const CODE_MOST = 6000;
const TEXT_MOST_BYTES = 1 << 20;

/** The packed text, in characters that an address may have. */
export async function codeOf(text: string): Promise<string> {
	const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
	const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
	const letters = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
	return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined for text that codeOf did not write, or more than anybody does by hand. */
export async function textIn(code: string): Promise<string | undefined> {
	try {
		const letters = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		const decoder = new TextDecoder();
		let text = "";
		for (const reader = stream.getReader(); ; ) {
			const { value, done } = await reader.read();
			if (done) return text;
			text += decoder.decode(value, { stream: true });
			if (text.length > TEXT_MOST_BYTES) {
				await reader.cancel();
				return undefined;
			}
		}
	} catch {
		return undefined;
	}
}
