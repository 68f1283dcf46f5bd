/**
 * The view as a URL and back. The URL holds everything that differs from what the page would choose itself. Nothing
 * in a link is trusted: each part goes through its schema, and what does not pass keeps its default and is reported.
 * Parts that this page does not know are kept.
 *
 * `v` is the version of the form. In version 3 events and steps are numbered from 1, as on the page: `event`,
 * `events`, `step`, `range`, `mark`. Links without `v`, and those of versions 1 and 2, count from 0: `op`, `from`,
 * `to` and the same keys. `event` and `events` are numbered from 1 in every link, and either of them makes a link
 * version 3. A link of a later version may mean anything, so nothing is taken from it.
 */

import { PARAM_KEYS } from "#abi";
import { type Fault, FaultKind } from "#wasm";
import { count, eventWords } from "../../base/format.ts";
import { NOTHING } from "../../engine/machine.ts";
import type { Machine } from "../../engine/types.ts";
import type { Facts } from "../state/store.ts";
import { FIELDS, FIRST, LOCAL, SANDBOX } from "./fields.ts";
import { type First, selectionText } from "./link_parts.ts";
import { cut, type Part, Reader } from "./link_reader.ts";

type Fields = typeof FIELDS;
type Key = keyof Fields;
type Value<K extends Key> = ReturnType<Fields[K]["read"]>;
type Linked = { readonly [K in Key]: Value<K> };

/** Everything that a link can hold: the fields of fields.ts, and how the rest was read. */
export interface View extends Linked {
	/** Parts that this page does not know. They stay in the address. */
	readonly unknown: readonly Part[];
	/** The whole link was ignored: a newer page made it, or it is too long. */
	readonly isRefused: boolean;
	/** One sentence about each part that cannot be read. */
	readonly faults: readonly string[];
}

export const VERSION = 3;
/** The page never makes a link this long. */
const MOST_CHARS = 64 << 10;

const KEYS = Object.keys(FIELDS) as Key[];
const AT_ONCE = KEYS.filter((key) => "atOnce" in FIELDS[key]);

/** Applies the same function to each field, with the type of its value. */
function each(value: <K extends Key>(row: Fields[K], key: K) => unknown): Linked {
	return Object.fromEntries(KEYS.map((key) => [key, value(FIELDS[key], key)])) as unknown as Linked;
}

type Row<K extends Key> = { readonly write: (value: Value<K>) => readonly Part[] };

export function toQuery(view: View): string {
	const q = new URLSearchParams({ v: String(VERSION) });
	const put = <K extends Key>(key: K) => {
		const row = FIELDS[key] as unknown as Row<K>;
		for (const [name, value] of row.write(view[key] as Value<K>))
			if (value !== "") q.append(name, value);
	};
	KEYS.forEach(put);
	for (const [name, value] of view.unknown) q.append(name, value);
	return q.toString();
}

/** Returns the view on screen in the form that links use. */
export function viewOf(f: Facts): View {
	const fields = each((row) => row.of(f));
	return { ...fields, unknown: f.unknown, isRefused: false, faults: [] };
}

/** Changes when the browser's history needs a new entry: for another trace, machine, cache or tab. */
export function chapterOf(f: Facts): string {
	return JSON.stringify(
		each((row) => {
			const { chapter, of } = row as { of: (f: Facts) => unknown; chapter?: (v: never) => unknown };
			return chapter?.(of(f) as never);
		}),
	);
}

/** Returns the facts that a link sets before its trace is open. */
export function factsAtOnce(view: View): Partial<Facts> {
	return Object.fromEntries(AT_ONCE.map((key) => [key, view[key]]));
}

/** Anything that cannot be understood keeps its default and is reported: a link never breaks the page. */
export function fromQuery(query: string): View {
	const q = withTodaysViews(new URLSearchParams(query.length > MOST_CHARS ? "" : query));
	const refusal = query.length > MOST_CHARS ? tooLong(query) : refusalOf(q.get("v"));
	const isRefused = refusal !== "";
	const r = new Reader(isRefused ? new URLSearchParams() : q);
	const first = firstIn(q);
	const fields = each((row) => row.read(r, first));
	const unknown = r.unknown(q);
	return { ...fields, unknown, isRefused, faults: isRefused ? [refusal] : r.faults };
}

/** Returns the number that a link counts events and steps from. */
function firstIn(q: URLSearchParams): First {
	const version = q.get("v");
	const isNew = version === null ? q.has("event") || q.has("events") : version === String(VERSION);
	return isNew ? FIRST : 0;
}

const tooLong = ({ length }: string) =>
	`The link has ${count(length)} characters; this page reads at most ${count(MOST_CHARS)}, so the link was ignored. ` +
	"Ask the sender to save the trace as a file, and open that.";

/** Reads links of every version up to the current one. */
function refusalOf(version: string | null): string {
	if (version === null || /^[123]$/.test(version)) return "";
	const known = `this page reads links up to version ${VERSION}`;
	if (!/^\d{1,6}$/.test(version))
		return `The link was ignored, because v=${cut(version)} is not a version: ${known}.`;
	return `The link was made by a newer Slabscope (version ${version}) and ${known}: reload the page, or ask the sender for the trace and the event instead.`;
}

