/**
 * Slabs and sheaves as they look on the stairs: object by object, or as a glyph with the silhouettes that the map has too. Few
 * elements draw many objects, because the stairs are rendered while the trace plays.
 */
import { type CSSProperties, memo } from "react";
import type { Frame, Place } from "../../engine/frame.ts";
import { CELL, heldState, type SheafRoom } from "../../engine/place_kinds.ts";
import { glyphOf } from "../../scene/glyph.ts";
import { cellGrid, stackGrid } from "../../scene/tiles.ts";
import { classes } from "../../ui/classes.ts";
import type { SlabUse } from "./contents.ts";
import css from "./glyph.module.css";

/** In percent of its height: the body of a partial slab, whose foot stays visible. */
const BODY = { least: 25, most: 68 };

export function SlabGlyph({ slab }: { slab: SlabUse }) {
	const { kind, free, pips } = glyphOf(slab.counts, slab.objects);
	if (kind !== "partial") return <Tile kind={kind} body={0} pips={0} />;
	const body = Math.min(BODY.most, Math.max(BODY.least, 100 * (1 - free)));
	return <Tile kind={kind} body={body} pips={pips} />;
}

interface TileProps {
	readonly kind: "full" | "partial" | "empty";
	/** In percent of its height. */
	readonly body: number;
	readonly pips: number;
}

/** Rendered again only if it looks different: most slabs of a list look like those before them. */
const Tile = memo(function Tile({ kind, body, pips }: TileProps) {
	const style = { "--body": `${body}%`, "--pips": pips } as CSSProperties;
	return (
		<i
			className={classes(css.tile, css[kind])}
			style={kind === "partial" ? style : undefined}
			aria-hidden="true"
		/>
	);
});

const LOOKS: ReadonlyMap<number, string | undefined> = new Map([
	[CELL.ALLOCATED, css.body],
	[CELL.INFERRED, css.inferred],
	[CELL.FREE_CPU, css.cpu],
	[CELL.FREE_SHARED, css.shared],
	[CELL.FREE_ALIEN, css.alien],
]);

interface CellsProps {
	readonly nr: number;
	readonly columns: number;
	/** Pixels from one cell to the next. */
	readonly side: number;
	/** State of a cell, enum kmem_cell; undefined: a free place. */
	readonly stateOf: (i: number) => number | undefined;
	/** The cell that is taken next, -1: none. */
	readonly next?: number;
}

/** A grid of cells, drawn as one path for each state. */
function Cells({ nr, columns, side, stateOf, next = -1 }: CellsProps) {
	const square = (i: number) => {
		const [x, y] = [(i % columns) * side + 0.5, Math.floor(i / columns) * side + 0.5];
		return `M${x} ${y}h${side - 2}v${side - 2}h${2 - side}z`;
	};
	const paths = new Map<string, string>();
	for (let i = 0; i < nr; i++) {
		const look = LOOKS.get(stateOf(i) ?? CELL.FREE) ?? css.free ?? "";
		paths.set(look, (paths.get(look) ?? "") + square(i));
	}
	const [w, h] = [columns * side, Math.ceil(nr / columns) * side];
	return (
		<svg
			className={css.cells}
			width={w}
			height={h}
			viewBox={`0 0 ${w} ${h}`}
			preserveAspectRatio="xMinYMin"
			aria-hidden="true"
		>
			{[...paths].map(([look, d]) => (
				<path key={look} className={look} d={d} />
			))}
			{next >= 0 && <path className={css.top} d={square(next)} />}
		</svg>
	);
}

const BOX = { w: 150, h: 56 };
/** Smaller cells cannot be distinguished, and larger ones say no more. */
const SIDE = { least: 4, most: 18 };

interface SlabProps {
	readonly slab: SlabUse;
	readonly frame: Frame;
	/** The object that is taken next, -1: none of this slab. */
	readonly next: number;
}

