/**
 * A sandbox: actions done by hand, as slabtrace text and back, and as a short code for the address. The core replays
 * the text. Its first event only lets time pass: so there is a position before anything has happened, and action
 * number i is event i + 1.
 */

export interface SandboxCache {
	readonly name: string;
	readonly size: number;
	/** 0: the default for the size. */
	readonly align: number;
	readonly ctor: boolean;
}

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
	| { readonly kind: "flush" | "shrink"; readonly cache: string }
	| { readonly kind: "tick"; readonly seconds: number };

export interface Sandbox {
	readonly cpus: number;
	readonly nodes: number;
	readonly caches: readonly SandboxCache[];
	readonly acts: readonly Act[];
}

export const EMPTY: Sandbox = { cpus: 4, nodes: 1, caches: [], acts: [] };

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

export function textOf({ cpus, nodes, caches, acts }: Sandbox): string {
	const lines = ["slabtrace 1", `machine cpus=${cpus} nodes=${nodes}`];
	for (const { name, size, align, ctor } of caches) {
		const more = `${align > 0 ? ` align=${align}` : ""}${ctor ? " flags=ctor" : ""}`;
		lines.push(`cache ${name} size=${size} name=${name}${more}`);
	}
	return `${[...lines, "tick 0", ...acts.map(lineOf)].join("\n")}\n`;
}

/** The text as a file, with its number of events, so that the reader notices a cut. */
export function fileOf(sandbox: Sandbox): string {
	const [title = "", machine = "", ...lines] = textOf(sandbox).trimEnd().split("\n");
	const events = sandbox.acts.length + 1;
	return `${[title, machine, `#events ${events}`, ...lines, `#end ${events}`].join("\n")}\n`;
}

function lineOf(act: Act): string {
	switch (act.kind) {
		case "alloc": {
			const what = act.cache === "" ? `k ${act.id} ${act.bytes}` : `a ${act.id} ${act.cache}`;
			return `${what} cpu=${act.cpu}${act.node >= 0 ? ` node=${act.node}` : ""}`;
		}
		case "free":
			return `f ${act.id} cpu=${act.cpu}`;
		case "tick":
			return `tick ${act.seconds}`;
		default:
			return `${act.kind} ${act.cache}`;
	}
}

const MACHINE = /^machine cpus=(\d{1,4}) nodes=(\d{1,4})$/;
const CACHE = /^cache (\S+) size=(\d{1,7}) name=\S+(?: align=(\d{1,4}))?( flags=ctor)?$/;
const ALLOC = /^([ak]) (\d{1,9}) (\S+) cpu=(\d{1,4})(?: node=(\d{1,4}))?$/;
const FREE = /^f (\d{1,9}) cpu=(\d{1,4})$/;
const OF_CACHE = /^(flush|shrink) (\S+)$/;
const TICK = /^tick (\d{1,6})$/;

/** Undefined for any other text: another sandbox's file is opened as a trace. */
export function sandboxOf(text: string): Sandbox | undefined {
	const [title, machine = "", ...lines] = text.trimEnd().split("\n");
	const [, cpus, nodes] = MACHINE.exec(machine) ?? [];
	if (title !== "slabtrace 1" || cpus === undefined || nodes === undefined) return undefined;
	let sandbox: Sandbox = { cpus: Number(cpus), nodes: Number(nodes), caches: [], acts: [] };
	const start = lines.findIndex((line) => !line.startsWith("cache "));
	if (lines[start] !== "tick 0") return undefined;
	for (const line of lines.slice(0, start)) {
		const [, name = "", size, align = "0", ctor] = CACHE.exec(line) ?? [];
		const cache = { name, size: Number(size), align: Number(align), ctor: ctor !== undefined };
		if (faultOfCache(sandbox, cache) !== "") return undefined;
		sandbox = { ...sandbox, caches: [...sandbox.caches, cache] };
	}
	const names = new Set(sandbox.caches.map((c) => c.name));
	const acts: Act[] = [];
	for (const line of lines.slice(start + 1)) {
		const act = actOf(line);
		if (!act || ("cache" in act && act.cache !== "" && !names.has(act.cache))) return undefined;
		acts.push(act);
	}
	return { ...sandbox, acts };
}

function actOf(line: string): Act | undefined {
	const [, word, id, what = "", cpu, node = "-1"] = ALLOC.exec(line) ?? [];
	if (word !== undefined) {
		const bytes = word === "k" ? Number(what) : 0;
		if (!Number.isInteger(bytes)) return undefined;
		const cache = word === "a" ? what : "";
		return { kind: "alloc", id: Number(id), cache, bytes, cpu: Number(cpu), node: Number(node) };
	}
	const free = FREE.exec(line);
	if (free) return { kind: "free", id: Number(free[1]), cpu: Number(free[2]) };
	const ofCache = OF_CACHE.exec(line);
	if (ofCache)
		return { kind: ofCache[1] === "flush" ? "flush" : "shrink", cache: ofCache[2] ?? "" };
	const tick = TICK.exec(line);
	return tick ? { kind: "tick", seconds: Number(tick[1]) } : undefined;
}

export type Alloc = Act & { readonly kind: "alloc" };

/** The live objects, oldest first. */
export function liveOf({ acts }: Sandbox): Alloc[] {
	const live = new Map<number, Alloc>();
	for (const act of acts) {
		if (act.kind === "alloc") live.set(act.id, act);
		if (act.kind === "free") live.delete(act.id);
	}
	return [...live.values()];
}

export function nextId({ acts }: Sandbox): number {
	return acts.reduce((most, act) => Math.max(most, act.kind === "alloc" ? act.id : 0), 0) + 1;
}

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
