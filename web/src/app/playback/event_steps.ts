/** The steps of the event on screen as the section needs them: the row, node and CPU of each, and the slab that it moves. */
import { LevelNodes, OpKind, Verb } from "#abi";
import { shortBytes } from "../../base/format.ts";
import { PAGES_RANK, rankOf } from "../../engine/place_kinds.ts";
import type { EventPath, Moment } from "../../engine/types.ts";
import type { RowCost } from "../../scene/draft.ts";
import type { EventSteps, StepPlace } from "../../scene/layout/path.ts";
import type { Stairs } from "../state/store.ts";

/** In place of a kind of place: the page allocator. */
const PAGES = 0xffff;
const NO_SLAB = 0xffffffff;

export function eventSteps(
	{ op, position }: Pick<Moment, "op" | "position">,
	path: EventPath,
	{ levels }: Pick<Stairs, "levels">,
): EventSteps {
	const ranks = levels.map(rankOfLevel);
	const isFree = op.kind === OpKind.OP_FREE;
	return {
		cpu: op.cpu,
		isFree,
		words: isFree ? "free" : op.bytes > 0 ? shortBytes(op.bytes) : op.name,
		current: position.step,
		steps: path.steps.map((step): StepPlace => {
			const place = { rank: ranks[step.level] ?? -1, node: step.node, cpu: step.cpu };
			const isVain = step.verb === Verb.VERB_IN_VAIN;
			if (step.slab === NO_SLAB) return { ...place, isVain };
			const { fromKind, fromCpu, fromNode, toKind, toCpu, toNode } = step;
			const from = { rank: rankIn(fromKind), node: fromNode, cpu: fromCpu };
			return {
				...place,
				isVain,
				moves: { from, to: { rank: rankIn(toKind), node: toNode, cpu: toCpu } },
			};
		}),
	};
}

function rankIn(kind: number): number {
	return kind === PAGES ? PAGES_RANK : rankOf(kind);
}

function rankOfLevel({ kinds: [kind] }: Stairs["levels"][number]): number {
	return kind === undefined ? PAGES_RANK : rankOf(kind);
}

/** The mean costs of allocations by the row in which they end; none until the trace has an index. */
export function costsOf(stairs: Stairs | null): RowCost[] {
	return (stairs?.levels ?? []).flatMap((level) => {
		if (level.allocs === 0) return [];
		const cycles = Math.round(level.cycles / level.allocs);
		const isFar = level.nodes === LevelNodes.FAR_NODES;
		return [{ rank: rankOfLevel(level), isFar, cycles, share: level.share }];
	});
}
