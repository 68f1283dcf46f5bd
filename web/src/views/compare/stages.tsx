/** The same event on two machines: their sections side by side, its costs on one scale, and its steps by what they do. */

import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { engine } from "../../app/platform/engine_link.ts";
import { eventSteps } from "../../app/playback/event_path.ts";
import { go, pause } from "../../app/playback/player.ts";
import {
	letterOf,
	machineOf,
	settingsIn,
	traceIn,
	traceWords,
} from "../../app/state/machine_spec.ts";
import { busy, type Comparing, change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { modelOf, presetInForce } from "../../app/trace/actions.ts";
import { count, eventWords, quantity } from "../../base/format.ts";
import { capital } from "../../base/words.ts";
import type { Comparison, Run, Taken } from "../../engine/answers.ts";
import type { Frame } from "../../engine/frame.ts";
import { momentOf } from "../../engine/moment.ts";
import { allocatedIn, placeName } from "../../engine/place_kinds.ts";
import type { EventPath, Moment } from "../../engine/types.ts";
import { inWords } from "../../scene/describe.ts";
import { type Hit, hitTest } from "../../scene/hit.ts";
import { type Capacities, capacitiesOf } from "../../scene/layout/capacity.ts";
import { pathOn, type ScenePath } from "../../scene/layout/path.ts";
import type { Plan } from "../../scene/layout/plan.ts";
import { shapeOf } from "../../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../../scene/scene.ts";
import { roundedUp, type Segment } from "../../stage/cost.ts";
import { Cost } from "../../stage/cost_bar.tsx";
import { readPalette } from "../../stage/draw/colours.ts";
import { StagePainter } from "../../stage/draw/paint.ts";
import { sceneOf } from "../../stage/shown.ts";
import { waysOfPath } from "../../stage/ways.ts";
import { LinkButton, SelectField } from "../../ui/controls.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { type Size, useAsync, useSize } from "../../ui/hooks.ts";
import {
	type Agreement,
	agreementOf,
	type CostedSteps,
	dimmed,
	openOf,
	plansBeside,
	type StepsAt,
	stepsBeside,
} from "./beside.ts";
import css from "./compare.module.css";
import { goToDifference, stageOf } from "./machines.ts";
import { Letter } from "./trace_of.tsx";

/** Height of a section: minimum, maximum, and its share of the width. */
const HEIGHT = { least: 480, most: 720, share: 0.46 };
/** Two sections fit side by side from this width; the style sheet puts narrower ones below each other. */
const BESIDE_FROM = 860;
const GAP = 16;

interface StagesProps {
	readonly comparison: Comparison;
	readonly versus: readonly string[];
}

export function Stages({ comparison, versus }: StagesProps) {
	const comparing = useFacts((f) => f.comparing);
	const choose = (choice: Partial<Comparing>) => change({ comparing: { ...comparing, ...choice } });
	const nr = Math.min(comparing.other, comparison.runs.length - 1);
	const pair = usePair(comparison, nr);
	const beside = comparison.runs.length > 2 && (
		<SelectField
			label="Compare A with"
			value={nr}
			options={versus.map((_, i) => [i + 1, letterOf(i + 1)])}
			onSelect={(value) => choose({ other: Number(value) })}
		/>
	);
	return (
		<section className={`card gap-2 ${css.panel}`} aria-label="Stages">
			<div className="panel-head">
				<h3>{headingOf(pair)}</h3>
				{pair && comparison.runs[nr]?.trace === undefined && <Differences {...pair} />}
				{beside}
			</div>
			{pair && <Both pair={pair} spec={versus[pair.nr - 1] ?? ""} />}
		</section>
	);
}

/** Links to events whose costs differ between the machines. */
function Differences({ nr, op, cache }: Pair) {
	const of = { other: nr, cache };
	return (
		<p className={`flex wrap to-end ${css.differences}`}>
			<LinkButton onClick={() => void goToDifference({ ...of, after: op })}>
				Next difference
			</LinkButton>
			<LinkButton onClick={() => void goToDifference(of)}>Largest difference</LinkButton>
		</p>
	);
}

/** An event as one machine takes it. */
interface Side {
	readonly run: Run;
	readonly moment: Moment;
	readonly taken: Taken;
	readonly event: CostedSteps;
}

/** Both machines at one event. */
interface Pair {
	readonly nr: number;
	readonly op: number;
	readonly cache: string;
	/** undefined: the other machine has no such cache. */
	readonly sides: readonly [Side, Side] | undefined;
}

function usePair(comparison: Comparison, nr: number): Pair | undefined {
	const moment = useCalm((f) => f.moment);
	const cache = useCalm((f) => f.cache);
	const [first, second] = [comparison.runs[0], comparison.runs[nr]];
	const ask = async (): Promise<Pair | undefined> => {
		if (!moment || !first || !second) return undefined;
		const other = await busy(() => engine().otherStage(stageOf(nr, moment, cache)));
		const of = { nr, op: moment.position.op, cache };
		if (!other) return { ...of, sides: undefined };
		const [mine, theirs] = other.taken;
		const sides = [
			sideOf(first, moment, mine),
			sideOf(second, momentOf(other.moment), theirs),
		] as const;
		return { ...of, sides };
	};
	return useAsync(moment ? ask : undefined, [comparison, moment, nr, cache]).value;
}

function sideOf(run: Run, moment: Moment, taken: Taken): Side {
	const { path } = taken;
	const verbs = path.steps.map(({ verb }) => verb);
	const { cyclesOf } = path;
	return {
		run,
		moment,
		taken,
		event: { ...eventSteps(moment, path, taken.levels), verbs, cyclesOf },
	};
}

/** Writes "Event 16,805: 337 versus 44 cycles". */
function headingOf(pair: Pair | undefined): string {
	if (!pair?.sides) return pair ? capital(eventWords(pair.op)) : "The same event";
	const [{ moment, taken }, other] = pair.sides;
	const [mine, theirs] = [taken.path.cycles, other.taken.path.cycles];
	const event = capital(eventWords(moment.position.op));
	if (other.run.trace !== undefined)
		return `${event}: ${quantity(mine, "cycle")}; ${eventWords(other.moment.position.op)} of ${letterOf(pair.nr)}: ${count(theirs)}`;
	if (mine === theirs) return `${event}: ${quantity(mine, "cycle")} on both`;
	return `${event}: ${count(mine)} versus ${quantity(theirs, "cycle")}`;
}

interface BothProps {
	readonly pair: Pair;
	readonly spec: string;
}

function Both({ pair: { nr, cache, sides }, spec }: BothProps) {
	const letter = letterOf(nr);
	const preset = useFacts(presetInForce);
	if (!sides) return <p>{`${letter} doesn't have a cache ${cache} here.`}</p>;
	const [first, second] = sides;
	const settings = [settingsIn(spec), traceWords(traceIn(spec))].filter(Boolean).join(" · ");
	const own = machineOf(spec, { preset, values: {} }).preset;
	const heads = [
		{ ...first, nr: 0, name: modelOf(first.run.allocator, preset), settings: "on the stage" },
		{ ...second, nr, name: modelOf(second.run.allocator, own), settings },
	];
	return <Sections sides={heads} letter={letter} />;
}

interface Section extends Side {
	readonly nr: number;
	/** "SLUB 6.1". */
	readonly name: string;
	readonly settings: string;
}

interface SectionsProps {
	readonly sides: readonly Section[];
	readonly letter: string;
}

function Sections({ sides, letter }: SectionsProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const across = width >= BESIDE_FROM ? (width - GAP) / 2 : width;
	const size = useMemo(() => {
		const height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, across * HEIGHT.share));
		return { width: Math.floor(across), height: Math.round(height) };
	}, [across]);
	const plans = usePlans(sides, size);
	const [first, second] = sides as readonly [Section, Section];
	// Serial numbers count slabs as they are made: they mean the same slabs only where the same rules make them.
	const areAlike = second.run.trace === undefined && first.run.allocator === second.run.allocator;
	const agreement = useMemo(
		() => (areAlike ? agreementOf(first.moment.frame, second.moment.frame) : undefined),
		[areAlike, first.moment, second.moment],
	);
	const steps = useMemo(() => {
		const rows = plans.flatMap((plan) => plan.rows.map(({ row }) => row));
		return stepsBeside([first.event, second.event], rows);
	}, [first.event, second.event, plans]);
	return (
		<div className={`grid one-column gap-2 ${css.pair}`} ref={box}>
			<p aria-live="polite">
				{first.moment.op.sentence}. {remarkOn(first, second, letter)} {agreementWords(agreement)}
			</p>
			{width > 0 && (
				<div className={`flex wrap ${css.stages}`} data-beside>
					{sides.map((side, i) => (
						<OneSection key={side.nr} {...{ side, size, agreement }} plan={plans[i] as Plan} />
					))}
				</div>
			)}
			<p className="small quiet">
				Ring: touched by the event.
				{agreement && " Dark ring: on one list only. Pale: on the same list in both."}
			</p>
			<Costs {...{ sides, steps }} />
			<StepTable {...{ steps, letter }} />
		</div>
	);
}

