/**
 * Turns a playground's actions, done by hand, into text and back. The core replays them.
 *
 * A playground that starts on an empty machine is a slabtrace. Its first event only lets time pass, so that there is a
 * position before anything has happened. An action is one event, and a bulk request has one more for each of its
 * objects. A fork continues a trace after an event: its text names that event, and its lines follow the trace's own.
 * There, an object's ID is the number of the event that allocated it.
 */

import type { Fork } from "../../engine/answers.ts";

export interface SandboxCache {
	readonly name: string;
	readonly size: number;
	/** 0 means the default for the size. */
	readonly align: number;
	readonly ctor: boolean;
}

export interface Sandbox {
	readonly cpus: number;
	readonly nodes: number;
	/** How many events of the trace it continues from; 0: it starts on an empty machine. */
	readonly after: number;
	readonly caches: readonly SandboxCache[];
	readonly acts: readonly Act[];
}

export const EMPTY: Sandbox = { cpus: 4, nodes: 1, after: 0, caches: [], acts: [] };

/** Matches KMEM_MAX_FORK_EVENTS in the core. */
export const ACTS_MOST = 4096;

/** A fork after this many events. */
export const forkAfter = (after: number): Sandbox => ({ ...EMPTY, after });

const CACHE_NAME = /^[A-Za-z][\w-]{0,30}$/;
const MOST_BYTES = 1 << 22;

/** Explains why a cache is invalid, in one sentence; "" if it is valid. */
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

/** Writes the lines for caches and actions, as the core reads them after the events of a trace. */
export function linesOf({ caches, acts }: Sandbox): string {
	return [...caches.map(cacheLine), ...acts.map(lineOf)].map((line) => `${line}\n`).join("");
}

/** Returns a fork in the form that the engine takes. */
export function forkOf(sandbox: Sandbox): Fork {
	return { events: sandbox.after, lines: linesOf(sandbox) };
}

export function textOf(sandbox: Sandbox): string {
	const { cpus, nodes, after, caches, acts } = sandbox;
	if (after > 0) return `fork after=${after}\n${linesOf(sandbox)}`;
	const head = ["slabtrace 1", `machine cpus=${cpus} nodes=${nodes}`];
	return `${[...head, ...caches.map(cacheLine), "tick 0", ...acts.map(lineOf)].join("\n")}\n`;
}

/** Returns the text as a file, with its number of events, so that the reader notices if it was cut. */
export function fileOf(sandbox: Sandbox): string {
	const [title = "", machine = "", ...lines] = textOf(sandbox).trimEnd().split("\n");
	const events = eventsOf(sandbox.acts) + 1;
	return `${[title, machine, `#events ${events}`, ...lines, `#end ${events}`].join("\n")}\n`;
}

const MACHINE = /^machine cpus=(\d{1,4}) nodes=(\d{1,4})$/;
const FORK = /^fork after=([1-9]\d{0,9})$/;
const CACHE_LINE = /^cache (\S+) size=(\d{1,7}) name=\S+(?: align=(\d{1,4}))?( flags=ctor)?$/;

/** Undefined for any other text: a playground from elsewhere is opened as a trace. */
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

/** Lists the objects that an action frees, now or after a grace period. */
export function freedBy(act: Act): readonly number[] {
	if (act.kind === "bulk-free") return act.ids;
	return act.kind === "free" || act.kind === "rcu" ? [act.id] : [];
}

/** Lists the live objects, oldest first. */
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

/** Lists the freed objects, latest first; a fork may free recorded ones. */
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

/** Lists the prefilled sheaves of a cache that a CPU has not returned yet, by number, in order. */
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

/** Returns the object that the nr-th event of the actions (from 0) allocates; undefined if it allocates none. */
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

interface Fields {
	readonly id: number;
	/** Objects of one cache, all freed or allocated by one request. */
	readonly ids: readonly number[];
	/** "" stands for an object of a given size, or for all caches. */
	readonly cache: string;
	readonly bytes: number;
	readonly cpu: number;
	/** -1: any. */
	readonly node: number;
	/** A prefilled sheaf, and the least number of objects in it. */
	readonly slot: number;
	readonly objects: number;
	readonly seconds: number;
	readonly key: string;
	readonly value: string;
	readonly how: Corruption;
	/** The first byte written, or the wrong pointer, from the object's start; 0 for other ways. */
	readonly at: number;
}

type Field = keyof Fields;

/**
 * The lines of each action. A word in braces is a field. A part in brackets is left out if its field has its usual
 * value. If a field outside the brackets has its usual value, the second line is written.
 */
