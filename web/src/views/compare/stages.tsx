/**
 * The stages of two machines at the same position, side by side.
 */
import { useMemo, useRef } from "react";
import { ALLOCATORS } from "#abi";
import { engine } from "../../app/platform/engine_link.ts";
import { letterOf } from "../../app/state/machine_letters.ts";
import { settingsIn, traceIn, traceWords } from "../../app/state/machine_spec.ts";
import { busy, type Comparing, change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import { capital } from "../../base/words.ts";
import type { Comparison, OtherStage, Run } from "../../engine/answers.ts";
import { type Frame, frameOf } from "../../engine/frame.ts";
import type { CacheRow, Moment, Step, ZoneRow } from "../../engine/types.ts";
import { type Capacities, capacitiesOf } from "../../scene/layout/capacity.ts";
import { layout } from "../../scene/layout/layout.ts";
import {
	boxesOf,
	type DifferingPlace,
	type PairDifference,
	pairDifference,
} from "../../scene/layout/pair.ts";
import { makePlan, type Plan } from "../../scene/layout/plan.ts";
import { shapeOf } from "../../scene/layout/shape.ts";
import { SelectField } from "../../ui/controls.tsx";
import { DataTable } from "../../ui/table/data_table.tsx";
import { useAsync } from "../../ui/use_async.ts";
import { type Size, useSize } from "../../ui/use_element.ts";
import { Panel } from "../../ui/view/view.tsx";
import { Letter } from "./letter.tsx";
import { stageOf } from "./machines.ts";
import { StageCanvas } from "./stage_canvas.tsx";
import css from "./stages.module.css";

const NO_PLACES: readonly DifferingPlace[] = [];
const HEIGHT = 300;

interface StagesProps {
	readonly comparison: Comparison;
	readonly versus: readonly string[];
}

export function Stages({ comparison, versus }: StagesProps) {
	const comparing = useFacts((f) => f.comparing);
	const choose = (choice: Partial<Comparing>) => change({ comparing: { ...comparing, ...choice } });
	const nr = Math.min(comparing.other, comparison.runs.length - 1);
	const pair = usePair(comparison, nr);
	const beside = (
		<div className={css.choices}>
			{comparison.runs.length > 2 && (
				<SelectField
					label="A and"
					value={nr}
					options={versus.map((_, i) => [i + 1, letterOf(i + 1)])}
					onSelect={(value) => choose({ other: Number(value) })}
				/>
			)}
		</div>
	);
	return (
		<Panel heading="Stages" beside={beside}>
			{pair && <PairOfStages {...{ comparison, nr, pair }} spec={versus[nr - 1] ?? ""} />}
		</Panel>
	);
}

/** Both machines at one position. */
interface Pair {
	readonly moment: Moment;
	readonly nr: number;
	readonly cache: string;
	readonly other: OtherStage | undefined;
	readonly frame: Frame | undefined;
}

function usePair(comparison: Comparison, nr: number): Pair | undefined {
	const moment = useCalm((f) => f.moment);
	const cache = useCalm((f) => f.cache);
	const ask = async (): Promise<Pair | undefined> => {
		if (!moment) return undefined;
		const other = await busy(() => engine().ghost(stageOf(nr, moment, cache)));
		return { moment, nr, cache, other, frame: other && frameOf(other.packed) };
	};
	return useAsync(moment ? ask : undefined, [comparison, moment, nr, cache]).value;
}

interface PairOfStagesProps {
	readonly comparison: Comparison;
	readonly nr: number;
	readonly pair: Pair;
	readonly spec: string;
}

function PairOfStages({ comparison, nr, pair, spec }: PairOfStagesProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const letter = letterOf(nr);
	const { moment, other, frame } = pair;
	const [first, second] = [comparison.runs[0], comparison.runs[nr]];
	const hasOwnTrace = second?.trace !== undefined;
	// Slabs of different traces have nothing to do with each other.
	const difference = useMemo(
		() => (frame && !hasOwnTrace ? pairDifference(moment.frame, frame) : undefined),
		[moment, frame, hasOwnTrace],
	);
	const isCurrent = pair.nr === nr && first !== undefined && second !== undefined;
	const places = difference ? difference.places : NO_PLACES;
	// The style sheet puts stages below each other where two would be too narrow.
	const across = width >= 700 ? (width - 16) / 2 : width;
	const size = { width: Math.floor(across), height: HEIGHT };
	return (
		<div className={css.pair} ref={box}>
			<p aria-live="polite">
				{verdict(difference, pair, letter)}
				{other && ` ${costs(other, moment, letter, hasOwnTrace)}`}
			</p>
			{isCurrent && width > 0 && (
				<div className={css.stages} data-beside>
					<FirstStage {...{ moment, run: first, size, places }} />
					{other && frame && (
						<SecondStage {...{ nr, other, frame, run: second, size, spec, places }} />
					)}
				</div>
			)}
			{difference && difference.places.length > 0 && (
				<PlacesThatDiffer places={difference.places} letter={letter} />
			)}
		</div>
	);
}

/** How much the machines differ in the cache on the stage. */
function verdict(
	difference: PairDifference | undefined,
	{ cache, other }: Pair,
	letter: string,
): string {
	if (!other) return `${letter} has no cache ${cache}.`;
	if (!difference)
		return `${letter} replays another trace: its cache ${other.cache.name} is shown.`;
	const { slabs } = difference;
	return slabs === 0
		? `No slab of ${cache} differs between A and ${letter} here.`
		: `${capital(quantity(slabs, "slab"))} of ${cache} ${slabs === 1 ? "differs" : "differ"} between A and ${letter} here.`;
}

function costs(
	{ cycles, op }: OtherStage,
	{ position }: Moment,
	letter: string,
	hasOwnTrace: boolean,
): string {
	const on = (nr: 0 | 1) => `${count(cycles[nr])} model cycles`;
	const event = capital(eventWords(position.op));
	if (op < position.op && !hasOwnTrace)
		return `${event} takes ${on(0)} on A; the future of ${letter} ends after ${eventWords(op)}.`;
	return op === position.op
		? `${event} takes ${on(0)} on A, ${on(1)} on ${letter}.`
		: `${event} takes ${on(0)} on A, ${eventWords(op)} takes ${on(1)} on ${letter}.`;
}

interface SceneOf {
	readonly run: Run;
	readonly size: Size;
	readonly frame: Frame;
	readonly cache: CacheRow | undefined;
	readonly zones: readonly ZoneRow[];
	readonly step: Step | undefined;
}

/** The scene of a machine; its plan stands still while lists change a little. */
function useScene({ run, size: { width, height }, frame, cache, zones, step }: SceneOf) {
	const before = useRef<{ run: Run; capacities: Capacities }>(undefined);
	const capacities = useMemo(() => {
		const known = before.current?.run === run ? before.current.capacities : undefined;
		const now = capacitiesOf(frame.places, known);
		before.current = { run, capacities: now };
		return now;
	}, [run, frame]);
	const { nodeOfCpu, nrNodes, pageBytes } = run;
	const key = JSON.stringify(
		shapeOf(frame.places, { width, height, nodeOfCpu, nrNodes }, capacities),
	);
	const plan: Plan = useMemo(() => makePlan(JSON.parse(key)), [key]);
	const scene = useMemo(
		() => layout(plan, { cache, frame, zones, step, pageBytes }),
		[plan, cache, frame, zones, step, pageBytes],
	);
	return { plan, scene };
}

interface FirstStageProps {
	readonly moment: Moment;
	readonly run: Run;
	readonly size: Size;
	readonly places: readonly DifferingPlace[];
}

function FirstStage({ moment, run, size, places }: FirstStageProps) {
	const { frame, zones, position, firstStep, steps } = moment;
	const cache = moment.caches.find((c) => c.cache === (frame.slabs.cache[0] ?? moment.cache));
	const step = steps[position.step - firstStep];
	const { scene } = useScene({ run, size, frame, cache, zones, step });
	const marks = useMemo(() => boxesOf(scene, places), [scene, places]);
	return (
		<div className={css.stage}>
			<StageHead nr={0} name={nameOf(run.allocator)} settings="the machine on the stage" />
			<StageCanvas name="Stage of A" {...{ frame, scene, size, marks }} />
		</div>
	);
}

interface SecondStageProps {
	readonly nr: number;
	readonly other: OtherStage;
	readonly frame: Frame;
	readonly run: Run;
	readonly size: Size;
	readonly spec: string;
	readonly places: readonly DifferingPlace[];
}

function SecondStage({ nr, other, frame, run, size, spec, places }: SecondStageProps) {
	const { cache, zones } = other;
	const { scene } = useScene({ run, size, frame, cache, zones, step: undefined });
	const marks = useMemo(() => boxesOf(scene, places), [scene, places]);
	return (
		<div className={css.stage}>
			<StageHead
				nr={nr}
				name={nameOf(run.allocator)}
				settings={[settingsIn(spec), traceWords(traceIn(spec))].filter(Boolean).join(" · ")}
			/>
			<StageCanvas name={`Stage of ${letterOf(nr)}`} {...{ frame, scene, size }} marks={marks} />
		</div>
	);
}

function nameOf(allocator: string): string {
	return (ALLOCATORS as Readonly<Record<string, string>>)[allocator] ?? allocator;
}

interface StageHeadProps {
	readonly nr: number;
	readonly name: string;
	readonly settings: string;
}

function StageHead({ nr, name, settings }: StageHeadProps) {
	return (
		<h4>
			<Letter nr={nr} /> {name} <span className="small quiet">{settings}</span>
		</h4>
	);
}

interface PlacesProps {
	readonly places: readonly DifferingPlace[];
	readonly letter: string;
}

function PlacesThatDiffer({ places, letter }: PlacesProps) {
	const held = (unit: string, n: number | undefined) =>
		n === undefined ? "no such place" : quantity(n, unit);
	return (
		<details>
			<summary>
				{capital(quantity(places.length, "place"))} that{" "}
				{places.length === 1 ? "differs" : "differ"}
			</summary>
			<DataTable
				caption={`Places that differ between A and ${letter}`}
				className="stays"
				columns={[
					{ name: "Place", show: ({ name }) => name },
					{ name: "A", show: ({ unit, here }) => held(unit, here) },
					{ name: letter, show: ({ unit, there }) => held(unit, there) },
				]}
				rows={places}
				keyOf={({ name }) => name}
			/>
		</details>
	);
}
