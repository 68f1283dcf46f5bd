/** The steps of the event on screen as the section needs them: the row, node and CPU of each. */
import { LevelNodes, OpKind } from "#abi";
import { shortBytes } from "../../base/format.ts";
import { NONE } from "../../engine/frame.ts";
import type { EventPath, Moment } from "../../engine/types.ts";
import type { RowCost } from "../../scene/layout/layout_rows.ts";
import { PAGES_RANK, rankOf } from "../../scene/layout/rows.ts";
import type { EventSteps } from "../../scene/path.ts";
import type { Stairs } from "../state/store.ts";

export function eventSteps(moment: Moment, path: EventPath, { levels }: Pick<Stairs, "levels">): EventSteps {
	const { op, steps, firstStep, position } = moment;
	const ranks = levels.map(rankOfLevel);
	return {
		cpu: op.cpu,
		isFree: op.kind === OpKind.OP_FREE,
		words: op.kind === OpKind.OP_FREE ? "free" : op.bytes > 0 ? shortBytes(op.bytes) : op.name,
		current: position.step,
		steps: Array.from(path.levels, (level, i) => {
			const step = steps[i - firstStep];
			return {
				rank: ranks[level] ?? -1,
				node: step?.node ?? NONE,
				cpu: step?.cpu ?? op.cpu,
				isVain: path.vain[i] === 1,
			};
		}),
	};
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