const LINES = {
	alloc: ["a {id} {cache} cpu={cpu}[ node={node}]", "k {id} {bytes} cpu={cpu}[ node={node}]"],
	free: ["f {id} cpu={cpu}"],
	"bulk-alloc": ["a {ids} {cache} cpu={cpu}"],
	"bulk-free": ["f {ids} cpu={cpu}"],
	prefill: ["prefill {slot} {cache} {objects} cpu={cpu}"],
	refill: ["refill {slot} {cache} {objects} cpu={cpu}"],
	take: ["a {id} {cache} cpu={cpu} sheaf={slot}"],
	return: ["return {slot} {cache} cpu={cpu}"],
	/** kfree_rcu(): free after the next grace period. */
	rcu: ["r {id} cpu={cpu}"],
	grace: ["grace"],
	/** That CPU goes offline. */
	dead: ["dead cpu={cpu}"],
	flush: ["flush {cache}"],
	shrink: ["shrink {cache}"],
	validate: ["validate {cache}"],
	tick: ["tick {seconds}"],
	reap: ["reap cpu={cpu}"],
	expire: ["expire"],
	set: ["set {key}={value}[ cache={cache}]"],
	corrupt: ["corrupt {how} {id} cpu={cpu}[ at={at}]"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Kind = keyof typeof LINES;
type In<Line extends string> = Line extends `${string}{${infer Name}}${infer Rest}`
	? (Name & Field) | In<Rest>
	: never;

/** An action: its kind, and the fields of its lines. */
export type Act = {
	[K in Kind]: { readonly kind: K } & Pick<Fields, In<(typeof LINES)[K][number]>>;
}[Kind];

/** The ways of corruption that have an offset. */
export const hasOffset = (how: Corruption): boolean => how === "write" || how === "wild-free";

/** How many events the action makes: a bulk request has one for itself and one for each object. */
export function eventsOf(acts: readonly Act[]): number {
	return acts.reduce((nr, act) => nr + ("ids" in act ? act.ids.length : 0) + 1, 0);
}

/** A list of one item ends with a comma. */
const listOf = (ids: readonly number[]) => (ids.length === 1 ? `${ids[0]},` : ids.join(","));

const USUAL: Partial<Fields> = { cache: "", bytes: 0, node: -1, at: 0 };
const FIELD = /\{(\w+)\}/g;

function lineOf(act: Act): string {
	const fields: Partial<Fields> & Pick<Act, "kind"> = act;
	const isUsual = (field: Field) =>
		field === "at" && fields.how ? !hasOffset(fields.how) : fields[field] === USUAL[field];
	const fieldsIn = (line: string) => [...line.matchAll(FIELD)].map(([, field]) => field as Field);
	const [first, second = first]: readonly string[] = LINES[act.kind];
	const needed = fieldsIn(first?.replace(/\[.*\]/, "") ?? "");
	return ((needed.some(isUsual) ? second : first) ?? "")
		.replace(/\[(.*)\]/, (_, part: string) => (fieldsIn(part).every(isUsual) ? "" : part))
		.replace(FIELD, (_, field: Field) =>
			field === "ids" ? listOf(fields.ids ?? []) : String(fields[field]),
		);
}

/** Any cache name that is one word; the core knows which ones exist. */
const CACHE = "[\\w.:+-]{1,64}";
/** The form of each field; others are whole numbers. */
const FORMS: Partial<Record<Field, string>> = {
	ids: "\\d{1,10},(?:\\d{1,10}(?:,\\d{1,10}){0,510})?",
	cache: CACHE,
	key: "[\\w.]{1,40}",
	value: "[\\w.-]{1,40}",
	how: CORRUPTIONS.join("|"),
	at: "-?\\d{1,7}",
};
const NUMBER = "\\d{1,10}";

const FORM_OF_LINES = Object.entries(LINES).flatMap(([kind, lines]) =>
	lines.map((line) => {
		const form = line
			.replace("[", "(?:")
			.replace("]", ")?")
			.replace(FIELD, (_, field: Field) => `(?<${field}>${FORMS[field] ?? NUMBER})`);
		return { kind, lines, form: new RegExp(`^${form}$`) };
	}),
);

function fieldOf(field: Field, text: string | undefined): unknown {
	if (text === undefined) return USUAL[field];
	if (field === "ids") return text.split(",").filter(Boolean).map(Number);
	return FORMS[field] === undefined || field === "at" ? Number(text) : text;
}

/** Returns undefined for a line that lineOf did not write. */
function actOf(line: string): Act | undefined {
	for (const { kind, lines, form } of FORM_OF_LINES) {
		const found = form.exec(line);
		if (!found) continue;
		const fields = [...lines.join().matchAll(FIELD)].map(([, field]) => [
			field,
			fieldOf(field as Field, found.groups?.[field ?? ""]),
		]);
		const act = { kind, ...Object.fromEntries(fields) } as Act;
		if (lineOf(act) === line) return act;
	}
	return undefined;
}

/* A text as a short code for the address, and back. */

/** Chat and mail programs cut off longer addresses; servers never see this part (address.ts). */
export const CODE_MOST = 6000;
const TEXT_MOST_BYTES = 1 << 20;

/** Returns the packed text, in characters that an address may contain. */
export async function codeOf(text: string): Promise<string> {
	const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
	const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
	const letters = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
	return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns undefined for text that codeOf did not write, or for more than anybody would do by hand. */
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
