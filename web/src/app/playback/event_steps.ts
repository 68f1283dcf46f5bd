/** The steps of the event on screen as the section needs them: the row, node and CPU of each, and the slab that it moves. */
import { LevelNodes, OpKind, Outcome, PlaceKind, Verb } from "#abi";
import { count, shortBytes } from "../../base/format.ts";
import { type Frame, NO_SLAB, PAGES, type Place } from "../../engine/frame.ts";
import { PAGES_RANK, rankOf } from "../../engine/place_kinds.ts";
import type { EventPath, LevelRow, Moment, Step } from "../../engine/types.ts";
import type { RowCost } from "../../scene/draft.ts";
import type { EventSteps, StepPlace } from "../../scene/layout/path.ts";
import { listKey } from "../../scene/layout/shape.ts";
import type { Levels } from "../state/store.ts";

export function eventSteps(
	{
		op,
		position,
		steps,
		firstStep,
		frame,
	}: Pick<Moment, "op" | "position" | "steps" | "firstStep" | "frame">,
	path: EventPath,
	levels: readonly LevelRow[],
): EventSteps {
	const ranks = levels.map(rankOfLevel);
	const list = listIn(steps, frame);
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
				...(list !== undefined && ranks[step.level] === ROOM_RANK ? { list } : {}),
				...(reason === undefined ? {} : { reason }),
			};
			if (step.slab === NO_SLAB) return { ...place, isVain };
			const { fromKind, fromCpu, fromNode, toKind, toCpu, toNode } = step;
			const placeIn = (kind: number, node: number, cpu: number) => {
				const rank = rankIn(kind);
				return { rank, node, cpu, ...(list !== undefined && rank === ROOM_RANK ? { list } : {}) };
			};
			return {
				...place,
				isVain,
				moves: {
					from: placeIn(fromKind, fromNode, fromCpu),
					to: placeIn(toKind, toNode, toCpu),
				},
			};
		}),
	};
}

/** SLOB's pages with room stand in several lists beside each other; an event uses one of them. */
const ROOM_RANK = rankOf(PlaceKind.PLACE_SMALL_PAGES);

/** That list, by listKey: a step names it, or the page that it is about is there. */
function listIn(steps: readonly Step[], { slabs, places }: Frame): string | undefined {
	const found = steps.map(({ args: { list, class: bytes, slab } }) => {
		if (list !== undefined) return places.find(({ kind }) => kind === list);
		if (bytes !== undefined)
			return places.find((place) => isOfRoom(place) && place.bytes === bytes);
		return slab === undefined ? undefined : places[slabs.place[slabs.serial.indexOf(slab)] ?? -1];
	});
	const place = found.find((at) => at && isOfRoom(at));
	return place && listKey(place);
}

const isOfRoom = ({ kind }: Pick<Place, "kind">) => rankOf(kind) === ROOM_RANK;

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

function rankOfLevel({ kinds: [kind] }: LevelRow): number {
	return kind === undefined ? PAGES_RANK : rankOf(kind);
}

/** The mean costs of allocations by the row in which they end; none until the trace has an index. */
export function costsOf(levels: Levels | null): RowCost[] {
	return (levels?.rows ?? []).flatMap((level) => {
		if (level.allocs === 0) return [];
		const cycles = Math.round(level.cycles / level.allocs);
		const isFar = level.nodes === LevelNodes.FAR_NODES;
		return [{ rank: rankOfLevel(level), isFar, cycles, share: level.share }];
	});
}
