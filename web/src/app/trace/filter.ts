/** The filter of the stage: asks the engine for the events and objects that pass, and follows machine and position. */
import type { FilterCondition } from "#wasm";
import { engine } from "../platform/engine_link.ts";
import { known } from "../playback/opened.ts";
import { showError } from "../playback/player.ts";
import { opsAt } from "../playback/why.ts";
import { busy, change, facts, store } from "../state/store.ts";
import { chooseCache } from "./actions.ts";

const NOTHING_PASSES = "No event passes every condition; widen or leave out one of them.";

/** Filters the stage. Resolves to "", or to the reason why it stays as it was. */
export async function applyFilter(filter: readonly FilterCondition[]): Promise<string> {
	const { events } = await busy(() => engine().chooseEvents(filter));
	if (events === 0) {
		await busy(() => engine().chooseEvents(facts().filter));
		return NOTHING_PASSES;
	}
	change({ filter, chosen: null });
	showCacheOf(filter);
	return "";
}

/** Moves go through the events of the cache on the stage: it is one that the filter names, if it names any. */
function showCacheOf(filter: readonly FilterCondition[]): void {
	const { built, cache } = facts();
	const names = filter.find(([key]) => key === "cache")?.[1].split(",") ?? [];
	const found = names.includes(cache) ? undefined : names.find((n) => built && known(built, n));
	if (found !== undefined) chooseCache(found);
}

/** While a filter is on; returns a function that ends it. */
export function followFilter(): () => void {
	let isAsking = false;
	const ask = async () => {
		if (isAsking || isCurrent()) return;
		isAsking = true;
		try {
			await (facts().playing ? askOnce() : busy(askOnce));
		} catch (error) {
			change({ filter: [], chosen: null });
			showError(error);
		}
		isAsking = false;
		void ask();
	};
	const stop = store.subscribe(() => void ask());
	void ask();
	return stop;
}

/** Nothing to ask: no filter is on, or the answer is about what is on screen. */
function isCurrent(): boolean {
	const { chosen, built, filter, moment } = facts();
	if (filter.length === 0 || !built || !moment) return true;
	return (
		chosen?.built === built &&
		chosen.filter === filter &&
		chosen.ops === opsAt(moment) &&
		chosen.cache === moment.cache
	);
}

async function askOnce(): Promise<void> {
	const { chosen, built, filter, moment } = facts();
	if (!built || !moment) return;
	const isSame = chosen?.built === built && chosen.filter === filter;
	const { events } = isSame ? chosen : await engine().chooseEvents(filter);
	const [ops, cache] = [opsAt(moment), moment.cache];
	const { serials, indices } = await engine().chosenObjects(ops, cache);
	const bySlab = new Map<number, Set<number>>();
	serials.forEach((serial, i) => {
		const slab = bySlab.get(serial) ?? new Set();
		bySlab.set(serial, slab.add(indices[i] ?? 0));
	});
	change({ chosen: { built, filter, events, ops, cache, objects: serials.length, bySlab } });
}