/** One slab, object by object; as a glyph if its objects would be too small. */
export function SlabCells({ slab, frame, next }: SlabProps) {
	const { columns, rows } = cellGrid(slab.objects, BOX.w, BOX.h);
	const side = Math.min(SIDE.most, Math.floor(BOX.w / columns), Math.floor(BOX.h / rows));
	if (side < SIDE.least) return <SlabGlyph slab={slab} />;
	const first = frame.slabs.firstCell[slab.row] ?? 0;
	const stateOf = (i: number) => frame.cells[first + i];
	return <Cells nr={slab.objects} columns={columns} side={side} stateOf={stateOf} next={next} />;
}

const ENTRIES = { most: 120, side: 11, columns: 15 };

interface EntryProps {
	readonly place: Place;
	/** Cells have no room. */
	readonly isBar: boolean;
}

/** The objects in an array or a queue, and its free places; a bar if there are many. */
export function EntryCells({ place: { kind, nrEntries, limit }, isBar }: EntryProps) {
	const state = heldState(kind);
	if (!isBar && limit <= ENTRIES.most)
		return (
			<Cells
				nr={limit}
				columns={ENTRIES.columns}
				side={ENTRIES.side}
				stateOf={(i) => (i < nrEntries ? state : undefined)}
				next={nrEntries - 1}
			/>
		);
	return (
		<svg className={css.bar} aria-hidden="true">
			<rect className={css.free} width="100%" height="100%" />
			<rect className={LOOKS.get(state)} width={`${(100 * nrEntries) / limit}%`} height="100%" />
		</svg>
	);
}

/** Sheaves side by side: width and height of the room for them, and the most of one. */
const STACKS = { w: 150, h: 44, each: 34, gap: 4, most: 10 };

interface SheavesProps {
	readonly place: Place;
	readonly of: SheafRoom;
}

/**
 * Sheaves as stacks with an open top, filled from the bottom: the top object is taken next. One that is absent is a
 * dashed outline.
 */
export function Sheaves({ place: { kind, nrEntries, sheaves }, of }: SheavesProps) {
	const room = of.sheaves > 0 ? of.sheaves : Math.min(STACKS.most, sheaves);
	if (room === 0) return null;
	const pitch = Math.min(STACKS.each + STACKS.gap, STACKS.w / room);
	const w = pitch - STACKS.gap;
	const { h } = STACKS;
	const { columns, rows } = stackGrid(of.capacity, w, h);
	let [here, absent, cells, slots, top] = ["", "", "", "", ""];
	for (let i = 0; i < room; i++) {
		const x = i * pitch + 0.5;
		if (i >= sheaves) {
			absent += `M${x} 0.5h${w}v${h}h${-w}z`;
			continue;
		}
		here += `M${x} 0.5v${h}h${w}v${-h}`;
		for (let k = 0; k < of.capacity; k++) {
			const [cw, ch] = [(w - 2) / columns, (h - 1) / rows];
			const left = x + 1 + (k % columns) * cw;
			const y = h - (Math.floor(k / columns) + 1) * ch;
			const cell = `M${left} ${y}h${cw - 0.6}v${ch - 0.6}h${0.6 - cw}z`;
			const at = i * of.capacity + k;
			if (at < nrEntries) cells += cell;
			else slots += cell;
			if (at === nrEntries - 1) top = cell;
		}
	}
	const width = Math.ceil(room * pitch);
	return (
		<svg
			className={classes(css.cells, css.stacks)}
			width={width}
			height={h + 2}
			viewBox={`0 0 ${width} ${h + 2}`}
			preserveAspectRatio="xMinYMax"
			aria-hidden="true"
		>
			{absent !== "" && <path className={css.absent} d={absent} />}
			{slots !== "" && <path className={css.slotsOfSheaf} d={slots} />}
			{cells !== "" && <path className={LOOKS.get(heldState(kind))} d={cells} />}
			{here !== "" && <path className={css.sheaf} d={here} />}
			{top !== "" && <path className={css.top} d={top} />}
		</svg>
	);
}
