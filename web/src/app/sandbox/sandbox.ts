/**
 * The playground: every action adds a line to the trace, which is replayed at once. So seeking, the stage, Compare and
 * every allocator work as they do on any other trace. It is kept in the address, or in this tab if it is too long for
 * that.
 */

import { proxy } from "comlink";
import { KmemError } from "#wasm";
import { isCancelled } from "../../base/errors.ts";
import { count, eventWords, numberOf, stopped } from "../../base/format.ts";
import { awaitChange } from "../../base/frame_clock.ts";
import type { Fork } from "../../engine/answers.ts";
import { momentOf } from "../../engine/moment.ts";
import type { Built, Report } from "../../engine/types.ts";
import { SANDBOX } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { engine, onProgress } from "../platform/engine_link.ts";
import { historyOf, selectedThing } from "../playback/object_history.ts";
import { busiest, inFull, known, latestLoad } from "../playback/opened.ts";
import { keepTo } from "../playback/passage.ts";
import { go, pause, play, sentenceOf } from "../playback/player.ts";
import { say } from "../state/announce.ts";
import { futureIn, futureTrace, specOf, traceIn } from "../state/machine_spec.ts";
import {
	ACTS_MOST,
	type Act,
	allocatedBy,
	CODE_MOST,
	type Corruption,
	codeOf,
	EMPTY,
	eventsOf,
	faultOfCache,
	forkAfter,
	forkOf,
	freedBy,
	liveOf,
	nextId,
	type Sandbox,
	type SandboxCache,
	sandboxOf,
	textIn,
	textOf,
} from "../state/sandbox_text.ts";
import {
	allocatorOf,
	busy,
	change,
	type Future,
	facts,
	MOST_OTHERS,
	partOf,
	START,
	store,
} from "../state/store.ts";
import { openText } from "../trace/actions.ts";

const KEPT = "slabscope.sandbox";
const quiet = proxy(() => {});

/** Runs the actions one after another, in order. */
let queue: Promise<void> = Promise.resolve();

/** Opens the playground of a view, or this tab's, or an empty one. */
export async function openSandbox(view?: View): Promise<boolean> {
	pause();
	const code = view?.sandbox ?? "";
	const text = code === "" ? kept() : await textIn(code);
	const read = sandboxOf(text ?? "");
	const sandbox = read?.after ? undefined : read;
	const broken = code !== "" && !sandbox;
	const opened = sandbox ?? EMPTY;
	const isOpen = await begin(opened, sandbox ? code : "", view ?? lastMoment(opened));
	const problem = facts().report?.problems[0];
	if (isOpen && broken)
		change({ error: "The playground in this link cannot be read, so this one is empty." });
	else if (isOpen && problem)
		change({
			error: `An action of the playground in this link was refused: ${stopped(problem.reason)}`,
		});
	await remember(opened);
	return isOpen;
}

/** Opens a scene instead of this tab's playground. */
export async function openScene(scene: Sandbox): Promise<boolean> {
	pause();
	const isOpen = await begin(scene, "", lastMoment(scene));
	await remember(scene);
	return isOpen;
}

function begin(sandbox: Sandbox, sandboxCode: string, at: View | { op: number }): Promise<boolean> {
	change({ sandbox, sandboxCode, sandboxUndone: [], sandboxRefused: "" });
	return openText(SANDBOX, textOf(sandbox), at);
}

const lastMoment = ({ acts }: Sandbox) => ({ op: eventsOf(acts) });

/** An embedded page keeps nothing: the page around it may be a Slabscope with its own playground. */
function kept(): string {
	if (facts().embed) return "";
	try {
		return sessionStorage.getItem(KEPT) ?? "";
	} catch {
		return "";
	}
}

/** Keeps the playground in the facts, for the address, and in this tab. */
async function remember(sandbox: Sandbox): Promise<void> {
	if (sandbox.after > 0) {
		change({ sandboxCode: await codeToKeep(sandbox) });
		return;
	}
	const text = textOf(sandbox);
	const code = sandbox.acts.length + sandbox.caches.length > 0 ? await codeOf(text) : "";
	change({ sandboxCode: code.length <= CODE_MOST ? code : "" });
	if (facts().embed) return;
	try {
		sessionStorage.setItem(KEPT, text);
	} catch {
		// A browser without storage forgets this; nothing else breaks.
	}
}

