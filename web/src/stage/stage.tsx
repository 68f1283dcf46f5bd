/**
 * The stage: the section of the machine on a canvas, with the event's caption above and its cost below, and a table with
 * the same content.
 */

import { memo, useCallback, useEffect, useRef, useState } from "react";
import { LEVEL_WORDS } from "#abi";
import { pathOf, showsCache } from "../app/playback/event_path.ts";
import { consequenceOfGuide, titleOfGuide } from "../app/playback/guide.ts";
import { go, pause } from "../app/playback/player.ts";
import { stageKeys } from "../app/state/stage_keys.ts";
import {
	change,
	type Facts,
	isInLessons,
	isOpeningFirst,
	isUntouched,
} from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useEachPosition, useFacts } from "../app/state/use_facts.ts";
import { count, numberOf, quantity } from "../base/format.ts";
import type { Place } from "../engine/frame.ts";
import { CELL, heldState, PLACE } from "../engine/place_kinds.ts";
import type { CloseUp } from "../engine/query/close_up.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { EventPath, Moment } from "../engine/types.ts";
import { bytesInWords } from "../scene/bytes.ts";
import { inWords } from "../scene/describe.ts";
import { hasAnything } from "../scene/find.ts";
import { CurrentStep, ShowOtherCache } from "../ui/current_step.tsx";
import { useRestedMoment, useSize } from "../ui/hooks.ts";
import { lazyPart, noNotice, Part } from "../ui/lazy_part.tsx";
import { Cell, STATES } from "./cell.tsx";
import { multipleOf } from "./cost.ts";
import { Dock } from "./dock.tsx";
import { stageOn } from "./early_stage.ts";
import type { PointedAt, RingProps } from "./pointed.tsx";
import { stage } from "./shown.ts";
import css from "./stage.module.css";
import type { StageView } from "./stage_view.ts";

const Cost = lazyPart(() => import("./cost_bar.tsx").then((m) => m.Cost));
const CostDots = lazyPart(() => import("./cost_bar.tsx").then((m) => m.CostDots));
const Stops = lazyPart(() => import("./stops.tsx").then((m) => m.Stops));
const PathLegend = lazyPart(() => import("./stops.tsx").then((m) => m.PathLegend));
const Dimmed = lazyPart(() => import("./dimmed.tsx").then((m) => m.Dimmed));
const Walker = lazyPart<{ readonly leave: () => void }>(() =>
	import("./walker.tsx").then((m) => m.Walker),
);
const Pointed = lazyPart<PointedAt>(() => import("./pointed.tsx").then((m) => m.Pointed));
const Ring = lazyPart<RingProps>(() => import("./pointed.tsx").then((m) => m.Ring));

/** The table only follows positions that settle: nobody reads a table that changes every frame. */
const REST_MS = 100;

interface StageProps {
	/** Shown over the stage: the starters of an empty machine, or the tour. */
	readonly start?: React.ReactNode;
	/** Whether there is no column beside it for what is selected on it. */
	readonly dock?: boolean;
}

