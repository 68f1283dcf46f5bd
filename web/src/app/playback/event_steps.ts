/** The steps of the event on screen as the section needs them: the row, node and CPU of each, and the slab that it moves. */
import { LevelNodes, OpKind, Outcome, Verb } from "#abi";
import { count, shortBytes } from "../../base/format.ts";
import { PAGES_RANK, rankOf } from "../../engine/place_kinds.ts";
import type { EventPath, Moment, Step } from "../../engine/types.ts";
import type { RowCost } from "../../scene/draft.ts";
import type { EventSteps, StepPlace } from "../../scene/layout/path.ts";
import type { Stairs } from "../state/store.ts";

/** In place of a kind of place: the page allocator. */
const PAGES = 0xffff;
const NO_SLAB = 0xffffffff;

export function eventSteps(
	{ op, position, steps, firstStep }: Pick<Moment, "op" | "position" | "steps" | "firstStep">,
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
		steps: path.steps.map((step, i): StepPlace => {
			const isVain = step.verb === Verb.VERB_IN_VAIN;
			const reason = isVain ? reasonOf(steps[i - firstStep]) : undefined;
			const place = {
				...{ rank: ranks[step.level] ?? -1, node: step.node, cpu: step.cpu },
				...(reason === undefined ? {} : { reason }),
			};
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

/** Why a list gave nothing: it is empty, or its node keeps what it has. */
function reasonOf(step: Step | undefined): string | undefined {
	const { nr_partial: nr, min_partial: least, outcome } = step?.args ?? {};
	if (nr === 0) return "none there";
	if (nr === undefined || outcome !== Outcome.OUTCOME_TOO_FEW) return undefined;
	return `kept: ${count(nr)} ≤ min_partial ${count(least ?? 0)}`;
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
