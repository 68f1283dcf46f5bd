/**
 * An Engine on a KmemSession. A load gets a session of its own and replaces the old one only when it is built, so a
 * bad file or a cancelled load leaves the page as it was. The same holds for a rebuild that fails: the previous
 * machine is set again. Loaded traces are kept in the background.
 */
import { transfer } from "comlink";
import type { Totals } from "#abi";
import { compile, type KmemSession, type Study } from "#wasm";
import { hashOf } from "../../base/checksum.ts";
import type {
	Ask,
	Comparison,
	Figures,
	OrderAnswer,
	OrderQuestion,
	Played,
	Question,
} from "../answers.ts";
import type {
	Asked,
	CountersCompared,
	Engine,
	Loaded,
	Refused,
	WithMachineState,
} from "../engine.ts";
import type { PackedFrame } from "../frame.ts";
import { make } from "../generated_trace.ts";
import {
	type Imported,
	importFile,
	NEW,
	NoRoom,
	stateIn,
	UnknownColumns,
} from "../import/loader.ts";
import { blobOf, type Input } from "../input.ts";
import { configure, NOTHING, useCaches } from "../machine.ts";
import { buffersOf, type PackedMoment } from "../moment.ts";
import { Pace } from "../pace.ts";
import { checkMachines } from "../query/check_machines.ts";
import { twinOf } from "../query/clone_session.ts";
import { closeUps } from "../query/close_up.ts";
import { ComparedMachines } from "../query/compare.ts";
import { Histories } from "../query/history.ts";
import { objectAt, opAtTime } from "../query/locate.ts";
import { Lab } from "../query/order_rules.ts";
import { Quiz } from "../quiz/quiz.ts";
import { keyOf, RecentStore } from "../recent/recent_store.ts";
import { builtOf, machineStateOf, reportOf, searchesOf } from "../rows.ts";
import type {
	Built,
	CloseUp,
	Condition,
	Found,
	Goal,
	Machine,
	ObjectHistory,
	ObjectId,
	Position,
	Progress,
	Recent,
	Searches,
	Thing,
} from "../types.ts";
import { Archive, type Source } from "./archive.ts";
import { Navigator } from "./navigator.ts";

const SLICE_OPS = 50_000;
/** Searches and indexing that end sooner show no progress. */
const QUIET_MS = 250;

/** Reports nothing and cannot be stopped. */
const NO_PACE = new Pace(
	() => {},
	() => false,
);

type OnProgress = (p: Progress) => void;

export interface Surroundings {
	readonly store?: RecentStore;
	/** Whether so many bytes can be allocated. */
	readonly gives?: (bytes: number) => boolean;
}

export class SessionEngine implements Engine {
	readonly #archive: Archive;
	readonly #gives: Surroundings["gives"];
	#module: WebAssembly.Module | undefined;
	#session: KmemSession | undefined;
	#navigator: Navigator | undefined;
	#histories: Histories | undefined;
	#lab: Lab | undefined;
	#compared: ComparedMachines | undefined;
	#quiz: Quiz | undefined;
	#machine: Machine = NOTHING;
	/** The machine state that is shown with the model; given twice if caches have its parameters. */
	#state: Uint8Array | undefined;
	#caches: Uint8Array | undefined;
	/** Counts loads and rebuilds; a later load, or a cancel, stops an earlier one. */
	#runs = 0;
	/** The rebuild in progress, if any: a half-built session is never read. */
	#building: Promise<unknown> = Promise.resolve();
	#loading: Promise<unknown> = Promise.resolve();

	constructor({ store, gives }: Surroundings = {}) {
		this.#archive = new Archive(store ?? new RecentStore(), () => this.#loading);
		this.#gives = gives;
	}

	async open(wasm: string | Blob): Promise<void> {
		const response = typeof wasm === "string" ? await fetch(wasm) : new Response(wasm);
		if (!response.ok)
			throw new Error(`The simulator could not be loaded (${response.status}). Reload the page.`);
		const bytes = await response.arrayBuffer();
		this.#module = await compile(bytes);
		await this.#archive.begin(await hashOf(new Blob([bytes])));
	}

