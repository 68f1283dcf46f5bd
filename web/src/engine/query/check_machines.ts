/** Refuses machines for a comparison as the command does: by the core's own check, and with its sentence. */
import { KmemSession } from "#wasm";
import { configure, NOTHING } from "../machine.ts";
import type { Machine } from "../types.ts";

/**
 * A key that the allocator does not have would change nothing, and a comparison would seem to show that it has no
 * effect. Settings of the machine on the stage apply to all, so only the additional settings are checked.
 */
export async function checkMachines(
	module: WebAssembly.Module,
	machines: readonly Machine[],
	stage: Machine,
): Promise<void> {
	for (const { preset, values } of machines) {
		const session = await KmemSession.open(module);
		configure(session, NOTHING, { preset, values: stage.values });
		const added = Object.entries(values).filter(
			([key, value]) => key === "allocator" || stage.values[key] !== value,
		);
		session.setSpec(added.map(([key, value]) => `${key}=${value}`).join());
		session.checkSettings();
	}
}
