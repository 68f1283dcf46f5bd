/**
 * The entries that can be found by typing: commands, and things of the trace and the page. Each has a name, a word
 * for its kind, and an action.
 */

import { go as find, single } from "fuzzysort";
import { STEP_KINDS, When } from "#abi";
import { address, bytes, count, indexOf, numberOf, quantity, time } from "../../base/format.ts";
import { recall, remember } from "../../base/kept.ts";
import { placeName } from "../../engine/place_kinds.ts";
import { placeSubject, type WhyOf } from "../../engine/subject.ts";
import { ALL_CACHES, type Thing } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { findStep } from "../playback/breakpoints.ts";
import { historyOf } from "../playback/object_history.ts";
import { attempt, go, pause, seek } from "../playback/player.ts";
import { askWhy } from "../playback/why.ts";
import { say } from "../state/announce.ts";
import { busy, change, facts } from "../state/store.ts";
import { chooseCache, openRecent, openSample, setMachine, setParam } from "../trace/actions.ts";
import { commandOf, commands, isCharacterKey } from "./commands.ts";

export interface Entry {
	readonly id: string;
	readonly name: string;
	/** What kind of thing it is: "cache", "event". */
	readonly kind: string;
	readonly hint: string;
	/** The key that does the same, "" for none. */
	readonly keys: string;
	/** Other words that find it. */
	readonly also: string;
	readonly run: () => void;
}

const entry = (
	kind: string,
	name: string,
	{ hint = "", also = "", keys = "", id = `${kind}:${name}` },
	run: () => void,
): Entry => ({ id, kind, name, hint, also, keys, run });

export function commandEntries(): Entry[] {
	const { characterKeys } = facts();
	return commands().map((command) => {
		const { id, name, group, also = "", run } = command;
		const keys = characterKeys || !isCharacterKey(command) ? (command.keys ?? "") : "";
		return entry(group, name, { id, keys, also }, run);
	});
}

/** Lists everything in the page and the trace that has a name. */
export function thingEntries(): Entry[] {
	return [
		...caches(),
		...slabs(),
		...places(),
		...functions(),
		...recordings(),
		...parameters(),
		...presets(),
		...commandEntries().filter((e) => e.kind === "Views"),
	];
}

function caches(): Entry[] {
	const rows = facts().built?.caches ?? [];
	return rows
		.toSorted((a, b) => b.slabsPeak - a.slabsPeak)
		.map(({ name, objectSize, slabsPeak }) => {
			const hint = `${bytes(objectSize)}, up to ${quantity(slabsPeak, "slab")}`;
			return entry("cache", name, { hint }, () => chooseCache(name));
		});
}

/** Lists the slabs that the cache on the stage has now. */
function slabs(): Entry[] {
	const { moment, cache } = facts();
	return Array.from(moment?.frame.slabs.serial ?? [], (serial) => {
		const words = { hint: cache, also: `slab ${serial}` };
		return entry("slab", `#${serial}`, words, () => void toSlab(cache, serial, -1));
	});
}

/** Lists the places on the stage, then whole CPUs and nodes; the Why card explains each of them. */
function places(): Entry[] {
	const { moment, built } = facts();
	if (!moment || !built) return [];
	const explain = (name: string, of: WhyOf) =>
		entry("why", `Explain ${name}`, { hint: "why is it here?" }, () => askWhy(of));
	return [
		...moment.frame.places
			.filter((p) => placeSubject(p) !== "")
			.map((p) => explain(placeName(p), p)),
		...Array.from({ length: built.nrCpus }, (_, cpu) =>
			explain(`CPU ${cpu}`, { kind: "cpu", cpu }),
		),
		...Array.from({ length: built.nrNodes }, (_, node) =>
			explain(`node ${node}`, { kind: "node", node }),
		),
		...Array.from({ length: built.nrNodes }, (_, node) =>
			explain(`the pages of node ${node}`, { kind: "pages", node }),
		),
	];
}

/** Lists the kinds of steps with their kernel functions; choosing one goes to the next such step. */
function functions(): Entry[] {
	if (!facts().built) return [];
	return STEP_KINDS.map(({ name, function: fn }) => {
		const hint = fn === "" ? "go to the next" : `${fn}, go to the next`;
		const condition = { when: When.WHEN_STEP, step: name, cache: ALL_CACHES };
		return entry("decision", name, { hint, also: fn }, () => void findStep(condition, 1));
	});
}

/**
 * Call sites in the trace: each choosing one goes to its next event, and after the last one back to the first.
 * They arrive later, because the worker has to be asked.
 */
