/**
 * The subject of a question "why?", as a link and the command's --list name it: `1/partial`, `cpu4/slab`, `1/alien/3`,
 * `cpu4`, `node1`, `1/pages`.
 */
import { About } from "#abi";
import { NONE, type Place } from "./frame.ts";
import { kindsNamed, listName } from "./place_kinds.ts";

export interface Subject {
	readonly about: About;
	/** Kinds of places with that name: the allocator in use has at most one of them. */
	readonly kinds: readonly number[];
	/** 0xffff stands for none. */
	readonly cpu: number;
	readonly node: number;
	/** The target or the largest size, if there are several places of that kind. */
	readonly which: number | undefined;
}

const PAGES = "pages";

const FORM = /^(cpu|node)?(\d{1,5})?(?:(?:^|\/)([a-z]{1,10})(?:\/(\d{1,9}))?)?$/;

/** Returns undefined if it names nothing. */
export function readSubject(text: string): Subject | undefined {
	const [all, owner, digits, word, more] = FORM.exec(text) ?? [];
	if (!all) return undefined;
	const isCpu = owner === "cpu";
	const number = digits === undefined ? NONE : Number(digits);
	if (number > NONE || (owner !== undefined && digits === undefined)) return undefined;
	const whose = { cpu: isCpu ? number : NONE, node: isCpu ? NONE : number };
	if (word === undefined) {
		if (owner === undefined) return undefined;
		const about = isCpu ? About.ABOUT_CPU : About.ABOUT_NODE;
		return { about, kinds: [], ...whose, which: undefined };
	}
	if (word === PAGES) {
		if (isCpu || more !== undefined) return undefined;
		return { about: About.ABOUT_PAGES, kinds: [], ...whose, which: undefined };
	}
	const kinds = kindsNamed(isCpu ? "cpu" : "node", word);
	if (kinds.length === 0) return undefined;
	const which = more === undefined ? undefined : Number(more);
	return { about: About.ABOUT_PLACE, kinds, ...whose, which };
}

/** A place on the stage; or a CPU, a node, or all the pages of a node. */
export type WhyOf =
	| (Pick<Place, "kind" | "cpu" | "node"> & Partial<Place>)
	| { readonly kind: "cpu"; readonly cpu: number }
	| { readonly kind: "node" | "pages"; readonly node: number };

/** "" for a place that has no name. */
export function subjectOf(of: WhyOf): string {
	switch (of.kind) {
		case "cpu":
			return `cpu${of.cpu}`;
		case "node":
			return `node${of.node}`;
		case "pages":
			return `${of.node}/${PAGES}`;
		default:
			return placeSubject({ ...of, target: of.target ?? NONE, bytes: of.bytes ?? 0 });
	}
}

/** "" for a place that has no name. */
export function placeSubject(
	place: Pick<Place, "kind" | "cpu" | "node" | "target" | "bytes">,
): string {
	const { kind, cpu, node, target, bytes } = place;
	const isCpu = cpu !== NONE;
	const word = listName(isCpu ? "cpu" : "node", kind);
	if (word === undefined) return "";
	const owner = isCpu ? `cpu${cpu}/` : node === NONE ? "" : `${node}/`;
	const which = target !== NONE ? target : bytes;
	return which > 0 || target !== NONE ? `${owner}${word}/${which}` : owner + word;
}

/** Whether the place is the one that is asked about. */
export function isSubject(subject: Subject, place: Place): boolean {
	const { kinds, cpu, node, which } = subject;
	return (
		kinds.includes(place.kind) &&
		(cpu === NONE || place.cpu === cpu) &&
		(cpu !== NONE || place.cpu === NONE) &&
		(node === NONE || place.node === node) &&
		(which === undefined || which === (place.target !== NONE ? place.target : place.bytes))
	);
}