/** Whether it fits in a link. */
export function fitsLink(): boolean {
	const { sandbox, sandboxCode } = facts();
	return sandboxCode !== "" || !sandbox || sandbox.acts.length + sandbox.caches.length === 0;
}

/** A replayed playground; a fork leaves its trace's report alone. */
interface Replayed {
	readonly built: Built;
	readonly report?: Report;
}

/** Rejects with the reason if an action cannot be read. */
async function replay(sandbox: Sandbox): Promise<Replayed | undefined> {
	if (sandbox.after > 0) return { built: await replayed(sandbox) };
	const { machine } = facts();
	const text = new Blob([textOf(sandbox)]);
	const loaded = await engine().load(text, inFull(SANDBOX, machine), quiet);
	if (!("report" in loaded)) return undefined;
	const { report, built } = loaded;
	const [problem] = report.problems;
	if (problem) throw new Error(problem.reason);
	return { report, built };
}

const REFUSES = "NOTHING";

/** Explains why the last event did nothing, if the allocator refused it. */
async function refusalOf({ acts }: Sandbox, op: number): Promise<string> {
	const kind = acts.at(-1)?.kind;
	if (kind === undefined || kind === "alloc" || kind === "free") return "";
	const { steps } = momentOf(await engine().go({ kind: "at", op, step: "last" }, 0));
	return steps.find((step) => step.kind === REFUSES)?.sentence ?? "";
}

/** Stops watching the steps of an earlier action. */
let unwatch = () => {};

/** Plays the steps from one event to another at the visitor's speed; with reduced motion, shows only the end. */
function watchSteps(from: number, to: number): void {
	unwatch();
	if (from > to || matchMedia("(prefers-reduced-motion: reduce)").matches) {
		go({ kind: "at", op: to, step: "last" });
		return;
	}
	const begin = () => go({ kind: "at", op: from, step: 0 });
	const passage = { loop: false, unit: "step", to: () => to, begin } as const;
	const leave = keepTo(passage);
	let isPlaying = false;
	const unsubscribe = store.subscribe(({ playing, moment }) => {
		if (isPlaying && !playing) unwatch();
		if (isPlaying || moment?.position.op !== from || moment.position.step > 0) return;
		isPlaying = true;
		play();
	});
	begin();
	unwatch = () => {
		unwatch = () => {};
		unsubscribe();
		leave();
	};
}

/**
 * Replays the changed playground and plays the steps of its new events. A change that is refused leaves everything as it
 * was and gives the reason.
 */
function become(change_: (now: Sandbox) => Sandbox, undone: readonly Act[] = []): Promise<void> {
	const work = async () => {
		const { sandbox: now } = facts();
		if (facts().future === "recorded") await showFuture("yours");
		// The visitor has stopped it.
		if (facts().future === "recorded") return;
		const { sandbox, trace } = facts();
		if (!sandbox || sandbox !== now || (sandbox.after === 0 && trace !== SANDBOX)) return;
		const next = change_(sandbox);
		if (next === sandbox) return;
		if (eventsOf(next.acts) > ACTS_MOST) {
			change({ sandboxRefused: `A playground has at most ${count(ACTS_MOST)} events.` });
			return;
		}
		let refused = "";
		const done = await replay(next).catch((error: unknown) => {
			if (!(error instanceof Error)) throw error;
			// A replay that the visitor stops leaves everything as it was and gives no reason.
			refused = isCancelled(error) ? "" : error.message;
			return undefined;
		});
		if (facts().trace !== trace) return;
		const isMore = next.acts.length > sandbox.acts.length;
		if (done && isMore) refused = await refusalOf(next, done.built.nrOps - 1);
		if (!done || refused !== "") {
			// After a refused line, the fork is already the previous one.
			if (done || sandbox.after === 0) await replay(sandbox);
			change({ sandboxRefused: refused });
			return;
		}
		show(next, done, undone, sandbox);
		await remember(next);
	};
	pause();
	unwatch();
	queue = queue.then(() =>
		busy(work).catch((error: unknown) => change({ error: sentenceOf(error) })),
	);
	return queue;
}

