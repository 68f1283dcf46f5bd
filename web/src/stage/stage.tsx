/**
 * The stage: the section of the machine on a canvas, with the event's caption above and its cost below, and a table with
 * the same content.
 */
import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { LEVEL_WORDS } from "#abi";
import { pathOf } from "../app/playback/event_path.ts";
import { go, pause } from "../app/playback/player.ts";
import { stageKeys } from "../app/state/stage_keys.ts";
import { change, facts, isInLessons, isUntouched } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, quantity } from "../base/format.ts";
import { numberOf } from "../base/numbering.ts";
import type { Place } from "../engine/frame.ts";
import { CELL, heldState, PLACE } from "../engine/place_kinds.ts";
import type { CloseUp } from "../engine/query/close_up.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { Moment } from "../engine/types.ts";
import { bytesInWords } from "../scene/bytes.ts";
import { inWords } from "../scene/describe.ts";
import type { BarHit } from "../scene/hit.ts";
import { type Hit, isSquare } from "../scene/hit.ts";
import { subjectRect } from "../scene/layout/walk_rects.ts";
import { CurrentStep, ShowOtherCache } from "../ui/current_step.tsx";
import { lazyPart, Part } from "../ui/lazy_part.tsx";
import { useSize } from "../ui/use_element.ts";
import { multipleOf } from "./cost.ts";
import { stageOn } from "./early_stage.ts";
import type { CpuProps } from "./inspector.tsx";
import { NothingHere } from "./nothing_here.tsx";
import { stage, visiblePart } from "./shown.ts";
import css from "./stage.module.css";
import type { StageView } from "./stage_view.ts";
import { useRestedMoment } from "./use_rested.ts";
import type { Props as WhyProps } from "./why/card.tsx";

const Cost = lazyPart(() => import("./cost_bar.tsx").then((m) => m.Cost));
const Stops = lazyPart(() => import("./stops.tsx").then((m) => m.Stops));
const Dimmed = lazyPart(() => import("./dimmed.tsx").then((m) => m.Dimmed));
const Inspector = lazyPart(() => import("./inspector.tsx").then((m) => m.Inspector));
const Walker = lazyPart<{ readonly leave: () => void }>(() =>
	import("./walker.tsx").then((m) => m.Walker),
);
const WhyCard = lazyPart<WhyProps>(() => import("./why/card.tsx").then((m) => m.WhyCard));
const BarInspector = lazyPart<BarHit>(() => import("./inspector.tsx").then((m) => m.BarInspector));
const CpuInspector = lazyPart<CpuProps>(() =>
	import("./inspector.tsx").then((m) => m.CpuInspector),
);
const ArrayInspector = lazyPart(() => import("./inspector.tsx").then((m) => m.ArrayInspector));

/** The table follows positions that rest: nobody reads a table that changes at every frame. */
const REST_MS = 100;
/** The Why card as well; its answer takes longer. */
const WHY_REST_MS = 150;

interface StageProps {
	/** Over the stage before the first event of a sandbox. */
	readonly start?: React.ReactNode;
}

export function Stage({ start }: StageProps) {
	const frameBox = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const view = useRef<StageView>(null);
	const [hover, setHover] = useState<Hit>();
	const [fitted, setFitted] = useState(true);
	const [walking, setWalking] = useState(false);
	const isOpen = useFacts((f) => f.built !== null);
	const isFiltered = useFacts((f) => f.filter.length > 0);
	const entry = useRef<HTMLButtonElement>(null);
	const size = useSize(frameBox);
	useEffect(() => {
		if (!canvas.current) return;
		const made = stageOn(canvas.current);
		made.listener = { hovered: setHover, fitted: setFitted };
		view.current = made;
		stageKeys.walk = () => setWalking(true);
		return () => made.destroy();
	}, []);
	useEffect(() => view.current?.resize(size), [size]);
	const leave = useCallback(() => {
		// If the focus has moved elsewhere by itself, it stays there.
		if (document.activeElement?.getAttribute("role") === "tree")
			entry.current?.focus({ preventScroll: true });
		setWalking(false);
	}, []);
	return (
		<section className={css.stage} aria-label="Stage">
			<Title />
			<div className={css.canvas} data-part="stage" ref={frameBox}>
				<button
					type="button"
					className={`tool-text ${css.walkEntry}`}
					data-part="walk"
					ref={entry}
					onClick={() => setWalking(true)}
				>
					Walk through the stage by keyboard: Enter
				</button>
				{/* Its size is the view's, which may have drawn on it before it is the component's. */}
				<canvas
					ref={canvas}
					suppressHydrationWarning
					role="img"
					aria-label="The stage as a picture; the table below has the same content"
				/>
				<Part name="The filter on the stage">{isFiltered && <Dimmed />}</Part>
				<Part name="The stops of the path">{isOpen && <Stops />}</Part>
				{start && <div className={css.start}>{start}</div>}
				{!fitted && (
					<button
						type="button"
						className={`tool-text ${css.fit}`}
						title="Fit the whole stage (0)"
						onClick={() => stageKeys.fit()}
					>
						Fit
					</button>
				)}
				{!fitted && <NothingHere />}
				<Part name="The inspector">
					<Pointed hover={hover} />
				</Part>
				<Part name="The walk by keyboard">{walking && <Walker leave={leave} />}</Part>
			</div>
			<div className={css.cost} data-part="cycles">
				<Part name="The bar of cycles">{isOpen && <EventCost />}</Part>
			</div>
			<Legend />
			<Levels />
			<StageTable />
			<Part name="The Why card">
				<WhyPart />
			</Part>
		</section>
	);
}

