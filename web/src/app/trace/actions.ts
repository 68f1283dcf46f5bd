/**
 * What the visitor can do besides moving: open a trace, change the machine, choose a cache, change the view. Each
 * action changes facts in the store; the URL follows from them.
 */

import { KernelChoice } from "#abi";
import { type Fault, KmemError } from "#wasm";
import { isCancelled } from "../../base/errors.ts";
import { loadCode } from "../../base/load_code.ts";
import type {
	Asked,
	Beside,
	Loaded,
	Refused,
	WithMachineState,
	WithNames,
} from "../../engine/answers.ts";
import { MADE } from "../../engine/generated_trace.ts";
import { isFileOf } from "../../engine/recent/recent_store.ts";
import type { Built, Machine, Progress, Recent, Report } from "../../engine/types.ts";
import { LOCAL, SANDBOX } from "../link/fields.ts";
import { faultsOf, fromQuery, type View } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { ownRecording } from "../platform/page_files.ts";
import { tellTabs } from "../platform/tabs.ts";
import { marksToShow } from "../playback/marks.ts";
import {
	busiest,
	differing,
	inFull,
	known,
	latestLoad,
	newLoad,
	SOMEWHERE,
	showOpened,
} from "../playback/opened.ts";
import { guideAtRest, pause, refresh, sentenceOf, showError } from "../playback/player.ts";
import { allocatorName, busy, change, type Facts, facts } from "../state/store.ts";
import { checkHeld, rememberColumns, rememberedColumns } from "./files.ts";

const files = {
	/** The file opened last, so that it can be opened again in part or with other columns. */
	lastFile: undefined as File | undefined,
	/** The file of facts().csv. */
	csvFile: undefined as File | undefined,
	/** Why the latest load failed. */
	failure: undefined as unknown,
	/** A link's view of a file that this browser does not have. */
	awaited: undefined as View | undefined,
};

/**
 * Files that pages of other origins supplied, and which origin: they must not push out the visitor's own under
 * Recent.
 */
const given = new WeakMap<File, string>();

/** The file is never kept. */
export function openGiven(file: File, origin: string): Promise<boolean> {
	given.set(file, origin);
	return openFile(file);
}

/** What was wrong with the latest load, if the core names it: a parameter, a preset or a workload. */
export function faultOfLoad(): Fault | undefined {
	return files.failure instanceof KmemError ? files.failure.fault : undefined;
}

function begin(phase: Progress["phase"], total: number): number {
	change({ progress: { phase, done: 0, total, events: 0, secondsLeft: -1 }, error: "" });
	files.failure = undefined;
	return newLoad();
}

/** Loads a sample. Resolves to whether it is now in use. */
export async function openSample(file: string, view?: View): Promise<boolean> {
	if (file.startsWith(MADE)) return openMade(file, view);
	const mine = begin("reading", 0);
	try {
		const source = await ownRecording(file);
		return await use(file, view, (machine) => engine().load(source, machine, onProgress));
	} catch (error) {
		if (mine === latestLoad()) change({ progress: null, error: sentenceOf(error) });
		return false;
	}
}

/** Loads a generated trace, `workload:netio?seed=7`. */
function openMade(trace: string, view?: View): Promise<boolean> {
	pause();
	begin("making", 0);
	return use(trace, view, (machine) => engine().loadMade(trace, machine, onProgress));
}

/** `columns`: the roles of CSV columns, if their names do not show them. */
export async function openFile(file: File, columns = ""): Promise<boolean> {
	pause();
	const mine = begin("reading", file.size);
	files.lastFile = file;
	const { view, other } = await viewAwaiting(file);
	if (mine !== latestLoad()) return false;
	const opened = await use(LOCAL + file.name, view, async (machine, cold) => {
		const answer = await load(file, machine, columns, cold);
		const known = columns === "" && isAsked(answer) ? rememberedColumns(answer.csv) : "";
		return known === "" ? answer : load(file, machine, known, cold);
	});
	if (opened) showGiven(file);
	if (opened && other !== "") change({ error: [other, facts().error].join(" ").trim(), sheet: "" });
	return opened;
}

function load(file: File, machine: Machine, columns: string, cold: boolean): Promise<Answer> {
	return engine().load(file, machine, onProgress, columns, cold, given.has(file));
}

