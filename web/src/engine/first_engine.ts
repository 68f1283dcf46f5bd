/**
 * The small module's engine: one recording of a few thousand events, gone through. It has no more than a first view asks for,
 * because its code is fetched before anything is seen; what it refuses, the whole engine is asked.
 */
import { transfer } from "comlink";
import { compile, KmemViewer } from "#wasm";
import type { Loaded } from "./engine.ts";
import { type Input, type Pieces, responseFrom, textOf } from "./input.ts";
import { configure, NOTHING } from "./machine.ts";
import { buffersOf, type PackedMoment } from "./moment.ts";
import { Navigator } from "./navigator.ts";
import { builtOf, reportOf } from "./rows.ts";
import type { Goal, Machine } from "./types.ts";

/** Read without telling how far it is. */
const MOST_BYTES = 4 << 20;

export class FirstEngine {
	readonly #module: () => Promise<WebAssembly.Module>;
	#navigator: Navigator | undefined;

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
		session.importBegin();
		await readAll(text, (bytes) => session.importChunk(bytes));
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

	async go(goal: Goal, cache: number): Promise<PackedMoment> {
		if (!this.#navigator) throw new Error("No recording is open.");
		const moment = this.#navigator.go(goal, cache);
		return transfer(moment, buffersOf(moment));
	}
}

async function moduleFrom(url: string): Promise<WebAssembly.Module> {
	const response = await responseFrom(url);
	if (!response.ok) throw new Error(`There is no small module (${response.status}).`);
	return compile(await response.arrayBuffer());
}

async function readAll(text: Pieces, take: (bytes: Uint8Array) => void): Promise<void> {
	let total = 0;
	for (;;) {
		const { value } = await text.read();
		if (!value) return;
		total += value.length;
		if (total > MOST_BYTES) throw new Error("This recording is too large for a first view.");
		take(value);
	}
}
