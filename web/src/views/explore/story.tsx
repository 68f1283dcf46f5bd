/** The current event in words: its sentence, its steps and their cost, the code of the step, the counter that it changes. */
import { type RefObject, useEffect, useRef } from "react";
import { COUNTER_NAMES, COUNTER_WORDS } from "#abi";
import { pathOf } from "../../app/playback/event_path.ts";
import { cachesToName } from "../../app/playback/other_cache.ts";
import { go, pause } from "../../app/playback/player.ts";
import { forkHere, isForkable } from "../../app/sandbox/open_sandbox.ts";
import { allocatorOf, change, isUntouched, type LitSteps } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { presetInForce } from "../../app/trace/actions.ts";
import { count, quantity } from "../../base/format.ts";
import { numberOf } from "../../base/numbering.ts";
import { ALL_CACHES, type EventPath, type Moment, type Step } from "../../engine/types.ts";
import { multipleOf } from "../../stage/cost.ts";
import { classes } from "../../ui/classes.ts";
import { lazyPart, Part } from "../../ui/lazy_part.tsx";
import { codeAt } from "./code/program.ts";
import { programFor, useProgram } from "./code/programs.ts";
import { useNextObjects } from "./next/use_next_objects.ts";
import css from "./story.module.css";

const NextList = lazyPart(async () => (await import("./next/next_list.tsx")).NextList);

export function Story() {
	const moment = useCalm((f) => f.moment);
	const untouched = useFacts(isUntouched);
	return (
		<section className={css.story} data-part="story" aria-label="Story">
			{moment && !untouched ? (
				<Operation moment={moment} />
			) : (
				<p className="quiet">No event has happened yet.</p>
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
	return (
		<>
			<header className={css.event}>
				<h2>{op.sentence}</h2>
				{op.site !== "" && <p className="mono quiet">called from {op.site}</p>}
				<p className={css.title}>
					<strong>{quantity(moment.nrSteps, "step")}</strong>
					{mayFork && (
						<button
							type="button"
							className={`link ${css.fork}`}
							title="Continue this trace by hand after this event; the recorded future is kept"
							onClick={() => void forkHere()}
						>
							Fork here
						</button>
					)}
					{path && <Sum path={path} />}
				</p>
			</header>
			<StepList
				moment={moment}
				current={current}
				path={path}
				lit={lit?.op === position.op ? lit : null}
			/>
			<Part name="The code of this function">
				<Code steps={steps} current={current} />
			</Part>
			<Counters moment={moment} step={steps[current]} />
			<NextObjects moment={moment} />
		</>
	);
}

/** Goes to a step of the event on screen. */
function jumpTo(moment: Moment, step: number): void {
	pause();
	go({ kind: "at", op: moment.position.op, step });
}

function Sum({ path: { cycles, fastCycles } }: { path: EventPath }) {
	const multiple = multipleOf(cycles, fastCycles);
	return (
		<span className={css.sum}>
			{quantity(cycles, "cycle")}
			{multiple !== "" && `, ${multiple}`}
		</span>
	);
}

/** The next objects of the cache on the stage; if that shows all caches, of the event's cache. */
function NextObjects({ moment }: { moment: Moment }) {
	const shown = useFacts((f) => f.built?.caches.find((c) => c.name === f.cache));
	const cache = shown?.cache ?? moment.op.cache;
	const rows = useNextObjects(moment, cache);
	const name = shown?.name ?? moment.caches.find((c) => c.cache === cache)?.name;
	if (name === undefined) return null;
	// Its room is kept while nothing is known, so that nothing moves when the rows arrive.
	if (!rows) return <div className={css.next} />;
	return (
		<section className={css.next} aria-label={`Next object of ${name}`}>
			<p className={css.title}>
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

/** Scrolls a list so that one of its items is in the middle; again when `change` or the list's size does. */
function useInSight(list: RefObject<HTMLOListElement | null>, index: number, change: string): void {
	useEffect(() => {
		const box = list.current;
		const item = box?.children[index];
		if (!box || !item) return;
		// Reading rectangles now would force a layout; this observer runs right after it.
		const observer = new ResizeObserver(() => {
			const { top, height } = item.getBoundingClientRect();
			const middle = box.getBoundingClientRect().top + box.clientTop + box.clientHeight / 2;
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
	const inSight = lit ? lit.from - moment.firstStep : current;
	useInSight(list, inSight, String(op));
	return (
		<ol
			className={css.steps}
			ref={list}
			start={numberOf(moment.firstStep)}
			style={{ "--digits": String(moment.nrSteps).length } as React.CSSProperties}
		>
			{moment.steps.map((s, i) => {
				const number = moment.firstStep + i;
				const state = number === step ? "now" : number < step ? "done" : "ahead";
				const isLit = lit !== null && lit.from <= number && number <= lit.to;
				const cycles = path?.cyclesOf[number];
				return (
					<li key={number}>
						<button
							type="button"
							className={classes(css.step, css[state], isLit && css.lit)}
							aria-current={state === "now" ? "step" : undefined}
							onPointerEnter={() => change({ litSteps: { op, from: number, to: number } })}
							onPointerLeave={() => change({ litSteps: null })}
							onClick={() => jumpTo(moment, number)}
						>
							<span className={css.stepNumber}>{number + 1}</span>
							<span>
								{caches[i] && <span className="tag">in {caches[i]}</span>} {s.sentence}
							</span>
							<span className={css.cycles}>
								{cycles !== undefined && (
									<>
										{count(cycles)}
										<span className="hidden">{cycles === 1 ? " cycle" : " cycles"}</span>
									</>
								)}
							</span>
						</button>
					</li>
				);
			})}
		</ol>
	);
}

function Code({ steps, current }: { steps: readonly Step[]; current: number }) {
	const name = useFacts((f) => programFor(allocatorOf(f.built), f.built?.params ?? []));
	const preset = useFacts(presetInForce);
	const program = useProgram(name);
	const work = codeAt(program, steps, current);
	const list = useRef<HTMLOListElement>(null);
	useInSight(list, work?.line ?? -1, work?.fn ?? "");
	if (!work) return <figure className={css.code} />;
	return (
		<figure className={css.code}>
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
		<div className={css.counter}>
			{step && value !== undefined ? (
				<>
					<code>{step.kind}</code>
					<strong className="number">{count(value)}</strong>
					<span className="quiet">after this event:</span>
					<span className="quiet">{COUNTER_WORDS[index]}</span>
				</>
			) : (
				<span className="quiet">This step does not change a counter.</span>
			)}
		</div>
	);
}
