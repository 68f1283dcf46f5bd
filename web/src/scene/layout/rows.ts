/**
 * The rows of the section: every kind of place belongs to exactly one. Rows go from near and cheap to far and
 * expensive, so further down is slower. A row is as high as its contents need; what is left goes to the rows that
 * gain most from it.
 */
import {
	holdsSheaves,
	PAGES_RANK,
	PLACE,
	ROWS,
	type RowName,
	rankOf,
} from "../../engine/place_kinds.ts";
import { CARDS_MOST } from "../tiles.ts";
import type { Shape } from "./shape.ts";

export interface Row extends RowName {
	/** Its place among all rows, from near to far. */
	readonly rank: number;
	/**
	 * Whose places it has: CPUs', nodes' or machine-wide ones; or what every machine has: the names of bare CPUs, and
	 * pages.
	 */
	readonly of: "cpu" | "node" | "common" | "names" | "pages";
	/** Whether it is the first row of CPUs that are squares, which has the card of one of them below. */
	readonly hasSquares?: boolean;
}

/** A row's height in pixels, in a section of the usual height: the least, the most, and its share of what is left. */
interface Room {
	readonly least: number;
	readonly most: number;
	readonly weight: number;
}

const ALL = Number.POSITIVE_INFINITY;
const ROOM = {
	cpuSlab: { least: 44, most: 100, weight: 3.4 },
	squares: { least: 108, most: 190, weight: 5 },
	cpuList: { least: 26, most: 44, weight: 0.8 },
	cpuArray: { least: 46, most: 120, weight: 2.4 },
	sheaf: { least: 44, most: 104, weight: 2.2 },
	barn: { least: 36, most: 104, weight: 1.4 },
	array: { least: 34, most: 80, weight: 1 },
	list: { least: 60, most: ALL, weight: 2.3 },
	full: { least: 36, most: ALL, weight: 3.6 },
	rare: { least: 22, most: 72, weight: 0.6 },
	names: { least: 28, most: 40, weight: 0.2 },
	pages: { least: 32, most: 48, weight: 0.8 },
} as const satisfies Record<string, Room>;

const PAGES: Row = {
	name: "page allocator",
	short: "pages",
	kinds: [],
	rank: PAGES_RANK,
	of: "pages",
};
const NAMES: Row = { name: "CPUs", short: "CPUs", kinds: [], rank: -1, of: "names" };

/** Returns the rows of a machine, from near to far. */
export function rowsOf({ cpuParts, node, common, nodeOfCpu }: Shape): Row[] {
	const rows: Row[] = cpuParts.length === 0 ? [NAMES] : [];
	const kindsOf = ({ lists, arrays }: Shape["node"]) => [...lists, ...arrays].map((p) => p.kind);
	const held = [
		["cpu", cpuParts.map((p) => p.kind)],
		["node", kindsOf(node)],
		["common", kindsOf(common)],
	] as const;
	ROWS.forEach((row, rank) => {
		for (const [of, kinds] of held) {
			const own = row.kinds.filter((kind) => kinds.includes(kind));
			if (own.length > 0) rows.push({ ...row, kinds: own, rank, of });
		}
	});
	const [first] = rows;
	if (first?.of === "cpu" && nodeOfCpu.length > CARDS_MOST)
		rows[0] = { ...first, hasSquares: true };
	return [...rows, PAGES];
}

function roomOf({ of, kinds, hasSquares }: Row): Room {
	if (hasSquares) return ROOM.squares;
	if (of === "names") return ROOM.names;
	if (of === "pages") return ROOM.pages;
	const [kind = -1] = kinds;
	if (kind === PLACE.CPU_SLAB) return ROOM.cpuSlab;
	if (kind === PLACE.CPU_PARTIAL) return ROOM.cpuList;
	if (holdsSheaves(kind)) return of === "cpu" ? ROOM.sheaf : ROOM.barn;
	if (of === "cpu") return ROOM.cpuArray;
	if (kind === PLACE.NODE_FULL) return ROOM.full;
	const { isRare, isArray } = ROWS[rankOf(kind)] ?? {};
	if (isArray) return ROOM.array;
	return isRare ? ROOM.rare : ROOM.list;
}

/**
 * Returns the height of each row in a section of `height`; `scale`: relative to the usual height; `fixed`: given heights, by
 * rank. The other rows then share all that is left.
 */
export function heightsOf(
	rows: readonly Row[],
	height: number,
	scale: number,
	fixed?: Readonly<Record<number, number>>,
): number[] {
	const rooms = rows.map((row) => {
		const own = fixed?.[row.rank];
		if (own !== undefined) return { least: own / scale, most: own / scale, weight: 0 };
		return fixed ? { ...roomOf(row), most: ALL } : roomOf(row);
	});
	const least = rooms.map((room) => room.least * scale);
	const sum = least.reduce((a, b) => a + b, 0);
	if (sum >= height) return least.map((h) => (h * height) / sum);
	const heights = [...least];
	let left = height - sum;
	while (left > 0.5) {
		const open = rooms
			.map((room, i) => ({ room, i }))
			.filter(({ room, i }) => {
				return (heights[i] ?? 0) < room.most * scale - 0.01;
			});
		const weights = open.reduce((all, { room }) => all + room.weight, 0);
		// The last row extends to the lower edge if no other row gains from more height.
		if (weights === 0) {
			heights[heights.length - 1] = (heights.at(-1) ?? 0) + left;
			break;
		}
		let given = 0;
		for (const { room, i } of open) {
			const before = heights[i] ?? 0;
			const now = Math.min(room.most * scale, before + (left * room.weight) / weights);
			heights[i] = now;
			given += now - before;
		}
		left -= given;
	}
	return heights;
}
