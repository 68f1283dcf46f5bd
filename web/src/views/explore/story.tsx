/** The current event in words: its sentence, its steps and their cost, the code of the step, the counter that it changes. */

import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { COUNTER_NAMES, COUNTER_WORDS } from "#abi";
import { engine } from "../../app/platform/engine_link.ts";
import { cachesToName, pathOf } from "../../app/playback/event_path.ts";
import { go, pause } from "../../app/playback/player.ts";
import { stepRows } from "../../app/playback/step_rows.ts";
import { forkHere, isForkable } from "../../app/sandbox/scenes.ts";
import {
	allocatorOf,
	busy,
	change,
	isOpeningFirst,
	isUntouched,
	type LitSteps,
} from "../../app/state/store.ts";
import { isRushing } from "../../app/state/throttle.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { presetInForce } from "../../app/trace/actions.ts";
import { count, eventWords, quantity } from "../../base/format.ts";
import { awaitChange } from "../../base/frame_clock.ts";
import { capital } from "../../base/words.ts";
import type { Traffic } from "../../engine/query/traffic.ts";
import {
	ALL_CACHES,
	type EventPath,
	type Moment,
	type NextObject,
	type Step,
} from "../../engine/types.ts";
import { multipleOf } from "../../stage/cost.ts";
import { classes } from "../../ui/controls.tsx";
import { lazyPart, Part } from "../../ui/lazy_part.tsx";
import { codeAt } from "./code/program.ts";
import { programFor, useProgram } from "./code/programs.ts";
import css from "./story.module.css";

const NextList = lazyPart(async () => (await import("./next_list.tsx")).NextList);

export function Story() {
	const moment = useCalm((f) => f.moment);
	const untouched = useFacts(isUntouched);
	const isOpening = useFacts(isOpeningFirst);
	return (
		<section
			className={`grid gap-2 shrinks scrolls paper ${css.story}`}
			data-part="story"
			aria-label="Story"
		>
			{moment && !untouched ? (
				<Operation moment={moment} />
			) : (
				!isOpening && <p className="quiet">No event has happened yet.</p>
			)}
		</section>
	);
}

function Operation({ moment }: { moment: Moment }) {
	const { op, steps, position, firstStep } = moment;
	const current = position.step - firstStep;
	const path = useFacts((f) => pathOf(f, moment));
	const lit = useFacts((f) => f.litSteps);
	const mayFork = useFacts(isForkable);
	// While the tour plays, there should be one thing to read at a time.
	const isGuided = useFacts((f) => f.guide?.isPlaying === true);
	const traffic = useFacts((f) => (f.traffic && f.traffic.events > 0 ? f.traffic : null));
	return (
		<>
			<header className={css.event}>
				<div className={`flex apart baseline gap-2 ${css.title}`}>
					<h2>{quantity(moment.nrSteps, "step")}</h2>
					{path && <Sum path={path} />}
				</div>
				<div className={`flex apart baseline gap-2 ${css.title}`}>
					<p className="quiet">
						{op.site !== "" && (
							<span className="mono" title={`called from ${op.site}`}>
								{functionIn(op.site)} ·{" "}
							</span>
						)}
						CPU {op.cpu} · {eventWords(position.op)}
					</p>
					{mayFork && (
						<button
							type="button"
							className={`link small ${css.fork}`}
							title="Continue this trace by hand after this event; the recorded future is kept"
							onClick={() => void forkHere()}
						>
							Branch from here
						</button>
					)}
				</div>
			</header>
			{traffic ? (
				<Costliest traffic={traffic} />
			) : (
				<StepList
					moment={moment}
					current={current}
					path={path}
					lit={lit?.op === position.op ? lit : null}
				/>
			)}
			{!isGuided && (
				<>
					<Part name="The code of this function">
						<Code steps={steps} current={current} />
					</Part>
					<Counters moment={moment} step={steps[current]} />
					<NextObjects moment={moment} />
				</>
			)}
		</>
	);
}

