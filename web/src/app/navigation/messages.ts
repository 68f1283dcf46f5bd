/**
 * Messages from a page around this one, or from the page that opened it: open bytes, go to an event, read the state.
 * docs/embed.md describes them.
 *
 * 	other page ─ { slabscope: 1, id, type: "open" | "go" | "state", … } ─► this page
 * 	other page ◄─ { slabscope: 1, id, type: "done", state } or { …, type: "refused", reason } ─┘
 *
 * Only pages of this origin, and of origins that the link allows, get an answer. Every message is checked. A foreign
 * origin sees nothing of the visitor's own files: neither their names nor where in them the visitor is.
 */
import * as v from "valibot";
import { indexOf, numberOf } from "../../base/format.ts";
import { LOCAL } from "../link/fields.ts";
import { go, isMoving, sentenceOf } from "../playback/player.ts";
import { change, type Facts, facts, store } from "../state/store.ts";
import { openFile, openGiven } from "../trace/actions.ts";

const VERSION = 1;
const NAME_MOST = 200;

const Id = v.union([v.pipe(v.string(), v.maxLength(100)), v.pipe(v.number(), v.finite())]);
const head = { slabscope: v.literal(VERSION), id: Id };
const Whole = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffff_ffff));
/** A file's name, without a path and without control characters. */
const Name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(NAME_MOST), v.regex(/^[^\p{Cc}/\\]+$/u));
const Bytes = v.union([v.instance(ArrayBuffer), v.instance(Uint8Array<ArrayBuffer>), v.blob()]);

const Message = v.variant("type", [
	v.strictObject({ ...head, type: v.literal("open"), name: Name, bytes: Bytes }),
	v.strictObject({ ...head, type: v.literal("go"), event: Whole, step: v.optional(Whole) }),
	v.strictObject({ ...head, type: v.literal("state") }),
]);
type Message = v.InferOutput<typeof Message>;

/** The position on screen; null without a trace. */
export interface State {
	readonly trace: string;
	readonly events: number;
	/** From 1. */
	readonly event: number;
	readonly step: number;
	readonly steps: number;
	readonly cache: string;
}

class Refused extends Error {}

/** Which origin gave a local trace, by name and checksum: the visitor may have another file with that name. */
const givenBy = new Map<string, string>();

export function listenToPages(): void {
	window.addEventListener("message", (message) => void hear(message));
	greet();
}

/**
 * Tells the page around this one, and the page that opened it, that messages are being read, if its origin is
 * allowed.
 */
function greet(): void {
	const ready = { slabscope: VERSION, type: "ready" };
	for (const other of [window.parent, window.opener as Window | null])
		for (const origin of other && other !== window ? originsOf(other) : [])
			other?.postMessage(ready, origin);
}

/** This page's own origin, if the other page shares it; otherwise those that the link allows. */
function originsOf(other: Window): readonly string[] {
	try {
		if (other.location.origin === location.origin) return [location.origin];
	} catch {
		// Another origin's location cannot be read.
	}
	return facts().allowed;
}

async function hear({ origin, source, data }: MessageEvent): Promise<void> {
	const isAllowed = origin === location.origin || facts().allowed.includes(origin);
	if (!isAllowed || !(source === window.parent || source === window.opener)) return;
	// Other scripts of an allowed page send their own messages.
	if (typeof data !== "object" || data === null || !("slabscope" in data)) return;
	const reply = (answer: object) =>
		source?.postMessage(
			{ slabscope: VERSION, id: idOf(data), ...answer },
			{ targetOrigin: origin },
		);
	const read = v.safeParse(Message, data);
	if (!read.success) {
		reply({
			type: "refused",
			reason: `this page does not understand the message: ${wordsOf(read.issues)}`,
		});
		return;
	}
	try {
		await obey(read.output, origin);
		reply({ type: "done", state: stateFor(origin) });
	} catch (error) {
		reply({ type: "refused", reason: sentenceOf(error) });
	}
}

function idOf(data: object): string | number | null {
	const read = v.safeParse(Id, "id" in data ? data.id : null);
	return read.success ? read.output : null;
}

function wordsOf([first]: readonly v.BaseIssue<unknown>[]): string {
	return first ? `${v.getDotPath(first) ?? "the message"}: ${first.message}` : "";
}

async function obey(message: Message, origin: string): Promise<void> {
	if (message.type === "open") await openBytes(message, origin);
	else if (message.type === "go") await goTo(message, origin);
}

type Of<T extends Message["type"]> = Extract<Message, { readonly type: T }>;

async function openBytes({ name, bytes }: Of<"open">, origin: string): Promise<void> {
	const file = new File([bytes], name, { lastModified: 0 });
	const isOwn = origin === location.origin;
	const opened = await (isOwn ? openFile(file) : openGiven(file, origin));
	await atRest();
	const { refused, error } = facts();
	if (!opened) throw new Refused(refused?.sentence || error || "the trace was not opened");
	givenBy.set(fileOf(facts()), origin);
	// The page around this one has the file; its report is for visitors who open a file themselves.
	change({ sheet: "" });
}

async function goTo({ event, step }: Of<"go">, origin: string): Promise<void> {
	checkTrace(facts(), origin);
	const nrOps = facts().built?.nrOps ?? 0;
	if (event > nrOps) throw new Refused(`expected an event from 1 to ${nrOps}, found ${event}`);
	go({
		kind: "at",
		op: indexOf(event),
		step: step === undefined ? "last" : indexOf(step),
	});
	await atRest();
}

/** Resolves once the screen shows everything that was asked for. */
function atRest(): Promise<void> {
	const isResting = (f: Facts) => f.pending === 0 && f.progress === null && !isMoving();
	if (isResting(facts())) return Promise.resolve();
	return new Promise((resolve) => {
		const stop = store.subscribe((f) => {
			if (!isResting(f)) return;
			stop();
			resolve();
		});
	});
}

const fileOf = ({ trace, fileKey }: Facts) => `${fileKey} ${trace}`;

/** A foreign page may see samples, and the traces that it supplied. */
function checkTrace(f: Facts, origin: string): void {
	const isTheirs = origin === location.origin || givenBy.get(fileOf(f)) === origin;
	if (f.trace.startsWith(LOCAL) && !isTheirs)
		throw new Refused("the trace on screen is one of the visitor's own files");
}

function stateFor(origin: string): State | null {
	const f = facts();
	checkTrace(f, origin);
	if (!f.built || !f.moment) return null;
	return {
		trace: f.trace.startsWith(LOCAL) ? f.trace.slice(LOCAL.length) : f.trace,
		events: f.built.nrOps,
		event: numberOf(f.moment.position.op),
		step: numberOf(f.moment.position.step),
		steps: f.moment.nrSteps,
		cache: f.cache,
	};
}