/** Says more about an event of a different trace, of a future that has ended, or of a different cache. */
function remarkOn(first: Side, second: Section, letter: string): string {
	const [mine, theirs] = [first.moment.position.op, second.moment.position.op];
	if (second.run.trace !== undefined)
		return `${letter} replays another trace, where ${eventWords(theirs)} is: ${second.moment.op.sentence}.`;
	if (theirs < mine) return `${letter}'s future ends after ${eventWords(theirs)}.`;
	const [own, other] = [first, second].map(({ moment: { caches, cache } }) => {
		return caches.find((row) => row.cache === cache)?.name;
	});
	return own === other ? "" : `${letter} serves it from ${other}.`;
}

function agreementWords(agreement: Agreement | undefined): string {
	if (!agreement) return "";
	const { same, other } = agreement;
	return `${count(same.size)} of ${quantity(same.size + other.size, "slab")} ${same.size === 1 ? "is" : "are"} on the same list in both.`;
}

/** Keeps the plans of both sections, which don't move while lists change only a little. */
function usePlans(sides: readonly Section[], { width, height }: Size): readonly Plan[] {
	const before = useRef<Map<Run, Capacities>>(new Map());
	const capacities = useMemo(() => {
		const now = sides.map(({ run, moment }) => {
			return capacitiesOf(moment.frame.places, before.current.get(run));
		});
		before.current = new Map(sides.map(({ run }, i) => [run, now[i] as Capacities]));
		return now;
	}, [sides]);
	const events = sides.map(({ event }) => event);
	const shapes = sides.map(({ run: { nodeOfCpu, nrNodes }, moment }, i) => {
		const machine = { width, height, nodeOfCpu, nrNodes, acting: moment.op.cpu };
		const open = openOf(machine, events);
		return shapeOf(moment.frame.places, open ? { ...machine, open } : machine, capacities[i]);
	});
	const key = JSON.stringify(shapes);
	return useMemo(() => plansBeside(JSON.parse(key)), [key]);
}