/** Says why the file on screen is not kept, if another page has given it. */
function showGiven(file: File): void {
	const origin = given.get(file);
	if (origin === undefined || facts().trace !== LOCAL + file.name) return;
	const keptNote = `${file.name} is not kept under Recent: it came from ${origin}, and only your own files are kept.`;
	change({ keptNote });
}

/** Opens text made in the page, which is not kept under Recent. `at`: a view, or only an event. */
export function openText(trace: string, text: string, at: View | { op: number }): Promise<boolean> {
	begin("reading", text.length);
	const view = "trace" in at ? at : { ...fromQuery(""), ...at };
	return use(trace, view, (machine) => engine().load(new Blob([text]), machine, onProgress));
}

/** Shows the file with the link's view once it is opened. */
export function awaitFile(view: View): void {
	files.awaited = view;
}

/** Returns the link's view if this is its file, and a sentence if only the file's name matches. */
async function viewAwaiting(file: File): Promise<{ view?: View; other: string }> {
	const view = files.awaited;
	const trace = LOCAL + file.name;
	const hasName = view?.trace === trace;
	if (!view || (!hasName && view.file === "")) return { other: "" };
	if (await isFileOf(view.file, file)) {
		files.awaited = undefined;
		return { view: { ...view, trace }, other: "" };
	}
	const other = `${file.name} has the name of the link's file but not its content, so you do not see the link's view.`;
	return { other: hasName ? other : "" };
}

/** Finds the kept file that a view names. */
export function keptAs({ trace, file }: Pick<View, "trace" | "file">): Recent | undefined {
	if (!trace.startsWith(LOCAL)) return undefined;
	const name = trace.slice(LOCAL.length);
	return facts().recent.find((r) => r.name === name && r.key.startsWith(file));
}

/** Returns the name of the last opened file, "" for none. */
export function lastOpened(): string {
	return files.lastFile?.name ?? "";
}

/** Opens the last opened file again, with the same view. */
export async function openAgain(view: View): Promise<boolean> {
	const file = files.lastFile;
	if (!file) return false;
	begin("reading", file.size);
	const columns = rememberedColumnsOf(file);
	const opened = await use(LOCAL + file.name, view, (machine, cold) =>
		load(file, machine, columns, cold),
	);
	if (opened) showGiven(file);
	return opened;
}

/** Returns the roles of its columns, if it is the CSV file in question. */
function rememberedColumnsOf(file: File): string {
	const { csv } = facts();
	return csv && file === files.csvFile ? rememberedColumns(csv) : "";
}

/** Opens as much of the refused file as fits in memory. */
export function openFirstPart(): void {
	const { refused } = facts();
	if (!refused || !files.lastFile) return;
	const { name, lastModified } = files.lastFile;
	const part = files.lastFile.slice(0, Math.floor(files.lastFile.size * refused.share));
	const beginning = new File([part], `${name}, beginning`, { lastModified });
	const origin = given.get(files.lastFile);
	void (origin === undefined ? openFile(beginning) : openGiven(beginning, origin));
}

/** Opens the CSV file with the chosen column roles. */
export function openWithColumns(columns: string): void {
	const { csv } = facts();
	if (!csv || !files.csvFile) return;
	rememberColumns(csv, columns);
	void openFile(files.csvFile, columns);
}

/** Gives up on unknown columns, so the file is not opened. */
export function leaveColumns(): void {
	const { csv } = facts();
	if (csv && csv.sentence !== "" && files.csvFile)
		change({ refused: { name: files.csvFile.name, sentence: csv.sentence, ways: [], share: 0 } });
}

/** Opens the trace that the browser keeps under that key. */
export function openRecent(key: string, view?: View): Promise<boolean> {
	const recent = facts().recent.find((r) => r.key === key);
	if (!recent) return Promise.resolve(false);
	pause();
	begin("opening", 0);
	return use(LOCAL + recent.name, view, (machine, cold) =>
		engine().loadRecent(key, machine, onProgress, cold),
	);
}

export async function listRecent(): Promise<void> {
	change({ recent: await engine().recent() });
}

export async function forget(key: string | "all"): Promise<void> {
	change({ recent: await engine().forget(key) });
	tellTabs();
}

