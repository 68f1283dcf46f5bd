/**
 * The page's end of the worker: created once, called through Engine, and watched. If a worker traps, dies or stops
 * answering, the facts say so; restart() starts another one.
 */
import { proxy, type Remote, wrap } from "comlink";
import { carryErrors, SimulatorStopped } from "../../base/errors.ts";
import type { Progress } from "../../engine/types.ts";
import type { Engine } from "../../engine/worker/two_stage_engine.ts";
import { change, facts, store } from "../state/store.ts";
import { startWorker } from "./page_files.ts";

/** Long work reports its progress, so a worker that stays silent for this long must be dead. */
const SILENCE_S = 15;

interface Link {
	readonly worker: Worker;
	remote: Remote<Engine>;
	/** How many calls have no answer yet. */
	asked: number;
	/** How many seconds ago the worker last sent anything. */
	silentS: number;
}

carryErrors();
let link: Link | undefined;

export function engine(): Remote<Engine> {
	link ??= connect();
	return link.remote;
}

/** How many requests in progress report to onProgress. */
let reporting = 0;

/**
 * Progress of long work becomes a fact. It has its own channel, so it can arrive after the answer (in Firefox): it is
 * ignored if nothing is in progress.
 */
export const onProgress = proxy((progress: Progress) => {
	if (reporting > 0) change({ progress });
});

/** Ends the worker; the next call starts a new one. */
export function disconnect(): void {
	link?.worker.terminate();
	link = undefined;
}

function connect(): Link {
	const worker = startWorker();
	const made: Link = { worker, remote: wrap<Engine>(worker), asked: 0, silentS: 0 };
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		if (link === made) stopped(`The simulator's worker failed (${event.message || "not loaded"})`);
	});
	made.remote = watched(made);
	return made;
}

function stopped(what: string, silent = false): void {
	if (facts().crash === null) change({ crash: { what, silent }, playing: false, progress: null });
}

/**
 * Loading the module takes as long as the network does, and has its own error. Chapters are found in the background,
 * without progress reports.
 */
const NOT_WATCHED = new Set(["open", "overview"]);

function watched(of: Link): Remote<Engine> {
	return new Proxy(of.remote, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof name !== "string" || typeof member !== "function" || NOT_WATCHED.has(name))
				return member;
			return (...args: unknown[]) => {
				const answer = answered(of, member(...args) as Promise<unknown>);
				return args.includes(onProgress) ? reported(answer) : answer;
			};
		},
	});
}

async function reported<T>(answer: Promise<T>): Promise<T> {
	reporting++;
	try {
		return await answer;
	} finally {
		reporting--;
	}
}

async function answered<T>(of: Link, answer: Promise<T>): Promise<T> {
	if (of.asked++ === 0) of.silentS = 0;
	try {
		return await answer;
	} catch (error) {
		if (error instanceof SimulatorStopped) stopped(error.message);
		throw error;
	} finally {
		of.asked--;
		heard(of);
	}
}

function heard(of: Link): void {
	of.silentS = 0;
	if (facts().crash?.silent) change({ crash: null });
}

/** Counts seconds while this page runs, so that a computer that slept is not mistaken for a silent worker. */
export function watchSilence(): void {
	store.subscribe((now, before) => {
		if (link && now.progress !== before.progress && now.progress) heard(link);
	});
	window.setInterval(() => {
		if (!link || link.asked === 0) return;
		if (++link.silentS === SILENCE_S)
			stopped(`The simulator has not answered for ${SILENCE_S} seconds`, true);
	}, 1000);
}