interface OneSectionProps {
	readonly side: Section;
	readonly size: Size;
	readonly plan: Plan;
	readonly agreement: Agreement | undefined;
}

function OneSection({ side, size, plan, agreement }: OneSectionProps) {
	const { nr, name, run, moment, taken, event, settings } = side;
	const drawn = useMemo(() => {
		const scene = sceneOf(plan, run, moment, EMPTY_SCENE);
		return {
			...dimmed(scene, touchedBy(moment, taken.path), agreement),
			path: pathOn(plan, event),
		};
	}, [plan, run, moment, taken, event, agreement]);
	return (
		<div className={`narrows ${css.stage}`}>
			<h4>
				<Letter nr={nr} /> {name} <span className="small quiet">{settings}</span>
			</h4>
			<StageCanvas name={`Stage of ${letterOf(nr)}`} {...{ moment, size, drawn }} />
		</div>
	);
}

/** Returns the serial numbers of slabs that the event's steps name or move, up to the one on screen. */
function touchedBy({ steps, firstStep, position, frame }: Moment, path: EventPath): Set<number> {
	const [cache] = frame.slabs.cache;
	const named = steps
		.slice(0, position.step - firstStep + 1)
		.flatMap((step) => (step.cache === cache ? (step.args.slab ?? []) : []));
	const moved = path.steps
		.slice(0, position.step + 1)
		.flatMap((step) => (step.cache === cache ? step.slab : []));
	return new Set([...named, ...moved]);
}

interface CostsProps {
	readonly sides: readonly Section[];
	readonly steps: readonly StepsAt[];
}

/** Draws one bar below the other, on one scale. Steps that both machines take are grey. */
function Costs({ sides, steps }: CostsProps) {
	const most = roundedUp(Math.max(...sides.map(({ taken }) => taken.path.cycles)));
	const { op } = sides[0]?.moment.position ?? { op: 0 };
	return (
		<div className="grid one-column gap-1">
			{sides.map(({ nr, name, taken, moment }, i) => (
				<Cost
					key={nr}
					name={
						<strong>
							<Letter nr={nr} /> {name}
						</strong>
					}
					cost={taken.path}
					levels={taken.levels}
					most={most}
					steps={moment.steps}
					firstStep={moment.firstStep}
					isCommon={(segment) => isCommon(steps, i, segment)}
					jump={(step) => {
						pause();
						go({ kind: "at", op, step });
					}}
				/>
			))}
		</div>
	);
}

function isCommon(steps: readonly StepsAt[], side: number, { from, to }: Segment): boolean {
	return steps.every(({ at, isCommon }) => {
		return isCommon || !at[side]?.some((step) => from <= step && step <= to);
	});
}

interface StepTableProps {
	readonly steps: readonly StepsAt[];
	readonly letter: string;
}