function show(
	next: Sandbox,
	{ built, report }: Replayed,
	undone: readonly Act[],
	before: Sandbox,
): void {
	const op = built.nrOps - 1;
	const { cache } = facts();
	const still = built.caches.some((c) => c.name === cache) ? cache : "";
	change({
		sandbox: next,
		sandboxUndone: undone,
		sandboxRefused: "",
		...(report ? { report } : {}),
		built,
		cache: still || (built.caches[0]?.name ?? ""),
	});
	const more = eventsOf(next.acts) - eventsOf(before.acts);
	const isShown = awaitChange();
	void engine()
		.go({ kind: "at", op, step: "last" }, 0)
		.then((at) => {
			const used = built.caches.find((c) => c.cache === at.op.cache)?.name;
			if (facts().built !== built) return;
			if (used !== undefined && used !== facts().cache)
				change({ cache: used, wanted: used, selected: null, before: null });
			watchSteps(op - Math.max(0, more) + 1, op);
		})
		.finally(isShown);
}

/** What to allocate: an object of `cache`, or of this many bytes if `cache` is "". */
export interface What {
	readonly cache: string;
	readonly bytes: number;
}

const withActs = (now: Sandbox, ...more: readonly Act[]): Sandbox => ({
	...now,
	acts: [...now.acts, ...more],
});

export function allocate(what: What, cpu: number, node: number, times = 1): Promise<void> {
	return become((now) => {
		const first = nextId(now);
		const acts = Array.from({ length: times }, (_, i): Act => {
			return { kind: "alloc", id: first + i, ...what, cpu, node };
		});
		return withActs(now, ...acts);
	});
}

/** Allocates several objects of a cache with one request. */
export function allocateInBulk(cache: string, cpu: number, times: number): Promise<void> {
	return become((now) => {
		// In a fork an object has the number of its event, and the request itself is the first one.
		const first = nextId(now) + Number(now.after > 0);
		const ids = Array.from({ length: times }, (_, i) => first + i);
		return withActs(now, { kind: "bulk-alloc", ids, cache, cpu });
	});
}

/** Takes an object out of a prefilled sheaf. */
export function takeFrom(slot: number, cache: string, cpu: number): Promise<void> {
	return become((now) => withActs(now, { kind: "take", id: nextId(now), cache, cpu, slot }));
}

export function free(id: number, cpu: number): Promise<void> {
	return become((now) => {
		const isLive = id <= now.after || liveOf(now).some((live) => live.id === id);
		return isLive ? withActs(now, { kind: "free", id, cpu }) : now;
	});
}

export function corrupt(how: Corruption, id: number, cpu: number, at: number): Promise<void> {
	return act({ kind: "corrupt", how, id, cpu, at });
}

export function act(...some: readonly Act[]): Promise<void> {
	return become((now) => withActs(now, ...some));
}

/** Returns why it failed, "" if it did not. */
export function addCache(cache: SandboxCache): string {
	const { sandbox } = facts();
	const fault = sandbox ? faultOfCache(sandbox, cache) : "";
	if (fault === "") void become((now) => ({ ...now, caches: [...now.caches, cache] }));
	return fault;
}

export function undo(): void {
	const { sandbox, sandboxUndone } = facts();
	const last = sandbox?.acts.at(-1);
	if (last)
		void become((now) => ({ ...now, acts: now.acts.slice(0, -1) }), [...sandboxUndone, last]);
}

export function redo(): void {
	const { sandboxUndone } = facts();
	const again = sandboxUndone.at(-1);
	if (again) void become((now) => withActs(now, again), sandboxUndone.slice(0, -1));
}

export function startOver(): void {
	void become(({ after }) => (after > 0 ? forkAfter(after) : EMPTY));
}

/** True if the search was cancelled, or the thing does not exist at this event. */
function noHistory(error: unknown): undefined {
	if (!isCancelled(error) && !(error instanceof KmemError)) throw error;
}

/** Returns the id of the selected object, if it is live. */
export async function heldId(): Promise<number | undefined> {
	const { selected, moment, sandbox } = facts();
	if (!selected || selected.index < 0 || !moment || !sandbox) return undefined;
	const history = await historyOf(selectedThing(facts()), moment.position.op).catch(noHistory);
	const op = history?.object?.allocOp ?? -1;
	if (sandbox.after > 0 && op >= 0 && op < sandbox.after) {
		const isFreed = sandbox.acts.some((act) => freedBy(act).includes(op + 1));
		return isFreed ? undefined : op + 1;
	}
	const id = allocatedBy(sandbox, op - Math.max(1, sandbox.after));
	return liveOf(sandbox).some((live) => live.id === id) ? id : undefined;
}