type Answer = Loaded | Refused | Asked | Beside;
type Load = (machine: Machine, cold: boolean) => Promise<Answer>;

function isAsked(answer: Answer): answer is Asked {
	return "csv" in answer && !("built" in answer);
}

async function use(trace: string, view: View | undefined, load: Load): Promise<boolean> {
	const mine = latestLoad();
	const machine = differing(trace, view?.machine ?? facts().machine);
	change({ playing: false });
	const local = trace.startsWith(LOCAL);
	const cold = local && (view?.cold ?? false);
	const name = local ? trace.slice(LOCAL.length) : trace;
	let loaded: Answer;
	try {
		loaded = await load(inFull(trace, machine), cold);
	} catch (error) {
		if (mine !== latestLoad()) return false;
		change({ progress: null });
		if (isCancelled(error)) return false;
		files.failure = error;
		const sentence = sentenceOf(error);
		if (local) change({ refused: { name, sentence, ways: [], share: 0 } });
		else change({ error: sentence });
		return false;
	}
	if (mine !== latestLoad()) return false;
	if ("refusal" in loaded) {
		const { sentence, ways, share } = loaded.refusal;
		change({ progress: null, refused: { name, sentence, ways, share } });
		return false;
	}
	if ("machineState" in loaded) {
		showMachineState(loaded, name);
		return true;
	}
	if ("named" in loaded) {
		showNames(loaded, name);
		return true;
	}
	if ("edge" in loaded) {
		const { edge } = loaded;
		change({ progress: null, refused: null });
		const [file, { addState }] = [files.lastFile, await runCode()];
		if (file) await addState(edge, file);
		return true;
	}
	files.csvFile = files.lastFile;
	if (isAsked(loaded)) {
		change({ progress: null, csv: loaded.csv, dialog: "columns" });
		return false;
	}
	// Whoever opens a file first wants to know how it was read; a link shows its own view.
	if (local) change({ refused: null, ...(view ? {} : { sheet: "trace" }) });
	show(trace, machine, loaded, view);
	void engine()
		.kept()
		.then(async (keptNote) => {
			if (keptNote !== "" && local && facts().trace === trace) change({ keptNote });
			await listRecent();
			if (local) tellTabs();
		});
	return true;
}

const stateCode = () => loadCode(() => import("./bundle.ts"));
const runCode = () => loadCode(() => import("./real_run.ts"));

/** Shows a machine state beside the model's numbers, with the table of caches; the labs show it themselves. */
export function showMachineState(
	{ machineState, aliases, built, readAgain, used, warm, said }: WithMachineState,
	name: string,
	answer: Facts["answer"] = "slabinfo",
): void {
	const { code } = facts().machineState ?? {};
	const isPacked = facts().machineState?.name === name && code !== undefined;
	change({
		built,
		...named(built, readAgain),
		machineState: { name, rows: machineState, aliases, used, warm, ...(isPacked ? { code } : {}) },
		progress: null,
		refused: null,
		...(facts().tab === "labs" ? {} : { answer }),
		...(said === "" ? {} : { error: said }),
	});
	refresh();
	if (!isPacked) void stateCode().then(({ packState }) => packState(), showError);
}

/** Shows a trace that was read again: what is on the stage may have a different name now, or be known by its size again. */
function named(built: Built, report: Report | undefined): Partial<Facts> {
	if (!report) return {};
	const { cache, wanted } = facts();
	const size = facts().built?.caches.find(({ name }) => name === cache)?.size;
	const same = built.caches.filter((other) => other.size === size);
	return {
		report,
		cache: known(built, wanted) ?? known(built, cache) ?? busiest(same)?.name ?? "",
	};
}

/** Says how many call sites the kernel's symbols have named. */
function showNames({ named, built }: WithNames, name: string): void {
	const what = `${named} ${named === 1 ? "address" : "addresses"}`;
	const sentence =
		named === 0
			? `${name} had nothing to name: none of the trace's call sites is an address.`
			: `${name} named the trace's call sites: ${what}. The kept copy of the trace does not have the names.`;
	change({ built, progress: null, refused: null, several: { sentences: [sentence], offers: [] } });
	refresh();
}

/** Opens the fork that a view has of its trace; set when the page starts. */
let openForkOf: (view: View) => void = () => {};

export function openForksWith(open: (view: View) => void): void {
	openForkOf = open;
}

