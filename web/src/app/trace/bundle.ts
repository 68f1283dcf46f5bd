/** Opens a bundle: the excerpt at the sender's event, with the sender's view, machine state and notes. */

import { isCancelled } from "../../base/errors.ts";
import { count } from "../../base/format.ts";
import type { Bundle } from "../../engine/import/bundle.ts";
import { LOCAL } from "../link/fields.ts";
import { factsAtOnce, fromQuery, type View } from "../link/url.ts";
import { engine } from "../platform/engine_link.ts";
import { setBreakpoints } from "../playback/breakpoints.ts";
import { sentenceOf } from "../playback/player.ts";
import { busy, change } from "../state/store.ts";
import { awaitFile, openFile } from "./actions.ts";
import { openState } from "./linked_state.ts";

const PARTS: Readonly<Record<Bundle["about"]["excerpt"], string>> = {
	all: "All events",
	beginning: "The events from the first one on",
	middle: "An excerpt from the middle",
};

const EMPTY =
	"The sender's replay began with slabs that the trace's pointers show. A bundle has no pointers, so it begins empty here, and places may differ.";

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

/** All of the view that opening a file leaves alone. Origins that may send messages are the visitor's own matter. */
function showAsSender(view: View): void {
	const { allowed: _, ...atOnce } = factsAtOnce(view);
	change({ ...atOnce, series: view.series });
	setBreakpoints(view.breakpoints);
}

function sentencesOf({ of, event, excerpt, events, inferred, notes }: Bundle["about"]): string[] {
	const where = `${PARTS[excerpt]} of ${of} are open, at event ${count(event)} of it.`;
	const cut =
		events && excerpt !== "all"
			? `The trace was too long for a bundle: it was cut to events ${count(events.from)} to ${count(events.to)} of ${count(events.of)}.`
			: "";
	const places =
		"The slabs before it were rebuilt from the objects that lived then, so places may differ.";
	return [
		excerpt === "middle" ? where.replace(" are ", " is ") : where,
		...(cut === "" ? [] : [cut]),
		...(excerpt === "middle" ? [places] : []),
		...(inferred && excerpt !== "middle" ? [EMPTY] : []),
		...(notes.trim() === "" ? [] : [`Notes: ${notes.trim()}`]),
	];
}