/** What the event costs, on the scale of all events. */
function EventCost() {
	const moment = useCalm((f) => f.moment);
	const path = useFacts((f) => pathOf(f, moment));
	const stairs = useFacts((f) => (f.stairs?.built === f.built ? f.stairs : null));
	const kinds = useMemo(() => moment?.steps.map((step) => step.kind) ?? [], [moment]);
	if (!moment || !path) return null;
	const { op } = moment.position;
	return (
		<Cost
			cost={path}
			levels={stairs?.cache === path.cache ? stairs.levels : []}
			kinds={kinds}
			firstStep={moment.firstStep}
			light={(segment) =>
				change({ litSteps: segment && { op, from: segment.from, to: segment.to } })
			}
			jump={(step) => {
				pause();
				go({ kind: "at", op, step });
			}}
		/>
	);
}

/** Its code is fetched when somebody first asks. */
function WhyPart() {
	const isOpen = useFacts((f) => f.why !== "");
	return isOpen ? <RestedWhy /> : null;
}

function RestedWhy() {
	return <WhyCard moment={useRestedMoment(WHY_REST_MS)} boxOf={boxOf} />;
}

/** From the corner of the stage, with its title. */
const boxOf = (subject: string) => {
	const shown = stage.shown();
	const frame = facts().moment?.frame;
	const box = shown && frame && subjectRect(shown.scene, shown.plan, frame, subject);
	const seen = box && visiblePart(shown, box);
	const map = document.querySelector<HTMLElement>('[data-part="stage"]');
	if (!seen || !map) return undefined;
	return { ...seen, x: seen.x + map.offsetLeft, y: seen.y + map.offsetTop };
};

/** Whether a CPU's square is under the pointer, and no slab in it that is large enough to point at. */
function isOnSquare(hit: Hit | undefined): boolean {
	return hit?.panel !== undefined && isSquare(hit.panel) && !hit.slab && !hit.object;
}

function Pointed({ hover: hit }: { hover: Hit | undefined }) {
	const hover = hit?.slab || hit?.array || hit?.bar || isOnSquare(hit) ? hit : undefined;
	const moment = useCalm((f) => f.moment);
	const selected = useFacts((f) => f.selected);
	if (!moment) return null;
	const { frame } = moment;
	const solid = selected !== null;
	if (hover?.bar) return <BarInspector {...hover.bar} />;
	if (hover?.panel && isOnSquare(hover)) return <CpuInspector frame={frame} square={hover.panel} />;
	if (hover?.array && !hover.object) return <ArrayInspector array={hover.array} solid={solid} />;
	const serial = hover?.object?.serial ?? hover?.slab?.serial ?? selected?.serial;
	const row = serial === undefined ? -1 : frame.slabs.serial.indexOf(serial);
	if (row < 0) return null;
	const index = hover ? (hover.object?.index ?? -1) : (selected?.index ?? -1);
	const held =
		selected !== null && serial === selected.serial && (!hover || index === selected.index);
	return <Inspector frame={frame} row={row} index={index} held={held} solid={solid} />;
}

const STATES = [
	{ state: CELL.ALLOCATED, look: "allocated", letter: "A", words: "allocated" },
	{ state: CELL.INFERRED, look: "inferred", letter: "i", words: "inferred" },
	{ state: CELL.FREE, look: "free", letter: "f", words: "free" },
	{ state: CELL.FREE_CPU, look: "cpu", letter: "c", words: "free on a CPU" },
	{ state: CELL.FREE_SHARED, look: "shared", letter: "s", words: "shared" },
	{ state: CELL.FREE_ALIEN, look: "alien", letter: "x", words: "alien" },
] as const;

/** A bit for each state that objects can have in these places. */
function statesIn(places: readonly Place[], isWarm: boolean): number {
	let states = (1 << CELL.ALLOCATED) | (1 << CELL.FREE);
	if (isWarm) states |= 1 << CELL.INFERRED;
	for (const p of places)
		states |= 1 << (p.kind === PLACE.CPU_SLAB ? CELL.FREE_CPU : heldState(p.kind));
	return states;
}

