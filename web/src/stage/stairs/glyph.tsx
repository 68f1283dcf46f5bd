/** Slabs as they look on the stairs: object by object, or as the glyph that the map has too. */
import type { Frame, Place } from "../../engine/frame.ts";
import { CELL, heldState } from "../../engine/place_kinds.ts";
import { glyphOf, glyphParts } from "../../scene/glyph.ts";
import { cellGrid } from "../../scene/tiles.ts";
import { classes } from "../../ui/classes.ts";
import type { SlabUse } from "./contents.ts";
import css from "./stairs.module.css";

const SIZE = 16;

export function SlabGlyph({ slab }: { slab: SlabUse }) {
	const parts = glyphParts(glyphOf(slab.counts, slab.objects), SIZE, SIZE, 1);
	return (
		<svg className={css.glyph} width={SIZE} height={SIZE} aria-hidden="true">
			{parts.map(({ role, x0, y0, x1, y1 }) => (
				<rect
					key={`${role}/${x0}/${y0}`}
					className={css[role]}
					x={x0}
					y={y0}
					width={x1 - x0}
					height={y1 - y0}
				/>
			))}
		</svg>
	);
}

const BOX = { w: 160, h: 72 };
/** Smaller cells cannot be distinguished. */
const CELL_LEAST = 4;

const LOOKS: ReadonlyMap<number, string | undefined> = new Map([
	[CELL.ALLOCATED, css.body],
	[CELL.FREE_CPU, css.cpu],
	[CELL.FREE_SHARED, css.shared],
	[CELL.FREE_ALIEN, css.alien],
]);

/** One slab, object by object; undefined if its objects would be too small. */
export function SlabCells({ slab, frame }: { slab: SlabUse; frame: Frame }) {
	const { columns, rows } = cellGrid(slab.objects, BOX.w, BOX.h);
	const side = Math.min(18, Math.floor(BOX.w / columns), Math.floor(BOX.h / rows));
	if (side < CELL_LEAST) return <SlabGlyph slab={slab} />;
	const first = frame.slabs.firstCell[slab.row] ?? 0;
	return (
		<svg className={css.cells} width={columns * side} height={rows * side} aria-hidden="true">
			{Array.from({ length: slab.objects }, (_, i) => (
				<rect
					key={i}
					className={classes(LOOKS.get(frame.cells[first + i] ?? 0) ?? css.free)}
					x={(i % columns) * side + 0.5}
					y={Math.floor(i / columns) * side + 0.5}
					width={side - 2}
					height={side - 2}
				/>
			))}
		</svg>
	);
}

const ENTRIES_MOST = 120;
const ENTRY = 11;
const ENTRY_COLUMNS = 15;

interface EntryProps {
	readonly place: Place;
	/** Cells have no room. */
	readonly isBar: boolean;
}

/** The objects in an array or a queue, and its free places; a bar if there are many. */
export function EntryCells({ place: { kind, nrEntries, limit }, isBar }: EntryProps) {
	const look = classes(LOOKS.get(heldState(kind)) ?? css.free);
	if (isBar || limit > ENTRIES_MOST)
		return (
			<svg className={css.bar} aria-hidden="true">
				<rect className={css.free} width="100%" height="100%" />
				<rect className={look} width={`${(100 * nrEntries) / limit}%`} height="100%" />
			</svg>
		);
	const rows = Math.ceil(limit / ENTRY_COLUMNS);
	return (
		<svg
			className={css.cells}
			width={ENTRY_COLUMNS * ENTRY}
			height={rows * ENTRY}
			aria-hidden="true"
		>
			{Array.from({ length: limit }, (_, i) => (
				<rect
					key={i}
					className={classes(i < nrEntries ? look : css.free, i === nrEntries - 1 && css.top)}
					x={(i % ENTRY_COLUMNS) * ENTRY + 0.5}
					y={Math.floor(i / ENTRY_COLUMNS) * ENTRY + 0.5}
					width={ENTRY - 2}
					height={ENTRY - 2}
				/>
			))}
		</svg>
	);
}
