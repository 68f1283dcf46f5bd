/** Scenes to start a playground from: what is already there, and which actions to try first. */

import { loadCode } from "../../base/load_code.ts";
import { SANDBOX } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { showError } from "../playback/player.ts";
import { type Act, EMPTY, type Sandbox, textOf } from "../state/sandbox_text.ts";
import { facts, type StillFacts } from "../state/store.ts";
import { useFacts } from "../state/use_facts.ts";

interface Try {
	/** The words on its button. */
	readonly name: string;
	readonly act: Act;
}

export interface Scene {
	readonly name: string;
	readonly title: string;
	/** One sentence: what to see in it. */
	readonly shows: string;
	readonly begins: Sandbox;
	/** Actions to do one after another. */
	readonly tries: readonly Try[];
}

const BYTES = 192;
const PAGE_BYTES = 4096;

const alloc = (id: number, bytes = BYTES): Act => {
	return { kind: "alloc", id, cache: "", bytes, cpu: 0, node: -1 };
};
const free = (id: number, cpu: number): Act => ({ kind: "free", id, cpu });
const begun = (...acts: readonly Act[]): Sandbox => ({ ...EMPTY, acts });
/** Allocates the objects 1 to `last`, all on CPU 0. */
const allocated = (last: number, bytes = BYTES) =>
	Array.from({ length: last }, (_, i) => alloc(i + 1, bytes));

export const SCENES: readonly Scene[] = [
	{
		name: "empty",
		title: "An empty machine",
		shows: "The first object needs a slab, and the slab needs a page. The second one is cheap.",
		begins: EMPTY,
		tries: [
			{ name: "Ask for 192 bytes on CPU 0", act: alloc(1) },
			{ name: "Ask for another 192 bytes", act: alloc(2) },
			{ name: "Free object 2 on CPU 1", act: free(2, 1) },
		],
	},
	{
		name: "one-left",
		title: "One free object left",
		shows: "CPU 0's slab holds 21 objects, and 20 are allocated: what happens after the last one?",
		begins: begun(...allocated(20)),
		tries: [
			{ name: "Take the last free object", act: alloc(21) },
			{ name: "Ask for one more", act: alloc(22) },
			{ name: "Free object 1 of the full slab", act: free(1, 0) },
		],
	},
	{
		name: "drain",
		title: "Four full slabs",
		shows:
			"CPU 1 frees what CPU 0 allocated. Its per-CPU partial list has room for two slabs, not three.",
		begins: begun(...allocated(32, PAGE_BYTES)),
		tries: [
			{ name: "Free object 1 on CPU 1", act: free(1, 1) },
			{ name: "Free object 9, in the next slab", act: free(9, 1) },
			{ name: "Free object 17: the list overflows", act: free(17, 1) },
		],
	},
	{
		name: "double-free",
		title: "A double free",
		shows: "Object 2 has been freed. Nothing stops a program from freeing it again.",
		begins: begun(...allocated(4), free(2, 0)),
		tries: [
			{
				name: "Free object 2 a second time",
				act: { kind: "corrupt", how: "double-free", id: 2, cpu: 0, at: 0 },
			},
			{ name: "Ask for 192 bytes on CPU 0", act: alloc(5) },
		],
	},
];

/**
 * Returns the next action of the scene that a playground follows; undefined once the visitor has done something
 * else or the scene is over.
 */
export function nextTry(sandbox: Sandbox): Try | undefined {
	const own = textOf(sandbox);
	for (const { begins, tries } of SCENES) {
		const done = sandbox.acts.length - begins.acts.length;
		const isBeyond = done < 0 || done >= tries.length;
		if (isBeyond) continue;
		const so = { ...begins, acts: [...begins.acts, ...tries.slice(0, done).map((t) => t.act)] };
		if (textOf(so) === own) return tries[done];
	}
	return undefined;
}

/* The caches that actions of the sandbox can name. */

/** Matches a cache's name that is one word in a slabtrace. */
const WORD = /^[\w.:+-]+$/;
/** A kmalloc cache serves requests by their size, so no action names it. */
const KMALLOC = /^(?:dma-)?kmalloc-/;

/** Lists the caches that a request such as shrink can name: the visitor's own, and those of the machine. */
export function useCaches({ caches }: Sandbox): readonly string[] {
	const built = useFacts((f) => f.built);
	const onMachine = built?.caches.map((c) => c.name).filter((name) => WORD.test(name)) ?? [];
	return [...new Set([...caches.map((c) => c.name), ...onMachine])];
}

/** Lists the caches whose objects can be allocated: the visitor's own, and in a fork those that the trace names. */
export function useNamedCaches(sandbox: Sandbox): readonly string[] {
	const all = useCaches(sandbox);
	const own = sandbox.caches.map((c) => c.name);
	return sandbox.after === 0
		? own
		: all.filter((name) => own.includes(name) || !KMALLOC.test(name));
}

/* Opens the sandbox or a fork, for code that is loaded from the start. */

const code = () => loadCode(() => import("./sandbox.ts"));
const forks = () => loadCode(() => import("./sandbox.ts"));

async function attemptOf(work: () => Promise<boolean>): Promise<boolean> {
	try {
		return await work();
	} catch (error) {
		showError(error);
		return false;
	}
}

/** Loads the playground's code on first use, then opens it. */
export function openSandbox(view?: View): Promise<boolean> {
	return attemptOf(async () => (await code()).openSandbox(view));
}

/** Opens a scene in place of this tab's playground. */
export function openScene(scene: Sandbox): Promise<boolean> {
	return attemptOf(async () => (await code()).openScene(scene));
}

/** Opens the fork that a view has of the trace on screen, or leaves the fork if the view has none. */
export function openFork(view: View): Promise<boolean> {
	return attemptOf(async () => (await forks()).openFork(view));
}

/** Whether the trace on screen can be forked: it is not a playground, and has no fork yet. */
export function canFork(): boolean {
	return facts().moment !== null && isForkable(facts());
}

/** Whether its trace can be forked at one of its positions. */
export function isForkable({ trace, sandbox, embed }: StillFacts): boolean {
	return sandbox === null && trace !== SANDBOX && !embed;
}

/** Forks the trace on screen after the event on screen. */
export function forkHere(): Promise<boolean> {
	return attemptOf(async () => (await forks()).forkHere());
}
