/**
 * The view as a URL and back. Everything that is not as the page would choose by itself is in it; a key of a
 * parameter is written as the command line has it, `set.min_partial=9`.
 */
import type { Machine, Unit } from "../engine/types.ts";
import type { Tab } from "./store.ts";

export interface View {
	readonly trace: string;
	readonly op: number;
	/** -1: the end of the operation. */
	readonly step: number;
	readonly cache: string;
	readonly onlyCache: boolean;
	readonly unit: Unit;
	readonly tab: Tab;
	readonly machine: Machine;
}

const UNITS: readonly Unit[] = ["step", "event", "slow", "slab"];
const SET = "set.";

export function toQuery(view: View): string {
	const q = new URLSearchParams();
	if (view.trace !== "") q.set("trace", view.trace);
	if (view.op >= 0) q.set("op", String(view.op));
	if (view.step >= 0) q.set("step", String(view.step));
	if (view.cache !== "") q.set("cache", view.cache);
	if (!view.onlyCache) q.set("caches", "all");
	if (view.unit !== "step") q.set("by", view.unit);
	if (view.tab !== "explore") q.set("tab", view.tab);
	if (view.machine.preset !== "") q.set("preset", view.machine.preset);
	for (const [key, value] of Object.entries(view.machine.values)) q.set(SET + key, value);
	return q.toString();
}

/** Anything that cannot be understood is left at its default: a link never breaks the page. */
export function fromQuery(query: string): View {
	const q = new URLSearchParams(query);
	const set = [...q].filter(([key, value]) => key.startsWith(SET) && value !== "");
	const values = Object.fromEntries(set.map(([key, value]) => [key.slice(SET.length), value]));
	return {
		trace: q.get("trace") ?? "",
		op: whole(q.get("op")),
		step: whole(q.get("step")),
		cache: q.get("cache") ?? "",
		onlyCache: q.get("caches") !== "all",
		unit: UNITS.find((u) => u === q.get("by")) ?? "step",
		tab: q.get("tab") === "slabinfo" ? "slabinfo" : "explore",
		machine: { preset: q.get("preset") ?? "", values },
	};
}

function whole(text: string | null): number {
	return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : -1;
}