export async function callSiteEntries(): Promise<Entry[]> {
	if (!facts().built) return [];
	const sites = await busy(() => engine().callSites());
	const hint = "go to the next event from there";
	return sites.map((site) => entry("call site", site, { hint }, () => void toNextCall(site)));
}

/** Goes to the next event of that call site, and after the last one back to the first. */
export async function toNextCall(site: string): Promise<void> {
	pause();
	await attempt(async () => {
		const op = facts().moment?.position.op ?? 0;
		const next = await busy(() => engine().nextCall(site, op));
		const from = next >= 0 ? next : await busy(() => engine().nextCall(site, 0xffffffff));
		if (from >= 0) seek(from);
	});
}

function recordings(): Entry[] {
	const { samples, recent } = facts();
	const hintOf = ({ events }: { readonly events: number }) => quantity(events, "event");
	const open = (run: () => unknown) => () => {
		pause();
		run();
	};
	return [
		...recent.map((r) => {
			const words = { hint: hintOf(r), id: `recent:${r.key}` };
			return entry(
				"recent",
				r.name,
				words,
				open(() => openRecent(r.key)),
			);
		}),
		...samples.map((s) => {
			const words = { hint: hintOf(s), also: `${s.kernel} ${s.file}` };
			return entry(
				"sample",
				s.title,
				words,
				open(() => openSample(s.file)),
			);
		}),
	];
}

function parameters(): Entry[] {
	return (facts().built?.params ?? []).flatMap(({ key, type, values, value: now, meaning }) => [
		entry("parameter", key, { hint: now, also: meaning }, () => void showParam(key)),
		...(type === "choice" ? values : []).map((value) => {
			const hint = value === now ? "in use" : "";
			return entry("parameter", `${key} = ${value}`, { hint }, () => void setParam(key, value));
		}),
	]);
}

function presets(): Entry[] {
	return (facts().built?.presets ?? []).map(({ name, meaning: hint }) => {
		const use = () => void setMachine({ preset: name, values: facts().machine.values });
		return entry("preset", name, { hint }, use);
	});
}

/** The machine sheet may have to be loaded first. */
const SHEET_WITHIN_MS = 5000;

/** Opens the machine sheet, unfolds whatever hides a parameter's field, and goes to it. */
async function showParam(key: string): Promise<void> {
	const field = () => document.querySelector<HTMLElement>(`[data-param="${key}"]`);
	const drawn = () => new Promise((done) => setTimeout(done, 50));
	change({ sheet: "machine" });
	for (let ms = 0; ms < SHEET_WITHIN_MS && !field(); ms += 50) {
		for (const details of document.querySelectorAll<HTMLDetailsElement>(
			'[data-part="machine"] details',
		))
			details.open = true;
		await drawn();
	}
	const control = field()?.querySelector<HTMLElement>("select, input");
	control?.scrollIntoView({ block: "center" });
	control?.focus();
}

/** Finds a position or a thing by its number, time or address. */
export function goalEntries(text: string): Entry[] {
	const { report } = facts();
	if (!report) return [];
	return goalsIn(text, report).map((goal) => {
		const { name, hint } = goalWords(goal);
		return entry("go to", name, { hint }, () => void goTo(goal));
	});
}

const MOST = 60;

/**
 * The score of a command whose name contains the typed word: it comes before everything except a thing with exactly
 * that name. The best of several matches comes first: "keys" is the subject of one command and only the last word of
 * others.
 */
const WHOLE_WORD = 0.98;
const BETTER = 0.01;

/** Returns the entries that match a text, best first. A name counts more than other words, a command's name most. */
export function matching(text: string, entries: readonly Entry[]): Entry[] {
	const wanted = text.trim();
	const word = wanted.toLowerCase();
	const score = ({ id, name }: Entry) => {
		const own = single(wanted, name)?.score ?? 0;
		const isNamed = name.toLowerCase().split(/\W+/).includes(word) && commandOf(id);
		return isNamed ? WHOLE_WORD + BETTER * own : own;
	};
	if (wanted === "") return entries.slice(0, MOST);
	const found = find(wanted, entries, {
		keys: [(e) => e.name, (e) => `${e.kind} ${e.name} ${e.also}`],
		limit: MOST,
		threshold: 0.3,
		scoreFn: (r) => Math.max(score(r.obj), r.score * 0.7),
	});
	return found.map((r) => r.obj);
}

const KEPT = "slabscope.commands";
const KEPT_MOST = 8;

