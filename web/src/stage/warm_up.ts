/**
 * Draws an invented machine out of sight while the first trace is still being replayed. Browsers compile code and
 * look up fonts on first use; with both done, the first position is drawn in half the time.
 */
import { PLACE_SIZE, readPlace } from "#abi";
import {
	type Frame,
	frameOf,
	NO_EXTENT,
	NONE,
	type Place,
	partsOf,
	roomFor,
} from "../engine/frame.ts";
import { CELL, PLACE } from "../engine/place_kinds.ts";
import { layout } from "../scene/layout/layout.ts";
import { makePlan } from "../scene/layout/plan.ts";
import { shapeOf } from "../scene/layout/shape.ts";
import type { Scene } from "../scene/scene.ts";
import type { Size } from "../ui/use_element.ts";
import { readPalette } from "./draw/colours.ts";
import { StagePainter } from "./draw/paint.ts";

const NODES = 4;
const NODE_OF_CPU = [0, 0, 1, 1, 2, 2, 3, 3];
const OBJECTS = 16;
const STATES = [CELL.ALLOCATED, CELL.FREE, CELL.FREE_CPU];

/** With one slab in each. */
function places(): Place[] {
	const ofCpus = NODE_OF_CPU.flatMap((node, cpu) =>
		[PLACE.CPU_SLAB, PLACE.CPU_PARTIAL].map((kind) => ({ kind, cpu, node })),
	);
	const ofNodes = [PLACE.NODE_PARTIAL, PLACE.NODE_FULL].flatMap((kind) =>
		Array.from({ length: NODES }, (_, node) => ({ kind, cpu: NONE, node })),
	);
	const empty = readPlace(new DataView(new ArrayBuffer(PLACE_SIZE)), 0);
	return [...ofCpus, ...ofNodes].map((place, i) => ({
		...empty,
		...place,
		nrSlabs: 1,
		firstSlab: i,
		target: NONE,
		touched: 1,
	}));
}

function frame(): Frame {
	const of = places();
	const counts = {
		places: 0,
		slabs: of.length,
		cells: of.length * OBJECTS,
		entries: 0,
		extents: 0,
	};
	const packed = { counts, bytes: roomFor(counts), areAlike: true };
	const { slabs, cells } = partsOf(packed);
	of.forEach((_, i) => {
		slabs.serial[i] = i;
		slabs.place[i] = i;
		slabs.firstCell[i] = i * OBJECTS;
		slabs.firstExtent[i] = NO_EXTENT;
		slabs.objects[i] = OBJECTS;
		slabs.ownerCpu[i] = NONE;
	});
	for (let i = 0; i < cells.length; i++) cells[i] = STATES[i % STATES.length] ?? CELL.FREE;
	return { ...frameOf(packed), places: of };
}

/** Cards, lists and slabs as in a first view. */
export function sceneToRehearse({ width, height }: Size): Scene {
	const made = frame();
	const machine = { width, height, nodeOfCpu: NODE_OF_CPU, nrNodes: NODES };
	const nothing = { cache: undefined, zones: [], step: undefined };
	return layout(makePlan(shapeOf(made.places, machine)), {
		...nothing,
		frame: made,
		pageBytes: 4096,
	});
}

/** In the colours of an element. */
export function rehearse(size: Size, styled: Element): void {
	const canvas = document.createElement("canvas");
	canvas.width = size.width;
	canvas.height = size.height;
	const ctx = canvas.getContext("2d", { alpha: false });
	if (!ctx) return;
	const held = { slab: "", objects: [], closeUps: [], ghosts: [] };
	const painter = new StagePainter(ctx, readPalette(styled));
	painter.paint(sceneToRehearse(size), { k: 1, x: 0, y: 0 }, 1, held);
}