/** Cuts the offset off a call site such as `__alloc_skb+0x7c/0x160`. */
const functionIn = (site: string) => site.split("+", 1)[0];

/** Goes to a step of the event on screen. */
function jumpTo(moment: Moment, step: number): void {
	pause();
	go({ kind: "at", op: moment.position.op, step });
}

/** Nobody can read steps at speed: this lists the costliest of the latest events, as positions to pause at. */
function Costliest({ traffic: { costliest } }: { traffic: Traffic }) {
	return (
		<section className={css.costliest} aria-label="The costliest of these events">
			<h3>The costliest of these: click one to pause there</h3>
			<ol>
				{costliest.map(({ op, cycles, caption }) => (
					<li key={op}>
						<button type="button" className="link" onClick={() => pauseAt(op)}>
							{caption}
						</button>
						<span className={`relative number ${css.cycles}`}>{count(cycles)}</span>
					</li>
				))}
			</ol>
		</section>
	);
}

function pauseAt(op: number): void {
	pause();
	go({ kind: "at", op, step: 0 });
}

function Sum({ path: { cycles, fastCycles } }: { path: EventPath }) {
	const multiple = multipleOf(cycles, fastCycles);
	return (
		<span className={`number ${css.sum}`}>
			{quantity(cycles, "model cycle")}
			{multiple !== "" && ` · ${multiple}`}
		</span>
	);
}

/** The next objects of the cache on the stage, or of the event's cache if the stage shows all caches. */
function NextObjects({ moment }: { moment: Moment }) {
	const shown = useFacts((f) => f.built?.caches.find((c) => c.name === f.cache));
	const cache = shown?.cache ?? moment.op.cache;
	const rows = useNextObjects(moment, cache);
	const name = shown?.name ?? moment.caches.find((c) => c.cache === cache)?.name;
	if (name === undefined) return null;
	// Keeps its room while nothing is known, so nothing moves when the rows arrive.
	if (!rows) return <div className={css.next} />;
	return (
		<section className={css.next} aria-label={`Next object of ${name}`}>
			<p className={`flex apart baseline gap-2 ${css.title}`}>
				<strong>Next object of {name}</strong>
				<span className="quiet">cycles</span>
			</p>
			<Part name="The list of next objects">
				<NextList rows={rows} />
			</Part>
		</section>
	);
}

interface StepListProps {
	readonly moment: Moment;
	readonly current: number;
	readonly path: EventPath | undefined;
	readonly lit: LitSteps | null;
}

/**
 * Scrolls a list so that one of its items is in the middle; again when `change` or the list's size changes. Under the pointer,
 * a list stays where it is while the item is in sight, or a click would hit another item than the one you aimed at.
 */
function useInSight(list: RefObject<HTMLOListElement | null>, index: number, change: string): void {
	useEffect(() => {
		const box = list.current;
		const item = box?.children[index];
		if (!box || !item) return;
		// Reading rectangles now would force a layout; this observer runs right after it.
		const observer = new ResizeObserver(() => {
			const { top, bottom, height } = item.getBoundingClientRect();
			const edge = box.getBoundingClientRect();
			if (box.matches(":hover") && edge.top <= top && bottom <= edge.bottom) return;
			const middle = edge.top + box.clientTop + box.clientHeight / 2;
			box.scrollTop += top + height / 2 - middle;
		});
		observer.observe(box);
		return () => observer.disconnect();
	}, [list, index, change]);
}

