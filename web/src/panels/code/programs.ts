/** The program of each allocator. SLUB's is there at once, those of others when one is looked at. */
import { change, facts } from "../../player/store.ts";
import type { Program } from "./program.ts";
import { SLUB } from "./slub.ts";

/** For an allocator without a program: its functions are named, and no line is lit. */
const NO_PROGRAM: Program = { version: "", procedures: [] };

const LOADERS: Readonly<Record<string, () => Promise<Program>>> = {
	slub: async () => SLUB,
	slab: () => import("./slab.ts").then((m) => m.SLAB),
	unified: () => import("./unified.ts").then((m) => m.UNIFIED),
	slob: () => import("./slob.ts").then((m) => m.SLOB),
	"slob-segregated": () => import("./slob.ts").then((m) => m.SEGREGATED),
};

export const ALLOCATORS_WITH_PROGRAM = Object.keys(LOADERS);

const loaded = new Map<string, Promise<Program>>();

/** The same promise every time, so that a component may wait for it. */
export function programOf(allocator: string): Promise<Program> {
	const known = loaded.get(allocator);
	if (known) return known;
	const load = LOADERS[allocator] ?? (async () => NO_PROGRAM);
	const program = Promise.resolve().then(async () => {
		change({ pending: facts().pending + 1 });
		try {
			return await load();
		} finally {
			change({ pending: facts().pending - 1 });
		}
	});
	loaded.set(allocator, program);
	return program;
}
