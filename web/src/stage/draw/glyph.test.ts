/**
 * Tests the pixels of slabs: at every size and however full it is, a partial slab shows that it is not full, and
 * full, partial and empty slabs have different silhouettes.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { CELL } from "../../engine/place_kinds.ts";
import type { SlabBox } from "../../scene/scene.ts";
import { cellGrid } from "../../scene/tiles.ts";
import type { Palette } from "./colours.ts";
import { stylesOf } from "./ink.ts";
import { Pixels, Texels } from "./pixels.ts";
import { TilePixels } from "./tile_pixels.ts";

const COLOURS = [
	...["ground", "paper", "ink", "soft", "line", "accent", "allocated", "allocatedInk", "full"],
	...["pip", "free", "freeEdge", "cpuFree", "cpuFreeEdge", "shared", "sharedEdge", "alien"],
	...["alienEdge", "touched", "tail", "danger", "dangerSoft"],
];
/** Every token has its own colour. */
const PALETTE = Object.fromEntries(
	COLOURS.map((name, i) => [name, `#${(0x111111 + i * 0x080503).toString(16)}`]),
) as unknown as Palette;
const TEXELS = new Texels(PALETTE, stylesOf(PALETTE));
const PAPER = TEXELS.glyph(CELL.FREE).gap;
const BODY = TEXELS.glyph(CELL.FREE).body;
const MARGIN = 2;
const OBJECTS = 32;

beforeAll(() => {
	// Node.js does not have it; only its memory is used.
	globalThis.ImageData ??= class {
		readonly data: Uint8ClampedArray;
		constructor(width: number, height: number) {
			this.data = new Uint8ClampedArray(width * height * 4);
		}
	} as unknown as typeof ImageData;
});

function slabOf(side: number, cells: Uint8Array): SlabBox {
	const allocated = cells.filter((c) => c === CELL.ALLOCATED).length;
	const spot = { x: MARGIN, y: MARGIN, w: side, h: side };
	const { columns, rows } = cellGrid(cells.length, side, side);
	const looks = { strip: 0, start: 0, tail: 0, lit: false, touched: -1, alpha: 1 };
	const names = {
		key: "slab:0/1",
		serial: 1,
		cache: 0,
		extents: undefined,
		home: spot,
		fold: undefined,
	};
	const full = allocated === cells.length;
	return { ...spot, ...looks, ...names, cells, allocated, full, columns, rows };
}

/** Returns a tile's pixels as words, on paper, at a given density. */
function drawn(side: number, cells: Uint8Array, ratio = 1): number[][] {
	const all = Math.round((side + 2 * MARGIN) * ratio);
	const px = new Pixels(all, all);
	const paper = new Uint8ClampedArray(new Uint32Array(all * all).fill(PAPER).buffer);
	px.lay({ data: paper, width: all, height: all } as unknown as ImageData, 0, 0);
	const tiles = new TilePixels(px, TEXELS);
	tiles.look({ k: 1, x: 0, y: 0 }, ratio);
	tiles.slab(slabOf(side, cells));
	const words = px.copy({ x0: 0, y0: 0, x1: all, y1: all });
	const [from, to] = [Math.round(MARGIN * ratio), Math.round((MARGIN + side) * ratio)];
	return Array.from({ length: to - from }, (_, y) =>
		Array.from(words.subarray((from + y) * all + from, (from + y) * all + to)),
	);
}

const used = (n: number, objects = OBJECTS, free: number = CELL.FREE) =>
	Uint8Array.from({ length: objects }, (_, i) => (i < n ? CELL.ALLOCATED : free));

/** Finds where a tile differs from the paper, that is, what is left of it without colour. */
const silhouette = (rows: readonly number[][]) =>
	rows.map((row) => row.map((word) => (word === PAPER ? "." : "#")).join("")).join("\n");

describe("a partial slab", () => {
	const sizes = Array.from({ length: 59 }, (_, i) => i + 2);
	const all = Array.from({ length: OBJECTS - 1 }, (_, i) => i + 1);

	it("is never drawn solid, however small or full it is", () => {
		for (const side of sizes) {
			// A large tile has room for what one free object looks like; a small one rounds differently at each number.
			const numbers = side <= 16 ? all : [1, OBJECTS / 2, OBJECTS - 1];
			for (const ratio of [1, 2]) {
				for (const n of numbers) {
					const colours = drawn(side, used(n), ratio).flat();
					const others = colours.filter((word) => word !== BODY);
					expect(others.length, `${n} of ${OBJECTS} used, ${side} px`).toBeGreaterThan(0);
				}
			}
		}
	});

	it("differs from a full one by colours that only free objects have", () => {
		for (const side of sizes) {
			const full = new Set(drawn(side, used(OBJECTS)).flat());
			for (const n of [1, 15, 30, 31]) {
				const more = drawn(side, used(n))
					.flat()
					.filter((word) => !full.has(word));
				expect(more.length, `${n} of ${OBJECTS} used, ${side} px`).toBeGreaterThan(side / 3);
			}
		}
	});

	it("shows free objects that a CPU holds in that state's colour", () => {
		const { pip } = TEXELS.glyph(CELL.FREE_CPU);
		expect(drawn(11, used(24, OBJECTS, CELL.FREE_CPU)).flat()).toContain(pip);
		expect(drawn(11, used(24)).flat()).not.toContain(pip);
	});

	it("has 1 to 4 pips, one for each free object", () => {
		const { pip } = TEXELS.glyph(CELL.FREE);
		const pipsOf = (n: number) => {
			const row = drawn(14, used(OBJECTS - n)).find((words) => words.includes(pip)) ?? [];
			return row.filter((word, x) => word === pip && row[x - 1] !== pip).length;
		};
		expect([1, 2, 3, 4, 5, 31].map(pipsOf)).toEqual([1, 2, 3, 4, 4, 4]);
	});
});

describe("full, partial and empty slabs", () => {
	it("have their own silhouettes at 11 pixels", () => {
		const shapes = [OBJECTS, OBJECTS - 1, 0].map((n) => silhouette(drawn(11, used(n))));
		expect(new Set(shapes).size).toBe(3);
		const [full = "", partial = "", empty = ""] = shapes;
		expect(full).not.toContain(".");
		// There is a row of paper between body and foot, and paper in the foot.
		expect(partial.split("\n").some((row) => /^\.+$/.test(row))).toBe(true);
		// No more than an outline.
		expect(
			empty
				.split("\n")
				.slice(2, -2)
				.every((row) => /^..?\.+..?$/.test(row)),
		).toBe(true);
	});

	it("differ from 2 pixels up", () => {
		for (let side = 2; side <= 60; side++) {
			const looks = [OBJECTS, OBJECTS - 2, 0].map((n) => drawn(side, used(n)).join());
			expect(new Set(looks).size, `${side} px`).toBe(3);
		}
	});
});

/** The side of a free object in pixels. */
const FREE_LEAST = 3;

describe("objects", () => {
	it("are drawn one by one only where a free one has its minimum size", () => {
		const free = TEXELS.freeFar;
		for (let side = 4; side <= 60; side++) {
			const rows = drawn(side, used(OBJECTS - 1));
			const seen = rows.flat().filter((word) => word === free).length;
			if (seen > 0) expect(seen, `${side} px`).toBeGreaterThanOrEqual(FREE_LEAST ** 2);
		}
	});
});
