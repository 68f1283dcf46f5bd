/** The tiles of a treemap: one for each row, in proportion to a number of it. */
import { group, hierarchy, treemap } from "d3";
import type { SiteShown } from "../../../engine/query/sites.ts";
import type { Size } from "../../../ui/use_element.ts";

/** Rows with less than this have no room for a name: they share one tile. */
const LEAST_PX2 = 80 * 52;
const BETWEEN_CACHES = 4;
const BETWEEN_TILES = 1;

export interface Tile {
	/** undefined: the smaller rows together. */
	readonly row: SiteShown | undefined;
	/** How many rows it stands for. */
	readonly nr: number;
	readonly value: number;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

interface Branch {
	readonly row?: SiteShown;
	readonly nr: number;
	readonly value: number;
	readonly children?: readonly Branch[];
}

const branch = (children: readonly Branch[]): Branch => ({ nr: 0, value: 0, children });

/** Tiles of the rows with a number above 0, the largest first; those of one cache lie together. */
export function tilesOf(
	rows: readonly SiteShown[],
	numberOf: (row: SiteShown) => number,
	{ width, height }: Size,
): readonly Tile[] {
	const leaves: Branch[] = rows
		.map((row) => ({ row, nr: 1, value: numberOf(row) }))
		.filter(({ value }) => value > 0)
		.sort((a, b) => b.value - a.value);
	const total = leaves.reduce((sum, leaf) => sum + leaf.value, 0);
	const named = leaves.filter(({ value }) => value * width * height >= LEAST_PX2 * total);
	const large = leaves.length - named.length > 1 ? named : leaves;
	const small = leaves.slice(large.length);
	const caches = group(large, ({ row }) => row?.cacheName ?? "");
	const branches = [...caches.values()].map(branch);
	if (small.length > 0) {
		branches.push({ nr: small.length, value: small.reduce((sum, leaf) => sum + leaf.value, 0) });
	}
	if (branches.length === 0) return [];
	const root = hierarchy<Branch>(branch(branches), ({ children }) => children)
		.sum(({ value }) => value)
		.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
	const placed = treemap<Branch>()
		.size([width, height])
		.paddingInner((node) => (node.depth === 0 ? BETWEEN_CACHES : BETWEEN_TILES))(root);
	return placed
		.leaves()
		.map(({ data, x0, y0, x1, y1 }) => ({
			row: data.row,
			nr: data.nr,
			value: data.value,
			x: x0,
			y: y0,
			width: x1 - x0,
			height: y1 - y0,
		}))
		.sort((a, b) => b.value - a.value);
}
