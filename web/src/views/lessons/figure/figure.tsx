/** A figure in the text of a lesson: the stage at one position, drawn small by the core's own data, and one sentence. */

import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { useFacts } from "../../../app/state/use_facts.ts";
import { count, eventWords, numberOf } from "../../../base/format.ts";
import type { PassageRun } from "../../../engine/answers.ts";
import { momentOf } from "../../../engine/moment.ts";
import type { Moment } from "../../../engine/types.ts";
import { inWords } from "../../../scene/describe.ts";
import { type Capacities, capacitiesOf } from "../../../scene/layout/capacity.ts";
import { slabOfPart } from "../../../scene/layout/parts.ts";
import { makePlan } from "../../../scene/layout/plan.ts";
import { shapeOf } from "../../../scene/layout/shape.ts";
import { EMPTY_SCENE, type Scene } from "../../../scene/scene.ts";
import { sceneOf } from "../../../stage/shown.ts";
import { Button, Icon } from "../../../ui/controls.tsx";
import { type Size, useAsync, useSeen, useSize } from "../../../ui/hooks.ts";
import { useAround, within } from "../model/context.ts";
import { type Place, playedAt, withHelper } from "../model/places.ts";
import css from "./figure.module.css";
import { largest, placesUsed, SmallStage, useBrush } from "./small_stage.tsx";

interface FigureProps extends Place {
	readonly op: number;
	/** Shows only this node of a larger machine. */
	readonly node?: number;
	/** Puts a ring around the slab of this number. */
	readonly slab?: number;
	/** Shows only this slab. */
	readonly close?: number;
	/** One sentence: what to see. */
	readonly children?: ReactNode;
}

export function Figure({ children, node, slab, close, ...own }: FigureProps) {
	const place = within(useAround().place, own);
	const id = useId();
	// Words of the same passage point at its slabs, too.
	const lit = useFacts((f) => slabOfPart(f.trace === place.trace ? f.litPart : ""));
	return (
		<figure className={css.figure} data-figure aria-labelledby={id}>
			<div className={`framed round ground ${css.figurePicture}`}>
				<SmallStage
					place={place}
					shots={[{ op: own.op, step: own.step }]}
					label={`The stage at event ${own.op + 1}`}
					cut={{ node, slab: close }}
					slab={lit ?? slab}
				/>
			</div>
			<figcaption id={id} className="quiet">
				{children}
			</figcaption>
		</figure>
	);
}

/*
 * Two machines run the same events side by side: a live stage for each, and one set of controls for both. The core
 * reports the steps of each event, and which events left the fast path.
 */

const PLAYED_MS = 220;

interface BesideProps extends Place {
	/** The machines, separated by semicolons. */
	readonly machines: string;
	/** Their names, separated by semicolons. */
	readonly names: string;
	readonly from: number;
	readonly to: number;
	/** The event that is shown at first; left out: `from`. */
	readonly op?: number;
	/** One sentence: what to see. */
	readonly children?: ReactNode;
}

const parted = (words: string) => words.split(";").map((word) => word.trim());

export function Beside({ machines, names, from, to, children, ...own }: BesideProps) {
	const place = within(useAround().place, own);
	const box = useRef<HTMLElement>(null);
	const seen = useSeen(box);
	const [op, setOp] = useState(own.op ?? from);
	const { trace, cache } = place;
	const ask = async () => {
		const passages: Passage[] = [];
		for (const machine of parted(machines))
			passages.push(await passageOf({ trace, machine, cache }, from, to));
		return passages;
	};
	const { value: passages, sentence } = useAsync(seen ? ask : undefined, [
		seen,
		trace,
		cache,
		machines,
		from,
		to,
	]);
	const id = useId();
	return (
		<figure
			className={`grid gap-3 narrows framed round ground ${css.beside}`}
			data-beside
			data-event={numberOf(op)}
			ref={box}
			aria-labelledby={id}
		>
			<Controls {...{ from, to, op, setOp, passages }} />
			<div className={`grid gap-3 ${css.stages}`}>
				{parted(names).map((name, i) => (
					<Machine key={name} name={name} passage={passages?.[i]} nr={op - from} />
				))}
			</div>
			{sentence !== "" && <p className="danger">{sentence}</p>}
			<figcaption id={id} className="quiet">
				{children}
			</figcaption>
		</figure>
	);
}

interface ControlsProps {
	readonly from: number;
	readonly to: number;
	readonly op: number;
	readonly setOp: (op: number) => void;
	readonly passages: readonly Passage[] | undefined;
}

/** Shows the same position on both machines. */
function Controls({ from, to, op, setOp, passages }: ControlsProps) {
	const [plays, setPlays] = useState(false);
	useEffect(() => {
		if (!plays) return;
		if (op >= to) {
			setPlays(false);
			return;
		}
		const timer = setTimeout(() => setOp(op + 1), PLAYED_MS);
		return () => clearTimeout(timer);
	}, [plays, op, to, setOp]);
	const go = (there: number) => {
		setPlays(false);
		setOp(Math.min(to, Math.max(from, there)));
	};
	const slow = [...new Set(passages?.flatMap(({ run }) => run.slow))].toSorted((a, b) => a - b);
	const next = slow.find((one) => one > op);
	const sentence = passages?.[0]?.moments[op - from]?.op.sentence ?? "";
	return (
		<div className={`grid gap-2 ${css.controls}`}>
			<p className="number" aria-live={plays ? "off" : "polite"}>
				Event {count(numberOf(op))}: {sentence}
			</p>
			<input
				type="range"
				aria-label="Event of both machines"
				aria-valuetext={eventWords(op)}
				min={from}
				max={to}
				value={op}
				disabled={!passages}
				onChange={(e) => go(Number(e.currentTarget.value))}
			/>
			<div className="row">
				<Button
					disabled={!passages}
					onClick={() => {
						if (!plays && op >= to) setOp(from);
						setPlays(!plays);
					}}
				>
					<Icon name={plays ? "pause" : "play"} />
					{plays ? "Pause both" : "Play both"}
				</Button>
				<Button disabled={op <= from} onClick={() => go(op - 1)}>
					Previous event
				</Button>
				<Button disabled={op >= to} onClick={() => go(op + 1)}>
					Next event
				</Button>
				<Button disabled={next === undefined} onClick={() => next !== undefined && go(next)}>
					Next slow path
				</Button>
			</div>
		</div>
	);
}