function Legend() {
	const keeps = useFacts((f) =>
		f.built?.caches.some((c) => c.name === f.cache && c.minPartial > 0),
	);
	const isWarm = useFacts((f) => (f.built?.warmSlabs ?? 0) > 0);
	const states = useCalm((f) => statesIn(f.moment?.frame.places ?? [], isWarm));
	const inLessons = useFacts(isInLessons);
	return (
		<ul className={css.legend}>
			{STATES.filter((s) => (states >> s.state) & 1).map((s) => (
				<li key={s.state}>
					<i className={`${css.cell} ${css[s.look]}`}>{s.letter}</i> {s.words}
				</li>
			))}
			<li>
				<i className={`${css.cell} ${css.touched}`} /> touched
			</li>
			{!inLessons && (
				<li title="Each CPU allocates this object next">
					<i className={`${css.cell} ${css.next}`} /> next
				</li>
			)}
			{keeps && (
				<li
					className={css.keeps}
					title="min_partial: a node keeps up to this many slabs on its partial list, even empty ones"
				>
					<i className={css.bracket} /> kept by min_partial
				</li>
			)}
		</ul>
	);
}

/** The event as a heading, what followed from it, and the step on screen as one sentence. */
function Title() {
	const moment = useCalm((f) => f.moment);
	const untouched = useFacts(isUntouched);
	const traffic = useFacts((f) => (f.traffic && f.traffic.events > 0 ? f.traffic : null));
	const sentence = untouched ? "" : traffic ? trafficWords(traffic) : moment?.op.sentence;
	return (
		<div className={css.title}>
			{sentence ? <h2>{sentence}</h2> : <div className={css.noEvent} />}
			<StepNumber />
			<div className={css.current}>
				<CurrentStep />
				<ShowOtherCache where="stage" />
			</div>
		</div>
	);
}

function trafficWords({ events, allocs, frees, cycles }: Traffic): string {
	const of = `${quantity(allocs, "allocation")}, ${quantity(frees, "free")}`;
	return `The last ${quantity(events, "event")}: ${of}, ${quantity(cycles, "cycle")}`;
}

/** On a narrow page: which step it is, and what the whole event costs. */
function StepNumber() {
	const moment = useCalm((f) => f.moment);
	const path = useFacts((f) => pathOf(f, moment));
	const untouched = useFacts(isUntouched);
	if (!moment || untouched) return <p className={css.stepNumber} />;
	const multiple = path ? multipleOf(path.cycles, path.fastCycles) : "";
	return (
		<p className={`${css.stepNumber} number`}>
			Step {count(numberOf(moment.position.step))} of {count(moment.nrSteps)}
			{path && ` · ${quantity(path.cycles, "cycle")}`}
			{multiple !== "" && `, ${multiple} the fast path`}
		</p>
	);
}

/** The rows of the picture in words, with what an allocation costs that ends there. */
function Levels() {
	const stairs = useFacts((f) => (f.stairs?.built === f.built ? f.stairs : null));
	if (!stairs) return null;
	return (
		<ol className="hidden" aria-label="Levels from fast to slow">
			{stairs.levels.map(({ level, allocs, cycles, share }) => (
				<li key={level}>
					{LEVEL_WORDS[level]}
					{allocs > 0 &&
						`: ${quantity(Math.round(cycles / allocs), "cycle")}, ${(share / 100).toFixed(2)} %`}
				</li>
			))}
		</ol>
	);
}

function StageTable() {
	const playing = useFacts((f) => f.playing);
	const moment = useRestedMoment(REST_MS);
	const closeUps = useFacts((f) => f.closeUps);
	return moment && !playing ? <Words moment={moment} closeUps={closeUps} /> : null;
}

interface WordsProps {
	readonly moment: Moment;
	readonly closeUps: readonly CloseUp[];
}

/** Rendered again only for another position, or for other objects in close-up. */
const Words = memo(function Words({ moment, closeUps }: WordsProps) {
	return (
		<div className="hidden">
			<table>
				<caption>Contents of the stage</caption>
				<thead>
					<tr>
						<th scope="col">Place</th>
						<th scope="col">Slabs from the head; objects from the one taken next</th>
					</tr>
				</thead>
				<tbody>
					{inWords(moment.frame).map((p) => (
						<tr key={p.key}>
							<th scope="row">{p.name}</th>
							<td>{p.holds}</td>
						</tr>
					))}
				</tbody>
			</table>
			{closeUps.length > 0 && <CloseUps closeUps={closeUps} />}
		</div>
	);
});

function CloseUps({ closeUps }: { readonly closeUps: readonly CloseUp[] }) {
	return (
		<table>
			<caption>Objects in close-up</caption>
			<thead>
				<tr>
					<th scope="col">Object</th>
					<th scope="col">Bytes</th>
				</tr>
			</thead>
			<tbody>
				{closeUps.map((o) => (
					<tr key={`${o.cache}/${o.serial}/${o.index}`}>
						<th scope="row">
							object {o.index} of slab {o.serial}
						</th>
						<td>{bytesInWords(o)}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}