/*
 * A fork: the trace up to an event, then the visitor's own actions. The session keeps the recorded future, so one press
 * shows the one or the other. Up to its event the fork has the recorded states, bit for bit.
 */

/** Each action replays the trace up to the fork again, which takes seconds beyond this. */
export const EVENTS_MOST = 2_000_000;

const NO_FORK = {
	sandbox: null,
	sandboxCode: "",
	sandboxUndone: [],
	sandboxRefused: "",
	future: "yours",
} as const;

/** Returns the replayed fork. Rejects with the reason if a line cannot be read, and with Cancelled if the visitor stops it. */
export function replayed(sandbox: Sandbox): Promise<Built> {
	return replayFork(forkOf(sandbox));
}

/** Replays a fork, or the recorded future. A long replayFork shows its progress until it ends. */
async function replayFork(fork: Fork | undefined): Promise<Built> {
	const during = latestLoad();
	try {
		return await engine().fork(fork, onProgress);
	} finally {
		if (during === latestLoad()) change({ progress: null });
	}
}

/** Resolves to whether the work was done: a replayFork that the visitor stops leaves everything as it was. */
async function done(work: () => Promise<void>): Promise<boolean> {
	try {
		await busy(work);
		return true;
	} catch (error) {
		if (isCancelled(error)) return false;
		throw error;
	}
}

/** Explains why no fork is possible after this many events; "" if one is. */
function faultOf(after: number, { nrOps }: Pick<Built, "nrOps">): string {
	if (after > nrOps)
		return `This link branches after ${eventWords(after - 1)}, but the trace ends at ${eventWords(nrOps - 1)}.`;
	if (after > EVENTS_MOST)
		return `A branch replays everything before it at each action, so it must start by event ${count(EVENTS_MOST)}: go to an earlier event and press Branch from here again.`;
	return "";
}

/** Returns the cache on the stage, if the machine still has it. */
function shown(built: Built): string {
	const { cache } = facts();
	return known(built, cache) ?? busiest(built.caches)?.name ?? "";
}

/** Returns the name of the address's code; "" if it does not fit. */
async function codeToKeep(sandbox: Sandbox): Promise<string> {
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
		? "The branch in this link cannot be read, so you see the trace as it was recorded."
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
		change({ error: `The branch in this link was refused: ${stopped(reason)}` });
		return false;
	}
	return true;
}

/** The event of the visitor's own future that was last on screen. */
let lastOfYours = -1;

/** An event, or -1 for the one that suits the future, and one of its steps or its end. */
interface At {
	readonly op: number;
	readonly step?: number | undefined;
}

const ANYWHERE: At = { op: -1 };

/** Shows the recorded future, at the same event if both have it, or shows the visitor's own again. */
export async function showFuture(future: Future, at = ANYWHERE): Promise<void> {
	const { sandbox, moment, future: now } = facts();
	if (!sandbox?.after || !moment || now === future) return;
	pause();
	const { op } = moment.position;
	const isBefore = op < sandbox.after;
	if (now === "yours") lastOfYours = op;
	await done(async () => {
		const built = future === "yours" ? await replayed(sandbox) : await replayFork(undefined);
		const own = Math.max(sandbox.after - 1, Math.min(lastOfYours, built.nrOps - 1));
		const usual = isBefore ? op : future === "yours" ? own : sandbox.after - 1;
		const to = at.op < 0 ? usual : Math.min(at.op, built.nrOps - 1);
		change({ future, built, cache: shown(built), selected: null, before: null });
		go({ kind: "at", op: to, step: at.step ?? "last" });
	});
}

/** Ends the fork. `op`: the event to show, -1 for the one where the trace was forked. */
export async function leaveFork(op = -1): Promise<boolean> {
	const { sandbox, future, moment } = facts();
	if (!sandbox?.after) return false;
	pause();
	return done(async () => {
		const built = future === "yours" ? await replayFork(undefined) : (facts().built as Built);
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

/** Returns the whole forked trace as a slabtrace. */
export async function forkAsTrace(): Promise<Blob> {
	await showFuture("yours");
	return engine().text();
}