/** Lists the most recently used commands, latest first. */
function usedLast(): string[] {
	const ids = recall(KEPT);
	return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** Closes the dialog, then runs the entry. */
export function choose({ id, run }: Entry): void {
	if (commandOf(id)) {
		const ids = [id, ...usedLast().filter((other) => other !== id)].slice(0, KEPT_MOST);
		remember(KEPT, ids);
	}
	change({ dialog: "" });
	run();
}

/** Puts recently used commands before the others. */
export function recentFirst(entries: readonly Entry[]): Entry[] {
	const ids = usedLast();
	const place = (e: Entry) => (ids.includes(e.id) ? ids.indexOf(e.id) : ids.length);
	return entries.toSorted((a, b) => place(a) - place(b));
}

/*
 * "Go to": reads the text that names a position or a thing, and goes there. Numbers are as on the page: the first
 * event and the first step are 1.
 */

type Goal =
	/** Counted from 0; step -1 is the end of the event. */
	| { readonly kind: "event"; readonly op: number; readonly step: number }
	/** Measured on the trace's clock, in nanoseconds or ticks. */
	| { readonly kind: "time"; readonly at: number }
	/** The address in the simulated machine. */
	| { readonly kind: "address"; readonly address: number }
	/** The pointer as the trace recorded it, "0x…". */
	| { readonly kind: "pointer"; readonly pointer: string }
	| {
			readonly kind: "slab";
			/** "" for the cache on the stage. */
			readonly cache: string;
			readonly serial: number;
			/** -1: the slab itself. */
			readonly index: number;
	  };

/** The facts about this trace that decide how a time or a pointer is read. */
interface Clock {
	readonly timeIsNs: boolean;
	readonly timeFirst: number;
	readonly hashed: boolean;
}

const NS: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1 };

/** Lists all the goals that a text could mean, likeliest first. */
export function goalsIn(text: string, clock: Clock): Goal[] {
	const trimmed = text.trim();
	const pointer = pointerIn(trimmed);
	const bytes = [addressIn(trimmed), pointer];
	// A hash has 32 bits; addresses in the simulated machine are shown with more digits.
	if (clock.hashed && (pointer?.pointer.length ?? 0) <= "0x12345678".length) bytes.reverse();
	return [eventIn(trimmed), timeIn(trimmed, clock), ...bytes, slabIn(trimmed)].filter(
		(goal) => goal !== undefined,
	);
}

function eventIn(text: string): Goal | undefined {
	// Files in JSON call it op, and count from 0.
	const op = /^op[ =]?(\d{1,10})$/i.exec(text);
	if (op && Number(op[1]) < 2 ** 32) return { kind: "event", op: Number(op[1]), step: -1 };
	const found = /^(?:event )?(\d[\d,_ ]*)(?:\s*\/\s*(\d{1,9}))?$/i.exec(text);
	const event = Number((found?.[1] ?? "").replace(/[,_ ]/g, ""));
	if (!found || event < 1 || event > 2 ** 32) return undefined;
	const step = Number(found[2] ?? 0);
	return { kind: "event", op: indexOf(event), step: indexOf(step) };
}

function timeIn(text: string, { timeIsNs, timeFirst }: Clock): Goal | undefined {
	if (!timeIsNs) {
		const tick = /^(\+?)(?:tick |t=)(\d{1,15})$/i.exec(text);
		return tick ? { kind: "time", at: Number(tick[2]) + (tick[1] ? timeFirst : 0) } : undefined;
	}
	const found = /^(\+?)\s*(\d{1,10}(?:\.\d{1,9})?)\s*(s|ms|us|µs|ns)?$/.exec(text);
	if (!found || !(found[1] || found[3] || found[2]?.includes("."))) return undefined;
	const ns = Math.round(Number(found[2]) * (NS[found[3] ?? "s"] ?? 1));
	return { kind: "time", at: ns + (found[1] ? timeFirst : 0) };
}

function addressIn(text: string): Goal | undefined {
	const found = /^(?:0x([0-9a-f]{1,13})|(?=.*[a-f])([0-9a-f]{8,13}))$/i.exec(text);
	const at = Number.parseInt(found?.[1] ?? found?.[2] ?? "", 16);
	return Number.isSafeInteger(at) ? { kind: "address", address: at } : undefined;
}

/**
 * Traces write pointers with 16 digits, or with 0x; fewer digits without it are more likely a number, unless one is a
 * letter.
 */
function pointerIn(text: string) {
	const found =
		/^(?:ptr=)?(?:0x([0-9a-f]{1,16})|([0-9a-f]{16})|(?=.*[a-f])([0-9a-f]{8,15}))$/i.exec(text);
	const digits = found?.[1] ?? found?.[2] ?? found?.[3];
	if (digits === undefined || /^0*$/.test(digits)) return undefined;
	return { kind: "pointer" as const, pointer: `0x${digits.replace(/^0+/, "").toLowerCase()}` };
}

