/** Scenes to begin a sandbox with: what is in it already, and the actions to try first. */
import type { Act } from "../state/sandbox_acts.ts";
import { EMPTY, type Sandbox, textOf } from "../state/sandbox_text.ts";

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
	/** One after another. */
	readonly tries: readonly Try[];
}

const BYTES = 192;
const PAGE_BYTES = 4096;

const alloc = (id: number, bytes = BYTES): Act => {
	return { kind: "alloc", id, cache: "", bytes, cpu: 0, node: -1 };
};
const free = (id: number, cpu: number): Act => ({ kind: "free", id, cpu });
const begun = (...acts: readonly Act[]): Sandbox => ({ ...EMPTY, acts });
/** The objects 1 to `last`, all allocated on CPU 0. */
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
		shows: "The slab of CPU 0 holds 21 objects, and 20 are allocated: what happens after the last?",
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
		shows: "CPU 1 frees what CPU 0 allocated. Its per-CPU partial list takes two slabs, not three.",
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
		shows: "Object 2 has been freed. Nothing stops a program from freeing it once more.",
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

/** The next action of the scene that a sandbox follows; undefined once it has gone another way, or is through. */
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