	async load(
		input: Input,
		machine: Machine,
		onProgress: OnProgress,
		columns = "",
	): Promise<Loaded | Refused | Asked | WithMachineState> {
		const pace = this.#begin(onProgress);
		const file = await blobOf(input);
		const key = file instanceof File ? await keyOf(file) : "";
		const card = columns === "" ? await this.#archive.card(key) : undefined;
		const source =
			file instanceof File ? { key, name: file.name, sizeBytes: file.size } : undefined;
		try {
			return await this.#open(machine, pace, source, async (module) => {
				const kept = await this.#archive.readIfGood(module, card, pace);
				if (kept && kept !== "damaged") return kept;
				const imported = await importFile(module, file, pace, { gives: this.#gives, columns });
				return kept ? { ...imported, kept } : imported;
			});
		} catch (error) {
			if (error instanceof UnknownColumns) return { csv: error.csv };
			// A load that is not wanted any more is not looked into once more.
			pace.check();
			const state =
				this.#session && this.#module ? await stateIn(this.#module, file, pace) : undefined;
			pace.check();
			if (!state) throw error;
			return this.#relay(pace, (session) => {
				session.readMachineState([state]);
				session.applyMachineState(false);
				this.#state = state;
				this.#caches = undefined;
			});
		}
	}

	async isState(file: File): Promise<boolean> {
		const module = this.#module;
		if (!module || !(await stateIn(module, file, NO_PACE))) return false;
		// A trace may have lines that a table has as well: then it is a trace.
		return importFile(module, file, NO_PACE).then(
			() => false,
			() => true,
		);
	}

	async keepAside(file: File, onProgress: OnProgress): Promise<string> {
		if (!this.#module) throw new Error("The simulator is not loaded yet.");
		const pace = this.#begin(onProgress);
		const key = await keyOf(file);
		if (await this.#archive.card(key)) return key;
		const imported = await importFile(this.#module, file, pace, { gives: this.#gives });
		const source = { key, name: file.name, sizeBytes: file.size };
		this.#archive.keep(source, imported, this.#archive.imageOf(imported, source));
		const why = await this.#archive.kept();
		if (why !== "") throw new Error(why);
		if (!(await this.#archive.card(key))) throw new Error("This browser keeps no files.");
		return key;
	}

	async loadRecent(
		key: string,
		machine: Machine,
		onProgress: OnProgress,
	): Promise<Loaded | Refused> {
		const pace = this.#begin(onProgress);
		const card = await this.#archive.card(key);
		return this.#open(machine, pace, card, async (module) => {
			const kept = await this.#archive.read(module, card, pace);
			if (!kept)
				throw new Error("This browser has removed its copy of the trace: open the file again.");
			return kept;
		});
	}

	loadMade(trace: string, machine: Machine, onProgress: OnProgress): Promise<Loaded | Refused> {
		const pace = this.#begin(onProgress);
		return this.#open(machine, pace, undefined, async (module) => {
			const session = await make(module, trace, pace);
			const report = reportOf(session.report());
			return { ...NEW, session, report };
		});
	}

	async text(): Promise<Blob> {
		return new Blob([...(await this.#built()).export("slabtrace")]);
	}

	async kernelCounters(): Promise<CountersCompared> {
		const session = await this.#built();
		const counters = session.measures.kernelCounters();
		if (counters.length > 0) session.seek(session.nrOps);
		return { counters, why: session.measures.kernelCountersWhy() };
	}

	applyMachineState(on: boolean, onProgress: OnProgress): Promise<WithMachineState> {
		return this.#relay(this.#begin(onProgress), (session) => {
			session.applyMachineState(on);
			this.#caches = on ? this.#state : undefined;
		});
	}

	async cachesInUse(): Promise<Uint8Array | undefined> {
		return this.#caches;
	}

	/** Rebuilds the same machine with another machine state. */
	async #relay(pace: Pace, change: (session: KmemSession) => void): Promise<WithMachineState> {
		const session = this.#session;
		if (!session) throw new Error("No trace is open.");
		const work = async () => {
			change(session);
			await this.#build(session, NO_PACE);
			this.#use(session, this.#machine);
		};
		this.#histories = undefined;
		const building = work();
		this.#building = building.catch(() => {});
		await building;
		pace.check();
		return { machineState: machineStateOf(session), built: builtOf(session) };
	}

	async rebuild(machine: Machine, onProgress: OnProgress): Promise<Built> {
		const session = this.#session;
		if (!session) throw new Error("No trace is open.");
		const pace = this.#begin(onProgress);
		this.#histories = undefined;
		const building = this.#rebuild(session, machine, pace);
		this.#building = building.catch(() => {});
		await building;
		this.#use(session, machine);
		return builtOf(session);
	}

	async #rebuild(session: KmemSession, machine: Machine, pace: Pace): Promise<void> {
		const before = this.#machine;
		try {
			configure(session, before, machine);
			await this.#build(session, pace);
		} catch (error) {
			configure(session, machine, before, true);
			// The way back is not to be cancelled.
			await this.#build(session, NO_PACE);
			this.#use(session, before);
			throw error;
		}
	}

	cancel(): void {
		this.#runs++;
	}

	async go(goal: Goal, cache: number): Promise<PackedMoment> {
		await this.#building;
		if (!this.#navigator) throw new Error("No trace is open.");
		const moment = this.#navigator.go(goal, cache);
		return transfer(moment, buffersOf(moment));
	}

	async objects(at: Position, wanted: readonly ObjectId[]): Promise<readonly CloseUp[]> {
		await this.#building;
		return this.#session ? closeUps(this.#session, at, wanted) : [];
	}

	async opAtTime(time: number): Promise<number> {
		return opAtTime(await this.#built(), time);
	}

	async callSites(): Promise<readonly string[]> {
		return (await this.#built()).workloads.callSites();
	}

	async nextCall(callSite: string, op: number): Promise<number> {
		return (await this.#built()).workloads.nextCall(callSite, op) ?? -1;
	}

	async objectAt(at: Position, address: number): Promise<ObjectId | undefined> {
		return objectAt(await this.#built(), at, address);
	}

	/** The session in use, once it is not being built. */
	async #built(): Promise<KmemSession> {
		await this.#building;
		if (!this.#session) throw new Error("No trace is open.");
		return this.#session;
	}

	async find(
		conditions: readonly Condition[],
		from: Position,
		direction: 1 | -1,
		onProgress: OnProgress,
	): Promise<Found | undefined> {
		const histories = await this.#history();
		return histories.find(conditions, from, direction, this.#begin(onProgress, QUIET_MS));
	}

	async objectHistory(thing: Thing, op: number, onProgress: OnProgress): Promise<ObjectHistory> {
		return (await this.#history()).objectHistory(thing, op, this.#aside(onProgress));
	}

	async touch(
		thing: Thing,
		op: number,
		direction: 1 | -1,
		onProgress: OnProgress,
	): Promise<number> {
		return (await this.#history()).touch(thing, op, direction, this.#aside(onProgress));
	}

	recent(): Promise<readonly Recent[]> {
		return this.#archive.list();
	}

	forget(key: string | "all"): Promise<readonly Recent[]> {
		return this.#archive.forget(key);
	}

	async prepare(): Promise<void> {}

	kept(): Promise<string> {
		return this.#archive.kept();
	}

	#begin(onProgress: OnProgress, quietMs = 0): Pace {
		const run = ++this.#runs;
		return new Pace(onProgress, () => this.#runs !== run, quietMs);
	}

	/** Work beside a load: it stops when its session is replaced or rebuilt. */
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
		source: Source | undefined,
		get: (module: WebAssembly.Module) => Promise<Imported>,
	): Promise<Loaded | Refused> {
		const opening = this.#openNow(machine, pace, source, get);
		this.#loading = opening.catch(() => {});
		return opening;
	}

	async #openNow(
		machine: Machine,
		pace: Pace,
		source: Source | undefined,
		get: (module: WebAssembly.Module) => Promise<Imported>,
	): Promise<Loaded | Refused> {
		if (!this.#module) throw new Error("The simulator is not loaded yet.");
		const began = performance.now();
		let imported: Imported;
		try {
			imported = await get(this.#module);
		} catch (error) {
			if (error instanceof NoRoom) return { refusal: error.refusal };
			throw error;
		}
		const { session, report } = imported;
		const note = [imported.said, imported.note].filter((text) => text !== "").join(" ");
		const image = this.#archive.imageOf(imported, source);
		const read = performance.now();
		configure(session, NOTHING, machine);
		await this.#build(session, pace);
		const replayMs = performance.now() - read;
		pace.check();
		this.#use(session, machine);
		if (source) this.#archive.keep(source, imported, image);
		const { csv } = imported;
		const wasKept = imported.kept === "original" || imported.kept === "all";
		const readMs = read - began;
		const key = source?.key ?? "";
		return { report, built: builtOf(session), note, key, csv, wasKept, readMs, replayMs };
	}

	async searches(machine: Machine, onProgress: OnProgress): Promise<Searches> {
		if (!this.#module || !this.#session) throw new Error("No trace is open.");
		const set = (clone: KmemSession) => this.#dress(clone, machine);
		const pace = this.#begin(onProgress, QUIET_MS);
		return searchesOf(await twinOf(this.#module, this.#session, set, pace));
	}

	async compare(machines: readonly Machine[], onProgress: OnProgress): Promise<Comparison> {
		if (!this.#module || !this.#session) throw new Error("No trace is open.");
		const pace = this.#begin(onProgress, QUIET_MS);
		await checkMachines(this.#module, machines, this.#machine);
		const compared = new ComparedMachines(this.#session);
		for (const machine of machines)
			await compared.add(this.#module, (clone) => this.#dress(clone, machine), pace);
		const comparison = await compared.compare(pace);
		this.#compared = compared;
		return comparison;
	}

	async compareAt(op: number): Promise<readonly Totals[]> {
		return this.#compared?.totals(op) ?? [];
	}

	async ghost(other: number, ops: number, cacheName: string): Promise<PackedFrame | undefined> {
		const frame = this.#compared?.frame(other, ops, cacheName);
		return frame && transfer(frame, [frame.bytes]);
	}

	async question(of: Played, ask: Ask): Promise<Question> {
		return this.#asked().question(of, ask);
	}

	async figures(of: Played): Promise<Figures> {
		return this.#asked().figures(of);
	}

	async study(id: string): Promise<Study> {
		return this.#asked().study(id);
	}

	#asked(): Quiz {
		if (!this.#module) throw new Error("The simulator is not loaded yet.");
		this.#quiz ??= new Quiz(this.#module);
		return this.#quiz;
	}

	async orders(question: OrderQuestion): Promise<OrderAnswer> {
		return (await this.#openLab()).orders(question);
	}

	async #openLab(): Promise<Lab> {
		if (!this.#module) throw new Error("The simulator is not loaded yet.");
		this.#lab ??= await Lab.open(this.#module);
		return this.#lab;
	}

	/** Another machine for the same comparison: its caches have the same parameters as those on the stage. */
	#dress(clone: KmemSession, machine: Machine): void {
		if (this.#caches) useCaches(clone, this.#caches);
		configure(clone, NOTHING, machine);
	}

	#use(session: KmemSession, machine: Machine): void {
		// Machines compared on another trace would keep its memory.
		if (session !== this.#session) {
			this.#compared = undefined;
			this.#state = this.#caches = undefined;
		}
		this.#session = session;
		this.#machine = machine;
		this.#navigator = new Navigator(session);
		this.#histories = new Histories(session);
	}

	async #build(session: KmemSession, pace: Pace): Promise<void> {
		let total = 0;
		for (const left of session.buildSlices(0, SLICE_OPS)) {
			total = Math.max(total, left + SLICE_OPS);
			await pace.breathe({ phase: "replaying", done: total - left, total, events: total });
		}
	}
}