function StepList({ moment, current, path, lit }: StepListProps) {
	const list = useRef<HTMLOListElement>(null);
	const { op, step } = moment.position;
	const shown = useFacts((f) => f.built?.caches.find((c) => c.name === f.cache)?.cache);
	const caches = cachesToName(moment, shown ?? ALL_CACHES);
	const digits = String(moment.nrSteps).length;
	const isGuided = useFacts((f) => f.guide?.isPlaying === true);
	const [open, setOpen] = useState<readonly number[]>([]);
	useEffect(() => setOpen([]), [op]);
	const rows = useMemo(() => stepRows(moment, path), [moment, path]);
	const inSight = lit ? lit.from : moment.firstStep + current;
	const row = rows.findIndex(({ from, to }) => from <= inSight && inSight <= to);
	useInSight(list, row, String(op));
	const stepAt = (number: number) => (
		<StepButton
			key={number}
			from={number}
			to={number}
			step={step}
			isVain={path?.vain[number] === 1}
			lit={lit}
			op={op}
			cycles={path?.cyclesOf[number]}
			title={moment.steps[number - moment.firstStep]?.sentence}
			run={() => jumpTo(moment, number)}
		>
			{caches[number - moment.firstStep] && (
				<span className="tag">in {caches[number - moment.firstStep]}</span>
			)}{" "}
			{moment.steps[number - moment.firstStep]?.sentence}
		</StepButton>
	);
	return (
		<ol className={css.steps} ref={list} style={{ "--digits": digits } as React.CSSProperties}>
			{rows.map(({ from, to, isVain, words, nodes }) => {
				if (from === to) return <li key={from}>{stepAt(from)}</li>;
				const isOpen = open.includes(from);
				const isHere = from <= step && step <= to && !isGuided;
				const shown = isHere ? step : to;
				const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
				return (
					<li key={from}>
						<StepButton
							{...{ from, to, step, isVain, lit, op }}
							cycles={path && numbers.reduce((sum, n) => sum + (path.cyclesOf[n] ?? 0), 0)}
							isOpen={isOpen}
							title={
								isHere || words === "" ? moment.steps[shown - moment.firstStep]?.sentence : words
							}
							run={() => setOpen(isOpen ? open.filter((f) => f !== from) : [...open, from])}
						>
							{words === "" ? `${count(numbers.length)} similar steps` : capital(words)}
							{!isOpen && (isHere || words === "") ? (
								<span className={css.shown}>
									{isHere && `${count(step + 1)}: `}
									{moment.steps[shown - moment.firstStep]?.sentence}
								</span>
							) : (
								nodes !== "" && <span className={css.shown}>{nodes}</span>
							)}
						</StepButton>
						{isOpen && (
							<ol className={css.within}>
								{numbers.map((number) => (
									<li key={number}>{stepAt(number)}</li>
								))}
							</ol>
						)}
					</li>
				);
			})}
		</ol>
	);
}

interface StepButtonProps {
	/** First and last of the steps that it stands for. */
	readonly from: number;
	readonly to: number;
	/** The step on screen. */
	readonly step: number;
	readonly isVain: boolean;
	readonly lit: LitSteps | null;
	readonly op: number;
	readonly cycles: number | undefined;
	/** Undefined if there is nothing to open. */
	readonly isOpen?: boolean;
	/** Its whole sentence: the list may have no room for it. */
	readonly title?: string | undefined;
	readonly run: () => void;
	readonly children: React.ReactNode;
}

/** Its number looks like the stop on the stage: filled, or hollow for a step that found nothing or is still to come. */
function StepButton(props: StepButtonProps) {
	const { from, to, step, isVain, lit, op, cycles, isOpen, title, run, children } = props;
	const state = from > step ? "ahead" : to < step ? "done" : "now";
	const isLit = lit !== null && lit.from <= to && from <= lit.to;
	const isNow = state === "now" && !isOpen;
	return (
		<button
			type="button"
			className={classes(
				`grid high wide quiet small ${css.step}`,
				isNow ? css.now : css[state === "now" ? "done" : state],
				isLit && css.lit,
			)}
			aria-current={isNow ? "step" : undefined}
			aria-expanded={isOpen}
			title={title}
			onPointerEnter={() => change({ litSteps: { op, from, to } })}
			onPointerLeave={() => change({ litSteps: null })}
			onClick={run}
		>
			<span
				className={classes("strong number", css.stop, (isVain || state === "ahead") && css.hollow)}
			>
				{count(from + 1)}
				{to > from && `–${count(to + 1)}`}
			</span>
			<span className={css.words}>{children}</span>
			<span className={`relative number ${css.cycles}`}>
				{cycles !== undefined && (
					<>
						{count(cycles)}
						<span className="hidden">{cycles === 1 ? " cycle" : " cycles"}</span>
					</>
				)}
			</span>
		</button>
	);
}