/** Shows the trace at the view's position, or at one with something to see. */
function show(trace: string, machine: Machine, loaded: Loaded, view: View | undefined): void {
	const { built, key, csv } = loaded;
	const { caches, nrOps } = built;
	// The states of a run stay with its trace until another one is open.
	const run = facts().trace === trace ? facts().startState : null;
	const startState = run && { ...run, used: false };
	const faults = view ? faultsOf(view, { open: trace, caches, nrOps, startState }) : "";
	const spot = view ? { ...view, op: Math.min(view.op, built.nrOps - 1) } : SOMEWHERE;
	const isOfCache = spot.cache === "" || known(built, spot.cache) !== undefined;
	const selected = isOfCache ? spot.selected : null;
	showOpened(
		trace,
		machine,
		loaded,
		{ ...spot, selected },
		{
			...(trace === SANDBOX
				? {}
				: { sandbox: null, sandboxCode: "", sandboxUndone: [], sandboxRefused: "" }),
			future: "yours",
			...(faults === "" ? {} : { error: faults }),
			...marksToShow(trace, key, built.nrOps, view?.marks ?? []),
			filter: view?.filter ?? [],
			csv: (trace.startsWith(LOCAL) && csv) || null,
			cold: trace.startsWith(LOCAL) && (view?.cold ?? false),
			startState,
		},
	);
	if (view && startState && view.start === startState.name) void beginAs(view);
	if (selected) void checkHeld(selected);
	if (view && view.sandbox !== "" && trace !== SANDBOX) openForkOf(view);
	if (view?.state.code) void stateCode().then((m) => m.openLinked(view.state), showError);
}

/** Gives caches the machine's parameters, or their own again; does nothing without a machine state. */
export async function applyMachineState(used: boolean): Promise<void> {
	const { machineState } = facts();
	if (!machineState || machineState.used === used) return;
	const answer = await replayed(() => engine().applyMachineState(used, onProgress));
	if (answer) showMachineState(answer, machineState.name);
}

/** Starts the replay from the machine's slabs, or from none; does nothing without a machine state. */
export async function beginWarm(warm: boolean): Promise<void> {
	const { machineState } = facts();
	if (!machineState || machineState.warm === warm) return;
	const answer = await replayed(() => engine().beginWarm(warm, onProgress));
	if (!answer) return;
	change({ startState: unused() });
	showMachineState(answer, machineState.name);
}

/** Replays the trace in another way; returns undefined if that fails, and then the page says why. */
async function replayed<T>(replay: () => Promise<T>): Promise<T | undefined> {
	begin("replaying", 0);
	try {
		return await replay();
	} catch (error) {
		change({ progress: null, error: isCancelled(error) ? "" : sentenceOf(error) });
		return undefined;
	}
}

/**
 * Starts the replay of the visitor's file empty, or from the slabs that its pointers show, and stays at the same
 * event. Any other trace starts empty.
 */
export async function beginCold(cold: boolean): Promise<void> {
	const { trace, cold: isCold, startState } = facts();
	const isFile = trace.startsWith(LOCAL);
	if (!startState?.used && (cold === isCold || !isFile)) return;
	const replay = () => engine().inferStart(isFile && !cold, onProgress);
	await beginOtherwise(replay, () => ({ cold: isFile && cold, startState: unused() }));
}

/** Starts the replay as a view does, but from the kernel state only if the page has it. */
export async function beginAs({ cold, start }: Pick<View, "cold" | "start">): Promise<void> {
	if (start === "" || start !== facts().startState?.name) await beginCold(cold);
	else await (await runCode()).beginWithState();
}

/** Returns the kernel state, if there is one, but not in use. */
function unused(): Facts["startState"] {
	const { startState } = facts();
	return startState && { ...startState, used: false };
}

/** Replays from another start, and stays at the same event. If that fails, the page says why and `more` is not set. */
export async function beginOtherwise(
	replay: () => Promise<Built>,
	more: () => Partial<Facts>,
): Promise<void> {
	const built = await replayed(replay);
	if (!built) return;
	change({ built, ...more(), progress: null });
	refresh();
}