/*
 * Reports in sentences what a link asks for and this page cannot show, and removes the invalid part of its machine.
 */

interface Known {
	/** The trace that is open now. */
	readonly open: string;
	readonly caches: readonly { readonly name: string }[];
	readonly nrOps: number;
	/** The page's state of the trace's kernel. */
	readonly startState?: { readonly name: string } | null;
}

/** Describes everything that a link asks for but this page cannot show, and what it shows instead; "" if there is nothing. */
export function faultsOf(view: View, { open, caches, nrOps, startState }: Known): string {
	const { trace, cache, op, selected, start, embed } = view;
	const faults = [...view.faults];
	const here = trace === "" || trace === open;
	if (!here && trace.startsWith(LOCAL)) {
		const way = embed
			? ""
			: ": it is on the computer of whoever made the link. Open the file here to see the link's view";
		faults.push(`The file ${trace.slice(LOCAL.length)} is not kept in this browser${way}.`);
	} else if (!here) {
		faults.push(`This page has no trace ${trace}${embed ? "" : ": choose one from the list"}.`);
	}
	if (here && cache !== "" && !caches.some((c) => c.name === cache)) {
		const also = selected ? `, and so no sel=${selectionText(selected)}` : "";
		faults.push(`This trace has no cache ${cache}${also}: choose one above the stage.`);
	}
	if (here && start !== "" && start !== startState?.name)
		faults.push(
			`The link's replay starts from the kernel state in ${start}: drop that file here to start from it too.`,
		);
	// A fork may continue past the recorded end.
	const isFork = view.sandbox !== "" && trace !== SANDBOX;
	if (here && op >= nrOps && !isFork)
		faults.push(
			`The link's ${eventWords(op)} is past the end: this trace ends at ${eventWords(nrOps - 1)}.`,
		);
	return faults.join(" ");
}

/** Lists the parts of the link that this page does not know, in one sentence; "" if there are none. */
export function unknownWords({ unknown }: View): string {
	if (unknown.length === 0) return "";
	const some = unknown.slice(0, MOST_NAMED).map(([key, value]) => cut(`${key}=${value}`));
	const more = unknown.length > some.length ? ` and ${unknown.length - some.length} more` : "";
	const [param] = unknown.find(([key]) => (PARAM_KEYS as readonly string[]).includes(key)) ?? [];
	const hint = param ? ` A parameter is written set.${param}=… in a link.` : "";
	return `This page does not know these parts of the link and keeps them in the address: ${some.join(", ")}${more}.${hint}`;
}

const MOST_NAMED = 5;

/**
 * Returns the machine without the part that the core reported as invalid; no settings if the core named none or
 * nothing else is left.
 */
export function withoutFaulty({ preset, values }: Machine, fault: Fault | undefined): Machine {
	if (!fault) return NOTHING;
	const isPreset = fault.kind === FaultKind.FAULT_PRESET;
	// The link may have set only one of two settings that exclude each other.
	const key = fault.key in values ? fault.key : fault.other;
	const left = Object.entries(values).filter(([k]) => isPreset || k !== key);
	const isNamed = isPreset || left.length < Object.keys(values).length;
	const kept = isPreset ? "" : preset;
	return isNamed && (kept !== "" || left.length > 0)
		? { preset: kept, values: Object.fromEntries(left) }
		: NOTHING;
}

/* The views that the page had before it had four: their links lead to the place where the same content is today. */

/** The view, or part of one, that each former value of `tab` now means. */
const FORMER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"node-search": { tab: "explore" },
	"order-lab": { tab: "labs", labs: "orders" },
	lessons: { tab: "learn", learn: "lessons" },
	experiments: { tab: "learn", learn: "papers" },
	slabinfo: { tab: "explore", answer: "slabinfo" },
};

/** The sweep used to be one of the experiments. */
const SWEEP = "sweep";

/** Translates a link's parts to today's views. */
function withTodaysViews(link: URLSearchParams): URLSearchParams {
	const q = new URLSearchParams(link);
	const tab = q.get("tab") ?? "";
	const isSweep = q.get("study") === SWEEP;
	if (isSweep) q.delete("study");
	const today = isSweep && tab === "experiments" ? { tab: "compare" } : FORMER[tab];
	for (const [key, value] of Object.entries(today ?? {})) q.set(key, value);
	if (isSweep) q.set("compare", SWEEP);
	// Kernels became a question for the sweep, and the agreement with a kernel a row of the timeline.
	if (q.get("compare") === "kernels") q.set("compare", SWEEP);
	if (q.get("compare") === "reality") {
		q.delete("compare");
		q.set("tab", "explore");
	}
	// The table of caches used to be the only thing in the drawer.
	if (q.get("slabinfo") === "1") q.set("answer", "slabinfo");
	q.delete("slabinfo");
	return q;
}
