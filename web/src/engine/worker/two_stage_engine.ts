/**
 * Two simulators behind one Engine. A small module (wasm/first_view.mjs) with a small engine shows the trace that the
 * page opens with. The whole one is fetched when the page is idle after its first scene (app/playback/whole.ts), or
 * when a call needs a function that the small one lacks; it reads the same trace and takes over. Both give the same
 * answers.
 */

import { loadCode, loadOnce } from "../../base/load_code.ts";
import type { Loaded } from "../answers.ts";
import type { Input } from "../input.ts";
import type { Goal, Machine, Progress } from "../types.ts";
import { BeyondFirstView, FirstEngine } from "./first_engine.ts";
import type { Surroundings } from "./session_engine.ts";
import type { Workbench } from "./workbench.ts";

/** Settings that the small module accepts: they leave SLUB at its defaults. */
const PLAIN = new Set(["cpus", "nodes", "page_size", "cpu_node", "zones", "distance"]);

/** The only interface between the page and the core. */
export type Engine = Omit<Workbench, "open"> & Pick<TwoStageEngine, "begin" | "open" | "prepare">;

type OnProgress = (p: Progress) => void;

/** A trace that the small module reads before the page asks for it. */
interface Begun {
	readonly asked: string;
	readonly loaded: ReturnType<FirstEngine["load"]>;
}

const askedFor = (input: Input, machine: Machine) => JSON.stringify([input, machine]);

class TwoStageEngine {
	readonly #surroundings: Surroundings | undefined;
	#wasm: string | Blob = "";
	/** Answers for the position on screen until the whole engine does. */
	#first: FirstEngine | undefined;
	#begun: Begun | undefined;
	/** The whole engine's code, with or without its module. */
	readonly bench: () => Promise<Workbench>;
	#hasBench = false;
	#whole: Promise<Workbench> | undefined;
	/** Loads the trace that the first engine shows into the whole one. */
	#follow: (whole: Workbench) => Promise<unknown> = async () => {};

	constructor(surroundings?: Surroundings) {
		this.#surroundings = surroundings;
		this.bench = loadOnce(async () => {
			const { Workbench } = await import("./workbench.ts");
			this.#hasBench = true;
			return new Workbench(surroundings);
		});
	}

	/**
	 * Reads and replays the trace of a plain visit, at an address, while the script that asks for it is still loading.
	 */
	begin(small: string, trace: string, machine: Machine): void {
		if (!isPlain(machine)) return;
		this.#first = new FirstEngine(small);
		const loaded = this.#first.load(trace, machine);
		// Whoever asks for the trace will report the error.
		loaded.catch(() => {});
		this.#begun = { asked: askedFor(trace, machine), loaded };
	}

	/**
	 * If there is a `small` module, at an address, the core starts with it and fetches the whole one only when it is
	 * needed.
	 */
	async open(wasm: string | Blob, small?: string): Promise<void> {
		this.#wasm = wasm;
		if (small) this.#first ??= new FirstEngine(small);
		else await this.whole();
	}

	/** Fetches the whole core in advance. Resolves to whether it has arrived. */
	prepare(): Promise<boolean> {
		return this.whole().then(
			() => true,
			() => false,
		);
	}

	async load(
		input: Input,
		machine: Machine,
		onProgress: OnProgress,
		columns?: string,
		isCold?: boolean,
		isGiven?: boolean,
	): ReturnType<Engine["load"]> {
		const first = this.#whole ? undefined : this.#first;
		if (first && !(input instanceof File) && columns === undefined && isPlain(machine)) {
			try {
				const loaded = await this.#loadedBy(first, input, machine);
				this.#follow = (whole) => whole.load(input, machine, () => {});
				return loaded;
			} catch (error) {
				if (!(error instanceof BeyondFirstView)) throw error;
				this.#first = undefined;
			}
		}
		return (await this.whole()).load(input, machine, onProgress, columns, isCold, isGiven);
	}

	/**
	 * Returns the trace that has started, if it is this one. It has to finish before another one starts, because both share one
	 * session.
	 */
	async #loadedBy(first: FirstEngine, input: Input, machine: Machine): Promise<Loaded> {
		const begun = this.#begun;
		this.#begun = undefined;
		if (begun?.asked === askedFor(input, machine)) return begun.loaded;
		await begun?.loaded.catch(() => {});
		return first.load(input, machine);
	}

	async go(goal: Goal, cache: number): ReturnType<Engine["go"]> {
		if (this.#first) {
			try {
				return await this.#first.go(goal, cache);
			} catch (error) {
				if (!(error instanceof BeyondFirstView)) throw error;
			}
		}
		return (await this.whole()).go(goal, cache);
	}

	/** The first engine's trace is not kept. */
	async kept(): Promise<string> {
		return this.#whole ? (await this.#whole).kept() : "";
	}

	/** Lists the kept traces without the engine that keeps them. */
	async recent(): ReturnType<Engine["recent"]> {
		if (this.#hasBench) return (await this.bench()).recent();
		const { RecentStore } = await loadCode(() => import("../recent/recent_store.ts"));
		return (this.#surroundings?.store ?? new RecentStore()).list();
	}

	async cancel(): Promise<void> {
		if (this.#whole) (await this.bench()).cancel();
	}

	/** Whether the whole engine has loaded or is on its way. */
	get hasWhole(): boolean {
		return this.#whole !== undefined;
	}

	whole(): Promise<Workbench> {
		this.#whole ??= this.#makeWhole().catch((error: unknown) => {
			// The next question tries the network again.
			this.#whole = undefined;
			throw error;
		});
		return this.#whole;
	}

	async #makeWhole(): Promise<Workbench> {
		const whole = await this.bench();
		await whole.open(this.#wasm);
		await this.#follow(whole);
		this.#first = undefined;
		return whole;
	}
}

function isPlain({ preset, values }: Machine): boolean {
	return preset === "" && Object.keys(values).every((key) => PLAIN.has(key));
}

/** Calls that need neither the trace nor its module. */
const WITHOUT = new Set<keyof Workbench>([
	"forget",
	"assist",
	"measure",
	"startOf",
	"reproduce",
	"film",
	"passage",
	"figures",
	"ofSize",
	"judge",
	"checkRun",
]);

/** Levels and costs are not worth a fetch: undefined until the whole engine has loaded or is on its way. */
const UNFETCHED = new Set<keyof Workbench>(["eventPath", "levels", "nextObjects", "traffic"]);

export function twoStageEngine(surroundings?: Surroundings): Engine {
	const start = new TwoStageEngine(surroundings);
	const answer = async (name: keyof Workbench, args: unknown[]) => {
		if (UNFETCHED.has(name) && !start.hasWhole) return undefined;
		const engine = await (WITHOUT.has(name) ? start.bench() : start.whole());
		return Reflect.apply(engine[name], engine, args) as unknown;
	};
	return new Proxy(start as unknown as Engine, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member === "function") return member.bind(target);
			// Resolving a promise checks whether the value is itself a promise.
			if (typeof name !== "string" || name === "then") return undefined;
			return (...args: unknown[]) => answer(name as keyof Workbench, args);
		},
	});
}
