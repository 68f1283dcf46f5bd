/**
 * The engine of the first-view module: one trace of a few thousand events, already replayed. It has only the
 * functions that a first view needs, because its code is fetched before anything can be seen; the whole engine
 * answers all other calls.
 */
import { transfer } from "comlink";
import { compile, KmemError, KmemViewer } from "#wasm";
import type { Loaded } from "../answers.ts";
import { arrived, type Input, type Pieces, textOf } from "../input.ts";
import { configure, NOTHING } from "../machine.ts";
import { buffersOf, type PackedMoment } from "../moment.ts";
import { builtOf, reportOf } from "../rows.ts";
import type { Goal, Machine } from "../types.ts";
import { Navigator } from "./navigator.ts";

/** Reads without reporting progress. */
const MOST_BYTES = 4 << 20;

/** The first-view module does not have the function, so the whole one has to answer. Any other error is a fault. */
export class BeyondFirstView extends Error {
	override readonly name = "BeyondFirstView";
}

export class FirstEngine {
	readonly #module: () => Promise<WebAssembly.Module>;
	#session: KmemViewer | undefined;

	constructor(moduleUrl: string) {
		let module: Promise<WebAssembly.Module> | undefined;
		this.#module = () => {
			module ??= moduleFrom(moduleUrl);
			return module;
		};
	}

	async load(input: Input, machine: Machine): Promise<Loaded> {
		const began = performance.now();
		const [session, text] = await Promise.all([
			this.#module().then((module) => KmemViewer.open(module)),
			textOf(input),
		]);
		let read = began;
		try {
			session.importBegin();
			await readAll(text, (bytes) => session.importChunk(bytes));
			session.importEnd();
			read = performance.now();
			configure(session, NOTHING, machine);
			session.build();
		} catch (error) {
			// Another format, or a damaged file: the whole module reads it, or reports why not.
			throw error instanceof KmemError ? beyond(error) : sorted(session, error);
		}
		this.#session = session;
		return {
			report: reportOf(session.report()),
			built: builtOf(session),
			key: "",
			note: "",
			csv: undefined,
			wasKept: false,
			readMs: read - began,
			replayMs: performance.now() - read,
		};
	}

	async go(goal: Goal, cache: number): Promise<PackedMoment> {
		if (!this.#session) throw new Error("No trace is open.");
		try {
			const moment = new Navigator(this.#session).go(goal, cache);
			return transfer(moment, buffersOf(moment));
		} catch (error) {
			throw sorted(this.#session, error);
		}
	}
}

function beyond(cause: unknown): BeyondFirstView {
	return new BeyondFirstView("The first-view module does not have this function.", { cause });
}

/** Distinguishes a call of a function that the first-view module lacks from a fault of the simulator. */
function sorted(session: KmemViewer, error: unknown): unknown {
	return session.lacksFunction ? beyond(error) : error;
}

async function moduleFrom(url: string): Promise<WebAssembly.Module> {
	const here = await arrived(url);
	if (here instanceof ArrayBuffer) return compile(here);
	if (!here.ok) throw beyond(here.status);
	return compile(await here.arrayBuffer());
}

async function readAll(text: Pieces, take: (bytes: Uint8Array) => void): Promise<void> {
	let total = 0;
	for (;;) {
		const { value } = await text.read();
		if (!value) return;
		total += value.length;
		if (total > MOST_BYTES) throw beyond(total);
		take(value);
	}
}
