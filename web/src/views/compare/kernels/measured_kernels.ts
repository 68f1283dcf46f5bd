/** One trace under SLUB of every preset: the replays in helper workers. Results stay while trace and machine do. */
import {
	createMeasuring,
	type Measuring,
	markOf,
	measuredIn,
} from "../../../app/playback/many_replays.ts";
import { facts, USUAL_ALLOCATOR } from "../../../app/state/store.ts";
import type { KernelRow } from "./finding.ts";

/** In the order of the presets. */
const { store, start, stop } = createMeasuring();

export { stop as stopKernels, store as measuredKernels };

export function versionOf(preset: string): string {
	return preset.replace(/^linux-/, "");
}

/** Every replay has the machine on the stage; only the preset differs. */
export async function measureKernels(): Promise<void> {
	const { built, trace, machine } = facts();
	const values = { ...machine.values, allocator: USUAL_ALLOCATOR };
	const presets = built?.presets ?? [];
	await start(presets.map(({ name }) => ({ trace, machine: { preset: name, values } })));
}

/** Kernels whose replay is done, oldest first. */
export function kernelRows({ built, replays }: Measuring): KernelRow[] {
	return (built?.presets ?? []).flatMap(({ name }, nr) => {
		const replay = replays[nr];
		if (!replay?.rows) return [];
		const number = (key: string) => measuredIn(replay, key)?.value ?? 0;
		return [
			{
				version: versionOf(name),
				slowPaths: number("slow_paths"),
				slabBytes: number("slab_bytes"),
				slabBytesPeak: number("slab_bytes_peak"),
				pageCalls: number("page_calls"),
				cycles: number("cycles"),
				from: markOf(replay),
			},
		];
	});
}
