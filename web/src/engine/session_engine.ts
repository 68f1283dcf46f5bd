/**
 * Engine on a KmemSession. A load gets a session of its own and takes the old one's place only when it is built,
 * so a bad file or a cancelled load leaves the page as it was. The same holds for a rebuild that fails: the
 * machine before is set again.
 */
import { transfer } from "comlink";
import { compile, KmemSession } from "#wasm";
import { CutOff, readBytes } from "./bytes.ts";
import { CANCELLED, type Engine, type Loaded } from "./engine.ts";
import { Navigator } from "./navigator.ts";
import { builtOf, reportOf } from "./rows.ts";
import type { Built, Goal, Machine, Moment, Progress } from "./types.ts";

const SLICE_OPS = 50_000;
const BREATH_MS = 40;

const NOTHING: Machine = { preset: "", values: {} };

export class SessionEngine implements Engine {
	#module: WebAssembly.Module | undefined;
	#session: KmemSession | undefined;
	#navigator: Navigator | undefined;
	#machine: Machine = NOTHING;
	#cancelled = false;
	#lastBreath = 0;

	async open(wasmUrl: string): Promise<void> {
		const response = await fetch(wasmUrl);
		if (!response.ok)
			throw new Error(
				`The simulator could not be loaded (${response.status}). Load the page again.`,
			);
		this.#module = await compile(await response.arrayBuffer());
	}

	async load(file: Blob, machine: Machine, onProgress: (p: Progress) => void): Promise<Loaded> {
		if (!this.#module) throw new Error("The simulator is not loaded yet.");
		this.#cancelled = false;
		const session = await KmemSession.open(this.#module);
		const note = await this.#import(session, file, onProgress);
		const report = session.report();
		configure(session, NOTHING, machine);
		await this.#build(session, onProgress);
		this.#use(session, machine);
		return { report: reportOf(report), built: builtOf(session), note };
	}

	async rebuild(machine: Machine, onProgress: (p: Progress) => void): Promise<Built> {
		const session = this.#session;
		if (!session) throw new Error("No recording is open.");
		this.#cancelled = false;
		const before = this.#machine;
		try {
			configure(session, before, machine);
			await this.#build(session, onProgress);
		} catch (error) {
			configure(session, machine, before, true);
			session.build();
			throw error;
		}
		this.#use(session, machine);
		return builtOf(session);
	}

	cancel(): void {
		this.#cancelled = true;
	}

	async go(goal: Goal, cache: number): Promise<Moment> {
		if (!this.#navigator) throw new Error("No recording is open.");
		try {
			const moment = this.#navigator.go(goal, cache);
			return transfer(moment, [moment.frame.cells.buffer as ArrayBuffer]);
		} catch (error) {
			throw explained(error, goal);
		}
	}

	#use(session: KmemSession, machine: Machine): void {
		this.#session = session;
		this.#machine = machine;
		this.#navigator = new Navigator(session);
	}

	async #import(
		session: KmemSession,
		file: Blob,
		onProgress: (p: Progress) => void,
	): Promise<string> {
		let done = 0;
		let note = "";
		session.importBegin();
		try {
			await readBytes(
				file,
				async (bytes) => {
					session.importChunk(bytes);
					await this.#breathe(() =>
						onProgress({ phase: "reading", done, total: file.size, events: 0 }),
					);
				},
				(read) => {
					done = read;
				},
			);
		} catch (error) {
			if (!(error instanceof CutOff)) throw error;
			note = error.message;
		}
		try {
			session.importEnd();
		} catch (error) {
			throw note === "" ? error : new Error(note);
		}
		return note;
	}

	async #build(session: KmemSession, onProgress: (p: Progress) => void): Promise<void> {
		let total = 0;
		for (const left of session.buildSlices(0, SLICE_OPS)) {
			total = Math.max(total, left + SLICE_OPS);
			await this.#breathe(() =>
				onProgress({ phase: "replaying", done: total - left, total, events: total }),
			);
		}
	}

	/** Now and then: says how far it is and lets a cancel come in. */
	async #breathe(tell: () => void): Promise<void> {
		const now = performance.now();
		if (now - this.#lastBreath < BREATH_MS) return;
		this.#lastBreath = now;
		tell();
		await new Promise((resolve) => setTimeout(resolve, 0));
		if (this.#cancelled) throw new Error(CANCELLED);
	}
}

/** Takes back what `before` had set and sets what `after` wants. */
function configure(session: KmemSession, before: Machine, after: Machine, force = false): void {
	for (const key of Object.keys(before.values))
		if (!(key in after.values)) setKey(session, key, "");
	if (after.preset !== before.preset || force) session.preset(after.preset);
	for (const [key, value] of Object.entries(after.values)) setKey(session, key, value);
}

function setKey(session: KmemSession, key: string, value: string): void {
	session.set(key as Parameters<KmemSession["set"]>[0], value);
}

/** A trap of the core has no sentence of its own: it is a fault of ours, and this is how to find it again. */
function explained(error: unknown, goal: Goal): unknown {
	if (!(error instanceof WebAssembly.RuntimeError)) return error;
	const op = goal.kind === "at" ? goal.op : goal.from.op;
	return new Error(
		`The simulator stopped near event ${op + 1} (${error.message}). That is a fault of Slabscope, not of your file: ` +
			"please report it with the address of this page, and load the page again to go on.",
	);
}
