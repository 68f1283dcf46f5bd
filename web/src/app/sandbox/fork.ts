/**
 * A fork: the trace up to an event, then the visitor's own actions. The session keeps the recorded future, so one press
 * shows the one or the other. Up to its event the fork has the recorded states, bit for bit.
 */
import { isCancelled } from "../../base/errors.ts";
import { count, stopped } from "../../base/format.ts";
import { eventWords, numberOf } from "../../base/numbering.ts";
import type { Fork } from "../../engine/answers.ts";
import type { Built } from "../../engine/types.ts";
import type { View } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { busiest, known, latestLoad } from "../playback/opened.ts";
import { go, pause } from "../playback/player.ts";
import { say } from "../state/announce.ts";
import { futureIn, futureTrace, specOf, traceIn } from "../state/machine_spec.ts";
import { CODE_MOST, codeOf, textIn } from "../state/sandbox_code.ts";
import { forkAfter, forkOf, type Sandbox, sandboxOf, textOf } from "../state/sandbox_text.ts";
import {
	allocatorOf,
	busy,
	change,
	type Future,
	facts,
	MOST_OTHERS,
	partOf,
	START,
} from "../state/store.ts";

/** Each action replays the trace up to the fork again: beyond this that takes seconds. */
export const EVENTS_MOST = 2_000_000;

const NO_FORK = {
	sandbox: null,
	sandboxCode: "",
	sandboxUndone: [],
	sandboxRefused: "",
	future: "yours",
} as const;

/** The replayed fork. Rejects with the reason if a line cannot be read, and with Cancelled if the visitor stops it. */
export function replayed(sandbox: Sandbox): Promise<Built> {
	return replay(forkOf(sandbox));
}

/** Replays a fork, or the recorded future. A long replay shows its progress, which ends with it. */
async function replay(fork: Fork | undefined): Promise<Built> {
	const during = latestLoad();
	try {
		return await engine().fork(fork, onProgress);
	} finally {
		if (during === latestLoad()) change({ progress: null });
	}
}

/** Whether the work was done: a replay that the visitor stops leaves everything as it was. */
async function done(work: () => Promise<void>): Promise<boolean> {
	try {
		await busy(work);
		return true;
	} catch (error) {
		if (isCancelled(error)) return false;
		throw error;
	}
}

/** Why no fork is possible after so many events; "" if it is. */
function faultOf(after: number, { nrOps }: Pick<Built, "nrOps">): string {
	if (after > nrOps)
		return `This link branches after ${eventWords(after - 1)}, but the trace ends at ${eventWords(nrOps - 1)}.`;
	if (after > EVENTS_MOST)
		return `A branch replays everything before it at each action, so it must begin by event ${count(EVENTS_MOST)}: go to an earlier event and press Branch from here again.`;
	return "";
}

/** The cache on the stage, if the machine still has it. */
function shown(built: Built): string {
	const { cache } = facts();
	return known(built, cache) ?? busiest(built.caches)?.name ?? "";
}

/** The name of the address's code; "" if it does not fit. */
export async function codeToKeep(sandbox: Sandbox): Promise<string> {
	const code = await codeOf(textOf(sandbox));
	return code.length <= CODE_MOST ? code : "";
}

/** Forks the trace on screen after the event on screen. */
export async function forkHere(): Promise<boolean> {
	const { moment, built } = facts();
	if (!moment || !built) return false;
	const { op } = moment.position;
	const fault = faultOf(op + 1, built);
	if (fault !== "") {
		change({ error: fault });
		return false;
	}
	pause();
	const sandbox = forkAfter(op + 1);
	const isForked = await done(async () => {
		const after = await replayed(sandbox);
		const sandboxCode = await codeToKeep(sandbox);
		change({ ...NO_FORK, sandbox, sandboxCode, built: after, cache: shown(after), tab: "explore" });
		go({ kind: "at", op, step: "last" });
	});
	if (!isForked) return false;
	say(`Branched after event ${count(numberOf(op))}. The next events are yours.`);
	return true;
}