function StepTable({ steps, letter }: StepTableProps) {
	const columnOf = (nr: 0 | 1, machine: string) => ({
		name: machine,
		show: ({ at, words, cycles }: StepsAt) =>
			words[nr] === "" ? (
				"–"
			) : (
				<>
					<span className="quiet">
						{at[nr].length > 1 ? "steps" : "step"} {words[nr]} ·
					</span>{" "}
					{quantity(cycles[nr], "cycle")}
				</>
			),
	});
	return (
		<DataTable
			caption={`Steps of the event on A and ${letter}, by what they do`}
			className={`wide ${css.steps}`}
			label="The event’s steps by what they do"
			columns={[
				{ name: "Steps by what they do", show: ({ name }) => name },
				columnOf(0, "A"),
				columnOf(1, letter),
			]}
			rows={steps}
			keyOf={({ name }) => name}
			rowProps={({ isCommon }) => (isCommon ? { className: "quiet" } : {})}
		/>
	);
}

/* A stage that is only looked at: a canvas with one machine's scene and the path of its event. */

const WHOLE = { k: 1, x: 0, y: 0 };

interface StageCanvasProps {
	readonly name: string;
	readonly moment: Moment;
	readonly size: Size;
	readonly drawn: Drawn;
}

interface Drawn {
	readonly scene: Scene;
	readonly path: ScenePath | undefined;
	/** Slabs with a dark ring. */
	readonly differing: readonly Rect[];
}

function StageCanvas({ name, moment, size, drawn }: StageCanvasProps) {
	const [pointed, setPointed] = useState("");
	const canvas = usePainted(drawn, size);
	const { frame } = moment;
	const onPoint = (e: PointerEvent) => {
		const { offsetX, offsetY } = e.nativeEvent;
		const stop = stopAt(drawn.path, moment, offsetX, offsetY);
		setPointed(stop || nameOf(hitTest(drawn.scene, offsetX, offsetY, 1), frame));
	};
	return (
		<>
			<div className={css.paper} style={{ height: size.height }}>
				<canvas
					ref={canvas}
					role="img"
					aria-label={name}
					onPointerMove={onPoint}
					onPointerLeave={() => setPointed("")}
				/>
			</div>
			<p className={`small quiet number ${css.pointed}`} aria-hidden="true">
				{pointed}
			</p>
			<table className="hidden">
				<caption>{name}</caption>
				<tbody>
					{inWords(frame).map((row) => (
						<tr key={row.key}>
							<th scope="row">{row.name}</th>
							<td>{row.holds}</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}

/** Draws the scene whenever it, its size, the theme or the screen's pixel ratio changes. */
function usePainted({ scene, path, differing }: Drawn, { width, height }: Size) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const painter = useRef<StagePainter>(undefined);
	const look = useFacts((f) => f.look);
	const ratio = useFacts((f) => f.pixelRatio);
	// Before it is drawn: both follow from one change.
	useEffect(() => {
		if (canvas.current && look) painter.current?.recolour(readPalette(canvas.current));
	}, [look]);
	useEffect(() => {
		const element = canvas.current;
		const ctx = element?.getContext("2d", { alpha: false });
		if (!element || !ctx) return;
		const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
		if (element.width !== w || element.height !== h) {
			element.width = w;
			element.height = h;
			painter.current?.forget();
		}
		painter.current ??= new StagePainter(ctx, readPalette(element));
		painter.current.paint(scene, WHOLE, ratio, {
			...{ slab: "", objects: [], closeUps: [], next: differing },
			...waysOfPath(path),
		});
	}, [scene, path, differing, width, height, look, ratio]);
	return canvas;
}

/** Returns the sentence for the stop under the pointer; "" for none. */
function stopAt(path: ScenePath | undefined, moment: Moment, x: number, y: number): string {
	const stop = path?.stops.find((one) => {
		return Math.abs(one.x - x) <= one.w / 2 && Math.abs(one.y - y) <= one.h / 2;
	});
	if (!stop) return "";
	const { sentence = "" } = moment.steps[stop.from - moment.firstStep] ?? {};
	return `${stop.words}: ${sentence}`;
}

/** Names the thing under the pointer: a slab with its place, or the place. */
function nameOf(hit: Hit | undefined, frame: Frame): string {
	const serial = hit?.object?.serial ?? hit?.slab?.serial;
	if (serial !== undefined) {
		const row = frame.slabs.serial.indexOf(serial);
		const place = frame.places[frame.slabs.place[row] ?? 0];
		const where = place ? `, ${placeName(place)}` : "";
		return `slab ${serial}${where}: ${allocatedIn(frame, row)} of ${frame.slabs.objects[row]} allocated`;
	}
	const { key = "" } = hit?.panel ?? {};
	const [, kind, number] = /^(cpu|node):(\d+)/.exec(key) ?? [];
	if (kind === "cpu") return `CPU ${number}`;
	return kind === "node" ? `node ${number}` : "";
}