function slabIn(text: string): Goal | undefined {
	const found = /^(?:(?:slab\s*)?#|slab |(.+?)\s*#)\s*(\d{1,9})(?:\s*[/.]\s*(\d{1,6}))?$/i.exec(
		text,
	);
	if (!found) return undefined;
	const cache = (found[1] ?? "").replace(/^slab$/i, "");
	return { kind: "slab", cache, serial: Number(found[2]), index: Number(found[3] ?? -1) };
}

/** Returns the goal's name as the list shows it, and a hint. */
function goalWords(goal: Goal): { readonly name: string; readonly hint: string } {
	const { built, report, cache } = facts();
	switch (goal.kind) {
		case "event": {
			const nrOps = built?.nrOps ?? 0;
			const step = goal.step >= 0 ? `, step ${count(numberOf(goal.step))}` : "";
			const hint =
				goal.op < nrOps ? `of ${count(nrOps)}` : `past the end: goes to the last, ${count(nrOps)}`;
			return { name: `Event ${count(numberOf(goal.op))}${step}`, hint };
		}
		case "time": {
			const since = goal.at - (report?.timeFirst ?? 0);
			const isNs = report?.timeIsNs ?? true;
			return {
				name: `Time ${time(goal.at, isNs)}`,
				hint: since >= 0 ? `+${time(since, isNs)} since the first event` : "before the first event",
			};
		}
		case "address":
			return {
				name: `Address ${address(goal.address)}`,
				hint: "go to the object that is there now",
			};
		case "pointer":
			return {
				name: `Pointer ${goal.pointer}`,
				hint: "go to the event, and the object it stood for",
			};
		case "slab": {
			const slab = `slab #${goal.serial} of ${goal.cache || cache}`;
			if (goal.index < 0) return { name: `S${slab.slice(1)}`, hint: "" };
			return { name: `Object ${goal.index} of ${slab}`, hint: "" };
		}
	}
}

/** Goes to a goal, or reports in one sentence why it cannot. */
async function goTo(goal: Goal): Promise<void> {
	pause();
	await attempt(async () => {
		const { built, moment } = facts();
		if (!built || !moment) return;
		if (goal.kind === "event") {
			const op = Math.min(goal.op, built.nrOps - 1);
			go({ kind: "at", op, step: goal.step >= 0 ? goal.step : "last" });
		} else if (goal.kind === "time") {
			seek(await busy(() => engine().opAtTime(goal.at)));
		} else if (goal.kind === "address") {
			await toAddress(goal.address);
		} else if (goal.kind === "pointer") {
			await toPointer(goal.pointer, moment.position.op);
		} else await toSlab(goal.cache, goal.serial, goal.index);
	});
}

async function toAddress(at: number): Promise<void> {
	const { moment, built } = facts();
	if (!moment || !built) return;
	const found = await busy(() => engine().objectAt(moment.position, at));
	const cache = built.caches.find((c) => c.cache === found?.cache)?.name;
	if (!found || cache === undefined)
		throw new Error(`No slab holds the address ${address(at)} after this event.`);
	await toSlab(cache, found.serial, found.index);
}

/** The inspector then shows the object's life. */
async function toPointer(pointer: string, near: number): Promise<void> {
	const found = await busy(() => engine().eventOfPointer(pointer, near));
	if (found.cache !== "" && found.cache !== facts().cache) chooseCache(found.cache);
	seek(found.op);
	const { serial, index } = found;
	change({ selected: found.cache === "" ? null : { serial, index } });
	if (found.note !== "") say(found.note);
}

/** If the slab does not exist now, goes to where it was made. */
async function toSlab(name: string, serial: number, index: number): Promise<void> {
	const { built, cache, moment } = facts();
	const row = built?.caches.find((c) => c.name === (name || cache));
	if (!row || !moment) throw new Error(`This trace has no cache ${name}.`);
	const isShown = row.name === cache && moment.frame.slabs.serial.includes(serial);
	if (!isShown) {
		const thing: Thing = { cache: row.cache, slab: serial };
		const { op } = moment.position;
		const history = await historyOf(thing, op).catch(() => undefined);
		// A warm start makes slabs before the first event.
		const isWarm = (facts().built?.warmSlabs ?? 0) > 0;
		if (!history || (history.bornOp < 0 && !isWarm))
			throw new Error(`${row.name} never has a slab #${serial} in this trace.`);
		const isThere = history.bornOp <= op && (history.goneOp < 0 || history.goneOp > op);
		if (row.name !== cache) chooseCache(row.name);
		if (!isThere) seek(Math.max(0, history.bornOp));
	}
	change({ selected: { serial, index } });
}
