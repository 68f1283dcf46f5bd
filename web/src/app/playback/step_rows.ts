/** The steps of an event as rows of a list: neighbours of one kind with the same outcome share a row. */
import { count } from "../../base/format.ts";
import type { EventPath, Step } from "../../engine/types.ts";

export interface StepRow {
	/** First and last step, from 0. */
	readonly from: number;
	readonly to: number;
	readonly isVain: boolean;
	/** "6 zones asked, none could spare a slab"; "" for kinds that have no such words. */
	readonly words: string;
	/** "node 1 twice · 2"; "" if all of them are on one node. */
	readonly nodes: string;
}

/** Words for what several steps of a kind do together; # stands for their number. */
const TOGETHER: Readonly<Record<string, string>> = {
	ANY_NODE_ZONE: "# zones asked, none could spare a slab",
	BITMAP_PUT: "objects of # slabs became free",
	BLOCK_TOO_SMALL: "# free blocks were too small",
	CPU_PARTIAL_FREE: "# slabs joined the per-CPU partial list",
	FREE_ADD_PARTIAL: "# slabs joined the node partial list",
	LIST_ADD: "# slabs joined the node partial list",
	NEXT_PAGE: "# pages skipped",
};

interface Steps {
	readonly steps: readonly Step[];
	/** The number of the first of them within the event. */
	readonly firstStep: number;
}

type Outcomes = Pick<EventPath, "vain"> | undefined;

/** Whether this step of an event and the one before it share a row. */
export function isLikeBefore({ steps, firstStep }: Steps, path: Outcomes, step: number): boolean {
	const [before, here] = [steps[step - firstStep - 1], steps[step - firstStep]];
	if (!before || !here || before.kind !== here.kind || before.cache !== here.cache) return false;
	return (path?.vain[step - 1] === 1) === (path?.vain[step] === 1);
}

export function stepRows(of: Steps, path: Outcomes): StepRow[] {
	const { steps, firstStep } = of;
	const isVain = (i: number) => path?.vain[firstStep + i] === 1;
	const runs: number[][] = [];
	steps.forEach((_, i) => {
		if (isLikeBefore(of, path, firstStep + i)) runs.at(-1)?.push(i);
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