export function Stage({ start, dock }: StageProps) {
	const frameBox = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const view = useRef<StageView>(null);
	const [pointed, setPointed] = useState<PointedAt>();
	const [fitted, setFitted] = useState(true);
	const [walking, setWalking] = useState(false);
	const isOpen = useFacts((f) => f.built !== null);
	const isFiltered = useFacts((f) => f.filter.length > 0);
	const entry = useRef<HTMLButtonElement>(null);
	const size = useSize(frameBox);
	useEffect(() => {
		if (!canvas.current) return;
		const made = stageOn(canvas.current);
		made.listener = { hovered: setPointed, fitted: setFitted };
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
				<Elsewhere />
				<Part name="The stops of the path">{isOpen && <Stops />}</Part>
				{start && (
					<div className={css.start}>
						<Part name="The tour" frame={noNotice}>
							{start}
						</Part>
					</div>
				)}
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
				<Part name="The subject of the Why card">
					<WhySubject />
					<LitPart />
				</Part>
				<Part name="The line about the thing under the pointer">
					{pointed && <Pointed {...pointed} />}
				</Part>
				{dock && <Dock isOver />}
				<Part name="The walk by keyboard">{walking && <Walker leave={leave} />}</Part>
			</div>
			<div className={css.cost} data-part="cycles">
				<Part name="The bar of cycles">{isOpen && <EventCost />}</Part>
			</div>
			<Legend hasPath={isOpen} />
			<Levels />
			<StageTable />
		</section>
	);
}

/** An event of another cache changes nothing on the stage, which is dimmed and says so. */
function Elsewhere() {
	const moment = useCalm((f) => f.moment);
	const path = useFacts((f) => pathOf(f, moment));
	const playing = useFacts((f) => f.playing);
	if (!moment || !path || playing || showsCache(moment, path.cache)) return null;
	const name = moment.caches.find((c) => c.cache === path.cache)?.name;
	return name === undefined ? null : (
		<p className={css.elsewhere} data-part="elsewhere">
			This event is in <strong>{name}</strong>
		</p>
	);
}

/** Shows the cost of the event on the scale of all events. */
function EventCost() {
	const moment = useCalm((f) => f.moment);
	const now = useFacts((f) => pathOf(f, moment));
	const levels = useFacts((f) => (f.levels?.built === f.built ? f.levels : null));
	const traffic = useFacts((f) => (f.traffic && f.traffic.events > 0 ? f.traffic : null));
	// From event to event the bar changes only once, without an empty one in between.
	const last = useRef<{ readonly moment: Moment; readonly path: EventPath }>(undefined);
	if (moment && now) last.current = { moment, path: now };
	if (traffic) return <CostDots traffic={traffic} levels={levels?.rows ?? []} />;
	if (!moment || !last.current) return null;
	const { path } = last.current;
	const { op } = last.current.moment.position;
	return (
		<Cost
			cost={path}
			levels={levels?.cache === path.cache ? levels.rows : []}
			steps={last.current.moment.steps}
			firstStep={last.current.moment.firstStep}
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

/** Draws a ring around the subject of the Why card. */
function WhySubject() {
	const why = useFacts((f) => f.why);
	return why === "" ? null : <Ring subject={why} isOpen />;
}

/** Draws a ring around what a lesson's words point at. */
function LitPart() {
	const part = useFacts((f) => f.litPart);
	return part === "" ? null : <Ring subject={part} isOpen />;
}

/** Returns a bit for each state that objects in these places can have. */
function statesIn(places: readonly Place[], isWarm: boolean): number {
	let states = (1 << CELL.ALLOCATED) | (1 << CELL.FREE);
	if (isWarm) states |= 1 << CELL.INFERRED;
	for (const p of places)
		states |= 1 << (p.kind === PLACE.CPU_SLAB ? CELL.FREE_CPU : heldState(p.kind));
	return states;
}

/** There may not be room for the last entries, the glyphs of slabs, but the rows name these too. */
function Legend({ hasPath }: { readonly hasPath: boolean }) {
	const keeps = useFacts((f) =>
		f.built?.caches.some((c) => c.name === f.cache && c.minPartial > 0),
	);
	const isWarm = useFacts((f) => (f.built?.warmSlabs ?? 0) > 0);
	const states = useCalm((f) => statesIn(f.moment?.frame.places ?? [], isWarm));
	const inLessons = useFacts(isInLessons);
	const has = (kind: number) => (f: Facts) =>
		f.moment?.frame.places.some((place) => place.kind === kind) ?? false;
	const hasFull = useCalm(has(PLACE.NODE_FULL));
	const hasPartial = useCalm(has(PLACE.NODE_PARTIAL));
	return (
		<ul className={css.legend}>
			{STATES.filter((s) => (states >> s.state) & 1).map((s) => (
				<li key={s.state}>
					<Cell look={s.look} /> {s.words}
				</li>
			))}
			<li>
				<Cell look="touched" /> touched
			</li>
			{!inLessons && (
				<li title="Each CPU allocates this object next">
					<Cell look="next" /> next
				</li>
			)}
			<Part name="The legend of the path">{hasPath && <PathLegend />}</Part>
			{keeps && (
				<li title="An empty slab is kept while its node has fewer than min_partial partial slabs">
					<i className={css.bracket} /> kept by min_partial
				</li>
			)}
			{hasFull && !inLessons && (
				<li title="Its objects are all allocated">
					<Cell look="full" /> full slab
				</li>
			)}
			{hasPartial && !inLessons && (
				<li title="A slab with free objects: one mark for each, up to four, in the colour of where most of them are">
					<Cell look="partial" /> 2 free
				</li>
			)}
		</ul>
	);
}

/** Shows the event as a heading, its consequence, and the step on screen as one sentence. */
function Title() {
	const moment = useCalm((f) => f.moment);
	const untouched = useFacts(isUntouched);
	const traffic = useFacts((f) => (f.traffic && f.traffic.events > 0 ? f.traffic : null));
	const title = useCalm(titleOfGuide);
	const guided = useCalm(consequenceOfGuide);
	const path = useSettledPath(moment);
	const isOpening = useFacts(isOpeningFirst);
	const own = traffic ? trafficWords(traffic) : (title ?? path?.caption ?? moment?.op.sentence);
	const sentence = untouched ? "" : own;
	return (
		<div className={css.title}>
			{isOpening ? (
				<h2>The Linux slab allocators, made visible</h2>
			) : sentence ? (
				<h2 style={{ "--letters": sentence.length } as React.CSSProperties}>{sentence}</h2>
			) : (
				<div className={css.noEvent} />
			)}
			<p className={css.consequence} data-part="consequence">
				{!traffic && !untouched && (guided ?? path?.consequence)}
			</p>
			<StepNumber />
			<div className={css.current}>
				<CurrentStep />
				<ShowOtherCache where="stage" />
			</div>
		</div>
	);
}

/** How long the previous event's words stay until the next event's arrive. */
const SETTLE_MS = 300;

/** Returns the event's path. Until it is known, returns the previous event's for a while, so that words change only once. */
function useSettledPath(moment: Moment | null): EventPath | undefined {
	const path = useFacts((f) => pathOf(f, moment));
	const last = useRef<EventPath>(undefined);
	const [, renew] = useState(0);
	if (path) last.current = path;
	useEffect(() => {
		if (path) return;
		const timer = window.setTimeout(() => {
			last.current = undefined;
			renew((n) => n + 1);
		}, SETTLE_MS);
		return () => window.clearTimeout(timer);
	}, [path]);
	return path ?? last.current;
}

function trafficWords({ events, allocs, frees, cycles }: Traffic): string {
	const of = `${quantity(allocs, "allocation")}, ${quantity(frees, "free")}`;
	return `The last ${quantity(events, "event")}: ${of}, ${quantity(cycles, "cycle")}`;
}

/** Says, on a narrow page, which step it is and what the whole event costs. */
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
			{multiple !== "" && `, ${multiple}`} {multiple !== "" && <span>the fast path</span>}
		</p>
	);
}

/** Puts the rows of the picture into words, each with the cost of an allocation that ends there. */
function Levels() {
	const levels = useFacts((f) => (f.levels?.built === f.built ? f.levels : null));
	if (!levels) return null;
	return (
		<ol className="hidden" aria-label="Levels from fast to slow">
			{levels.rows.map(({ level, allocs, cycles, share }) => (
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

/** Only rendered again for another position, or for other objects in close-up. */
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

/** The notice waits until zooming and panning stop. */
const ZOOM_REST_MS = 400;

function NothingHere() {
	const zoom = useFacts((f) => f.zoom);
	const moment = useEachPosition((f) => (f.playing ? null : f.moment));
	const [isEmpty, setIsEmpty] = useState(false);
	useEffect(() => {
		setIsEmpty(false);
		if (!zoom || !moment) return;
		const timer = window.setTimeout(() => setIsEmpty(seesNothing()), ZOOM_REST_MS);
		return () => window.clearTimeout(timer);
	}, [zoom, moment]);
	return isEmpty ? (
		<p className={css.nothingHere}>There is nothing here. Press Fit to see the whole stage.</p>
	) : null;
}

function seesNothing(): boolean {
	const shown = stage.shown();
	if (!shown) return false;
	const { scene, view, size } = shown;
	const [x, y] = [-view.x / view.k, -view.y / view.k];
	return !hasAnything(scene, { x, y, w: size.width / view.k, h: size.height / view.k });
}
