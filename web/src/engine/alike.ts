/**
 * Gives compared replays the same start: a machine that starts from fewer slabs than another seems to need less
 * memory. If one cannot start from everything that the others can, none of them does. The command decides the same
 * way.
 */
import { StartFrom, StartLimit } from "#abi";

/** The start of a replay. */
export interface ReplayStart {
	readonly from: StartFrom;
	readonly key: number;
}

/** How compared replays start. */
export interface Alike {
	readonly limit: StartLimit;
	/** The replay that needs the limit. */
	readonly cannot: number;
	/** What it cannot start from, although others can. */
	readonly from: StartFrom;
}

/**
 * Finds the first start that is worse than the best one; undefined if all are alike. The start of an invalid
 * machine is undefined.
 */
export function unlike(
	starts: readonly (ReplayStart | undefined)[],
): Omit<Alike, "limit"> | undefined {
	const best = starts
		.flatMap((start) => start ?? [])
		.toSorted((a, b) => b.from - a.from || a.key - b.key)[0];
	const cannot = starts.findIndex((start) => start && start.key !== best?.key);
	return best && cannot >= 0 ? { cannot, from: best.from } : undefined;
}

/** Asks for the starts under each limit until they are alike; undefined: no limit is needed. */
export async function alike(
	startsUnder: (limit: StartLimit) => Promise<readonly (ReplayStart | undefined)[]>,
): Promise<Alike | undefined> {
	let found: Alike | undefined;
	for (const limit of [StartLimit.LIMIT_NONE, StartLimit.LIMIT_COUNTS]) {
		const worse = unlike(await startsUnder(limit));
		if (!worse) return found;
		found = {
			...worse,
			limit: limit === StartLimit.LIMIT_NONE ? StartLimit.LIMIT_COUNTS : StartLimit.LIMIT_EMPTY,
		};
	}
	return found;
}

const POINTERS = "all the slabs that the trace's pointers show";
const SLABS: Readonly<Partial<Record<StartFrom, string>>> = {
	[StartFrom.START_POINTERS]: POINTERS,
	[StartFrom.START_SNAPSHOT]: "the slabs of the snapshot",
	[StartFrom.START_KERNEL_STATE]: "the slabs of the kernel's state",
};

/** Returns one sentence that names the machine to blame. */
export function alikeWords({ limit, from }: Alike, machine: string): string {
	const hasCounts = limit === StartLimit.LIMIT_COUNTS && from !== StartFrom.START_POINTERS;
	return `All start from ${hasCounts ? "the snapshot alone" : "empty"}, because ${machine} cannot start from ${hasCounts ? POINTERS : SLABS[from]}.`;
}
