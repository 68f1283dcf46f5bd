/** The program of each allocator. SLUB's is loaded at once, the others on first use. */
import { useEffect, useState } from "react";
import { busy } from "../../../app/state/store.ts";
import { loadCode } from "../../../base/load_code.ts";
import type { Param } from "../../../engine/types.ts";
import type { Program } from "./program.ts";
import { SLUB } from "./slub.ts";

/** For an allocator without a program: names its functions, and lights no lines. */
const NO_PROGRAM: Program = { version: "", procedures: [] };

/** SLUB without cpu slabs. */
const SHEAVES_ONLY = "slub7";

const LOADERS: Readonly<Record<string, () => Promise<Program>>> = {
	[SHEAVES_ONLY]: () => loadCode(() => import("./others.ts")).then((m) => m.SLUB7),
	slab: () => loadCode(() => import("./others.ts")).then((m) => m.SLAB),
	unified: () => loadCode(() => import("./others.ts")).then((m) => m.UNIFIED),
	slob: () => loadCode(() => import("./others.ts")).then((m) => m.SLOB),
	"slob-segregated": () => loadCode(() => import("./others.ts")).then((m) => m.SEGREGATED),
};

const ready = new Map<string, Program>([["slub", SLUB]]);

export const ALLOCATORS_WITH_PROGRAM = [...ready.keys(), ...Object.keys(LOADERS)];

/** Returns the name of the program for an allocator with these parameters. */
export function programFor(allocator: string, params: readonly Pick<Param, "key" | "value">[]) {
	const hasCpuSlabs = params.find(({ key }) => key === "cpu_slabs")?.value !== "off";
	return allocator === "slub" && !hasCpuSlabs ? SHEAVES_ONLY : allocator;
}

export async function programOf(allocator: string): Promise<Program> {
	const known = ready.get(allocator);
	if (known) return known;
	const program = (await busy(async () => LOADERS[allocator]?.())) ?? NO_PROGRAM;
	ready.set(allocator, program);
	return program;
}

/** Loads a program by its name from programFor. No line lights up while a program loads. Throws if its code does not arrive; mounting again tries again. */
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
