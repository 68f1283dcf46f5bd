/** The filter of the stage: asks the engine for the events and objects that pass, and follows machine and position. */
import type { FilterCondition } from "#wasm";
import { engine } from "../platform/engine_link.ts";
import { known } from "../playback/opened.ts";
import { showError } from "../playback/player.ts";
import { opsAt } from "../playback/why.ts";
import { resource } from "../state/resource.ts";
import { busy, type Chosen, change, facts } from "../state/store.ts";
import { chooseCache } from "./actions.ts";

const NOTHING_PASSES = "No event passes all the conditions: relax or remove one of them.";

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

/** Moves go through the events of the cache on the stage, so put one there that the filter names, if it names any. */
function showCacheOf(filter: readonly FilterCondition[]): void {
	const { built, cache } = facts();
	const names = filter.find(([key]) => key === "cache")?.[1].split(",") ?? [];
	const found = names.includes(cache) ? undefined : names.find((n) => built && known(built, n));
	if (found !== undefined) chooseCache(found);
}

/** Follows the position while a filter is on; returns a function that stops this. */
export function followFilter(): () => void {
	return resource({
		key: ({ built, filter, moment }) =>
			filter.length > 0 && built && moment
				? { built, filter, ops: opsAt(moment), cache: moment.cache }
				: undefined,
		oneAtATime: true,
		ask: (question) =>
			choose(question).catch((error: unknown) => {
				change({ filter: [], chosen: null });
				showError(error);
				throw error;
			}),
		put: (chosen) => change({ chosen }),
	});
}

type Question = Pick<Chosen, "built" | "filter" | "ops" | "cache">;

async function choose(question: Question): Promise<Chosen> {
	const { built, filter, ops, cache } = question;
	const { chosen } = facts();
	const isSame = chosen?.built === built && chosen.filter === filter;
	const { events } = isSame ? chosen : await engine().chooseEvents(filter);
	const { serials, indices } = await engine().chosenObjects(ops, cache);
	const bySlab = new Map<number, Set<number>>();
	serials.forEach((serial, i) => {
		const slab = bySlab.get(serial) ?? new Set();
		bySlab.set(serial, slab.add(indices[i] ?? 0));
	});
	return { ...question, events, objects: serials.length, bySlab };
}
