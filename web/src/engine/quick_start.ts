/**
 * Two simulators behind one Engine. A small module (wasm/first_view.mjs) shows the recording that the page opens with; the
 * whole one is fetched a little later, or when something is asked that the small one does not have, reads the same recording
 * and takes over. What is on screen does not change: both give the same answers.
 */
import { CANCELLED, type Engine } from "./engine.ts";
import type { Surroundings } from "./session_engine.ts";
import type { Goal, Machine, Progress } from "./types.ts";
import { type Helper, Workbench } from "./workbench.ts";

/** The first view has come to rest by then. */
const LATER_MS = 5000;

/** What a machine may be told and still be SLUB as it usually is. */
const PLAIN = new Set(["cpus", "nodes", "page_size", "memory", "cpu_node", "zones", "distance"]);

/** Need neither the recording nor its module. */
const EITHER = new Set<string | symbol>([
	"cancel",
	"recent",
	"forget",
	"kept",
	"assist",
	"measure",
]);

type Tell = (p: Progress) => void;

class QuickStart {
	readonly #surroundings: Surroundings | undefined;
	#small: Workbench | undefined;
	#whole: Promise<Workbench> | undefined;
	#current: Workbench;
	/** Brings the recording that the small one shows into the whole one. */
	#follow: (whole: Workbench) => Promise<unknown> = async () => {};
	#wasm: string | Blob = "";

	constructor(surroundings?: Surroundings) {
		this.#surroundings = surroundings;
		this.#current = new Workbench(surroundings);
	}

	async open(wasm: string | Blob, small = ""): Promise<void> {
		this.#wasm = wasm;
		if (small === "") {
			await this.#current.open(wasm);
			this.#whole = Promise.resolve(this.#current);
			return;
		}
		this.#small = this.#current;
		await this.#small.open(small);
	}

	async load(
		file: Blob,
		machine: Machine,
		onProgress: Tell,
		columns?: string,
	): ReturnType<Engine["load"]> {
		const small = this.#small;
		const isFirst = small !== undefined && this.#whole === undefined;
		if (isFirst && !(file instanceof File) && columns === undefined && isPlain(machine)) {
			try {
				const loaded = await small.load(file, machine, onProgress);
				this.#follow = (whole) => whole.load(file, machine, () => {});
				setTimeout(() => void this.whole().catch(() => {}), LATER_MS);
				return loaded;
			} catch (error) {
				this.#small = undefined;
				if (error instanceof Error && error.message === CANCELLED) throw error;
				// No text of ftrace's, or damaged: the whole one reads it, or says why not.
			}
		}
		return (await this.whole()).load(file, machine, onProgress, columns);
	}

	async go(goal: Goal, cache: number): ReturnType<Engine["go"]> {
		try {
			return await this.#current.go(goal, cache);
		} catch (error) {
			if (this.#current !== this.#small) throw error;
			return (await this.whole()).go(goal, cache);
		}
	}

	/** The one that answers now, for what needs no module. */
	get current(): Workbench {
		return this.#current;
	}

	whole(): Promise<Workbench> {
		this.#whole ??= this.#makeWhole().catch((error: unknown) => {
			// The next question asks the network again.
			this.#whole = undefined;
			throw error;
		});
		return this.#whole;
	}

	async #makeWhole(): Promise<Workbench> {
		const whole = new Workbench(this.#surroundings);
		await whole.open(this.#wasm);
		await this.#follow(whole);
		this.#current = whole;
		this.#small = undefined;
		return whole;
	}
}

function isPlain({ preset, values }: Machine): boolean {
	return preset === "" && Object.keys(values).every((key) => PLAIN.has(key));
}

/** With no small module to begin with, simply the whole one. */
export function quickStart(surroundings?: Surroundings): Engine & Helper {
	const start = new QuickStart(surroundings);
	const own = new Set<string | symbol>(["open", "load", "go"]);
	const answer = async (name: keyof (Engine & Helper), args: unknown[]) => {
		const engine = EITHER.has(name) ? start.current : await start.whole();
		return Reflect.apply(engine[name], engine, args) as unknown;
	};
	return new Proxy(start as unknown as Engine & Helper, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (own.has(name) && typeof member === "function") return member.bind(target);
			if (!(name in Workbench.prototype)) return undefined;
			return (...args: unknown[]) => answer(name as keyof (Engine & Helper), args);
		},
	});
}
