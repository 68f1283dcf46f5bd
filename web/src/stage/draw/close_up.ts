/**
 * One object in close-up, drawn in its cell: its address, its state, its bytes by use, and how its free pointer is
 * stored. Overwritten bytes are marked. More room shows more: first the band of bytes, then each byte, then its
 * value.
 */

import { address } from "../../base/format.ts";
import type { CloseUp } from "../../engine/query/close_up.ts";
import {
	byteAt,
	damageWords,
	linkWords,
	OVERWRITTEN_WORDS,
	type Overwritten,
	overwrittenIn,
	type Part,
	partsOf,
	stateWords,
	USE_WORDS,
	type Use,
} from "../../scene/bytes.ts";
import type { Rect } from "../../scene/scene.ts";
import { hatch, type Palette } from "./colours.ts";
import type { CellInk } from "./ink.ts";

/** Cells need this many pixels to have room for it. */
export const CLOSE_WIDTH = 130;
export const CLOSE_HEIGHT = 56;
const PAD = 8;
const LINE = 16;
const SIZE = 12;
const BYTE_MOST = 30;
const BYTES_FROM = 5;
const HEX_FROM = 17;
const BAND = 34;
/** A mark over one byte among very many still has to be visible. */
const MARK_LEAST = 3;
/** Heights with room for more than one line of words below the bytes. */
const ROOMY = 150;

export class CloseUpPainter {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #palette: Palette;
	readonly #ink: CellInk;
	readonly #fills: Readonly<Record<Shown, CanvasPattern | string>>;

