/**
 * The tour over the stage. Its first frame is one slab, page by page and as large as the stage allows, above the machine,
 * with an arrow to where it is; the first press shrinks it into that place. Buttons for what to do next are below it, and
 * at the tour's end.
 */
import { type CSSProperties, useEffect, useRef, useState } from "react";
import { ChapterKind } from "#abi";
import { isCalm, startTour } from "../../app/playback/guide.ts";
import { change, chaptersOf } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { chooseFile } from "../../app/trace/bring.ts";
import { count, quantity, shortBytes } from "../../base/format.ts";
import { allocatedIn, isInUse, PLACE } from "../../engine/place_kinds.ts";
import type { Moment } from "../../engine/types.ts";
import { slabBySerial } from "../../scene/find.ts";
import { type Rect, sameRect } from "../../scene/scene.ts";
import { project } from "../../stage/draw/viewport.ts";
import { type OnDrawn, stage } from "../../stage/shown.ts";
import { classes } from "../../ui/controls.tsx";
import css from "./tour.module.css";

/** The lesson that starts from what the tour has shown. */
const FIRST_LESSON = "what-a-slab-is";
const SHRINK_MS = 900;
/** The arrow's length from the slab to the top of the machine. */
const ARROW_PX = 38;
/** Above this, cells have no room for their numbers. */
const NUMBERS_MOST = 64;

export function Tour() {
	const isFirst = useFacts((f) => f.guide?.at === -1);
	const isOver = useFacts((f) => f.guide?.isOver === true);
	// It shrinks as it was, while the stage goes on.
	const shown = useRef<Moment>(null);
	const now = useCalm((f) => (isFirst ? f.moment : null));
	if (now) shown.current = now;
	const [isThere, setThere] = useState(isFirst);
	useEffect(() => {
		const timer = window.setTimeout(() => setThere(isFirst), isFirst || isCalm() ? 0 : SHRINK_MS);
		return () => window.clearTimeout(timer);
	}, [isFirst]);
	useEffect(makeRoom, []);
	const row = shown.current ? rowOf(shown.current) : -1;
	return (
		<div className={`grid tall untouched ${css.tour}`} data-part="tour">
			{isThere && shown.current && row >= 0 && (
				<LargeSlab moment={shown.current} row={row} leaves={!isFirst} />
			)}
			{isFirst && <Ways />}
			{isOver && <Ways isOver />}
		</div>
	);
}

/** The first paint left room for the large slab (boot/); from now on its own style does. */
function makeRoom(): void {
	delete document.documentElement.dataset.first;
}

/** Finds the row of the acting CPU's slab, or of another slab if CPUs have none; -1 on an empty machine. */
function rowOf({ frame: { places, slabs }, op }: Moment): number {
	const own = slabs.place.findIndex((at) => {
		const place = places[at];
		return place?.kind === PLACE.CPU_SLAB && place.cpu === op.cpu;
	});
	return own >= 0 ? own : slabs.count - 1;
}

interface Target extends Rect {
	/** Index of the object just touched, -1 for none. */
	readonly touched: number;
}

/** Where the stage draws the slab. */
function useTarget(serial: number): Target | undefined {
	const [target, setTarget] = useState<Target>();
	useEffect(() => {
		const follow: OnDrawn = (scene, _, view) => {
			const box = slabBySerial(scene, serial);
			const at = box && { ...project(box, view), touched: box.touched };
			setTarget((before) => {
				const isSame = before && at && sameRect(before, at) && before.touched === at.touched;
				return isSame ? before : at;
			});
		};
		const shown = stage.shown();
		if (shown) follow(shown.scene, shown.plan, shown.view);
		stage.drawn.add(follow);
		return () => {
			stage.drawn.delete(follow);
		};
	}, [serial]);
	return target;
}

interface LargeSlabProps {
	readonly moment: Moment;
	readonly row: number;
	readonly leaves: boolean;
}

