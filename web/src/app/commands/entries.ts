/**
 * The entries that can be found by typing: commands, and things of the trace and the page. Each has a name, a word
 * for its kind, and an action.
 */
import { go as find, single } from "fuzzysort";
import { STEP_KINDS, When } from "#abi";
import { bytes, quantity } from "../../base/format.ts";
import { recall, remember } from "../../base/kept.ts";
import { placeName } from "../../engine/place_kinds.ts";
import { placeSubject, type WhyOf } from "../../engine/subject.ts";
import { ALL_CACHES } from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { findStep } from "../playback/breakpoints.ts";
import { attempt, pause, seek } from "../playback/player.ts";
import { askWhy } from "../playback/why.ts";
import { busy, change, facts } from "../state/store.ts";
import { chooseCache, openRecent, openSample, setMachine, setParam } from "../trace/actions.ts";
import { commandOf, commands, isCharacterKey } from "./commands.ts";
import { goalsIn, goalWords, goTo, toSlab } from "./goto.ts";

export interface Entry {
	readonly id: string;
	readonly name: string;
	/** The kind of thing: "cache", "event". */
	readonly kind: string;
	readonly hint: string;
	/** The key that does the same, "" for none. */
	readonly keys: string;
	/** Other words by which it is found. */
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

/** Everything in the page and the trace that has a name. */
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

/** The slabs of the cache on the stage, now. */
function slabs(): Entry[] {
	const { moment, cache } = facts();
	return Array.from(moment?.frame.slabs.serial ?? [], (serial) => {
		const words = { hint: cache, also: `slab ${serial}` };
		return entry("slab", `#${serial}`, words, () => void toSlab(cache, serial, -1));
	});
}

/** The places on the stage, then CPUs and nodes as a whole; the Why card explains each. */
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

/** Steps, each with its kernel function: goes to the next such step. */
function functions(): Entry[] {
	if (!facts().built) return [];
	return STEP_KINDS.map(({ name, function: fn }) => {
		const hint = fn === "" ? "go to the next" : `${fn}, go to the next`;
		const condition = { when: When.WHEN_STEP, step: name, cache: ALL_CACHES };
		return entry("decision", name, { hint, also: fn }, () => void findStep(condition, 1));
	});
}

/**
 * Call sites in the trace: goes to the next event from there, and from the last one to the first. The worker is
 * asked, so they arrive later.
 */
export async function callSiteEntries(): Promise<Entry[]> {
	if (!facts().built) return [];
	const sites = await busy(() => engine().callSites());
	const hint = "go to the next event from there";
	return sites.map((site) => entry("call site", site, { hint }, () => void toNextCall(site)));
}

/** Goes to the next event that was called from there, and from the last one to the first. */
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

/** The sheet of the machine may have to be loaded first. */
const SHEET_WITHIN_MS = 5000;

/** Opens the sheet of the machine, unfolds what hides the field of a parameter, and goes to it. */
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

/** A position or a thing by its number, its time or its address. */
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
 * The score of a command whose name has the typed word: before everything but a thing with exactly that name. The best
 * match of several is the first: "keys" are the subject of one, and the last word of others.
 */
const WHOLE_WORD = 0.98;
const BETTER = 0.01;

/** The entries that match a text, best first. A name counts more than other words, a command's name most. */
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

/** The last used commands, latest first. */
export function usedLast(): string[] {
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

/** Puts the last used commands before the others. */
export function recentFirst(entries: readonly Entry[]): Entry[] {
	const ids = usedLast();
	const place = (e: Entry) => (ids.includes(e.id) ? ids.indexOf(e.id) : ids.length);
	return entries.toSorted((a, b) => place(a) - place(b));
}
