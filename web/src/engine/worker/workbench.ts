/**
 * The functions that a worker serves: the engine of the trace on the stage and, in helper workers, replays that only
 * compute numbers. A helper has one trace at a time and runs one replay at a time.
 */

import { StartLimit } from "#abi";
import {
	type Checked,
	compile,
	type FilterCondition,
	KmemSession,
	type Measured,
	type SitesQuestion,
	type Study,
} from "#wasm";
import type { ReplayStart } from "../alike.ts";
import type {
	Ask,
	ComparedMachine,
	DifferenceOf,
	Figures,
	Film,
	MachineOrdersAnswer,
	MachineOrdersQuestion,
	OrderAnswer,
	OrderQuestion,
	PassageRun,
	Played,
	Question,
	Shot,
	SizeFigures,
	WithMachineState,
} from "../answers.ts";
import { make } from "../generated_trace.ts";
import type { Bundle } from "../import/bundle.ts";
import { checkRun, type RunStates, readState } from "../import/real_run.ts";
import { type FileKind, kindOf } from "../import/symbols.ts";
import { moduleBytes } from "../input.ts";
import { configure, NOTHING, SLICE_OPS } from "../machine.ts";
import { NO_PACE, Pace, through, turn } from "../pace.ts";
import { type Frees, freesOf } from "../query/memory.ts";
import { Lab } from "../query/order_rules.ts";
import { profileOf, type SitesAnswered, sitesOf } from "../query/sites.ts";
import { type TwoTraces, twoTraces } from "../query/two_traces.ts";
import { type Judged, judge, slowEvents, type Target } from "../quiz/judge.ts";
import { Quiz } from "../quiz/quiz.ts";
import { builtOf } from "../rows.ts";
import { type StageCopy, sessionOf, useStart } from "../stage_copy.ts";
import type { Built, Machine, Progress } from "../types.ts";
import { type ChosenEvents, type ChosenParts, type Excerpt, Filtering } from "./filtering.ts";
import { Navigator } from "./navigator.ts";
import { type Answered, IF_TRACE, OF_TRACE, type OfSession } from "./questions.ts";
import { SessionEngine } from "./session_engine.ts";

/** The trace to replay: the one on the stage, or a generated one, by its name. */
export interface Source {
	readonly name: string;
	readonly stage: StageCopy;
}

/** Comparisons that finish sooner show no progress. */
const QUIET_MS = 250;

/** The functions of the questions are added below. */
const Answering = SessionEngine as new (
	...of: ConstructorParameters<typeof SessionEngine>
) => SessionEngine & Answered;

export class Workbench extends Answering {
	static {
		for (const [name, ask] of Object.entries<OfSession>({ ...OF_TRACE, ...IF_TRACE }))
			Object.defineProperty(Workbench.prototype, name, {
				async value(this: Workbench, ...args: never[]) {
					const session = await (name in OF_TRACE ? this.built() : this.ifBuilt());
					return session && ask(session, ...args);
				},
			});
	}

	#lab: Promise<Lab> | undefined;
	#helper: WebAssembly.Module | undefined;
	#session: KmemSession | undefined;
	#has = "";
	#machine: Machine = NOTHING;
	/** Questions for a helper, and for the worker that has the trace on the stage. */
	#quiz: Quiz | undefined;
	#questions: Quiz | undefined;
	/** How many questions there have been, by kind. */
	readonly #asks = { frees: 0, sites: 0 };
	readonly #filtering = new Filtering();

	/** Like open, but for a helper worker, which leaves the kept traces alone. */
	async assist(wasm: string | Blob): Promise<void> {
		this.#helper = await compile(await moduleBytes(wasm));
	}

	/** Says what a trace on a machine starts from, within a limit. Rejects for an invalid machine. */
	async startOf(source: Source, machine: Machine, limit: StartLimit): Promise<ReplayStart> {
		const session = await this.#set(source, machine, limit, NO_PACE);
		session.measures.begin();
		return { from: session.start().startFrom, key: session.startKey() };
	}

	/** Returns the totals of a trace on a machine: all numbers, in the core's order. Rejects for an invalid machine. */
	async measure(
		source: Source,
		machine: Machine,
		onProgress: (p: Progress) => void,
		limit: StartLimit = StartLimit.LIMIT_NONE,
	): Promise<readonly Measured[]> {
		const pace = new Pace(onProgress, () => false);
		const session = await this.#set(source, machine, limit, pace);
		await through(pace, "replaying", session.nrOps, session.measures.slices(SLICE_OPS));
		return session.measures.rows();
	}

