/** The current event in words: its sentence, its steps, the code of the step, the counter that it changes. */
import { useEffect, useRef } from "react";
import { COUNTER_NAMES, COUNTER_WORDS } from "#abi";
import { cachesToName } from "../../app/playback/other_cache.ts";
import { go, pause } from "../../app/playback/player.ts";
import { allocatorOf, isUntouched } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { presetInForce } from "../../app/trace/actions.ts";
import { count } from "../../base/format.ts";
import { numberOf } from "../../base/numbering.ts";
import { ALL_CACHES, type Moment, type Step } from "../../engine/types.ts";
import { classes } from "../../ui/classes.ts";
import { Part } from "../../ui/lazy_part.tsx";
import { useSize } from "../../ui/use_element.ts";
import { codeAt } from "./code/program.ts";
import { useProgram } from "./code/programs.ts";
import css from "./story.module.css";

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
	return (
		<>
			<header className={css.event}>
				<h2>{op.sentence}</h2>
				{op.site !== "" && <p className="mono quiet">called from {op.site}</p>}
			</header>
			<StepList moment={moment} current={current} />
			<Part name="The code of this function">
				<Code steps={steps} current={current} />
			</Part>
			<Counters moment={moment} step={steps[current]} />
		</>
	);
}

function StepList({ moment, current }: { moment: Moment; current: number }) {
	const list = useRef<HTMLOListElement>(null);
	const { op, step } = moment.position;
	const { height } = useSize(list);
	const shown = useFacts((f) => f.built?.caches.find((c) => c.name === f.cache)?.cache);
	const caches = cachesToName(moment, shown ?? ALL_CACHES);
	useEffect(() => {
		const box = list.current;
		const item = box?.children[current];
		if (!box || !item) return;
		// Reading rectangles now would force a layout; observers receive them after it.
		const observer = new IntersectionObserver(
			([entry]) => {
				observer.disconnect();
				const { rootBounds: room, boundingClientRect: r } = entry ?? {};
				if (room && r) box.scrollTop += r.top + r.height / 2 - room.top - room.height / 2;
			},
			{ root: box },
		);
		observer.observe(item);
		return () => observer.disconnect();
	}, [current, height, op]);
	const jump = (to: number) => {
		pause();
		go({ kind: "at", op, step: to });
	};
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
				return (
					<li key={number}>
						<button
							type="button"
							className={classes(css.step, css[state])}
							aria-current={state === "now" ? "step" : undefined}
							onClick={() => jump(number)}
						>
							<span className={css.stepNumber}>{number + 1}</span>
							<span>
								{caches[i] && <span className="tag">in {caches[i]}</span>} {s.sentence}
							</span>
						</button>
					</li>
				);
			})}
		</ol>
	);
}

function Code({ steps, current }: { steps: readonly Step[]; current: number }) {
	const allocator = useFacts((f) => allocatorOf(f.built));
	const preset = useFacts(presetInForce);
	const program = useProgram(allocator);
	const work = codeAt(program, steps, current);
	if (!work) return <figure className={css.code} />;
	return (
		<figure className={css.code}>
			<figcaption>
				<code className="strong">{work.fn}</code>{" "}
				<span className="quiet">
					{work.procedure && (work.procedure.version ?? program.version)}
					{program.dependsOnPreset && preset !== "" && `; ${preset} may skip some lines`}
				</span>
			</figcaption>
			<ol>
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
