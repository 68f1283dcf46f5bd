/** The steps of an event as rows of a list: neighbours of one kind with the same outcome share a row. */
import { count } from "../../base/format.ts";
import type { EventPath, Step } from "../../engine/types.ts";

export interface StepRow {
	/** First and last step, from 0. */
	readonly from: number;
	readonly to: number;
	readonly isVain: boolean;
	/** "6 zones asked, none gives"; "" for kinds that have no such words. */
	readonly words: string;
	/** "node 1 twice · 2"; "" if all of them are on one node. */
	readonly nodes: string;
}

/** The work of several steps of a kind together; # is their number. */
const TOGETHER: Readonly<Record<string, string>> = {
	ANY_NODE_ZONE: "# zones asked, none gives",
	BITMAP_PUT: "objects of # slabs became free",
	BLOCK_TOO_SMALL: "# free blocks were too small",
	CPU_PARTIAL_FREE: "# slabs joined the per-CPU partial list",
	FREE_ADD_PARTIAL: "# slabs joined the node partial list",
	LIST_ADD: "# slabs joined the node partial list",
	NEXT_PAGE: "# pages passed over",
};

export function stepRows(
	steps: readonly Step[],
	firstStep: number,
	path: Pick<EventPath, "vain"> | undefined,
): StepRow[] {
	const isVain = (i: number) => path?.vain[firstStep + i] === 1;
	const runs: number[][] = [];
	steps.forEach(({ kind, cache }, i) => {
		const run = runs.at(-1);
		const first = run?.[0] ?? -1;
		const before = steps[first];
		const isAlike = before?.kind === kind && before.cache === cache;
		if (run && isAlike && isVain(first) === isVain(i)) run.push(i);
		else runs.push([i]);
	});
	return runs.map((run) => {
		const [first] = run as [number];
		return {
			from: firstStep + first,
			to: firstStep + first + run.length - 1,
			isVain: isVain(first),
			words: (TOGETHER[steps[first]?.kind ?? ""] ?? "").replace("#", count(run.length)),
			nodes: nodesInWords(run.map((i) => steps[i]?.node ?? 0)),
		};
	});
}

function nodesInWords(nodes: readonly number[]): string {
	const visits: { node: number; times: number }[] = [];
	for (const node of nodes) {
		const last = visits.at(-1);
		if (last?.node === node) last.times++;
		else visits.push({ node, times: 1 });
	}
	if (visits.length < 2) return "";
	const times = (n: number) => (n === 1 ? "" : n === 2 ? " twice" : ` ${count(n)} times`);
	return `node ${visits.map(({ node, times: n }) => `${node}${times(n)}`).join(" · ")}`;
}