	constructor(ctx: CanvasRenderingContext2D, palette: Palette, ink: CellInk) {
		this.#ctx = ctx;
		this.#palette = palette;
		this.#ink = ink;
		const p = palette;
		const unused = hatch(p.tail, p.ground, 6);
		this.#fills = {
			object: p.allocated,
			asked: p.allocated,
			spare: hatch(p.allocated, p.free, 6),
			free: p.free,
			red: hatch(p.touched, p.paper, 5, "falling"),
			rounding: unused,
			link: p.cpuFree,
			tracks: hatch(p.shared, p.sharedEdge, 6, "level"),
			padding: unused,
			rest: unused,
			overwritten: hatch(p.danger, p.dangerSoft, 6, "cross"),
		};
	}

	draw(cell: Rect, state: number, o: CloseUp, screen: Rect): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		ctx.save();
		ctx.beginPath();
		ctx.rect(cell.x, cell.y, cell.w, cell.h);
		ctx.clip();
		ctx.fillStyle = p.paper;
		ctx.fillRect(cell.x, cell.y, cell.w, cell.h);
		const seen = visible(cell, screen);
		const inner = { x: seen.x + PAD, y: seen.y + PAD, w: seen.w - 2 * PAD, h: seen.h - 2 * PAD };
		let y = this.#heading(inner, state, o);
		const parts = partsOf(o);
		const lines = this.#wordsFor(inner, inner.h - (y - inner.y) - BAND, o);
		const room = inner.y + inner.h - y - (lines.length > 0 ? (lines.length + 1) * LINE : 0);
		if (room >= 6) y = this.#bytes({ ...inner, y, h: room }, o, parts);
		this.#lines(inner, y + LINE, lines);
		ctx.restore();
		ctx.strokeStyle = state < 0 ? p.line : this.#ink.far(state);
		ctx.lineWidth = 2;
		ctx.strokeRect(cell.x + 1, cell.y + 1, cell.w - 2, cell.h - 2);
	}

	/** Returns its lower end. */
	#heading(r: Rect, state: number, o: CloseUp): number {
		const ctx = this.#ctx;
		const p = this.#palette;
		const chip = { x: r.x, y: r.y, w: 15, h: 15 };
		this.#ink.cell(chip, state);
		this.#ink.letter(chip, state, "");
		ctx.textBaseline = "middle";
		ctx.textAlign = "left";
		const middle = r.y + 8;
		const name = `object ${o.index}`;
		ctx.font = `600 ${SIZE}px ${p.sans}`;
		ctx.fillStyle = p.ink;
		ctx.fillText(name, r.x + 21, middle);
		this.#address(r, r.x + 21 + ctx.measureText(name).width + 12, middle, o);
		ctx.font = `${SIZE}px ${p.sans}`;
		ctx.fillStyle = p.soft;
		const words = stateWords(o);
		if (r.h < 2 * LINE || ctx.measureText(words).width > r.w) return r.y + LINE + 4;
		ctx.fillText(words, r.x, middle + LINE + 1);
		return r.y + 2 * LINE + 5;
	}

	/** The last four digits distinguish objects. */
	#address(r: Rect, x: number, y: number, o: CloseUp): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		const text = address(o.address);
		ctx.font = `600 ${SIZE}px ${p.mono}`;
		const end = ctx.measureText(text.slice(-4)).width;
		ctx.font = `${SIZE}px ${p.mono}`;
		const begin = ctx.measureText(text.slice(0, -4)).width;
		if (x + begin + end > r.x + r.w) return;
		ctx.fillStyle = p.soft;
		ctx.fillText(text.slice(0, -4), x, y);
		ctx.font = `600 ${SIZE}px ${p.mono}`;
		ctx.fillStyle = p.ink;
		ctx.fillText(text.slice(-4), x + begin, y);
	}

	/** Writes the lines below the bytes, as far as they fit: damage comes before the pointer's arithmetic. */
	#wordsFor({ w }: Rect, h: number, o: CloseUp): readonly string[] {
		const damage = damageWords(o);
		const choices = [[...damage, ...linkWords(o)], damage, linkWords(o)];
		return choices.find((lines) => h >= (lines.length + 1) * LINE && this.#fits(lines, w)) ?? [];
	}

	#fits(lines: readonly string[], w: number): boolean {
		this.#ctx.font = `${SIZE}px ${this.#palette.mono}`;
		return lines.every((line) => this.#ctx.measureText(line).width <= w);
	}

	#lines(r: Rect, from: number, lines: readonly string[]): void {
		const ctx = this.#ctx;
		ctx.font = `${SIZE}px ${this.#palette.mono}`;
		ctx.fillStyle = this.#palette.ink;
		ctx.textBaseline = "middle";
		for (const [i, line] of lines.entries()) ctx.fillText(line, r.x, from + i * LINE);
	}

	/** Draws rows of bytes in address order. Returns their lower end. */
	#bytes(r: Rect, o: CloseUp, parts: readonly Part[]): number {
		const over = overwrittenIn(o);
		const uses = counted(parts, over);
		const legend = LINE * Math.min(this.#legendLines(r, uses), r.h >= ROOMY ? 4 : 1);
		const grid = byteGrid(o.slotBytes, r.w, r.h - legend);
		const { across, w, h } = grid;
		const ctx = this.#ctx;
		for (const part of parts) {
			ctx.fillStyle = this.#fills[part.use];
			for (const b of bandsOf(r, grid, part)) ctx.fillRect(b.x, b.y, b.w, b.h);
		}
		const rows = Math.ceil(o.slotBytes / across);
		for (const span of over) {
			ctx.fillStyle = this.#fills.overwritten;
			for (const b of bandsOf(r, grid, span))
				ctx.fillRect(b.x, b.y, Math.max(MARK_LEAST, b.w), b.h);
		}
		if (w >= BYTES_FROM) this.#separators(r, grid, o.slotBytes);
		for (const span of over) this.#frame(r, grid, span);
		if (w >= HEX_FROM && h >= 12) this.#hex(r, grid, o, parts);
		return this.#legend(r, r.y + rows * h + 4, uses);
	}

	/** Draws an edge around overwritten bytes that stands out on any colour. */
	#frame(r: Rect, grid: ByteGrid, span: Overwritten): void {
		const ctx = this.#ctx;
		ctx.strokeStyle = this.#palette.danger;
		ctx.lineWidth = 2;
		for (const b of bandsOf(r, grid, span))
			if (b.h >= 6) ctx.strokeRect(b.x + 1, b.y + 1, Math.max(MARK_LEAST, b.w) - 2, b.h - 2);
	}

	#separators(r: Rect, { across, w, h }: ByteGrid, n: number): void {
		const ctx = this.#ctx;
		ctx.fillStyle = this.#palette.paper;
		for (let at = 0; at < n; at++) {
			const x = r.x + (at % across) * w;
			const y = r.y + Math.floor(at / across) * h;
			const wide = at % 8 === 0 && at % across > 0 ? 2 : 1;
			ctx.fillRect(x, y, Math.min(wide, w / 4), h);
		}
	}

	#hex(r: Rect, { across, w, h }: ByteGrid, o: CloseUp, parts: readonly Part[]): void {
		const ctx = this.#ctx;
		const p = this.#palette;
		ctx.font = `600 ${Math.min(11, w * 0.55)}px ${p.mono}`;
		ctx.textAlign = "center";
		ctx.textBaseline = "middle";
		const over = overwrittenIn(o);
		const isOver = (at: number) => over.some(({ from, to }) => from <= at && at < to);
		for (const part of parts) {
			for (let at = part.from; at < part.to; at++) {
				const text = byteAt(o, at);
				if (text === "") continue;
				const x = r.x + ((at % across) + 0.5) * w;
				const y = r.y + (Math.floor(at / across) + 0.5) * h;
				if (part.use === "red" || isOver(at)) {
					ctx.fillStyle = p.paper;
					ctx.fillRect(x - w * 0.38, y - 6, w * 0.76, 12);
				}
				ctx.fillStyle = p.ink;
				ctx.fillText(text, x, y);
			}
		}
		ctx.textAlign = "left";
	}

	/** Explains the colours, in as many lines as fit. */
	#legend(r: Rect, from: number, uses: readonly Counted[]): number {
		const ctx = this.#ctx;
		const p = this.#palette;
		const end = r.y + r.h + 4;
		ctx.textBaseline = "middle";
		for (const { use, words, x, line } of this.#arranged(r, uses)) {
			const y = from + line * LINE;
			if (y + LINE > end) break;
			ctx.fillStyle = this.#fills[use];
			ctx.fillRect(r.x + x, y + 3, 10, 10);
			ctx.strokeStyle = p.freeEdge;
			ctx.lineWidth = 1;
			ctx.strokeRect(r.x + x + 0.5, y + 3.5, 9, 9);
			ctx.fillStyle = p.ink;
			ctx.fillText(words, r.x + x + 14, y + 8);
		}
		return from + LINE * this.#legendLines(r, uses);
	}

	#legendLines(r: Rect, uses: readonly Counted[]): number {
		return 1 + Math.max(0, ...this.#arranged(r, uses).map(({ line }) => line));
	}

	/** Puts entries side by side, then on the next line. */
	#arranged(r: Rect, uses: readonly Counted[]) {
		const ctx = this.#ctx;
		ctx.font = `${SIZE - 1}px ${this.#palette.sans}`;
		let x = 0;
		let line = 0;
		return uses.map(({ use, n }) => {
			const words = `${n} ${use === "overwritten" ? OVERWRITTEN_WORDS : USE_WORDS[use]}`;
			const w = ctx.measureText(words).width + 14;
			if (x > 0 && x + w > r.w) {
				x = 0;
				line++;
			}
			const at = x;
			x += w + 12;
			return { use, words, x: at, line };
		});
	}
}