/** Opens the fork of a link, or leaves the fork if the link has none. */
export async function openFork(view: View): Promise<boolean> {
	const { trace, built } = facts();
	if (!built) return false;
	if (view.sandbox === "") return leaveFork(view.op);
	const at = { op: view.op, step: view.step >= 0 ? view.step : undefined };
	if (view.sandbox === facts().sandboxCode) {
		await showFuture(view.future, at);
		return true;
	}
	const text = await textIn(view.sandbox);
	const sandbox = sandboxOf(text ?? "");
	const recorded = facts().future === "recorded" || !facts().sandbox;
	const fault = !sandbox?.after
		? "The branch in this link cannot be read, so the trace is as it was recorded."
		: recorded
			? faultOf(sandbox.after, built)
			: "";
	if (!sandbox || fault !== "") {
		change({ error: fault });
		return false;
	}
	try {
		await busy(async () => {
			const after = await replayed(sandbox);
			if (facts().trace !== trace) return;
			const op = view.op < 0 ? after.nrOps - 1 : Math.min(view.op, after.nrOps - 1);
			const cache = known(after, view.cache) ?? shown(after);
			change({
				...NO_FORK,
				sandbox,
				sandboxCode: view.sandbox,
				built: after,
				cache,
				wanted: cache,
			});
			go({ kind: "at", op, step: view.step >= 0 ? view.step : "last" });
		});
		if (view.future === "recorded") await showFuture("recorded", at);
	} catch (error) {
		if (isCancelled(error)) return false;
		const reason = error instanceof Error ? error.message : String(error);
		change({ error: `The branch in this link is refused: ${stopped(reason)}` });
		return false;
	}
	return true;
}

/** The event of the visitor's own future that was last on screen. */
let lastOfYours = -1;

/** An event, or -1 for the one that suits the future, and a step of it, or its end. */
interface At {
	readonly op: number;
	readonly step?: number | undefined;
}

const ANYWHERE: At = { op: -1 };

/** Shows the recorded future, at the same event if both have it, or the visitor's own again. */
export async function showFuture(future: Future, at = ANYWHERE): Promise<void> {
	const { sandbox, moment, future: now } = facts();
	if (!sandbox?.after || !moment || now === future) return;
	pause();
	const { op } = moment.position;
	const isBefore = op < sandbox.after;
	if (now === "yours") lastOfYours = op;
	await done(async () => {
		const built = future === "yours" ? await replayed(sandbox) : await replay(undefined);
		const own = Math.max(sandbox.after - 1, Math.min(lastOfYours, built.nrOps - 1));
		const usual = isBefore ? op : future === "yours" ? own : sandbox.after - 1;
		const to = at.op < 0 ? usual : Math.min(at.op, built.nrOps - 1);
		change({ future, built, cache: shown(built), selected: null, before: null });
		go({ kind: "at", op: to, step: at.step ?? "last" });
	});
}

/** Ends the fork. `op`: the event to show, -1 for that of the fork. */
export async function leaveFork(op = -1): Promise<boolean> {
	const { sandbox, future, moment } = facts();
	if (!sandbox?.after) return false;
	pause();
	return done(async () => {
		const built = future === "yours" ? await replay(undefined) : (facts().built as Built);
		const here = Math.min(moment?.position.op ?? 0, sandbox.after - 1);
		change({ ...NO_FORK, built, cache: shown(built), selected: null, before: null });
		go({ kind: "at", op: op < 0 ? here : Math.min(op, built.nrOps - 1), step: "last" });
	});
}

/** Opens Compare with the other future of the forked trace as a machine, beside the one on the stage. */
export function compareFutures(): void {
	const { built, versus, future, comparing } = facts();
	const other = futureTrace(future === "yours" ? "recorded" : "yours");
	const isFuture = (spec: string) => futureIn(traceIn(spec)) !== undefined;
	const rest = versus === START.versus ? [] : versus.filter((spec) => !isFuture(spec));
	const specs = [specOf(allocatorOf(built), "", other), ...rest].slice(0, MOST_OTHERS);
	change({
		versus: specs,
		comparing: { ...comparing, other: 1 },
		...partOf("compare", "machines"),
	});
}

/** The whole forked trace as a slabtrace. */
export async function forkAsTrace(): Promise<Blob> {
	await showFuture("yours");
	return engine().text();
}
