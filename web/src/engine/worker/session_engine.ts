/**
 * The functions through which the page reaches the core. The worker serves them over comlink; tests may call them in
 * their own thread. A call that fails rejects with one sentence that people can read.
 *
 * A load gets its own session, which replaces the old one only when it is built, so a bad file or a cancelled load
 * leaves the page as it was. The same goes for a rebuild that fails: the previous machine is set again. Loaded traces
 * are kept in the background.
 */
import { transfer } from "comlink";
import type { Totals } from "#abi";
import { compile, KmemError, type KmemSession } from "#wasm";
import type {
	Asked,
	Beside,
	ComparedMachine,
	Comparison,
	Fork,
	Loaded,
	OtherStage,
	Refused,
	StageOf,
	WithMachineState,
} from "../answers.ts";
import { make } from "../generated_trace.ts";
import {
	type Imported,
	importFile,
	NEW,
	NoRoom,
	stateIn,
	UnknownColumns,
} from "../import/loader.ts";
import { importAgain, type Original, originalOf } from "../import/original.ts";
import { edgeBeside, hasSymbols, nameCallSites } from "../import/symbols.ts";
import { blobOf, type Input, moduleBytes } from "../input.ts";
import { configure, NOTHING, replay, withMachineState } from "../machine.ts";
import { buffersOf, type PackedMoment } from "../moment.ts";
import { NO_PACE, Pace } from "../pace.ts";
import { cacheSeries } from "../query/cache_series.ts";
import { checkMachines } from "../query/check_machines.ts";
import { ComparedMachines } from "../query/compare.ts";
import { changeFork } from "../query/fork.ts";
import { Histories } from "../query/history.ts";
import { nextObjects } from "../query/levels.ts";
import { replayedTrace } from "../query/other_trace.ts";
import type { WhyAnswer } from "../query/why.ts";
import { keyOf, RecentStore } from "../recent/recent_store.ts";
import { builtOf, reportOf } from "../rows.ts";
import { COLD, type StageCopy, type Start, useStart } from "../stage_copy.ts";
import type {
	Built,
	Condition,
	Curves,
	Found,
	Goal,
	Machine,
	NextObject,
	ObjectHistory,
	Overview,
	Position,
	Progress,
	Recent,
	Report,
	Thing,
} from "../types.ts";
import { Archive, damagedOnly, type Source } from "./archive.ts";
import { FilteredNavigator, stageAt } from "./navigator.ts";

/** How many rows of a history can be on screen at once. */
const MOVES_MOST = 64;
/** Searches and indexing that finish sooner show no progress. */
const QUIET_MS = 250;

type OnProgress = (p: Progress) => void;

export interface Surroundings {
	readonly store?: RecentStore;
	/** Whether this many bytes can be allocated. */
	readonly gives?: (bytes: number) => boolean;
}

export class SessionEngine {
	readonly #archive: Archive;
	readonly #gives: Surroundings["gives"];
	#compiled: WebAssembly.Module | undefined;
	#session: KmemSession | undefined;
	#histories: Histories | undefined;
	protected compared: ComparedMachines | undefined;
	#machine: Machine = NOTHING;
	/** What the replay on the stage starts from. */
	protected start: Start = COLD;
	/** Where the trace on the stage comes from; undefined if its text is not available. */
	#original: Original | undefined;
	/** The fork that replaces the recorded future. */
	#fork: Fork | undefined;
	/** Counts the positions visited; a later one stops the work for an earlier one. */
	#visits = 0;
	/** Counts the questions for the curves of a cache. */
	#curvesAsked = 0;
	/** Counts loads and rebuilds; a later load, or a cancel, stops an earlier one. */
	#runs = 0;
	/** The rebuild in progress, if any: a half-built session is never read. */
	#building: Promise<unknown> = Promise.resolve();
	#loading: Promise<unknown> = Promise.resolve();

	constructor({ store, gives }: Surroundings = {}) {
		this.#archive = new Archive(store ?? new RecentStore(), () => this.#loading);
		this.#gives = gives;
	}

	/** Starts the core. `wasm`: its bytes, or its address; an address is fetched once. */
	async open(wasm: string | Blob): Promise<void> {
		const bytes = await moduleBytes(wasm);
		this.#compiled = await compile(bytes);
		await this.#archive.begin();
	}

