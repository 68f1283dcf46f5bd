/** Machines of a comparison, refused where the command refuses them: by the core's own check, in its words. */
import { KmemSession } from "#wasm";
import type { Machine } from "../types.ts";

/**
 * A key that the allocator does not have changes nothing, and a comparison would say that it has no effect. Settings of
 * the machine on the stage hold for all, so only what a machine adds to them is checked.
 */
export async function checkMachines(
	module: WebAssembly.Module,
	machines: readonly Machine[],
	stage: Machine,
): Promise<void> {
	for (const { preset, values } of machines) {
		const session = await KmemSession.open(module);
		for (const [key, value] of Object.entries(stage.values))
			session.set(key as Parameters<KmemSession["set"]>[0], value);
		if (preset !== "") session.preset(preset);
		const added = Object.entries(values).filter(
			([key, value]) => key === "allocator" || stage.values[key] !== value,
		);
		session.setSpec(added.map(([key, value]) => `${key}=${value}`).join());
		session.checkSettings();
	}
}
