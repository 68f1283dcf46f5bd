/** The caches that actions of the sandbox can name. */
import type { Sandbox } from "../state/sandbox_text.ts";
import { useFacts } from "../state/use_facts.ts";

/** A name of a cache that is one word of a slabtrace. */
const WORD = /^[\w.:+-]+$/;
/** A kmalloc cache serves requests by their size, so no action names it. */
const KMALLOC = /^(?:dma-)?kmalloc-/;

/** Caches that a request such as shrink can name: the visitor's own, and those of the machine. */
export function useCaches({ caches }: Sandbox): readonly string[] {
	const built = useFacts((f) => f.built);
	const onMachine = built?.caches.map((c) => c.name).filter((name) => WORD.test(name)) ?? [];
	return [...new Set([...caches.map((c) => c.name), ...onMachine])];
}

/** Caches whose objects can be allocated: the visitor's own, and in a fork those that the trace names. */
export function useNamedCaches(sandbox: Sandbox): readonly string[] {
	const all = useCaches(sandbox);
	const own = sandbox.caches.map((c) => c.name);
	return sandbox.after === 0
		? own
		: all.filter((name) => own.includes(name) || !KMALLOC.test(name));
}
