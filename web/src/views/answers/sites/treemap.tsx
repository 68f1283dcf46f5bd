/** A treemap of the rows of call sites. The table below it is its text twin, so its tiles are no stops of the keyboard. */
import { type CSSProperties, type ReactNode, useMemo, useRef } from "react";
import type { SitesChoice } from "../../../app/state/store.ts";
import { bytes, count, quantity } from "../../../base/format.ts";
import type { SiteShown } from "../../../engine/query/sites.ts";
import { classes } from "../../../ui/classes.ts";
import { useSize } from "../../../ui/use_element.ts";
import { ageOf, type Clock, type Column, nameOf, type Pivot } from "./rows.ts";
import { type Tile, tilesOf } from "./tiles.ts";
import css from "./treemap.module.css";

/** Smaller tiles have no name, and are too small to press. */
const NAMED = { width: 56, height: 24 };
const TWO_LINES = 38;
/** The caches with most have a hue of their own; the others are grey. */
const HUES = [
	"--series-live",
	"--series-slabs",
	"--series-partial",
	"--series-bytes",
	"--series-chosen",
	"--series-slow",
];
const [YOUNG, OLD] = [8, 58];

interface Props {
	readonly rows: readonly SiteShown[];
	readonly pivot: Pivot;
	readonly area: Column;
	readonly clock: Clock;
	readonly colour: SitesChoice["colour"];
	readonly onChoose: (row: SiteShown) => void;
}

export function Treemap({ rows, pivot, area, clock, colour, onChoose }: Props) {
	const ref = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(ref);
	const tiles = useMemo(
		() => tilesOf(rows, (row) => area.of(row, clock), { width, height }),
		[rows, area, clock, width, height],
	);
	const caches = [...new Set(tiles.flatMap(({ row }) => row?.cacheName ?? []))];
	const look = (row: SiteShown) =>
		colour === "age"
			? aged(ageOf(row, clock) / clock.ops)
			: tint(HUES[caches.indexOf(row.cacheName)], 24);
	const isEmpty = !rows.some((row) => area.of(row, clock) > 0);
	return (
		<figure className={css.figure} aria-label={`Treemap of ${area.name}`}>
			<div ref={ref} className={classes(css.map, isEmpty && css.empty)}>
				{tiles.map((tile) => (
					<TileOf
						key={tile.row ? keyOf(tile.row) : ""}
						{...{ tile, pivot, area, onChoose }}
						look={tile.row && look(tile.row)}
					/>
				))}
			</div>
			{isEmpty ? (
				<figcaption className="small quiet">No row has {area.name}.</figcaption>
			) : (
				<figcaption className="small quiet">
					<span>Area: {area.name}. Colour:</span>
					{colour === "cache" &&
						caches.map(
							(cache, i) =>
								i < HUES.length && (
									<Key key={cache} look={tint(HUES[i], 24)}>
										{cache}
									</Key>
								),
						)}
					{colour === "cache" && caches.length > HUES.length && <Key>other caches</Key>}
					{colour === "age" && <Key look={aged(0)}>nothing live</Key>}
					{colour === "age" && <Key look={aged(1)}>oldest live object from the first event</Key>}
					{tiles.some(({ row }) => row?.leakSuspects) && (
						<Key className={css.suspect}>has leak suspects</Key>
					)}
				</figcaption>
			)}
		</figure>
	);
}

/** A hue, so pale that text on it can be read. */
const tint = (hue: string | undefined, percent: number): CSSProperties | undefined =>
	hue === undefined
		? undefined
		: { background: `color-mix(in srgb, var(${hue}) ${percent.toFixed(0)}%, var(--paper))` };

/** From 0 to 1, as old as the trace. */
const aged = (age: number) => tint("--series-slow", YOUNG + (OLD - YOUNG) * age);

interface KeyProps {
	readonly look?: CSSProperties | undefined;
	readonly className?: string | undefined;
	readonly children: ReactNode;
}

function Key({ look, className, children }: KeyProps) {
	return (
		<span className={css.key}>
			<i className={className} style={look} />
			<span>{children}</span>
		</span>
	);
}

export const keyOf = ({ callSite, cacheName, cpu, node, task }: SiteShown) =>
	`${callSite} ${cacheName} ${cpu} ${node} ${task}`;

interface TileProps extends Pick<Props, "pivot" | "area" | "onChoose"> {
	readonly tile: Tile;
	readonly look: CSSProperties | undefined;
}

function TileOf({ tile, pivot, area, look, onChoose }: TileProps) {
	const { row, nr, value, x, y, width, height } = tile;
	const name = row ? nameOf(row, pivot) : "other";
	const amount = area.group === "memory" ? bytes(value) : count(value);
	const number = row ? amount : `${quantity(nr, "row")}, ${amount}`;
	const suspects = row?.leakSuspects ? `, ${quantity(row.leakSuspects, "leak suspect")}` : "";
	const cache = row && row.cacheName !== name ? row.cacheName : "";
	const isNamed = width >= NAMED.width && height >= NAMED.height;
	const props = {
		className: classes(css.tile, isNamed && css.named, suspects !== "" && css.suspect),
		title: [name, cache, number].filter((text) => text !== "").join(", ") + suspects,
		style: { ...look, left: x, top: y, width, height },
	};
	const words = isNamed && (
		<>
			<span className={css.name}>{name}</span>
			{height >= TWO_LINES && (
				<span>
					{number}
					{cache !== "" && ` ${cache}`}
				</span>
			)}
		</>
	);
	if (!row || !isNamed) return <div {...props}>{words}</div>;
	return (
		<button type="button" tabIndex={-1} {...props} onClick={() => onChoose(row)}>
			{words}
		</button>
	);
}
