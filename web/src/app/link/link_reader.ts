/** Reads a link part by part, strictly: an invalid part keeps its default and is reported. */
import * as v from "valibot";
import * as parts from "./link_parts.ts";

/** A key and its value. */
export type Part = readonly [string, string];

export const SET = "set.";
/** Matches a parameter or the cost of a step. */
const SETTING = /^set\.(?:cost\.[A-Za-z_]{1,60}|[a-z][a-z0-9_]{0,39})$/;
const MOST_SETTINGS = 64;
/** Limits on the unknown parts that are kept: their number and length. */
const MOST_UNKNOWN = 32;
const UNKNOWN_CHARS = 400;

/** Reads the parts of a link one by one, and collects the faults. */
export class Reader {
	readonly #q: URLSearchParams;
	/** The keys that were asked for, present or not. */
	readonly #asked = new Set(["v"]);
	readonly faults: string[] = [];

	constructor(q: URLSearchParams) {
		this.#q = q;
	}

	one<T>(key: string, schema: v.GenericSchema<string, T>, otherwise: T, be: string): T {
		this.#asked.add(key);
		const value = this.#q.get(key);
		return value === null ? otherwise : (this.#parse(key, value, schema, be) ?? otherwise);
	}

	all<T>(key: string, schema: v.GenericSchema<string, T>, most: number, be: string): T[] {
		this.#asked.add(key);
		const values = this.#q.getAll(key);
		if (values.length > most)
			this.faults.push(
				`The link repeats ${key} ${values.length} times; this page reads only the first ${most}.`,
			);
		const read = values.slice(0, most).map((value) => this.#parse(key, value, schema, be));
		return read.filter((value) => value !== undefined);
	}

	word<T extends string>(key: string, words: readonly T[], otherwise: T): T {
		return this.one(
			key,
			parts.oneOf(words),
			otherwise,
			`one of ${words.filter(Boolean).join(", ")}`,
		);
	}

	text(key: string, most: number): string {
		return this.one(key, parts.text(most), "", `text of at most ${most} characters`);
	}

	/** Reads the machine's settings; the core checks their values. */
	settings(): Record<string, string> {
		const keys = [...new Set(this.#q.keys())].filter((key) => key.startsWith(SET));
		for (const key of keys.filter((key) => !SETTING.test(key)))
			this.faults.push(
				`The link's ${cut(key)} is ignored: expected set. and the name of a parameter.`,
			);
		const known = keys.filter((key) => SETTING.test(key)).slice(0, MOST_SETTINGS);
		const read = known.map((key) => [key.slice(SET.length), this.text(key, 400)] as const);
		return Object.fromEntries(read.filter(([, value]) => value !== ""));
	}

	/**
	 * Returns the parts that nothing has read, because they belong to another page or a newer version. They are
	 * kept, within limits.
	 */
	unknown(q: URLSearchParams): Part[] {
		const parts = [...q].filter(([key]) => !this.#asked.has(key) && !key.startsWith(SET));
		const short = parts.filter(([key, value]) => key.length + value.length <= UNKNOWN_CHARS);
		const carried = short.slice(0, MOST_UNKNOWN);
		const dropped = parts.length - carried.length;
		if (dropped > 0)
			this.faults.push(
				`This page keeps ${carried.length} unknown parts of the link and has dropped ${dropped} more.`,
			);
		return carried;
	}

	#parse<T>(key: string, value: string, schema: v.GenericSchema<string, T>, be: string) {
		const read = v.safeParse(schema, value);
		if (read.success) return read.output;
		this.faults.push(`The link's ${key}=${cut(value)} is ignored: expected ${be}.`);
		return undefined;
	}
}

/** Shortens a link to what fits in a sentence. */
export const cut = (value: string) => (value.length > 40 ? `${value.slice(0, 40)}…` : value);
