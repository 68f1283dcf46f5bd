/**
 * Reports in sentences what a link asks for and this page cannot show, and removes the invalid part of its machine.
 */
import { PARAM_KEYS } from "#abi";
import { type Fault, FaultKind } from "#wasm";
import { eventWords } from "../../base/numbering.ts";
import { NOTHING } from "../../engine/machine.ts";
import type { Machine } from "../../engine/types.ts";
import { LOCAL, SANDBOX } from "./fields.ts";
import { selectionText } from "./link_parts.ts";
import { cut } from "./link_reader.ts";
import type { View } from "./url.ts";

interface Known {
	/** The trace that is open now. */
	readonly open: string;
	readonly caches: readonly { readonly name: string }[];
	readonly nrOps: number;
	/** The state of the trace's kernel that the page has. */
	readonly startState?: { readonly name: string } | null;
}

/** Everything that a link asks for and this page cannot show, and what it shows instead; "" when nothing. */
export function faultsOf(view: View, { open, caches, nrOps, startState }: Known): string {
	const { trace, cache, op, selected, start, embed } = view;
	const faults = [...view.faults];
	const here = trace === "" || trace === open;
	if (!here && trace.startsWith(LOCAL)) {
		const way = embed
			? ""
			: ": it is on the computer of the person who made the link. Open it here to go to the link's view";
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
			`The link's replay begins with the kernel's state in ${start}: drop that file here to begin so too.`,
		);
	// A fork may go on behind the recorded end.
	const isFork = view.sandbox !== "" && trace !== SANDBOX;
	if (here && op >= nrOps && !isFork)
		faults.push(
			`The link's ${eventWords(op)} is past the end: this trace ends at ${eventWords(nrOps - 1)}.`,
		);
	return faults.join(" ");
}

/** Parts of the link that this page does not know, in one sentence; "" when there are none. */
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
 * The machine without the part that the core reported as invalid; no settings if it named none, or nothing else
 * is left.
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