function LargeSlab({ moment, row, leaves }: LargeSlabProps) {
	const { slabs, cells, places } = moment.frame;
	const { pageBytes } = useFacts((f) => f.built) ?? { pageBytes: 1 };
	const serial = slabs.serial[row] ?? 0;
	const next = useFacts((f) => f.next?.rows.find((r) => r.slab === serial)?.index);
	const box = useRef<HTMLDivElement>(null);
	const target = useTarget(serial);
	const place = places[slabs.place[row] ?? 0];
	const { name = "", size = 1 } = moment.caches.find((c) => c.cache === slabs.cache[row]) ?? {};
	const nr = slabs.objects[row] ?? 0;
	const nrPages = 1 << (slabs.order[row] ?? 0);
	const allocated = allocatedIn(moment.frame, row);
	const objects = Array.from({ length: nr }, (_, index) => ({
		index,
		page: Math.floor(((slabs.start[row] ?? 0) + index * size) / pageBytes),
		isAllocated: isInUse(cells[(slabs.firstCell[row] ?? 0) + index]),
	}));
	const owner = place?.kind === PLACE.CPU_SLAB ? `, available to CPU ${place.cpu}` : "";
	const style: CSSProperties = {};
	if (leaves && target && box.current) {
		const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = box.current;
		const by = `${target.x - offsetLeft}px, ${target.y - offsetTop}px`;
		style.transform = `translate(${by}) scale(${target.w / offsetWidth}, ${target.h / offsetHeight})`;
	}
	return (
		<div
			className={classes(`absolute flex gap-2 ground ${css.first}`, leaves && css.leaves)}
			data-part="large-slab"
		>
			<p className={`flex wrap apart ${css.about}`}>
				<span>
					This slab of <strong>{name}</strong>: {quantity(nrPages, "page")} of{" "}
					{shortBytes(pageBytes)}, cut into {quantity(nr, "object")} of {shortBytes(size)}
				</span>
				<span>
					<b className={css.used}>{count(allocated)} allocated</b>{" "}
					<b>
						{count(nr - allocated)} free{owner}
					</b>
				</span>
			</p>
			<div
				className={`grid grows shrinks packed gap-2 ${css.pages}`}
				ref={box}
				style={style}
				aria-hidden="true"
			>
				{Array.from({ length: nrPages }, (_, page) => (
					<div key={page} className={`grid middle gap-3 small strong ${css.page}`}>
						<span>page {page + 1}</span>
						<ol>
							{objects
								.filter((o) => o.page === page)
								.map(({ index, isAllocated }) => (
									<li
										key={index}
										className={classes(
											isAllocated ? css.allocated : css.free,
											index === next && css.next,
											index === target?.touched && css.touched,
										)}
									>
										{nr <= NUMBERS_MOST && index}
									</li>
								))}
						</ol>
					</div>
				))}
			</div>
			{target && (
				<p
					className={`absolute strong one-line ${css.arrow}`}
					style={{ left: target.x + target.w / 2, height: ARROW_PX + target.y }}
				>
					<span>this very slab</span>
				</p>
			)}
		</div>
	);
}

interface Way {
	readonly name: string;
	readonly more: string;
	readonly go: () => void;
}

const OWN_TRACE: Way = { name: "Open your trace…", more: "or drop a file", go: chooseFile };
const LESSON: Way = {
	name: "Start lesson 1",
	more: "about ten minutes",
	go: () => change({ tab: "learn", lesson: { name: FIRST_LESSON, stop: "", sheet: -1 } }),
};
const RULE: Way = {
	name: "Change a rule",
	more: "and see what moves",
	go: () => change({ sheet: "machine" }),
};

/** The first of them is the primary button. */
function Ways({ isOver = false }) {
	const slow = useFacts((f) => chaptersOf(f).find(({ kind }) => kind === ChapterKind.CHAPTER_SLOW));
	const start: Way = { name: "Watch two more pops", more: "Space", go: () => startTour() };
	const skip: Way = {
		name: "Skip to the slow path",
		more: slow ? quantity(slow.number, "model cycle") : "",
		go: () => startTour(ChapterKind.CHAPTER_SLOW),
	};
	const again: Way = { name: "Watch it again", more: "from the first chapter", go: start.go };
	const ways = isOver ? [LESSON, OWN_TRACE, RULE, again] : [start, OWN_TRACE, LESSON, RULE, skip];
	return (
		<ul className={`relative grid gap-3 ground ${css.ways}`} aria-label="What to do next">
			{ways.map(({ name, more, go }, i) => (
				<li key={name}>
					<button
						type="button"
						className={classes("tool-text", i === 0 && "primary")}
						aria-label={name}
						onClick={go}
					>
						{name}
						<small>{more}</small>
					</button>
				</li>
			))}
		</ul>
	);
}
