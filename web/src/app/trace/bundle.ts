/** Opens a bundle: the excerpt at the sender's event, with the sender's view, machine state and notes. */

import { isCancelled } from "../../base/errors.ts";
import { count } from "../../base/format.ts";
import type { Bundle } from "../../engine/import/bundle.ts";
import type { Built } from "../../engine/types.ts";
import type { Engine } from "../../engine/worker/two_stage_engine.ts";
import { LOCAL } from "../link/fields.ts";
import { factsAtOnce, fromQuery, type View } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { setBreakpoints } from "../playback/breakpoints.ts";
import { sentenceOf, showError } from "../playback/player.ts";
import { CODE_MOST, codeOf, textIn } from "../state/sandbox_text.ts";
import { busy, change, facts } from "../state/store.ts";
import { applyMachineState, awaitFile, beginWarm, openFile, showMachineState } from "./actions.ts";

const PARTS: Readonly<Record<Bundle["about"]["excerpt"], string>> = {
	all: "All events",
	beginning: "The events from the first one on",
	middle: "An excerpt from the middle",
};

const EMPTY =
	"The sender's replay started from the slabs that the trace's pointers show. A bundle has no pointers, so here it starts empty, and places may differ.";

export async function openBundle(file: File): Promise<boolean> {
	let bundle: Bundle;
	try {
		bundle = await busy(() => engine().readBundle(file));
	} catch (error) {
		if (!isCancelled(error))
			change({ refused: { name: file.name, sentence: sentenceOf(error), ways: [], share: 0 } });
		return false;
	}
	const { about, trace, state } = bundle;
	const view = fromQuery(about.view);
	const name = `${file.name.replace(/\.zip$/, "")}.slabtrace`;
	awaitFile({ ...view, trace: LOCAL + name, file: "" });
	if (!(await openFile(new File([trace], name, { lastModified: file.lastModified })))) return false;
	showAsSender(view);
	if (state && about.state)
		await openState(new File([state], about.state.name), about.state.used, about.state.warm);
	change({ several: { sentences: sentencesOf(about), offers: [] } });
	return true;
}

/** Restores everything in the view that opening a file leaves alone. Which origins may send messages is up to the visitor. */
function showAsSender(view: View): void {
	const { allowed: _, ...atOnce } = factsAtOnce(view);
	change({ ...atOnce, series: view.series });
	setBreakpoints(view.breakpoints);
}

function sentencesOf({ of, event, excerpt, events, inferred, notes }: Bundle["about"]): string[] {
	const where = `${PARTS[excerpt]} of ${of} are open, and you are at event ${count(event)} of it.`;
	const cut =
		events && excerpt !== "all"
			? `The trace was too long for a bundle, so it was cut to events ${count(events.from)} to ${count(events.to)} of ${count(events.of)}.`
			: "";
	const places =
		"The slabs before it were rebuilt from the objects that were live then, so places may differ.";
	return [
		excerpt === "middle" ? where.replace(" are ", " is ") : where,
		...(cut === "" ? [] : [cut]),
		...(excerpt === "middle" ? [places] : []),
		...(inferred && excerpt !== "middle" ? [EMPTY] : []),
		...(notes.trim() === "" ? [] : [`Notes: ${notes.trim()}`]),
	];
}

/* A machine state that comes with a link or a bundle, and its short form for a link. */

type Read = Awaited<ReturnType<Engine["load"]>>;

/** Shows a machine state with the trace, and uses it as its sender did. */
async function openState(file: File, used: boolean, warm: boolean): Promise<void> {
	const load = async (): Promise<Read> => engine().load(file, facts().machine, onProgress);
	const answer = await busy(load);
	if (!("machineState" in answer)) throw new Error(`${file.name} is not a machine state.`);
	showMachineState(answer, file.name, facts().answer);
	await applyMachineState(used);
	await beginWarm(warm);
}

/** Opens the machine state of a link. */
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

/** Keeps the head of each table, and its lines about this trace's caches. */
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
