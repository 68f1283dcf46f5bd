/**
 * Fast events as traffic: each way that they used is a band, which is wider the more of them used it, through the
 * same gutters and corridor as a path.
 */

import { PAGES } from "../../engine/frame.ts";
import { PAGES_RANK, rankOf } from "../../engine/place_kinds.ts";
import { CALLER, type Traffic, type Way, type WayEnd } from "../../engine/query/traffic.ts";
import { type Point, wayBetween } from "./path.ts";
import type { Plan } from "./plan.ts";

export interface Band {
	readonly what: Way["what"];
	readonly points: readonly Point[];
	readonly w: number;
	readonly count: number;
}

/** How often each row gave an object or took one back, written at its foot where its name leaves room. */
export interface RowCount {
	readonly x: number;
	readonly y: number;
	readonly count: number;
}

export interface Bands {
	readonly bands: readonly Band[];
	readonly rows: readonly RowCount[];
}

const WIDTH = { least: 2, each: 0.45, most: 12 };

export function bandsOn(plan: Plan, { ways }: Traffic): Bands {
	const bands: Band[] = [];
	const byRank = new Map<number, number>();
	// The busiest way is not wider than its gutter, and the others keep their proportion.
	const busiest = Math.max(1, ...ways.map((way) => way.count));
	const each = Math.min(WIDTH.each, (WIDTH.most - WIDTH.least) / busiest);
	for (const { what, from, to, count } of ways) {
		const end = what === "free" ? to : from;
		if (what !== "slab") byRank.set(rankIn(end), (byRank.get(rankIn(end)) ?? 0) + count);
		const points = wayBetween(plan, placeOf(from), placeOf(to));
		if (points.length > 1) bands.push({ what, points, w: WIDTH.least + each * count, count });
	}
	const rows = plan.rows.flatMap(({ row, label, tier }): RowCount[] => {
		const count = tier === 0 ? (byRank.get(row.rank) ?? 0) : 0;
		return count > 0 && label.w > 0
			? [{ x: label.x + label.w + 4, y: label.y + label.h - plan.line * 0.6, count }]
			: [];
	});
	return { bands: bands.sort((a, b) => a.w - b.w), rows };
}

function rankIn({ kind }: WayEnd): number {
	return kind === PAGES ? PAGES_RANK : rankOf(kind);
}

function placeOf(end: WayEnd) {
	return { rank: rankIn(end), node: end.node, cpu: end.cpu, isCaller: end.kind === CALLER };
}
