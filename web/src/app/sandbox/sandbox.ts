/**
 * The sandbox: every action adds a line to the trace, which is replayed at once. So seek, stage, compare and every
 * allocator work as on any other trace. It lives in the address; if it is too long for that, this tab keeps it.
 */
import { proxy } from "comlink";
import { KmemError } from "#wasm";
import { isCancelled } from "../../base/errors.ts";
import { SANDBOX } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { engine } from "../platform/engine_link.ts";
import { historyOf, selectedThing } from "../playback/object_history.ts";
import { inFull } from "../playback/opened.ts";
import { go, pause, sentenceOf } from "../playback/player.ts";
import {
	type Act,
	CODE_MOST,
	codeOf,
	EMPTY,
	faultOfCache,
	liveOf,
	nextId,
	type Sandbox,
	type SandboxCache,
	sandboxOf,
	textIn,
	textOf,
} from "../state/sandbox_text.ts";
import { busy, change, facts } from "../state/store.ts";
import { openText } from "../trace/actions.ts";

const KEPT = "slabscope.sandbox";
const quiet = proxy(() => {});

/** Runs the actions one after another, in order. */
let queue: Promise<void> = Promise.resolve();

/** Opens the sandbox of a view, or this tab's, or an empty one. */
export async function openSandbox(view?: View): Promise<boolean> {
	pause();
	const code = view?.sandbox ?? "";
	const text = code === "" ? kept() : await textIn(code);
	const sandbox = sandboxOf(text ?? "");
	const broken = code !== "" && !sandbox;
	const opened = sandbox ?? EMPTY;
	change({ sandbox: opened, sandboxCode: sandbox ? code : "", sandboxUndone: [] });
	const isOpen = await openText(SANDBOX, textOf(opened), view ?? lastMoment(opened));
	if (isOpen && broken)
		change({ error: "The sandbox in this link cannot be read, so this one is empty." });
	await remember(opened);
	return isOpen;
}

const lastMoment = ({ acts }: Sandbox) => ({ op: acts.length });

function kept(): string {
	try {
		return sessionStorage.getItem(KEPT) ?? "";
	} catch {
		return "";
	}
}

/** Keeps the sandbox in the facts, for the address, and in this tab. */
async function remember(sandbox: Sandbox): Promise<void> {
	const text = textOf(sandbox);
	const code = sandbox.acts.length + sandbox.caches.length > 0 ? await codeOf(text) : "";
	change({ sandboxCode: code.length <= CODE_MOST ? code : "" });
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

/** Replays the changed sandbox and goes to its end; the stage slides there. */
function become(change_: (now: Sandbox) => Sandbox, undone: readonly Act[] = []): Promise<void> {
	const work = async () => {
		const { sandbox, trace, machine } = facts();
		if (!sandbox || trace !== SANDBOX) return;
		const next = change_(sandbox);
		const text = new Blob([textOf(next)]);
		const loaded = await engine().load(text, inFull(SANDBOX, machine), quiet);
		if (facts().trace !== SANDBOX || !("report" in loaded)) return;
		const { report, built } = loaded;
		const op = built.nrOps - 1;
		const at = await engine().go({ kind: "at", op, step: "last" }, 0);
		const used = built.caches.find((c) => c.cache === at.op.cache)?.name;
		const { cache } = facts();
		const still = built.caches.some((c) => c.name === cache) ? cache : "";
		const shown = used ?? (still || (built.caches[0]?.name ?? ""));
		change({ sandbox: next, sandboxUndone: undone, report, built, cache: shown, wanted: shown });
		if (shown !== cache) change({ selected: null, before: null });
		go({ kind: "at", op, step: "last" });
		await remember(next);
	};
	pause();
	queue = queue.then(() =>
		busy(work).catch((error: unknown) => change({ error: sentenceOf(error) })),
	);
	return queue;
}

/** An object of `cache`, or of so many bytes if `cache` is "". */
export interface What {
	readonly cache: string;
	readonly bytes: number;
}

export function allocate(what: What, cpu: number, node: number, times = 1): Promise<void> {
	return become((now) => {
		const first = nextId(now);
		const acts = Array.from({ length: times }, (_, i): Act => {
			return { kind: "alloc", id: first + i, ...what, cpu, node };
		});
		return { ...now, acts: [...now.acts, ...acts] };
	});
}

export function free(id: number, cpu: number): Promise<void> {
	return become((now) => {
		if (!liveOf(now).some((live) => live.id === id)) return now;
		return { ...now, acts: [...now.acts, { kind: "free", id, cpu }] };
	});
}

export function act(one: Act): Promise<void> {
	return become((now) => ({ ...now, acts: [...now.acts, one] }));
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
	if (again)
		void become((now) => ({ ...now, acts: [...now.acts, again] }), sandboxUndone.slice(0, -1));
}

export function startOver(): void {
	void become(() => EMPTY);
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
	const made = sandbox.acts[(history?.object?.allocOp ?? 0) - 1];
	const id = made?.kind === "alloc" ? made.id : undefined;
	return liveOf(sandbox).some((live) => live.id === id) ? id : undefined;
}
