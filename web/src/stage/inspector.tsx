/** The selected slab or object: its facts, its life-line, and the slab's objects as cells. */
import { CELL_WORDS } from "#abi";
import { askWhy } from "../app/playback/why.ts";
import { change } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { address, count } from "../base/format.ts";
import { type Frame, NO_EXTENT, NONE } from "../engine/frame.ts";
import { allocatedIn, inferredIn, placeName } from "../engine/place_kinds.ts";
import { classes } from "../ui/controls.tsx";
import { Fact } from "../ui/view.tsx";
import { cellLook, STATES } from "./cell.tsx";
import { HistoryPanel } from "./history_panel.tsx";
import css from "./inspector.module.css";
import { arrayEntryOf, nth } from "./pointed.tsx";

export function Inspector() {
	const frame = useCalm((f) => f.moment?.frame);
	const selected = useFacts((f) => f.selected);
	const row = frame && selected ? frame.slabs.serial.indexOf(selected.serial) : -1;
	if (!frame || !selected || row < 0) return null;
	return (
		<aside className={css.inspector} aria-label="Inspector">
			<div className={css.head}>
				<h2>{`Slab #${selected.serial}`}</h2>
				<button
					type="button"
					className="link"
					aria-label="Close inspector"
					title="Close (Esc)"
					onClick={close}
				>
					Close
				</button>
			</div>
			<SlabFacts frame={frame} row={row} index={selected.index} />
			<Objects frame={frame} row={row} index={selected.index} />
			<HistoryPanel />
		</aside>
	);
}

function close(): void {
	change({ selected: null });
	// The button is gone, so the keyboard continues from the stage.
	document.querySelector<HTMLElement>('[data-part="walk"]')?.focus();
}

interface SlabProps {
	readonly frame: Frame;
	readonly row: number;
	/** The selected object, -1 for none. */
	readonly index: number;
}

function SlabFacts({ frame, row, index }: SlabProps) {
	const { slabs, places } = frame;
	const place = places[slabs.place[row] ?? 0];
	const owner = slabs.ownerCpu[row] ?? NONE;
	const start = slabs.start[row] ?? 0;
	const text = address(slabs.address[row] ?? 0);
	const inferred = inferredIn(frame, row);
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	return (
		<dl className="facts number">
			<dt>address</dt>
			<dd className="mono">
				{text.slice(0, -4)}
				<strong>{text.slice(-4)}</strong>
			</dd>
			<Fact name="place">
				{place && (
					<>
						{placeName(place)} ·{" "}
						<button type="button" className="link" onClick={() => askWhy(place)}>
							Why is it here?
						</button>
					</>
				)}
			</Fact>
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
	);
}

function ObjectFacts({ frame, row, index }: SlabProps) {
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

/** Each cell has its object's number and the look of its state. */
function Objects({ frame: { slabs, cells }, row, index }: SlabProps) {
	const first = slabs.firstCell[row] ?? 0;
	const serial = slabs.serial[row] ?? 0;
	return (
		<fieldset className={css.objects} aria-label="Objects">
			{Array.from({ length: slabs.objects[row] ?? 0 }, (_, i) => {
				const state = cells[first + i] ?? 0;
				const look = STATES.find((s) => s.state === state)?.look ?? "free";
				const words = `object ${i}: ${CELL_WORDS[state]}`;
				return (
					<button
						key={i}
						type="button"
						className={classes(cellLook(look), css.object)}
						aria-label={words}
						title={words}
						aria-pressed={i === index}
						onClick={() => change({ selected: { serial, index: i === index ? -1 : i } })}
					>
						{i}
					</button>
				);
			})}
		</fieldset>
	);
}