function Code({ steps, current }: { steps: readonly Step[]; current: number }) {
	const name = useFacts((f) => programFor(allocatorOf(f.built), f.built?.params ?? []));
	const preset = useFacts(presetInForce);
	const program = useProgram(name);
	const work = codeAt(program, steps, current);
	const list = useRef<HTMLOListElement>(null);
	useInSight(list, work?.line ?? -1, work?.fn ?? "");
	if (!work) return <figure className={`line-above small ${css.code}`} />;
	return (
		<figure className={`line-above small ${css.code}`}>
			<figcaption>
				<code className="strong">{work.fn}</code>{" "}
				<span className="quiet">
					{work.procedure && (work.procedure.version ?? program.version)}
					{program.dependsOnPreset &&
						preset !== "" &&
						`; ${preset.replace("linux-", "Linux ")} may skip some lines`}
				</span>
			</figcaption>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
			<ol ref={list} tabIndex={0} aria-label={`Code of ${work.fn}`}>
				{work.procedure?.lines.map((line, i) => (
					<li
						key={line.text}
						className={i === work.line ? css.lit : undefined}
						aria-current={i === work.line ? "true" : undefined}
					>
						<code>{line.text}</code>
					</li>
				))}
			</ol>
		</figure>
	);
}

function Counters({ moment, step }: { moment: Moment; step: Step | undefined }) {
	const counters = useFacts((f) => f.built?.counters);
	const index = step ? (COUNTER_NAMES as readonly string[]).indexOf(step.kind) : -1;
	const row = moment.caches.find((c) => c.cache === step?.cache);
	const value = counters?.includes(index) ? row?.counters[index] : undefined;
	return (
		<p className={`clips small one-line ${css.counter}`}>
			{step && value !== undefined && (
				<>
					<code>{step.kind}</code> <strong className="number">{count(value)}</strong>
					<span className="quiet"> after this event: {COUNTER_WORDS[index]}</span>
				</>
			)}
		</p>
	);
}

/* A question of the story to the engine: where the next object of a cache lands on each CPU. */

/** Longer than the time between two positions while an arrow key is held down. */
const REST_MS = 80;

/** Figures that don't arrive leave gaps: the story can be read without them. */
const nothing = () => undefined;

/** On each CPU, once the position has settled; until then those of the previous position. Undefined while the trace plays. */
function useNextObjects(
	{ position: { op, step }, nrSteps }: Moment,
	cache: number,
): readonly NextObject[] | undefined {
	const built = useFacts((f) => f.built);
	const isWhole = useFacts((f) => f.isWhole);
	const playing = useFacts((f) => f.playing);
	const answer = useFacts((f) => f.next);
	// The core answers between events: within an event, as before it.
	const ops = step >= nrSteps - 1 ? op + 1 : op;
	useEffect(() => {
		if (playing || !built) return;
		let isWanted = true;
		const isThere = awaitChange();
		const ask = async () => {
			const rows = await busy(() => engine().nextObjects(ops, cache)).catch(nothing);
			if (isWanted) change({ next: rows ? { ops, cache, rows } : null });
			isThere();
		};
		// The text follows a drag as well, which the answer would hold up.
		const rest = () => {
			timer = isRushing() ? window.setTimeout(rest, REST_MS) : 0;
			if (timer === 0) void ask();
		};
		let timer = window.setTimeout(rest, REST_MS);
		return () => {
			isWanted = false;
			window.clearTimeout(timer);
			isThere();
		};
	}, [ops, cache, built, isWhole, playing]);
	return !playing && answer?.cache === cache ? answer.rows : undefined;
}