	/**
	 * Imports a file, packed or not. The previous trace stays in use if this fails, is refused or is cancelled. The
	 * browser keeps a file that has a name, and opens it at once the next time. With `columns`, a mapping as for
	 * kmem_import_columns, the file is read again as CSV. A replay of a file starts from the slabs that its pointers
	 * show, unless `isCold`. A file that is not the visitor's own (`isGiven`) is neither kept nor read from what is
	 * kept.
	 */
	async load(
		input: Input,
		machine: Machine,
		onProgress: OnProgress,
		columns = "",
		isCold = false,
		isGiven = false,
	): Promise<Loaded | Refused | Asked | Beside> {
		const pace = this.begin(onProgress);
		const file = await blobOf(input);
		const key = file instanceof File ? await keyOf(file) : "";
		const card = columns === "" && !isGiven ? await this.#archive.card(key) : undefined;
		const source =
			file instanceof File
				? { key, name: file.name, sizeBytes: file.size, file, isGiven }
				: undefined;
		try {
			const original = originalOf(file, columns);
			return await this.#open(machine, pace, { source, original }, !isCold, async (module) => {
				const copy = await this.#archive.read(module, card, pace).catch(damagedOnly);
				if (copy && copy !== "damaged") return copy;
				const imported = await importFile(module, file, pace, { gives: this.#gives, columns });
				return copy ? { ...imported, kept: copy } : imported;
			});
		} catch (error) {
			if (error instanceof UnknownColumns) return { csv: error.csv };
			// A load that is no longer wanted is not looked into again.
			pace.check();
			const edge = await edgeBeside(this.compiled, file, this.#session !== undefined);
			if (edge) return { edge };
			const state = this.#session && (await stateIn(this.compiled, file, pace));
			pace.check();
			if (!state && this.#session && (await hasSymbols(this.compiled, file))) {
				let named = 0;
				const name = async (session: KmemSession) => {
					named = await nameCallSites(this.compiled, session, file, pace);
				};
				const { built } = await this.relay(pace, name, () => {});
				this.#original &&= { ...this.#original, symbols: file };
				return { built, named };
			}
			if (!state) throw error;
			return this.#showState(state, pace);
		}
	}

	/**
	 * Shows another machine state. The session goes on using it in the same way; if its slabs do not fit, the replay
	 * starts without them.
	 */
	async #showState(state: Uint8Array, pace: Pace): Promise<WithMachineState> {
		const readAgain = await this.nameCaches({ ...this.start, state }, pace);
		if (readAgain) return { ...withMachineState(this.opened, this.start), readAgain };
		try {
			return await this.relay(pace, (session) => {
				session.readMachineState([state]);
				this.start = { ...this.start, state };
			});
		} catch (error) {
			if (!this.start.isWarm || !(error instanceof KmemError)) throw error;
			const answer = await this.relay(pace, (session) => this.#beginWarm(session, false));
			return { ...answer, said: error.message };
		}
	}

	/** Reads the trace again if its caches get other names from these machine states; undefined if nothing has changed. */
	protected async nameCaches(start: Start, pace: Pace): Promise<Report | undefined> {
		const [original, machine] = [this.#original, this.#machine];
		if (!original || this.#fork || start.isKernels) return undefined;
		const play = (session: KmemSession) => {
			configure(session, NOTHING, machine);
			return replay(session, pace);
		};
		const again = await importAgain(this.compiled, this.opened, original, start, pace, play);
		pace.check();
		if (!again) return undefined;
		this.#use(again.session, machine);
		this.start = start;
		this.#original = { ...original, hasNames: start.state !== undefined };
		return again.report;
	}

	/**
	 * Imports a file and keeps it, beside the trace in use; resolves to its key. Rejects with a sentence if the file
	 * is not a trace, does not fit or cannot be kept.
	 */
	async keepAside(file: File, onProgress: OnProgress): Promise<string> {
		const pace = this.begin(onProgress);
		const key = await keyOf(file);
		if (await this.#archive.card(key)) return key;
		const imported = await importFile(this.compiled, file, pace, { gives: this.#gives });
		const source = { key, name: file.name, sizeBytes: file.size, file };
		this.#archive.keep(source, imported);
		const why = await this.#archive.kept();
		if (why !== "") throw new Error(why);
		if (!(await this.#archive.card(key))) throw new Error("This browser does not keep files.");
		return key;
	}

	/** Opens the trace that is kept under that key. */
	async loadRecent(
		key: string,
		machine: Machine,
		onProgress: OnProgress,
		isCold = false,
	): Promise<Loaded | Refused> {
		const pace = this.begin(onProgress);
		const card = await this.#archive.card(key);
		const file = await this.#archive.text(key);
		const original = file && { file, columns: "" };
		return this.#open(machine, pace, { source: card, original }, !isCold, async (module) => {
			const kept = await this.#archive.read(module, card, pace);
			if (!kept)
				throw new Error("This browser has removed its copy of the trace: open the file again.");
			return kept;
		});
	}

	/** Loads a generated trace by its name: `workload:netio?seed=7`. */
	loadMade(trace: string, machine: Machine, onProgress: OnProgress): Promise<Loaded | Refused> {
		const pace = this.begin(onProgress);
		return this.#open(machine, pace, {}, false, async (module) => {
			const session = await make(module, trace, pace);
			const report = reportOf(session.report());
			return { ...NEW, session, report };
		});
	}

	/** Gives caches the parameters of the machine state that is shown, or their own again. */
	applyMachineState(on: boolean, onProgress: OnProgress): Promise<WithMachineState> {
		return this.relay(this.begin(onProgress), (session) => {
			session.applyMachineState(on);
			this.start = { ...this.start, hasCaches: on };
		});
	}

	/**
	 * Starts the replay from the slabs of the machine state that is shown, or from none; if they do not fit, nothing
	 * changes.
	 */
	beginWarm(on: boolean, onProgress: OnProgress): Promise<WithMachineState> {
		return this.relay(
			this.begin(onProgress),
			(session) => this.#beginWarm(session, on),
			(session) => this.#beginWarm(session, !on),
		);
	}

	#beginWarm(session: KmemSession, isWarm: boolean): void {
		this.beginAsKernel(session, false);
		session.beginWarm(isWarm);
		this.start = { ...this.start, isWarm };
	}

	/** The next build starts from the session's start state, or no longer does. */
	protected beginAsKernel(session: KmemSession, isKernels: boolean): void {
		if (isKernels || this.start.isKernels) session.reality.beginWithState(isKernels);
		this.start = { ...this.start, isKernels };
	}

	/** Starts the replay from the slabs that the trace's pointers show, or from none. */
	async inferStart(on: boolean, onProgress: OnProgress): Promise<Built> {
		const use = (session: KmemSession, infers: boolean) => {
			this.beginAsKernel(session, false);
			session.inferStart(infers);
			this.start = { ...this.start, infers };
		};
		const { built } = await this.relay(
			this.begin(onProgress),
			(session) => use(session, on),
			(session) => use(session, !on),
		);
		return built;
	}

	/** Returns a copy of the session on the stage for helpers to replay from; `trace` is its name. */
	async stageCopy(trace: string): Promise<StageCopy> {
		const image = new Blob([(await this.built()).image()]);
		return { trace, image, machine: this.#machine, start: this.start };
	}

	/** Rebuilds the same machine with another machine state, or with names for call sites. */
	protected async relay(
		pace: Pace,
		change: (session: KmemSession) => void | Promise<void>,
		undo?: (session: KmemSession) => void,
	): Promise<WithMachineState> {
		const session = this.opened;
		await this.#build(async () => {
			try {
				await change(session);
				await replay(session, NO_PACE);
			} catch (error) {
				undo?.(session);
				if (undo) await replay(session, NO_PACE);
				throw error;
			} finally {
				this.#use(session, this.#machine);
			}
		});
		pace.check();
		return withMachineState(session, this.start);
	}

	/** Replays the trace in use on another machine. */
	async rebuild(machine: Machine, onProgress: OnProgress): Promise<Built> {
		const session = this.opened;
		const pace = this.begin(onProgress);
		await this.#build(() => this.#rebuild(session, machine, pace));
		this.#use(session, machine);
		return builtOf(session);
	}

	/** Replays again: until that is done, questions wait, and there are no histories. */
	async #build(work: () => Promise<void>): Promise<void> {
		this.#histories = undefined;
		this.#curvesAsked++;
		const building = work();
		this.#building = building.catch(() => {});
		await building;
	}

	async #rebuild(session: KmemSession, machine: Machine, pace: Pace): Promise<void> {
		const before = this.#machine;
		try {
			configure(session, before, machine);
			await replay(session, pace);
		} catch (error) {
			configure(session, machine, before, true);
			// The way back must not be cancelled.
			await replay(session, NO_PACE);
			this.#use(session, before);
			throw error;
		}
	}

