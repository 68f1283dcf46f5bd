/** A machine state that comes with a link or a bundle, and its short form for a link. */
import type { Built } from "../../engine/types.ts";
import type { Engine } from "../../engine/worker/two_stage_engine.ts";
import type { View } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { showError } from "../playback/player.ts";
import { CODE_MOST, codeOf, textIn } from "../state/sandbox_code.ts";
import { busy, change, facts } from "../state/store.ts";
import { applyMachineState, beginWarm, showMachineState } from "./actions.ts";

type Read = Awaited<ReturnType<Engine["load"]>>;

/** Shows a machine state with the trace, and uses it as its sender did. */
export async function openState(file: File, used: boolean, warm: boolean): Promise<void> {
	const load = async (): Promise<Read> => engine().load(file, facts().machine, onProgress);
	const answer = await busy(load);
	if (!("machineState" in answer)) throw new Error(`${file.name} is not a machine state.`);
	showMachineState(answer, file.name, facts().answer);
	await applyMachineState(used);
	await beginWarm(warm);
}

/** The machine state of a link. */
export async function openLinked({ code, used, warm }: View["state"]): Promise<void> {
	try {
		const text = await textIn(code);
		if (text === undefined) throw new Error("The link's machine state cannot be unpacked.");
		await openState(new File([text], "machine state of the link"), used, warm);
	} catch (error) {
		showError(error);
	}
}

/** Packs the machine state on screen for links; "" if it does not fit. */
export async function packState(): Promise<void> {
	const { machineState, built } = facts();
	const bytes = await busy(() => engine().machineStateBytes());
	if (!machineState || !built || !bytes) return;
	const code = await codeOf(linesAbout(new TextDecoder().decode(bytes), built));
	const now = facts().machineState;
	if (now?.name === machineState.name)
		change({ machineState: { ...now, code: code.length > CODE_MOST ? "" : code } });
}

/** The heads of tables, and the lines about caches of this trace. */
function linesAbout(text: string, { caches }: Built): string {
	const names = new Set(caches.map(({ name }) => name));
	const isKept = (line: string) =>
		/^(slabinfo|#|cache,|sysfs_name,)/.test(line) ||
		line.split(/[\s,/:]+/).some((word) => names.has(word));
	return text
		.split("\n")
		.filter(isKept)
		.map((line) => line.replaceAll(/ +/g, " "))
		.join("\n")
		.concat("\n");
}
