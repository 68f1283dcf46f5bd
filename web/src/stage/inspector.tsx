/** Facts about the slab, object or array under the pointer or selected, in a corner of the stage. */
import { type ReactNode, useRef } from "react";
import { CELL_WORDS } from "#abi";
import { askWhy } from "../app/playback/why.ts";
import { change } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { address, count, quantity } from "../base/format.ts";
import { type Frame, NO_EXTENT, NONE, type Place } from "../engine/frame.ts";
import { allocatedIn, inferredIn, placeName } from "../engine/place_kinds.ts";
import { barWords, cpuInWords } from "../scene/describe.ts";
import type { BarHit } from "../scene/hit.ts";
import type { ArrayBox, Panel, Rect } from "../scene/scene.ts";
import { classes } from "../ui/classes.ts";
import { Fact } from "../ui/fact.tsx";
import { lazyPart, Part } from "../ui/lazy_part.tsx";
import css from "./inspector.module.css";
import { useStand } from "./use_corner.ts";

const HistoryPanel = lazyPart(() => import("./history_panel.tsx").then((m) => m.HistoryPanel));

interface SlabProps {
	readonly frame: Frame;
	readonly row: number;
	/** Object under the pointer, -1 for none. */
	readonly index: number;
	readonly held: boolean;
	/** Something is selected, so that the pointer may move here. */
	readonly solid: boolean;
}

export function Inspector({ frame, row, index, held, solid }: SlabProps) {
	const { slabs, places } = frame;
	const at = slabs.address[row] ?? 0;
	const place = places[slabs.place[row] ?? 0];
	const owner = slabs.ownerCpu[row] ?? NONE;
	const start = slabs.start[row] ?? 0;
	const text = address(at);
	const inferred = inferredIn(frame, row);
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	return (
		<Card title={`Slab #${slabs.serial[row]}`} held={held} solid={solid}>
			<dl className="facts number">
				<dt>address</dt>
				<dd className="mono">
					{text.slice(0, -4)}
					<strong>{text.slice(-4)}</strong>
				</dd>
				<Fact name="place">{place ? placeName(place) : ""}</Fact>
				<Fact name="allocated">
					{count(allocatedIn(frame, row))} of {count(slabs.objects[row] ?? 0)}
				</Fact>
				{inferred > 0 && (
					<Fact name="inferred">{`${count(inferred)} of these, from the ${isStates ? "machine state" : "trace's pointers"}`}</Fact>
				)}
				<Fact name="pages">
					{2 ** (slabs.order[row] ?? 0)} (order {slabs.order[row]}), node {slabs.node[row]}
				</Fact>
				{start > 0 && <Fact name="colour">{count(start)} bytes before the first object</Fact>}
				{owner !== NONE && (
					<Fact name="owner">
						CPU {owner}
						{(slabs.freeOnCpu[row] ?? 0) > 0 && `, ${slabs.freeOnCpu[row]} free on this CPU`}
					</Fact>
				)}
				{index >= 0 && <ObjectFacts frame={frame} row={row} index={index} />}
			</dl>
			{solid && place && (
				<button type="button" className="link" onClick={() => askWhy(place)}>
					Why is it here?
				</button>
			)}
			{held && (
				<Part name="The history of this object">
					<HistoryPanel />
				</Part>
			)}
		</Card>
	);
}

interface CardProps extends Pick<SlabProps, "held" | "solid"> {
	readonly title: string;
	/** The box of the scene that it is about, which it must not cover. */
	readonly about?: Rect;
	readonly children: ReactNode;
}

/** Esc closes it too, even while it only follows the pointer. */
function Card({ title, held, solid, about, children }: CardProps) {
	const card = useRef<HTMLElement>(null);
	const { corner, maxHeight } = useStand(card, about);
	return (
		<aside
			ref={card}
			className={classes(css.inspector, held && css.held, solid && css.solid)}
			aria-label="Inspector"
			data-corner={corner}
			style={{ maxHeight }}
		>
			<div className={css.head}>
				<h2>{title}</h2>
				{solid && (
					<button
						type="button"
						className="link"
						aria-label="Close inspector"
						title="Close (Esc)"
						onClick={close}
					>
						Close
					</button>
				)}
			</div>
			{children}
		</aside>
	);
}

