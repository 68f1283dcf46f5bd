/** Facts of the slab, object or array that is pointed at or held on to. */
import { CELL_WORDS } from "#abi";
import { type Frame, NO_EXTENT, NONE, type Place } from "../engine/frame.ts";
import { address, count } from "../player/format.ts";
import { allocatedIn, placeName } from "../scene/kinds.ts";
import type { ArrayBox } from "../scene/scene.ts";
import { lazyPart, Part } from "./part.tsx";

const LifePanel = lazyPart(() => import("./life.tsx").then((m) => m.LifePanel));

interface SlabProps {
	readonly frame: Frame;
	readonly row: number;
	/** Object pointed at, -1 for none. */
	readonly index: number;
	readonly held: boolean;
	/** Something is held on to, so that the pointer may come here. */
	readonly solid: boolean;
}

export function Inspector({ frame, row, index, held, solid }: SlabProps) {
	const { slabs, places } = frame;
	const at = slabs.address[row] ?? 0;
	const place = places[slabs.place[row] ?? 0];
	const owner = slabs.ownerCpu[row] ?? NONE;
	const start = slabs.start[row] ?? 0;
	const text = address(at);
	return (
		<aside className={look(held, solid)} aria-label="Inspector">
			<h2>Slab #{slabs.serial[row]}</h2>
			<dl className="facts number">
				<dt>address</dt>
				<dd className="mono">
					{text.slice(0, -4)}
					<strong>{text.slice(-4)}</strong>
				</dd>
				<dt>place</dt>
				<dd>{place ? placeName(place) : ""}</dd>
				<dt>allocated</dt>
				<dd>
					{count(allocatedIn(frame, row))} of {count(slabs.objects[row] ?? 0)}
				</dd>
				<dt>pages</dt>
				<dd>
					{2 ** (slabs.order[row] ?? 0)} (order {slabs.order[row]}), node {slabs.node[row]}
				</dd>
				{start > 0 && (
					<>
						<dt>colour</dt>
						<dd>{count(start)} bytes before the first object</dd>
					</>
				)}
				{owner !== NONE && (
					<>
						<dt>held by</dt>
						<dd>
							CPU {owner}
							{(slabs.freeOnCpu[row] ?? 0) > 0 && `, ${slabs.freeOnCpu[row]} free for it alone`}
						</dd>
					</>
				)}
				{index >= 0 && <ObjectFacts frame={frame} row={row} index={index} />}
			</dl>
			{held && (
				<Part name="The life of this object">
					<LifePanel />
				</Part>
			)}
		</aside>
	);
}

function look(held: boolean, solid: boolean): string {
	return `inspector${held ? " held" : ""}${solid ? " solid" : ""}`;
}

function ObjectFacts({ frame, row, index }: Omit<SlabProps, "held" | "solid">) {
	const { slabs, cells, extents } = frame;
	const state = cells[(slabs.firstCell[row] ?? 0) + index] ?? 0;
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	const keeper = keeperOf(frame, slabs.serial[row] ?? 0, slabs.cache[row] ?? 0, index);
	return (
		<>
			<dt>
				{extent === NO_EXTENT ? "object" : "block"} {index}
			</dt>
			<dd>{CELL_WORDS[state]}</dd>
			{extent !== NO_EXTENT && (
				<>
					<dt>bytes</dt>
					<dd>
						{count(extents.bytes[extent + index] ?? 0)} at offset{" "}
						{count(extents.offset[extent + index] ?? 0)}
					</dd>
				</>
			)}
			{keeper && (
				<>
					<dt>kept in</dt>
					<dd>
						{placeName(keeper.place)}, {nth(keeper.fromTop)}
					</dd>
				</>
			)}
		</>
	);
}

interface Keeper {
	readonly place: Place;
	/** 0: taken next. */
	readonly fromTop: number;
}

/** The array that an object is in. */
function keeperOf(frame: Frame, serial: number, cache: number, index: number): Keeper | undefined {
	const { slab, index: indices, cache: caches } = frame.entries;
	const at = slab.findIndex((s, i) => s === serial && indices[i] === index && caches[i] === cache);
	const place = frame.places.find((p) => at >= p.firstEntry && at < p.firstEntry + p.nrEntries);
	return place && { place, fromTop: place.firstEntry + place.nrEntries - 1 - at };
}

function nth(fromTop: number): string {
	return fromTop === 0 ? "taken next" : `${count(fromTop)} above it`;
}

export function ArrayInspector({ array, solid }: { array: ArrayBox; solid: boolean }) {
	const top = array.count - 1;
	const words = array.name.charAt(0).toUpperCase() + array.name.slice(1);
	return (
		<aside className={look(false, solid)} aria-label="Inspector">
			<h2>{words}</h2>
			<dl className="facts number">
				<dt>holds</dt>
				<dd>
					{count(array.count)}
					{array.limit > 0 && ` of ${count(array.limit)}`}
				</dd>
				{top >= 0 && (
					<>
						<dt>taken next</dt>
						<dd>
							object {array.indices[top]} of slab #{array.serials[top]}
						</dd>
					</>
				)}
				{!array.touched && (
					<>
						<dt>untouched</dt>
						<dd>since it was last looked at</dd>
					</>
				)}
			</dl>
		</aside>
	);
}
