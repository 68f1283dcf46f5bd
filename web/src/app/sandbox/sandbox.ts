/**
 * The sandbox: every action adds a line to the trace, which is replayed at once. So seek, stage, compare and every
 * allocator work as on any other trace. It lives in the address; if it is too long for that, this tab keeps it.
 */
import { proxy } from "comlink";
import { KmemError } from "#wasm";
import { isCancelled } from "../../base/errors.ts";
import { count, stopped } from "../../base/format.ts";
import { awaitChange } from "../../base/frame_clock.ts";
import { momentOf } from "../../engine/moment.ts";
import type { Built, Report } from "../../engine/types.ts";
import { SANDBOX } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { engine } from "../platform/engine_link.ts";
import { historyOf, selectedThing } from "../playback/object_history.ts";
import { inFull } from "../playback/opened.ts";
import { keepTo } from "../playback/passage.ts";
import { go, pause, play, sentenceOf } from "../playback/player.ts";
import { type Act, type Corruption, eventsOf } from "../state/sandbox_acts.ts";
import { CODE_MOST, codeOf, textIn } from "../state/sandbox_code.ts";
import {
	ACTS_MOST,
	allocatedBy,
	EMPTY,
	faultOfCache,
	forkAfter,
	freedBy,
	liveOf,
	nextId,
	type Sandbox,
	type SandboxCache,
	sandboxOf,
	textOf,
} from "../state/sandbox_text.ts";
import { busy, change, facts, store } from "../state/store.ts";
import { openText } from "../trace/actions.ts";
import { codeToKeep, replayed, showFuture } from "./fork.ts";

const KEPT = "slabscope.sandbox";
const quiet = proxy(() => {});

/** Runs the actions one after another, in order. */
let queue: Promise<void> = Promise.resolve();

/** Opens the sandbox of a view, or this tab's, or an empty one. */
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
			error: `The playground in this link has an action that is refused: ${stopped(problem.reason)}`,
		});
	await remember(opened);
	return isOpen;
}

/** Opens a scene in place of this tab's sandbox. */
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

/** An embedded page keeps nothing: the surrounding page may be a Slabscope with a sandbox of its own. */
function kept(): string {
	if (facts().embed) return "";
	try {
		return sessionStorage.getItem(KEPT) ?? "";
	} catch {
		return "";
	}
}

/** Keeps the sandbox in the facts, for the address, and in this tab. */
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

/** A replayed sandbox; a fork leaves the report of its trace as it is. */
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

/** Why the last event did nothing, if the allocator refused it. */
async function refusalOf({ acts }: Sandbox, op: number): Promise<string> {
	const kind = acts.at(-1)?.kind;
	if (kind === undefined || kind === "alloc" || kind === "free") return "";
	const { steps } = momentOf(await engine().go({ kind: "at", op, step: "last" }, 0));
	return steps.find((step) => step.kind === REFUSES)?.sentence ?? "";
}

/** Stops watching the steps of an earlier action. */
let unwatch = () => {};

/** Plays the steps from one event to another at the visitor's speed; with reduced motion it shows the end. */
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
 * Replays the changed sandbox and plays the steps of its new events. A change that is refused leaves everything as it
 * was, with the reason.
 */
function become(change_: (now: Sandbox) => Sandbox, undone: readonly Act[] = []): Promise<void> {
	const work = async () => {
		const { sandbox: now } = facts();
		if (facts().future === "recorded") await showFuture("yours");
		// The visitor has stopped that.
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
			// A replay that the visitor stops leaves everything as it was, without a reason.
			refused = isCancelled(error) ? "" : error.message;
			return undefined;
		});
		if (facts().trace !== trace) return;
		const isMore = next.acts.length > sandbox.acts.length;
		if (done && isMore) refused = await refusalOf(next, done.built.nrOps - 1);
		if (!done || refused !== "") {
			// The fork of a refused line is the previous one already.
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

/** An object of `cache`, or of so many bytes if `cache` is "". */
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

/** Allocates so many objects of a cache with one request. */
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

/** True for a cancelled search, and for a thing that this event does not have. */
function noHistory(error: unknown): undefined {
	if (!isCancelled(error) && !(error instanceof KmemError)) throw error;
}

/** The id of the selected object, if it is live. */
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
