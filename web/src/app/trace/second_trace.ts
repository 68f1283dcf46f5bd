/** The second trace of Compare: a file is kept under Recent first, so that a reload finds it again. */
import { isCancelled } from "../../base/errors.ts";
import { fromQuery } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { tellTabs } from "../platform/tabs.ts";
import { sentenceOf } from "../playback/player.ts";
import { recentTrace } from "../state/machine_spec.ts";
import { busy, change, facts, partOf } from "../state/store.ts";
import { listRecent, openRecent, openSample } from "./actions.ts";
import { bring } from "./bring.ts";

/** Before the key of a trace that the browser keeps. */
const RECENT = recentTrace("");

/** A machine state or symbols go to the trace on the stage, as everywhere. */
export async function bringSecond(file: File): Promise<void> {
	try {
		if ((await busy(() => engine().kindOf(file))) !== "trace") {
			await bring([file]);
			return;
		}
		const key = await busy(() => engine().keepAside(file, onProgress));
		change({ progress: null });
		await listRecent();
		tellTabs();
		chooseSecond(recentTrace(key));
	} catch (error) {
		const sentence = isCancelled(error) ? "" : `${file.name}: ${sentenceOf(error)}`;
		change({ progress: null, error: sentence });
	}
}

export function chooseSecond(trace: string): void {
	const { align } = facts().against;
	change({ ...partOf("compare", "traces"), against: { trace, align } });
}

/** Opens the second trace on the stage, at one of its events. The two change places. */
export async function showInSecond(op: number): Promise<void> {
	const { against, fileKey, machine, trace } = facts();
	const former = fileKey === "" ? trace : recentTrace(fileKey);
	const view = { ...fromQuery(""), machine, op };
	const key = against.trace.startsWith(RECENT) ? against.trace.slice(RECENT.length) : "";
	const isOpen = await (key === "" ? openSample(against.trace, view) : openRecent(key, view));
	if (isOpen) change({ tab: "explore", against: { ...against, trace: former } });
}
