/**
 * The parts of a link: each kind of value has a schema that reads it, strictly and with limits, and a function that
 * writes it. A value that passes a schema is safe to use, whoever wrote the link.
 */
import * as v from "valibot";
import { STEP_KINDS, WHEN_NAMES, When } from "#abi";
import { indexOf, numberOf } from "../../base/format.ts";
import { readSubject } from "../../engine/subject.ts";
import type { Breakpoint, Mark, Range, Selection, Zoom } from "../state/store.ts";

export const LABEL_MOST = 80;

/** Text written by a person or a kernel: no control characters. */
export const text = (most: number) =>
	v.pipe(v.string(), v.maxLength(most), v.regex(/^[^\p{Cc}]*$/u));

/** A scheme, a host and perhaps a port, as a browser writes an origin. */
export const origin = v.pipe(
	v.string(),
	v.check((word) => /^https?:/.test(word) && URL.canParse(word) && new URL(word).origin === word),
);

export const whole = v.pipe(
	v.string(),
	v.regex(/^\d{1,10}$/),
	v.transform(Number),
	v.maxValue(2 ** 32),
);

export const speed = v.pipe(
	v.string(),
	v.regex(/^\d{1,5}(\.\d{1,3})?$/),
	v.transform(Number),
	v.minValue(0.01),
	v.maxValue(10_000),
);

/** Compares with the known words, so that no other word gets through. */
export const oneOf = <T extends string>(words: readonly T[]) =>
	v.pipe(
		v.string(),
		v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
			const word = words.find((w) => w === dataset.value);
			if (word === undefined) addIssue({ message: "none of them" });
			return word ?? NEVER;
		}),
	);

/** 12, or 12.5: a slab by its serial number, or one of its objects. */
export const selection = v.pipe(
	v.string(),
	v.regex(/^\d{1,9}(\.\d{1,6})?$/),
	v.transform((t): Selection => {
		const [serial = "0", index = "-1"] = t.split(".");
		return { serial: Number(serial), index: Number(index) };
	}),
);

/** 1/partial, cpu4, node1, 1/pages: the subject of a Why card. */
export const subject = v.pipe(
	v.string(),
	v.maxLength(32),
	v.check((t) => readSubject(t) !== undefined),
);

export function selectionText({ serial, index }: Selection): string {
	return index < 0 ? String(serial) : `${serial}.${index}`;
}

/** 2.5,0.41,0.3: the zoom, and the centre of the view as a share of the stage. */
export const zoom = v.pipe(
	v.string(),
	v.regex(/^\d{1,6}(\.\d{1,8})?(,-?\d{1,2}(\.\d{1,9})?){2}$/),
	v.transform((t): Zoom => {
		const [k = 1, x = 0.5, y = 0.5] = t.split(",").map(Number);
		return { k: Math.max(1, k), x, y };
	}),
);

export function zoomText({ k, x, y }: Zoom): string {
	// Fine enough to give the same pixels on a stage of the same size. The centre depends on the zoom, which has more
	// digits so that the same view always gives the same link.
	const short = (n: number, digits: number) => n.toFixed(digits).replace(/\.?0+$/, "");
	return [short(k, 8), short(x, 7), short(y, 7)].join();
}

/** The number that the first event and step have: 1 in today's links, 0 in older links and in storage. */
export type First = 0 | 1;

/** An event or a step, as an index. */
export const numbered = (first: First) =>
	v.pipe(
		whole,
		v.minValue(first),
		v.transform((n) => n - first),
	);

/** 100-2000: events. */
export const range = (first: First) =>
	v.pipe(
		v.string(),
		v.regex(/^\d{1,10}-\d{1,10}$/),
		v.transform((t): Range => {
			const [from = 0, to = 0] = t.split("-").map(Number);
			return { from: from - first, to: to - first };
		}),
		v.check(({ from, to }) => from >= 0 && from < to),
	);

export function rangeText({ from, to }: Range, first: First): string {
	return `${from + first}-${to + first}`;
}

/** 11-41, or 11- up to the end: the events of a passage, the first one being 1. */
export const passage = v.pipe(
	v.string(),
	v.regex(/^\d{1,10}-\d{0,10}$/),
	v.transform((t): Range => {
		const [from = "", to = ""] = t.split("-");
		return { from: indexOf(Number(from)), to: to === "" ? -1 : indexOf(Number(to)) };
	}),
	v.check(({ from, to }) => from >= 0 && (to < 0 || from <= to)),
);

export function passageText({ from, to }: Range): string {
	return from < 0 && to < 0 ? "" : `${numberOf(Math.max(0, from))}-${to < 0 ? "" : numberOf(to)}`;
}

const MARKS = [
	/^\d{1,10}(\.\d{1,9})?(~[^\p{Cc}]*)?$/u,
	/^[1-9]\d{0,9}(\.[1-9]\d{0,8})?(~[^\p{Cc}]*)?$/u,
] as const;

/** 100.3~name: an event and a step (without a step: the event's end), then the mark's name. */
export const mark = (first: First) =>
	v.pipe(
		v.string(),
		v.maxLength(LABEL_MOST + 24),
		v.regex(MARKS[first]),
		v.transform((t): Mark => {
			const at = t.indexOf("~");
			const [op = "", step] = (at < 0 ? t : t.slice(0, at)).split(".");
			const label = at < 0 ? "" : t.slice(at + 1, at + 1 + LABEL_MOST);
			return {
				op: Number(op) - first,
				step: step === undefined ? -1 : Number(step) - first,
				label,
			};
		}),
	);

export function markText({ op, step, label }: Mark, first: First): string {
	return `${op + first}${step >= 0 ? `.${step + first}` : ""}${label === "" ? "" : `~${label}`}`;
}

/** live,slow: some of the words, none of them twice. */
export const some = <T extends string>(words: readonly T[]) =>
	v.pipe(
		v.string(),
		v.transform((t): T[] => words.filter((word) => t.split(",").includes(word))),
		v.minLength(1),
	);

export type Stop = Omit<Breakpoint, "id">;

const word = (name: string) => name.replace("WHEN_", "").toLowerCase().replaceAll("_", "-");
const WORDS = WHEN_NAMES.map(word);

/** new-slab~dentry~12.5~ALLOC_SLOWPATH~off, with empty ends left out. */
export const breakpoint = v.pipe(
	v.string(),
	v.maxLength(256),
	v.regex(/^[a-z-]+(~[^~\p{Cc}]*(~(\d{1,9}(\.\d{1,6})?)?(~\w*(~(off)?)?)?)?)?$/u),
	v.check((t) => WORDS.includes(t.split("~")[0] ?? "")),
	v.check((t) => {
		const step = t.split("~")[3] ?? "";
		const isStep = WORDS.indexOf(t.split("~")[0] ?? "") === When.WHEN_STEP;
		return isStep ? STEP_KINDS.some((kind) => kind.name === step) : step === "";
	}),
	v.transform((t): Stop => {
		const [when = "", cache = "", thing = "", step = "", off = ""] = t.split("~");
		return {
			when: WORDS.indexOf(when),
			cache,
			thing: thing === "" ? null : v.parse(selection, thing),
			step,
			on: off !== "off",
		};
	}),
);

export function breakpointText({ when, cache, thing, step, on }: Stop): string {
	const parts = [WORDS[when], cache, thing ? selectionText(thing) : "", step, on ? "" : "off"];
	return parts.join("~").replace(/~+$/, "");
}