	/** Measures a proposal's experiment. */
	async reproduce(proposal: string, onProgress: (p: Progress) => void): Promise<Study> {
		const pace = new Pace(onProgress, () => false);
		const { studies } = await KmemSession.open(this.#own);
		await through(pace, "measuring", 1000, studies.slices(proposal), 0);
		return studies.current();
	}

	/**
	 * Starts the replay from the state of the kernel that recorded the trace. If the state does not fit, or does not
	 * name every object, the replay stays as it was.
	 */
	async beginWithState(
		file: File,
		onProgress: (p: Progress) => void,
	): Promise<{ readonly built: Built; readonly canBegin: boolean }> {
		let canBegin = true;
		const { built } = await this.relay(
			this.begin(onProgress),
			async (session) => {
				await readState(this.compiled, session, "start", file);
				canBegin = session.reality.startNamesObjects;
				if (!canBegin) return;
				session.beginWarm(false);
				this.start = { ...this.start, isWarm: false };
				this.beginAsKernel(session, true);
			},
			(session) => this.beginAsKernel(session, false),
		);
		return { built, canBegin };
	}

	/** Checks the model against the run of a real kernel, in a helper; progress is in thousandths. */
	async checkRun(
		stage: StageCopy,
		states: RunStates,
		onProgress: (p: Progress) => void,
	): Promise<Checked> {
		const pace = new Pace(onProgress, () => false);
		return checkRun(this.#own, stage, states, pace);
	}

	/** Compares the trace on the stage with another one, which its own session replays. */
	async changes(other: ComparedMachine, onProgress: (p: Progress) => void): Promise<TwoTraces> {
		const first = this.opened;
		const pace = this.begin(onProgress, QUIET_MS);
		const second = (await this.replayed(other, pace))?.session;
		if (!second) throw new Error("Choose a second trace to compare.");
		await through(pace, "indexing", second.nrOps, second.indexSlices(0, SLICE_OPS));
		// The events worth seeing need the index as well, which is built only once.
		await this.overview();
		return twoTraces(this.compiled, first, second, pace);
	}

	/** Finds an event that a compared machine serves at a different cost; undefined if there is none. */
	async difference(
		of: DifferenceOf,
		onProgress: (p: Progress) => void,
	): Promise<number | undefined> {
		return this.compared?.difference(of, this.begin(onProgress, QUIET_MS));
	}

	/** Returns what order rules answer; needs no trace. */
	async orders(question: OrderQuestion): Promise<OrderAnswer> {
		return (await this.#orderLab()).orders(question);
	}

	/** Compares the machine state's caches under two order rules; null without a machine state. */
	async machineOrders(question: MachineOrdersQuestion): Promise<MachineOrdersAnswer | null> {
		const lab = await this.#orderLab();
		return this.start.state ? lab.machineOrders(this.start.state, question) : null;
	}

	kindOf(file: File): Promise<FileKind> {
		return kindOf(this.compiled, file);
	}

	/** Turns the machine state on screen into the one from before the trace; the replay still starts from it. */
	async stateIsBefore(): Promise<void> {
		(await this.built()).realMachine.isBefore(true);
		this.start = { ...this.start, before: this.start.state, state: undefined };
	}

	/** Forgets the machine states: the trace has its own caches and start again. */
	async removeMachineStates(
		onProgress: (p: Progress) => void,
	): Promise<Pick<WithMachineState, "built" | "readAgain">> {
		const session = await this.built();
		const pace = this.begin(onProgress);
		const { hasCaches, isWarm } = this.start;
		const gone = { state: undefined, before: undefined, hasCaches: false, isWarm: false };
		const readAgain = await this.nameCaches({ ...this.start, ...gone }, pace);
		if (readAgain) return { built: builtOf(this.opened), readAgain };
		this.start = { ...this.start, ...gone };
		session.realMachine.isBefore(false);
		session.applyMachineState(false);
		session.beginWarm(false);
		if (!hasCaches && !isWarm) return { built: builtOf(session) };
		return { built: (await this.relay(pace, () => {})).built };
	}

	/** Says where the objects of a cache, or of all, are freed. A later question stops an earlier one. */
	async frees(cache: number | undefined): Promise<Frees> {
		const pace = this.#latest("frees");
		return freesOf(await this.built(), cache, pace);
	}

	/** Counts what each call site allocates, and what is left at the end. A later question stops an earlier one. */
	async sites(question: SitesQuestion): Promise<SitesAnswered> {
		const pace = this.#latest("sites");
		return sitesOf(await this.built(), question, pace);
	}

	/** Writes the same as a profile for pprof; the question must be grouped by call site. */
	async profile(question: SitesQuestion): Promise<Blob> {
		const pace = this.#latest("sites");
		return profileOf(await this.built(), question, pace);
	}

	/** Chooses the events that pass all conditions; without any, all events. Rejects for a bad condition. */
	async chooseEvents(conditions: readonly FilterCondition[]): Promise<ChosenEvents> {
		return this.#filtering.choose(await this.built(), conditions, NO_PACE);
	}

	/** Counts the chosen events in each of at most this many equal parts of the trace, or of a range of it. */
	async chosenParts(from: number, to: number, most: number): Promise<ChosenParts> {
		return this.#filtering.parts(await this.built(), from, to, most);
	}

	/** Writes the events that pass all the conditions as a slabtrace. */
	async excerpt(conditions: readonly FilterCondition[], anonymous: boolean): Promise<Excerpt> {
		return this.#filtering.excerpt(await this.built(), conditions, anonymous, NO_PACE);
	}

	/** Returns the machine state that is shown with the trace, as it was read. */
	async machineStateBytes(): Promise<Uint8Array | undefined> {
		return this.start.state;
	}

	/** Reads a bundle; rejects with one sentence for any other file. */
	async readBundle(file: Blob): Promise<Bundle> {
		const { readBundle } = await import("../import/bundle.ts");
		return readBundle(file, turn);
	}

	/** Writes a bundle; `more`: texts for people, by the names of their files. */
	async packBundle(bundle: Bundle, more: Readonly<Record<string, string>>): Promise<Blob> {
		const { packBundle } = await import("../import/bundle.ts");
		return packBundle(bundle, more);
	}

	/** Asks a question about a trace, with the core's answer; the stage does not change. */
	async question(of: Played, ask: Ask): Promise<Question> {
		return this.#asked.question(of, ask);
	}

	/** Returns, in a helper, the totals of a trace on a machine, after an event or at its end. */
	async figures(of: Played, op?: number, cache?: string): Promise<Figures> {
		return this.#lessons.figures(of, op, cache);
	}

	/** Returns, in a helper, a slab for objects of one size on a machine. */
	async ofSize(machine: Machine, size: number): Promise<SizeFigures> {
		return this.#lessons.ofSize(machine, size);
	}

	/** Returns a proposal's experiment, with the figures of the proposal and of a real kernel. */
	async study(id: string): Promise<Study> {
		return this.#asked.study(id);
	}

	/** Returns a cache at several positions of a trace; "" means the cache with the most slabs. */
	async film(of: Played, cacheName: string, shots: readonly Shot[]): Promise<Film> {
		const session = await this.#lessons.sessionOf(of);
		const { nodeOfCpu, nrNodes, pageBytes, caches } = builtOf(session);
		const most = caches.toSorted((a, b) => b.slabsPeak - a.slabsPeak)[0];
		const cache = caches.find((c) => c.name === cacheName) ?? most;
		const navigator = new Navigator(session);
		const moments = shots.map(({ op, step = "last" as const }) =>
			navigator.go({ kind: "at", op, step }, cache?.cache ?? 0),
		);
		return { built: { nodeOfCpu, nrNodes, pageBytes }, moments };
	}

	/** Returns the events `from` to `to` of a trace, one position after each. */
	async passage(of: Played, cacheName: string, from: number, to: number): Promise<PassageRun> {
		const ops = Array.from({ length: to - from + 1 }, (_, i) => from + i);
		const shots = ops.map((op) => ({ op }));
		const film = await this.film(of, cacheName, shots);
		const session = await this.#lessons.sessionOf(of);
		const slow = slowEvents(session, from, to);
		session.seek(from);
		const before = session.totals().cycles;
		const cycles = ops.map((op) => {
			session.seek(op + 1);
			return session.totals().cycles - before;
		});
		return { film, slow, cycles };
	}

	/** Whether a trace on the visitor's machine reaches a problem's goals. */
	async judge(own: Played, machine: Machine, targets: readonly Target[]): Promise<Judged[]> {
		return judge(
			await this.#lessons.sessionOf(own),
			await this.#lessons.sessionOf({ ...own, machine }),
			targets,
		);
	}

	#orderLab(): Promise<Lab> {
		this.#lab ??= Lab.open(this.compiled);
		return this.#lab;
	}

	/** Returns a helper's module. */
	get #own(): WebAssembly.Module {
		if (!this.#helper) throw new Error("The simulator is not loaded yet.");
		return this.#helper;
	}

	/** Stops work for an earlier question of that kind. */
	#latest(kind: "frees" | "sites"): Pace {
		const question = ++this.#asks[kind];
		const isLate = () => this.#asks[kind] !== question;
		return new Pace(() => {}, isLate);
	}

	get #asked(): Quiz {
		this.#questions ??= new Quiz(this.compiled);
		return this.#questions;
	}

	get #lessons(): Quiz {
		this.#quiz ??= new Quiz(this.#own);
		return this.#quiz;
	}

	async #set(
		source: Source,
		machine: Machine,
		limit: StartLimit,
		pace: Pace,
	): Promise<KmemSession> {
		const session = await this.#get(source, pace);
		const before = this.#machine;
		this.#machine = machine;
		configure(session, before, machine, true);
		session.limitStart(limit);
		return session;
	}

	async #get({ name, stage }: Source, pace: Pace): Promise<KmemSession> {
		if (this.#session && this.#has === name) return this.#session;
		this.#session = undefined;
		const isCopy = name === stage.trace;
		const session = isCopy ? await sessionOf(this.#own, stage) : await make(this.#own, name, pace);
		if (!isCopy) useStart(session, stage.start);
		this.#session = session;
		this.#has = name;
		this.#machine = isCopy ? stage.machine : NOTHING;
		return session;
	}
}
