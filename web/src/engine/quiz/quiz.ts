/**
 * Answers a lesson's questions about a trace, and about its totals on some machine, without touching the stage. Each
 * trace on each machine has its own session; the last few are kept.
 */

import { KmemSession, type Study, stepArgument, stepKind } from "#wasm";
import { count, numberOf, quantity } from "../../base/format.ts";
import type { Ask, Figures, Played, Question, SizeFigures } from "../answers.ts";
import { make } from "../generated_trace.ts";
import { importFile } from "../import/loader.ts";
import { blobOf } from "../input.ts";
import { configure, NOTHING, replay } from "../machine.ts";
import { NO_PACE } from "../pace.ts";
import { sessionOf } from "../stage_copy.ts";
import type { Machine } from "../types.ts";
import { plainOrder } from "./plain_questions.ts";
import { questionOf, randomOf, saltOf } from "./questions.ts";
import { whyNotOrder } from "./wrong_answers.ts";

const KEPT_MOST = 3;
/** Sizes for questions about orders, by page size in bytes. */
const SIZE_LEAST = 64;
const SIZES_PER_PAGE = 3;
const ORDERS = [0, 1, 2, 3];

export class Quiz {
	readonly #module: WebAssembly.Module;
	/** Sorted by use: the most recently used is last. */
	readonly #sessions = new Map<string, Promise<KmemSession>>();
	/** A session without a trace, for questions about one machine's sizes. */
	#sizing: { readonly key: string; readonly session: KmemSession } | undefined;

	constructor(module: WebAssembly.Module) {
		this.#module = module;
	}

	async question(of: Played, ask: Ask): Promise<Question> {
		if (ask.kind === "order") return this.#order(of.machine, ask);
		const question = questionOf(await this.sessionOf(of), ask);
		if (!question)
			throw new Error(
				ask.seed === 0 && ask.op !== undefined
					? `No question of kind ${ask.kind} can be asked about event ${numberOf(ask.op)} of ${of.trace}: choose another event.`
					: `On this machine, no event of ${of.trace} can be asked a question of kind ${ask.kind}.`,
			);
		return question;
	}

	/** Returns the totals after an event, or at the end of the trace. */
	async figures(of: Played, op?: number, cache = ""): Promise<Figures> {
		const session = await this.sessionOf(of);
		const last = op ?? session.nrOps - 1;
		session.seek(last);
		const before = session.totals().cycles;
		session.seek(last + 1);
		const totals = session.totals();
		const caches = session.caches();
		return {
			totals,
			nrOps: session.nrOps,
			caches: caches.length,
			counters: session.counters(),
			steps: session.steps(last).total,
			eventCycles: totals.cycles - before,
			reports: session.reports().rows.map(({ text }) => text),
			cache: caches.find(({ name }) => name === cache),
		};
	}

	/** Returns a slab for objects of that size on a machine. */
	async ofSize(machine: Machine, size: number): Promise<SizeFigures> {
		const key = JSON.stringify(machine);
		if (this.#sizing?.key !== key) {
			const session = await KmemSession.open(this.#module);
			configure(session, NOTHING, machine, true);
			this.#sizing = { key, session };
		}
		const { session } = this.#sizing;
		const { tries: _tries, ...row } = session.order(size);
		return { ...row, pageBytes: Number(session.param("page_size")) };
	}

	/** Returns a proposal's figures and a real kernel's: the experiment is set up but not run. */
	async study(id: string): Promise<Study> {
		const session = await KmemSession.open(this.#module);
		session.studies.slices(id).next();
		return session.studies.current();
	}

	/** Returns a session that is built and belongs to the quiz: it may be at any position. */
	sessionOf(of: Played): Promise<KmemSession> {
		const key = JSON.stringify([of.trace, of.machine, of.copy?.image.size]);
		const session = this.#sessions.get(key) ?? this.#open(of);
		this.#sessions.delete(key);
		this.#sessions.set(key, session);
		session.catch(() => this.#sessions.delete(key));
		const oldest = this.#sessions.keys().next().value;
		if (this.#sessions.size > KEPT_MOST && oldest !== undefined) this.#sessions.delete(oldest);
		return session;
	}

	async #open({ trace, file, copy, machine }: Played): Promise<KmemSession> {
		const session = copy
			? await sessionOf(this.#module, copy)
			: file
				? (await importFile(this.#module, await blobOf(file), NO_PACE)).session
				: await make(this.#module, trace, NO_PACE);
		configure(session, copy?.machine ?? NOTHING, machine, true);
		await replay(session, NO_PACE);
		return session;
	}

	/** Replays one allocation of that size: the first use of a cache shows how its order was chosen. */
	async #order(machine: Machine, ask: Ask): Promise<Question> {
		const random = randomOf(saltOf(ask));
		const page = Number(machine.values.page_size ?? 4096);
		const step = page / 64;
		const any = SIZE_LEAST + Math.floor(random() * ((SIZES_PER_PAGE * page) / step)) * step;
		const size = ask.seed === 0 && ask.size !== undefined ? ask.size : any;
		const session = await KmemSession.open(this.#module);
		session.importBegin();
		session.importChunk(
			new TextEncoder().encode(
				`slabtrace 1\ncache c size=${size} name=size-${size}\na 1 c cpu=0\n`,
			),
		);
		session.importEnd();
		configure(session, NOTHING, machine, true);
		session.build();
		const { order, alignedSize, objects, waste } = session.order(size);
		const said = session
			.steps(0)
			.rows.filter((s) => /ORDER_TRY|CACHE_CREATE/.test(stepKind(s).name));
		const tries = said.filter((s) => stepKind(s).name === "ORDER_TRY");
		const last = tries.at(-1);
		const least = (last && stepArgument(last, "min_objects")) ?? 0;
		const reason = (o: number) =>
			whyNotOrder({
				order: o,
				right: order,
				tried: tries.find((s) => stepArgument(s, "order") === o)?.sentence ?? "",
				holds: Math.floor((page * 2 ** o) / alignedSize),
				least,
			});
		const cpus = session.machine().cpus;
		return {
			kind: "order",
			title: "Which order does a slab for this size get?",
			given: [
				`An object takes ${count(alignedSize)} bytes, a page has ${page / 1024} KiB, the machine has ${quantity(cpus, "CPU")}.`,
			],
			choices: ORDERS.map((o) => `order ${o}: ${2 ** o === 1 ? "1 page" : `${2 ** o} pages`}`),
			reasons: ORDERS.map((o) => (o === order ? "" : reason(o))),
			answer: order,
			plain: plainOrder(order, objects, waste),
			why: said.slice(-3).map((s) => s.sentence),
			cache: "",
		};
	}
}