export async function removeMachineState(): Promise<void> {
	const answer = await replayed(() => engine().removeMachineStates(onProgress));
	if (!answer) return;
	const { built, readAgain } = answer;
	change({
		built,
		...named(built, readAgain),
		machineState: null,
		stateBefore: "",
		progress: null,
	});
	refresh();
}

/** Keeps the machine state as the one from before the trace, in use or not; the next file is then compared with it. */
export async function keepAsBefore(): Promise<void> {
	const { machineState } = facts();
	if (!machineState) return;
	await busy(() => engine().stateIsBefore());
	change({ machineState: null, stateBefore: machineState.name });
}

/** Replays with other settings and stays at the same event. */
export async function setMachine(wanted: Machine): Promise<void> {
	const refusal = await tryMachine(wanted);
	if (refusal !== "") change({ error: refusal });
}

/**
 * Does the same for a control that shows the reason itself: resolves to why a value was refused, or "" if the
 * machine is on the stage.
 */
async function tryMachine(wanted: Machine): Promise<string> {
	const { built: old, trace } = facts();
	if (!old) return "";
	const machine = differing(trace, wanted);
	const during = latestLoad();
	change({
		playing: false,
		error: "",
		progress: { phase: "replaying", done: 0, total: 0, events: 0, secondsLeft: -1 },
	});
	try {
		const built = await engine().rebuild(inFull(trace, machine), onProgress);
		const { cache: shown, wanted } = facts();
		const cache = known(built, wanted) ?? known(built, shown) ?? busiest(built.caches)?.name ?? "";
		change({ built, machine, cache, progress: null });
		refresh();
		return "";
	} catch (error) {
		if (during !== latestLoad()) return "";
		change({ progress: null });
		return isCancelled(error) ? "" : sentenceOf(error);
	}
}

export function setParam(key: string, value: string): Promise<void> {
	return setMachine(withParam(key, value));
}

/** Does the same; resolves to why the value was refused, or "" if it is set. */
export function tryParam(key: string, value: string): Promise<string> {
	return tryMachine(withParam(key, value));
}

function withParam(key: string, value: string): Machine {
	const { machine } = facts();
	const values = { ...machine.values };
	if (value === "") delete values[key];
	else values[key] = value;
	return { ...machine, values };
}

interface Model {
	readonly words: string;
	/** Its words if no preset is chosen. */
	readonly usual?: string;
	/** Whether presets apply to it. */
	readonly hasPresets?: true;
}

/** Names that sentences use for particular allocators; the others have the name from the core's table. */
const MODELS: Readonly<Record<string, Model>> = {
	slub: { words: "SLUB", usual: "Linux 6.1's SLUB", hasPresets: true },
	slab: { words: "SLAB", hasPresets: true },
	unified: { words: "the unified allocator proposed in 2010" },
	"slob-segregated": { words: "the segregated SLOB proposed in 2021" },
};

/** The preset in use if none is chosen. */
export const USUAL_PRESET = "linux-6.1";

export const hasPresets = (allocator: string): boolean => MODELS[allocator]?.hasPresets ?? false;

/** Returns the preset chosen by the visitor or by the trace; "" for the default. */
export function presetInForce({ built, machine }: Pick<Facts, "built" | "machine">): string {
	const kernel = built?.kernel;
	if (machine.preset !== "" || !kernel || kernel.choice === KernelChoice.KERNEL_BY_DEFAULT)
		return machine.preset;
	return kernel.preset;
}

/** Names the allocator, with the kernel that it models or the year of its proposal: "SLUB 6.1", "Unified 2010". */
export function modelOf(allocator: string, preset: string): string {
	const name = allocatorName(allocator);
	if (!hasPresets(allocator)) return name.replace(/ \((\d+) proposal\)$/, " $1");
	return `${name} ${(preset || USUAL_PRESET).replace("linux-", "")}`;
}

/** Names the model that replays: whatever was recorded, no kernel code runs here. */
export function modelWords(allocator: string, preset: string): string {
	const { words, usual = words } = MODELS[allocator] ?? { words: allocatorName(allocator) };
	if (preset !== "" && hasPresets(allocator)) return `a model of ${words} with preset ${preset}`;
	return `a model of ${usual}`;
}

export function cancel(): void {
	void engine().cancel();
}

export function chooseCache(name: string): void {
	change({ cache: name, wanted: name, selected: null, before: null, ...guideAtRest() });
	refresh();
}
