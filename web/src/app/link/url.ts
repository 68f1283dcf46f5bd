/**
 * The view as a URL and back. The URL holds everything that differs from what the page would choose by itself. Nothing in a
 * link is trusted: each part goes through its schema; what does not pass is left at its default and reported. Parts that
 * this page does not know are kept.
 *
 * `v` is the version of the form. In version 3 events and steps are numbered from 1, as on the page: `event`, `events`,
 * `step`, `range`, `mark`. Links without `v`, and those of versions 1 and 2, count from 0: `op`, `from`, `to` and the same
 * keys. `event` and `events` are numbered from 1 wherever they stand, and alone make a link one of version 3. A link of a
 * later version may mean anything, so nothing of it is taken.
 */
import { count } from "../../base/format.ts";
import type { Facts } from "../state/store.ts";
import { FIELDS, FIRST } from "./fields.ts";
import { withTodaysViews } from "./former_views.ts";
import type { First } from "./link_parts.ts";
import { cut, type Part, Reader } from "./link_reader.ts";

type Fields = typeof FIELDS;
type Key = keyof Fields;
type Value<K extends Key> = ReturnType<Fields[K]["read"]>;
type Linked = { readonly [K in Key]: Value<K> };

/** Everything that a link can hold: the fields of fields.ts, and how the rest of it was read. */
export interface View extends Linked {
	/** Parts that this page does not know. They stay in the address. */
	readonly unknown: readonly Part[];
	/** The whole link was ignored: a newer page made it, or it is too long. */
	readonly isRefused: boolean;
	/** One sentence on each part that cannot be read. */
	readonly faults: readonly string[];
}

export const VERSION = 3;
/** Longer than any link that the page makes. */
const MOST_CHARS = 64 << 10;

const KEYS = Object.keys(FIELDS) as Key[];
const AT_ONCE = KEYS.filter((key) => "atOnce" in FIELDS[key]);

/** The same function for each field, with its value's own type. */
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

/** The view on screen, as a link has it. */
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

/** The facts that a link sets before its trace is open. */
export function factsAtOnce(view: View): Partial<Facts> {
	return Object.fromEntries(AT_ONCE.map((key) => [key, view[key]]));
}

/** Anything that cannot be understood is left at its default and reported: a link never breaks the page. */
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

/** The number from which a link counts events and steps. */
function firstIn(q: URLSearchParams): First {
	const version = q.get("v");
	const isNew = version === null ? q.has("event") || q.has("events") : version === String(VERSION);
	return isNew ? FIRST : 0;
}

const tooLong = ({ length }: string) =>
	`The link has ${count(length)} characters; this page reads at most ${count(MOST_CHARS)}, so it ignored the link. ` +
	"Ask the sender to save the trace as a file, and open the file.";

/** Links of all versions up to ours are read. */
function refusalOf(version: string | null): string {
	if (version === null || /^[123]$/.test(version)) return "";
	const known = `this page reads links up to version ${VERSION}`;
	if (!/^\d{1,6}$/.test(version))
		return `The link's v=${cut(version)} is ignored with all the rest: expected a version; ${known}.`;
	return `The link was made by a newer Slabscope (version ${version}) and ${known}: load the page again, or ask for the trace and the event instead.`;
}
