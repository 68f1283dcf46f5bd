/**
 * Input from the visitor: files that are dropped, chosen or pasted, one or several at once, and text. If there are
 * several files, it opens the first trace, keeps the others under Recent, shows a machine state with the trace, names
 * its call sites from a kernel's symbols, and checks it against a real kernel's states.
 */

import { isCancelled } from "../../base/errors.ts";
import { loadCode } from "../../base/load_code.ts";
import { fromQuery } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { tellTabs } from "../platform/tabs.ts";
import { latestLoad } from "../playback/opened.ts";
import { pause, sentenceOf } from "../playback/player.ts";
import { recentTrace } from "../state/machine_spec.ts";
import { busy, change, facts, partOf, type Several } from "../state/store.ts";
import { listRecent, openFile, openRecent, openSample } from "./actions.ts";

/** The file name of pasted text. */
const PASTED = "pasted text";

/** Opens the browser's file dialog and passes the chosen files to `bring`. */
export const chooseFile = () => document.querySelector<HTMLElement>("[data-trace-file]")?.click();

export async function bring(files: readonly File[]): Promise<void> {
	const [first, ...others] = files;
	if (!first) return;
	if (others.length === 0 && (await busy(() => isBundle(first)))) await openBundle(first);
	else if (others.length === 0) await openFile(first);
	else await bringAll(files);
}

/** The name of the first file in a bundle (engine/import/bundle.ts). */
const CASE = "slabscope.json";
const ZIP = "PK\u0003\u0004";
const ZIP_HEAD_BYTES = 30;

async function isBundle(file: File): Promise<boolean> {
	const part = (from: number, bytes: number) => file.slice(from, from + bytes).text();
	return (await part(0, ZIP.length)) === ZIP && (await part(ZIP_HEAD_BYTES, CASE.length)) === CASE;
}

async function openBundle(file: File): Promise<void> {
	const { openBundle } = await loadCode(() => import("./bundle.ts"));
	await openBundle(file);
}

/** Opens pasted text as a file. The same text is the same file, so it is kept once. */
export function bringText(text: string): Promise<boolean> {
	if (text.trim() === "") {
		const sentence = "The clipboard has no text. Copy lines of a trace and paste them here.";
		change({ refused: { name: PASTED, sentence, ways: [], share: 0 } });
		return Promise.resolve(false);
	}
	return openFile(new File([text], PASTED, { lastModified: 0 }));
}

async function bringAll(files: readonly File[]): Promise<void> {
	pause();
	const { traces, states, symbols, edges } = await sorted(files);
	const sentences: string[] = [];
	const open = await openOne(traces, sentences);
	if (open) sentences.push(`${open.name} is open.`);
	const [state, ...unused] = states;
	if (state && (open || facts().built) && (await openFile(state)))
		sentences.push(`The machine state in ${state.name} is shown with the trace.`);
	for (const { name } of unused)
		sentences.push(`${name} was not used: a trace can have only one machine state at a time.`);
	const [names, ...unread] = symbols;
	if (names && (open || facts().built) && (await openFile(names)))
		sentences.push(...(facts().several?.sentences ?? []));
	for (const { name } of unread)
		sentences.push(`${name} was not used: only one file can name a trace's call sites.`);
	for (const edge of edges)
		if (await openFile(edge))
			sentences.push(
				facts().startState?.name === edge.name && facts().startState?.used
					? `The replay starts from the kernel state in ${edge.name}, and the timeline shows how far the model agrees with that kernel.`
					: `${edge.name} is compared with the model: the timeline shows how far they agree.`,
			);
	const load = latestLoad();
	const offers = await keepAll(traces, sentences, load);
	// If the visitor has opened something else in the meantime, the notice is about that.
	if (latestLoad() === load) change({ several: { sentences, offers }, sheet: "" });
}

async function sorted(files: readonly File[]) {
	const kinds = {
		trace: [] as File[],
		state: [] as File[],
		symbols: [] as File[],
		start: [] as File[],
		stop: [] as File[],
	};
	await busy(async () => {
		for (const file of files) kinds[await engine().kindOf(file)].push(file);
	});
	const { trace, state, symbols, start, stop } = kinds;
	return { traces: trace, states: state, symbols, edges: [...start, ...stop] };
}

/** Opens the first file that can be opened, and removes all files up to it from the list. */
async function openOne(traces: File[], sentences: string[]): Promise<File | undefined> {
	for (let file = traces.shift(); file; file = traces.shift()) {
		if (await openFile(file)) return file;
		const { refused } = facts();
		if (!refused) return undefined;
		sentences.push(`${file.name} was not opened: ${refused.sentence}`);
	}
	return undefined;
}

/** Keeps the other traces, one after another, until the visitor opens something else. */
async function keepAll(
	traces: readonly File[],
	sentences: string[],
	load: number,
): Promise<Several["offers"]> {
	const offers: { key: string; name: string }[] = [];
	for (const file of traces) {
		try {
			const key = await busy(() => engine().keepAside(file, onProgress));
			offers.push({ key, name: file.name });
			sentences.push(`${file.name} is kept under Recent.`);
		} catch (error) {
			const why = isCancelled(error) ? "you cancelled." : sentenceOf(error);
			sentences.push(`${file.name} is not kept under Recent: ${why}`);
		}
		if (latestLoad() === load) change({ progress: null });
		else break;
	}
	if (offers.length > 0) {
		await listRecent();
		tellTabs();
	}
	return offers;
}

/* The second trace of Compare: a file is kept under Recent first, so that a reload finds it again. */

/** Prefix for the key of a trace that the browser keeps. */
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

/** Opens the second trace on the stage, at one of its events; the two traces swap places. */
export async function showInSecond(op: number): Promise<void> {
	const { against, fileKey, machine, trace } = facts();
	const former = fileKey === "" ? trace : recentTrace(fileKey);
	const view = { ...fromQuery(""), machine, op };
	const key = against.trace.startsWith(RECENT) ? against.trace.slice(RECENT.length) : "";
	const isOpen = await (key === "" ? openSample(against.trace, view) : openRecent(key, view));
	if (isOpen) change({ tab: "explore", against: { ...against, trace: former } });
}
