/** A treemap of the rows of call sites. The table below it is its text twin, so its tiles are no stops of the keyboard. */
import { useMemo, useRef } from "react";
import { quantity } from "../../../base/format.ts";
import type { SiteShown } from "../../../engine/query/sites.ts";
import { classes } from "../../../ui/classes.ts";
import { useSize } from "../../../ui/use_element.ts";
import { type Clock, type Column, nameOf, type Pivot } from "./rows.ts";
import { type Tile, tilesOf } from "./tiles.ts";
import css from "./treemap.module.css";

/** Smaller tiles have no name, and are too small to press. */
const NAMED = { width: 56, height: 24 };
const TWO_LINES = 38;

interface Props {
	readonly rows: readonly SiteShown[];
	readonly pivot: Pivot;
	readonly area: Column;
	readonly clock: Clock;
	readonly onChoose: (row: SiteShown) => void;
}

export function Treemap({ rows, pivot, area, clock, onChoose }: Props) {
	const ref = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(ref);
	const tiles = useMemo(
		() => tilesOf(rows, (row) => area.of(row, clock), { width, height }),
		[rows, area, clock, width, height],
	);
	const isEmpty = !rows.some((row) => area.of(row, clock) > 0);
	return (
		<figure className={css.figure} aria-label={`Treemap of ${area.name}`}>
			<div ref={ref} className={classes(css.map, isEmpty && css.empty)}>
				{tiles.map((tile) => (
					<TileOf
						key={tile.row ? keyOf(tile.row) : ""}
						{...{ tile, pivot, area, clock, onChoose }}
					/>
				))}
			</div>
			<figcaption className="small quiet">
				{isEmpty
					? `No row has ${area.name}.`
					: `Area: ${area.name}. Tiles with a thick edge have leak suspects. The table has the same numbers.`}
			</figcaption>
		</figure>
	);
}

export const keyOf = ({ callSite, cacheName, cpu, node, task }: SiteShown) =>
	`${callSite} ${cacheName} ${cpu} ${node} ${task}`;

function TileOf({
	tile,
	pivot,
	area,
	clock,
	onChoose,
}: Omit<Props, "rows"> & { readonly tile: Tile }) {
	const { row, nr, x, y, width, height } = tile;
	const name = row ? nameOf(row, pivot) : quantity(nr, "smaller row");
	const number = row ? area.show(row, clock) : "";
	const suspects = row?.leakSuspects ? `, ${quantity(row.leakSuspects, "leak suspect")}` : "";
	const cache = row && row.cacheName !== name ? row.cacheName : "";
	const title = [name, cache, number].filter((text) => text !== "").join(", ") + suspects;
	const isNamed = width >= NAMED.width && height >= NAMED.height;
	const look = {
		className: classes(css.tile, isNamed && css.named, suspects !== "" && css.suspect),
		title,
		style: { left: x, top: y, width, height },
	};
	if (!row || !isNamed) return <div {...look}>{isNamed && name}</div>;
	return (
		<button type="button" tabIndex={-1} {...look} onClick={() => onChoose(row)}>
			<span className={css.name}>{name}</span>
			{height >= TWO_LINES && (
				<span>
					{number}
					{cache !== "" && ` ${cache}`}
				</span>
			)}
		</button>
	);
}