/** A byte's use, or its damage. */
type Shown = Use | "overwritten";

interface Counted {
	readonly use: Shown;
	/** Bytes in all. */
	readonly n: number;
}

/** Overwritten bytes come first, so that they can be read even if there is little room. */
function counted(parts: readonly Part[], over: readonly Overwritten[]): Counted[] {
	const bytes = new Map<Shown, number>();
	for (const { from, to } of over)
		bytes.set("overwritten", (bytes.get("overwritten") ?? 0) + to - from);
	for (const { use, from, to } of parts) bytes.set(use, (bytes.get(use) ?? 0) + to - from);
	return [...bytes].map(([use, n]) => ({ use, n }));
}

/** Bytes from, to of the slot as rectangles, one per row. */
function bandsOf(r: Rect, { across, w, h }: ByteGrid, { from, to }: { from: number; to: number }) {
	const bands: Rect[] = [];
	for (let at = from; at < to; ) {
		const column = at % across;
		const n = Math.min(to - at, across - column);
		const y = r.y + Math.floor(at / across) * h;
		bands.push({ x: r.x + column * w, y, w: n * w, h: h - (h >= 8 ? 1 : 0) });
		at += n;
	}
	return bands;
}

interface ByteGrid {
	readonly across: number;
	readonly w: number;
	readonly h: number;
}

/** Makes rows of a power of two bytes, so that words stay whole; of these lengths, chooses the one that shows a byte best. */
function byteGrid(n: number, w: number, h: number): ByteGrid {
	let best = { across: 8, w: 0, h: 0, score: -1 };
	for (let across = 8; across <= 1024; across *= 2) {
		const rows = Math.ceil(n / across);
		const one = {
			w: Math.min(BYTE_MOST, w / Math.min(across, Math.max(8, n))),
			h: Math.min(BAND, h / rows),
		};
		const score = Math.min(one.w, one.h);
		if (score > best.score) best = { across, ...one, score };
	}
	return best;
}

/**
 * The whole cell, so that its picture stays the same while it moves; for a cell larger than the screen, its visible
 * part.
 */
function visible(r: Rect, screen: Rect): Rect {
	const across = r.w > screen.w ? overlap(r.x, r.w, screen.x, screen.w) : { from: r.x, size: r.w };
	const down = r.h > screen.h ? overlap(r.y, r.h, screen.y, screen.h) : { from: r.y, size: r.h };
	return { x: across.from, y: down.from, w: across.size, h: down.size };
}

function overlap(a: number, aSize: number, b: number, bSize: number) {
	const from = Math.max(a, b);
	return { from, size: Math.max(0, Math.min(a + aSize, b + bSize) - from) };
}
