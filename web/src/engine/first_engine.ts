/**
 * The small module's engine: one recording of a few thousand events, gone through. It has no more than a first view asks for,
 * because its code is fetched before anything is seen; what it refuses, the whole engine is asked.
 */
import { transfer } from "comlink";
import { compile, KmemViewer } from "#wasm";
import { readBytes } from "./bytes.ts";
import type { Loaded } from "./engine.ts";
import { configure, NOTHING } from "./machine.ts";
import { Navigator } from "./navigator.ts";
import { builtOf, frameBuffers, reportOf } from "./rows.ts";
import type { Goal, Machine, Moment } from "./types.ts";

/** Read without telling how far it is. */
const MOST_BYTES = 4 << 20;

/** Of modules that were named before anybody asked for an engine. */
const begun = new Map<string, Promise<Response>>();

export function beginModule(wasmUrl: string): void {
	const response = fetch(wasmUrl);
	// Whoever opens the engine is told of a failure.
	response.catch(() => {});
	begun.set(wasmUrl, response);
}

export class FirstEngine {
	readonly #module: Promise<WebAssembly.Module>;
	#navigator: Navigator | undefined;

	constructor(module: Promise<WebAssembly.Module>) {
		this.#module = module;
	}

	static async open(wasmUrl: string): Promise<FirstEngine> {
		const response = await (begun.get(wasmUrl) ?? fetch(wasmUrl));
		begun.delete(wasmUrl);
		if (!response.ok)
			throw new Error(
				`The simulator could not be loaded (${response.status}). Load the page again.`,
			);
		return new FirstEngine(response.arrayBuffer().then(compile));
	}

	async load(file: Blob, machine: Machine): Promise<Loaded> {
		if (file.size > MOST_BYTES) throw new Error("This recording is too large for a first view.");
		const began = performance.now();
		const session = await KmemViewer.open(await this.#module);
		session.importBegin();
		await readBytes(
			file,
			async (bytes) => session.importChunk(bytes),
			() => {},
		);
		session.importEnd();
		const read = performance.now();
		configure(session, NOTHING, machine);
		session.build();
		this.#navigator = new Navigator(session);
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

	async go(goal: Goal, cache: number): Promise<Moment> {
		if (!this.#navigator) throw new Error("No recording is open.");
		const moment = this.#navigator.go(goal, cache);
		return transfer(moment, frameBuffers(moment.frame));
	}
}