	/**
	 * Forks the trace in use, or ends the fork. Rejects with the reason if a line is bad, and the previous future
	 * stays.
	 */
	async fork(fork: Fork | undefined, onProgress: OnProgress): Promise<Built> {
		const [session, pace] = [this.opened, this.begin(onProgress, QUIET_MS)];
		try {
			await this.#build(() => changeFork(session, this.#fork, fork, pace));
			this.#fork = fork;
		} finally {
			this.#use(session, this.#machine);
		}
		return builtOf(session);
	}

	/** Stops a load or rebuild in progress, which then rejects with Cancelled (errors.ts). */
	cancel(): void {
		this.#runs++;
	}

	async go(goal: Goal, cache: number): Promise<PackedMoment> {
		this.#visits++;
		const moment = new FilteredNavigator(await this.built()).go(goal, cache);
		return transfer(moment, buffersOf(moment));
	}

	/** Says where each CPU gets the next object of a cache after this many events. Going elsewhere stops it. */
	async nextObjects(ops: number, cache: number): Promise<readonly NextObject[] | undefined> {
		await this.#building;
		const [session, visit] = [this.#session, this.#visits];
		const isLate = () => this.#visits !== visit || this.#session !== session;
		return session && nextObjects(session, ops, cache, new Pace(() => {}, isLate));
	}

	/** Finds the curves of one cache, in one more replay; undefined without a trace. A later question stops an earlier one. */
	async cacheSeries(cache: number): Promise<Curves | undefined> {
		const question = ++this.#curvesAsked;
		await this.#building;
		const session = this.#session;
		const isLate = () => this.#curvesAsked !== question || this.#session !== session;
		return session && cacheSeries(session, cache, new Pace(() => {}, isLate));
	}

	protected get compiled(): WebAssembly.Module {
		if (!this.#compiled) throw new Error("The simulator is not loaded yet.");
		return this.#compiled;
	}

	protected get opened(): KmemSession {
		if (!this.#session) throw new Error("No trace is open.");
		return this.#session;
	}

	/** Resolves to the session in use, once it is not being built. */
	protected async built(): Promise<KmemSession> {
		await this.#building;
		return this.opened;
	}

	/** Resolves to the same; undefined without a trace. */
	protected async ifBuilt(): Promise<KmemSession | undefined> {
		await this.#building;
		return this.#session;
	}

	/**
	 * Finds the first step after a position at which a condition holds, or the last before it; undefined if there is none.
	 */
	async find(
		conditions: readonly Condition[],
		from: Position,
		direction: 1 | -1,
		onProgress: OnProgress,
	): Promise<Found | undefined> {
		const histories = await this.#history();
		return histories.find(conditions, from, direction, this.begin(onProgress, QUIET_MS));
	}

	/** Returns the history of a thing, around an event. The first call needs a pass over the trace. */
	async objectHistory(thing: Thing, op: number, onProgress: OnProgress): Promise<ObjectHistory> {
		return (await this.#history()).objectHistory(thing, op, this.#aside(onProgress));
	}

	/** Finds the next event that touched it after event `op`, or the previous one; -1 if there is none. */
	async touch(
		thing: Thing,
		op: number,
		direction: 1 | -1,
		onProgress: OnProgress,
	): Promise<number> {
		return (await this.#history()).touch(thing, op, direction, this.#aside(onProgress));
	}

	/**
	 * Explains why something is where it is after this many events; see subject.ts. The first call needs a pass over the trace.
	 */
	async why(
		subject: string,
		ops: number,
		cache: number,
		onProgress: OnProgress,
	): Promise<WhyAnswer> {
		return (await this.#history()).why(subject, ops, cache, this.#aside(onProgress));
	}

	/** Says in words where a thing was before and after each of these events. */
	async moves(thing: Thing, ops: readonly number[]): Promise<readonly string[]> {
		return (await this.#history()).moves(
			thing,
			ops.slice(0, MOVES_MOST),
			this.#aside(() => {}),
		);
	}

	/** Finds the events worth seeing. The first call needs a pass over the trace, without progress reports. */
	async overview(): Promise<Overview> {
		return (await this.#history()).overview(this.#aside(() => {}));
	}

	/** Lists the traces that the browser keeps, latest first. */
	recent(): Promise<readonly Recent[]> {
		return this.#archive.list();
	}

	/** Removes one, or all. Resolves to the remaining ones. */
	forget(key: string | "all"): Promise<readonly Recent[]> {
		return this.#archive.forget(key);
	}

	/** Resolves once the last loaded file has been kept, to "", or has not, to one sentence with the reason. */
	kept(): Promise<string> {
		return this.#archive.kept();
	}

	protected begin(onProgress: OnProgress, quietMs = 0): Pace {
		const run = ++this.#runs;
		return new Pace(onProgress, () => this.#runs !== run, quietMs);
	}

	/** Runs work beside a load: it stops when its session is replaced or rebuilt. */
	#aside(onProgress: OnProgress): Pace {
		const histories = this.#histories;
		return new Pace(onProgress, () => this.#histories !== histories, QUIET_MS);
	}

	async #history(): Promise<Histories> {
		await this.#building;
		if (!this.#histories) throw new Error("No trace is open.");
		return this.#histories;
	}

	#open(
		machine: Machine,
		pace: Pace,
		{ source, original }: { source?: Source | undefined; original?: Original | undefined },
		isWarm: boolean,
		get: (module: WebAssembly.Module) => Promise<Imported>,
	): Promise<Loaded | Refused> {
		const work = async () => {
			const began = performance.now();
			let imported: Imported;
			try {
				imported = await get(this.compiled);
			} catch (error) {
				if (error instanceof NoRoom) return { refusal: error.refusal };
				throw error;
			}
			const { session, report } = imported;
			const note = [imported.said, imported.note].filter((text) => text !== "").join(" ");
			const read = performance.now();
			configure(session, NOTHING, machine);
			const infers = isWarm && source !== undefined;
			session.inferStart(infers);
			await replay(session, pace);
			const replayMs = performance.now() - read;
			pace.check();
			this.#use(session, machine);
			this.start = { ...COLD, infers };
			this.#original = original;
			if (source) this.#archive.keep(source, imported);
			const { csv } = imported;
			const wasKept = imported.kept === "original";
			const readMs = read - began;
			const key = source?.key ?? "";
			return { report, built: builtOf(session), note, key, csv, wasKept, readMs, replayMs };
		};
		const opening = work();
		this.#loading = opening.catch(() => {});
		return opening;
	}

	/** Replays this trace, or another one, on other machines, which follow the stage until the next call. */
	async compare(machines: readonly ComparedMachine[], onProgress: OnProgress): Promise<Comparison> {
		const compared = new ComparedMachines(this.opened);
		const pace = this.begin(onProgress, QUIET_MS);
		await checkMachines(this.compiled, machines, this.#machine);
		const set = (to: Machine) => (clone: KmemSession) => configure(clone, this.#machine, to);
		for (const machine of machines) {
			const other = await this.replayed(machine, pace);
			if (other) compared.addTrace(other.session, other.trace);
			else await compared.add(this.compiled, machine, this.#fork, set(machine), pace);
		}
		const comparison = await compared.compare(pace);
		this.compared = compared;
		return comparison;
	}

	/** Returns a separate session for another trace; undefined if the machine replays the one on the stage. */
	protected replayed(machine: ComparedMachine, pace: Pace): ReturnType<typeof replayedTrace> {
		const [module, archive] = [this.compiled, this.#archive];
		const kept = async (key: string) => archive.read(module, await archive.card(key), pace);
		return replayedTrace(module, machine, pace, kept, (session) => useStart(session, this.start));
	}

	/** Returns the totals of the machine on the stage, and of those compared with it, after an event. */
	async compareAt(op: number): Promise<readonly Totals[]> {
		return this.compared?.totals(op) ?? [];
	}

	/** Returns the stage of a compared machine and the path of its event; undefined if it has no such cache. */
	async otherStage(of: StageOf): Promise<OtherStage | undefined> {
		const stage = stageAt(this.compared?.find(of));
		return stage && transfer(stage, buffersOf(stage.moment));
	}

	#use(session: KmemSession, machine: Machine): void {
		this.#curvesAsked++;
		// Machines that are compared on another trace would keep its memory in use.
		if (session !== this.#session) {
			this.compared = this.#fork = undefined;
			this.start = COLD;
		}
		this.#session = session;
		this.#machine = machine;
		this.#histories = new Histories(session);
	}
}