interface MachineProps {
	readonly name: string;
	readonly passage: Passage | undefined;
	/** The number of the event in the passage, from 0. */
	readonly nr: number;
}

function Machine({ name, passage, nr }: MachineProps) {
	const moment = passage?.moments[nr];
	const op = moment?.position.op ?? 0;
	const slow = passage?.run.slow ?? [];
	const isSlow = slow.includes(op);
	const cycles = passage?.run.cycles ?? [];
	const own = (cycles[nr] ?? 0) - (cycles[nr - 1] ?? 0);
	return (
		<section className={`grid one-column packed gap-1 narrows ${css.machine}`} aria-label={name}>
			<h3>{name}</h3>
			<div className={`framed round paper ${css.picture}`}>
				{passage && <Picture passage={passage} nr={nr} label={`${name} after ${eventWords(op)}`} />}
			</div>
			<p className={isSlow ? css.slow : css.fast}>
				{moment ? (isSlow ? "Left the fast path" : "Fast path") : "…"}
				{moment && <span className="number quiet">, {count(own)} model cycles</span>}
			</p>
			<p className={`small ${css.sentence}`}>{moment?.steps.at(-1)?.sentence}</p>
			<dl className="small number">
				<div>
					<dt>slow paths so far</dt>
					<dd data-slow>{count(slow.filter((one) => one <= op).length)}</dd>
				</div>
				<div>
					<dt>model cycles so far</dt>
					<dd>{count(cycles[nr] ?? 0)}</dd>
				</div>
			</dl>
			{moment && (
				<details className="small">
					<summary>Every step, and all places</summary>
					<ol>
						{moment.steps.map(({ sentence }, i) => (
							<li key={i}>{sentence}</li>
						))}
					</ol>
					<table>
						<caption className="hidden">
							{name} after {eventWords(op)}
						</caption>
						<tbody>
							{inWords(moment.frame).map((row) => (
								<tr key={row.key}>
									<th scope="row">{row.name}</th>
									<td>{row.holds}</td>
								</tr>
							))}
						</tbody>
					</table>
				</details>
			)}
		</section>
	);
}

interface PictureProps {
	readonly passage: Passage;
	readonly nr: number;
	readonly label: string;
}

export function Picture({ passage, nr, label }: PictureProps) {
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const size = useSize(box);
	const brush = useBrush(canvas);
	const sceneAt = useMemo(() => scenesOf(passage, size), [passage, size]);
	useEffect(() => {
		if (!brush || size.width === 0) return;
		const scene = sceneAt(nr);
		const window = { x: 0, y: 0, w: size.width, h: size.height };
		brush.resize(size);
		brush.draw({ scenes: [scene], window }, scene, undefined);
	}, [brush, sceneAt, size, nr]);
	return (
		<div className={`relative wide tall clips ${css.canvas}`} ref={box}>
			<canvas ref={canvas} role="img" aria-label={label} />
		</div>
	);
}

/* A passage of a trace on one machine, event by event: scenes are laid out when they are looked at, all on one plan. */

export interface Passage {
	readonly run: PassageRun;
	/** The scenes, one after each event. */
	readonly moments: readonly Moment[];
	/** The most that each place holds in the passage. */
	readonly capacities: Capacities;
}

const kept = new Map<string, Promise<Passage>>();

/** Returns the same passage for the same question. */
export function passageOf(
	{ trace, machine, cache = "" }: Place,
	from: number,
	to: number,
): Promise<Passage> {
	const key = JSON.stringify([trace, machine, cache, from, to]);
	const known = kept.get(key);
	if (known) return known;
	const passage = withHelper(async (helper) =>
		helper.passage(await playedAt({ trace, machine }), cache, from, to),
	).then((run): Passage => {
		const moments = run.film.moments.map(momentOf);
		const capacities = moments.reduce<Capacities>(
			(all, { frame }) => largest(all, capacitiesOf(frame.places)),
			{},
		);
		return { run, moments, capacities };
	});
	kept.set(key, passage);
	passage.catch(() => kept.delete(key));
	return passage;
}

/** Lays out the scene after the nth event of the passage. */
function scenesOf(
	{ run, moments, capacities }: Passage,
	{ width, height }: Size,
): (nr: number) => Scene {
	const { built } = run.film;
	const { nodeOfCpu, nrNodes } = built;
	const places = placesUsed(moments);
	const plan = makePlan(shapeOf(places, { width, height, nodeOfCpu, nrNodes }, capacities));
	return (nr) => {
		const moment = moments[nr];
		return moment ? sceneOf(plan, built, moment, EMPTY_SCENE) : EMPTY_SCENE;
	};
}
