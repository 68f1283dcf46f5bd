/** The program of each allocator. SLUB's is loaded at once, the others on first use. */
import { useEffect, useState } from "react";
import { busy } from "../../../app/state/store.ts";
import { loadCode } from "../../../base/load_code.ts";
import type { Program } from "./program.ts";
import { SLUB } from "./slub.ts";

/** For an allocator without a program: its functions are named, and no line lights up. */
const NO_PROGRAM: Program = { version: "", procedures: [] };

const LOADERS: Readonly<Record<string, () => Promise<Program>>> = {
	slab: () => loadCode(() => import("./slab.ts")).then((m) => m.SLAB),
	unified: () => loadCode(() => import("./unified.ts")).then((m) => m.UNIFIED),
	slob: () => loadCode(() => import("./slob.ts")).then((m) => m.SLOB),
	"slob-segregated": () => loadCode(() => import("./slob.ts")).then((m) => m.SEGREGATED),
};

const ready = new Map<string, Program>([["slub", SLUB]]);

export const ALLOCATORS_WITH_PROGRAM = [...ready.keys(), ...Object.keys(LOADERS)];

export async function programOf(allocator: string): Promise<Program> {
	const known = ready.get(allocator);
	if (known) return known;
	const program = (await busy(async () => LOADERS[allocator]?.())) ?? NO_PROGRAM;
	ready.set(allocator, program);
	return program;
}

/** No line lights up while a program loads. Throws if its code does not arrive; mounting again tries again. */
export function useProgram(allocator: string): Program {
	const [came, setCame] = useState<{ readonly of: string; readonly error?: unknown }>();
	useEffect(() => {
		let wanted = true;
		programOf(allocator).then(
			() => wanted && setCame({ of: allocator }),
			(error: unknown) => wanted && setCame({ of: allocator, error }),
		);
		return () => {
			wanted = false;
		};
	}, [allocator]);
	if (came?.of === allocator && came.error !== undefined) throw came.error;
	return ready.get(allocator) ?? NO_PROGRAM;
}
