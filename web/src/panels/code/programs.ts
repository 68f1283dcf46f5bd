/** The program of each allocator. SLUB's is there at once, those of others when one is looked at. */
import { useEffect, useState } from "react";
import { change, facts } from "../../player/store.ts";
import type { Program } from "./program.ts";
import { SLUB } from "./slub.ts";

/** For an allocator without a program: its functions are named, and no line is lit. */
const NO_PROGRAM: Program = { version: "", procedures: [] };

const LOADERS: Readonly<Record<string, () => Promise<Program>>> = {
	slab: () => import("./slab.ts").then((m) => m.SLAB),
	unified: () => import("./unified.ts").then((m) => m.UNIFIED),
	slob: () => import("./slob.ts").then((m) => m.SLOB),
	"slob-segregated": () => import("./slob.ts").then((m) => m.SEGREGATED),
};

const ready = new Map<string, Program>([["slub", SLUB]]);

export const ALLOCATORS_WITH_PROGRAM = [...ready.keys(), ...Object.keys(LOADERS)];

export async function programOf(allocator: string): Promise<Program> {
	const known = ready.get(allocator);
	if (known) return known;
	change({ pending: facts().pending + 1 });
	try {
		const program = (await LOADERS[allocator]?.()) ?? NO_PROGRAM;
		ready.set(allocator, program);
		return program;
	} finally {
		change({ pending: facts().pending - 1 });
	}
}

/** Nothing is lit while a program is on its way. */
export function useProgram(allocator: string): Program {
	const [, setLoaded] = useState(allocator);
	useEffect(() => {
		let wanted = true;
		void programOf(allocator).then(() => wanted && setLoaded(`${allocator} is here`));
		return () => {
			wanted = false;
		};
	}, [allocator]);
	return ready.get(allocator) ?? NO_PROGRAM;
}