function close(): void {
	change({ selected: null });
	// The button is gone: the keyboard goes on from the stage.
	document.querySelector<HTMLElement>('[data-part="walk"]')?.focus();
}

function ObjectFacts({ frame, row, index }: Omit<SlabProps, "held" | "solid">) {
	const { slabs, cells, extents } = frame;
	const state = cells[(slabs.firstCell[row] ?? 0) + index] ?? 0;
	const extent = slabs.firstExtent[row] ?? NO_EXTENT;
	const entry = arrayEntryOf(frame, slabs.serial[row] ?? 0, slabs.cache[row] ?? 0, index);
	return (
		<>
			<Fact name={`${extent === NO_EXTENT ? "object" : "block"} ${index}`}>
				{CELL_WORDS[state]}
			</Fact>
			{extent !== NO_EXTENT && (
				<Fact name="bytes">
					{count(extents.bytes[extent + index] ?? 0)} at offset{" "}
					{count(extents.offset[extent + index] ?? 0)}
				</Fact>
			)}
			{entry && (
				<Fact name="cached in">
					{placeName(entry.place)}, {nth(entry.fromTop)}
				</Fact>
			)}
		</>
	);
}

interface ArrayEntry {
	readonly place: Place;
	/** 0: taken next. */
	readonly fromTop: number;
}

/** The array that holds an object. */
function arrayEntryOf(
	frame: Frame,
	serial: number,
	cache: number,
	index: number,
): ArrayEntry | undefined {
	const { slab, index: indices, cache: caches } = frame.entries;
	const at = slab.findIndex((s, i) => s === serial && indices[i] === index && caches[i] === cache);
	const place = frame.places.find((p) => at >= p.firstEntry && at < p.firstEntry + p.nrEntries);
	return place && { place, fromTop: place.firstEntry + place.nrEntries - 1 - at };
}

function nth(fromTop: number): string {
	return fromTop === 0 ? "taken next" : `taken after ${quantity(fromTop, "other")}`;
}

function holdsWords({ count: nr, limit, stacks }: ArrayBox): string {
	if (!stacks) return count(nr) + (limit > 0 ? ` of ${count(limit)}` : "");
	const { room, present, capacity } = stacks;
	if (room === 1) return present === 0 ? "no sheaf" : `${count(nr)} of ${count(capacity)}`;
	const of = limit > 0 ? ` of ${count(room)}` : "";
	return `${count(present)}${of} sheaves, ${quantity(nr, "object")}`;
}

export function ArrayInspector({ array, solid }: { array: ArrayBox; solid: boolean }) {
	const top = array.count - 1;
	const words = array.name.charAt(0).toUpperCase() + array.name.slice(1);
	return (
		<Card title={words} held={false} solid={solid}>
			<dl className="facts number">
				<Fact name="holds">{holdsWords(array)}</Fact>
				{array.stacks && <Fact name="capacity">{quantity(array.stacks.capacity, "object")}</Fact>}
				{top >= 0 && (
					<Fact name="taken next">
						object {array.indices[top]} of slab #{array.serials[top]}
					</Fact>
				)}
				{!array.touched && <Fact name="untouched">since the last reap or expiry</Fact>}
			</dl>
		</Card>
	);
}

/** A bar of a histogram. */
export function BarInspector({ of, bar }: BarHit) {
	const words = barWords(of, bar);
	return (
		<Card title={words.title} held={false} solid={false} about={bar}>
			<dl className="facts number">
				<Fact name="place">{of.name}</Fact>
				<Fact name="free">{words.of}</Fact>
			</dl>
			<p className="quiet">Click to see the first of them.</p>
		</Card>
	);
}

export interface CpuProps {
	readonly frame: Frame;
	readonly square: Panel;
}

/** A CPU that is a square on the map. */
export function CpuInspector({ frame, square }: CpuProps) {
	const cpu = Number(square.key.slice("cpu:".length));
	const { name, places } = cpuInWords(frame, cpu);
	return (
		<Card title={name} held={false} solid={false} about={square}>
			<dl className="facts number">
				{places.map((place) => (
					<Fact key={place.key} name={place.name}>
						{place.holds}
					</Fact>
				))}
			</dl>
			<p className="quiet">Click to see it on the stairs.</p>
		</Card>
	);
}
