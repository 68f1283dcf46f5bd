/**
 * Reality: the model against the real kernel that recorded the trace. It begins with the kernel's own state, and
 * compares the slab and the index of every allocation with the recorded pointer.
 */
import { type ReactNode, useEffect } from "react";
import { useStore } from "zustand";
import type { Checked, Divergence, LeftOut } from "#wasm";
import { useFacts } from "../../../app/state/use_facts.ts";
import { bring } from "../../../app/trace/bring.ts";
import {
	beginWithState,
	checkRun,
	inferOrder,
	type RealRun,
	realRun,
	removeStates,
	showDivergence,
	stopCheck,
} from "../../../app/trace/real_run.ts";
import { count, quantity } from "../../../base/format.ts";
import { Button, Check, LinkButton } from "../../../ui/controls.tsx";
import { CurrentStep } from "../../../ui/current_step.tsx";
import { Fault, FileButton, Page, Panel } from "../../../ui/view/view.tsx";
import { Band } from "./band.tsx";
import { Moves } from "./moves.tsx";
import css from "./reality.module.css";
import { shareWords } from "./rows.ts";
import { showOnStage } from "./show_on_stage.ts";
import { Caches, Controls, Counters, wrongCaches } from "./tables.tsx";

export function Reality() {
	const built = useFacts((f) => f.built);
	const trace = useFacts((f) => f.trace);
	const known = useStore(realRun);
	const isOurs = known.trace === trace;
	const start = isOurs ? known.start : undefined;
	const isCurrent = isOurs && known.built === built;
	useEffect(() => {
		if (built && start && realRun.getState().built !== built) void checkRun();
	}, [built, start, known.stop]);
	if (!built) return null;
	const { checked, divergence, isRunning, sentence } = known;
	return (
		<Page label="Reality" className={css.view}>
			<States start={start} stop={isOurs ? known.stop : undefined} />
			{start && isCurrent && isRunning && (
				<div className="row">
					<progress aria-label="Check of the run" value={known.done} max={1000} />
					<span>
						Replaying the run four times
						{known.infersOrder && ", and then looking for the order of its events"} …
					</span>
					<Button onClick={stopCheck}>Cancel</Button>
				</div>
			)}
			{start && isCurrent && !isRunning && !checked && (
				<div className="row">
					<Fault sentence={sentence} />
					<Button className="primary" onClick={() => void checkRun()}>
						Check the run
					</Button>
				</div>
			)}
			{start && isCurrent && checked && (
				<Results {...{ checked, divergence }} hasStop={known.stop !== undefined} />
			)}
			<div className={start ? undefined : "hidden"}>
				<CurrentStep />
			</div>
		</Page>
	);
}

/** The files of the states, or how to get them. */
function States({ start, stop }: Pick<RealRun, "start" | "stop">) {
	const name = useFacts((f) => f.trace.replace(/^local:/, ""));
	return (
		<div className={css.states}>
			<h2>The model against the kernel that recorded {name}</h2>
			{start ? (
				<p className="quiet">
					Start state: {start.name}. {stop ? `Stop state: ${stop.name}.` : "No stop state yet."}
				</p>
			) : (
				<p className="hint">
					The check needs the state that the kernel’s slabs had when the trace began, and real
					pointers in the trace. Drop that state here, and the state at the end if you have it; “A
					real kernel’s state” in docs/recording.md says how to record both.
				</p>
			)}
			{start && <StageStart />}
			{start && <Order />}
			{stop && !start && <p>Stop state: {stop.name}. The start state is missing.</p>}
			<div className="row">
				<FileButton label="State files" multiple onFiles={(files) => void bring(files)}>
					Choose state files
				</FileButton>
				{(start || stop) && <Button onClick={() => void removeStates()}>Remove the states</Button>}
			</div>
		</div>
	);
}

/** The switch for the search for the order of events. */
function Order() {
	const infersOrder = useStore(realRun, (run) => run.infersOrder);
	return (
		<div>
			<Check checked={infersOrder} onCheck={inferOrder}>
				Infer the order of events
			</Check>
			<p className="small quiet">
				An event may then take effect anywhere between the previous and the next event of its task
				on its CPU. As few as possible move.
			</p>
		</div>
	);
}

/** Whether the replay on the stage begins with the start state too. */
function StageStart() {
	const used = useFacts((f) => f.startState?.used ?? false);
	const canBegin = useFacts((f) => f.startState?.canBegin ?? true);
	const sentence = useFacts((f) => f.built?.warmStart ?? "");
	if (used) return <p className="quiet">On the stage: {sentence}</p>;
	if (!canBegin)
		return (
			<p className="quiet">
				The state is of SLAB and does not name every object, so the replay on the stage cannot begin
				with it; the check replays SLAB.
			</p>
		);
	return (
		<p className="quiet">
			The replay on the stage does not begin with it.{" "}
			<LinkButton onClick={() => void beginWithState()}>Begin with the start state</LinkButton>
		</p>
	);
}

interface ResultsProps {
	readonly checked: Checked;
	readonly divergence: Divergence | null;
	readonly hasStop: boolean;
}

function Results({ checked, divergence, hasStop }: ResultsProps) {
	return (
		<>
			<Summary checked={checked} hasStop={hasStop} />
			<Band band={checked.band} divergence={divergence} />
			<DivergenceCard divergence={divergence} />
			{checked.moved.length > 0 && <Moves checked={checked} />}
			<div className={css.pair}>
				<Controls checked={checked} />
				{hasStop && <Counters checked={checked} />}
			</div>
			<Caches checked={checked} hasStop={hasStop} />
		</>
	);
}

const LEFT_OUT: readonly (readonly [LeftOut, string])[] = [
	["large", "served by whole pages"],
	["other_caches", "of caches that the start state does not have"],
	["odd_pointers", "with a pointer between two objects of its slab"],
	["unknown_frees", "that free a slab which neither the state nor the trace names"],
	["unseen_frees", "frees that the trace lacks, at a pointer allocated again"],
	["beside", "before the start state or after the stop state, by trace markers"],
];

function Summary({ checked, hasStop }: Omit<ResultsProps, "divergence">) {
	const { allocations, right, caches, counters, stop_lists: lists } = checked;
	const { moves, resynchronised, right_in_recorded_order: recorded } = checked;
	const { right_by_slab: bySlab } = checked;
	const infersOrder = useStore(realRun, (run) => run.infersOrder);
	const wrong = wrongCaches(checked);
	const of = (part: number, all: number) => `${count(part)} of ${count(all)}`;
	const leftOut = LEFT_OUT.filter(([key]) => checked.left_out[key] > 0);
	return (
		<section className={css.summary} aria-label="Result of the check">
			<p role="status" className={css.figure}>
				<strong className="number">{shareWords(right, allocations)}</strong> of{" "}
				{quantity(allocations, "allocation")} got the recorded slab and index.{" "}
				{wrong === 0
					? "The model placed every object where the kernel did."
					: `The rest, ${count(allocations - right)}, are in ${quantity(wrong, "cache")}.`}
			</p>
			{bySlab > 0 && (
				<p className="quiet">
					{count(bySlab)} of the right allocations {bySlab === 1 ? "counts" : "count"} by slab
					alone: SLAB’s state does not name the object.
				</p>
			)}
			{infersOrder && (
				<p>
					In recorded order: {shareWords(recorded, allocations)}.{" "}
					{moves + resynchronised === 0 && "No event had to move."}
					{moves > 0 && `${quantity(moves, "event")} of ${count(checked.events)} moved. `}
					{resynchronised > 0 &&
						`${quantity(resynchronised, "allocation")} did not search other nodes.`}
				</p>
			)}
			{hasStop ? (
				<dl className={`number ${css.figures}`}>
					<Figure name="Counters within 1 %">
						{of(counters.within_1_percent, counters.cells)}
					</Figure>
					<Figure name="Counters within 10 %">
						{of(counters.within_10_percent, counters.cells)}
					</Figure>
					<Figure name="Caches with the kernel’s slabs, within 2">
						{of(caches.within_2, caches.all)}
					</Figure>
					<Figure name="Stop lists, slab for slab">{of(lists.equal, lists.all)}</Figure>
				</dl>
			) : (
				<p className="quiet">Counters, slabs and lists need the stop state too.</p>
			)}
			{leftOut.length > 0 && (
				<p className="small quiet">
					Not compared:{" "}
					{leftOut.map(([key, words]) => `${count(checked.left_out[key])} ${words}`).join("; ")}.
				</p>
			)}
		</section>
	);
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
	return (
		<div>
			<dt className="quiet">{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

function DivergenceCard({ divergence }: Pick<ResultsProps, "divergence">) {
	if (!divergence)
		return (
			<Panel heading="No divergence" label="Divergence">
				<p>Every allocation of the run is in the recorded slab and index.</p>
			</Panel>
		);
	const { event, cache, kernel, model, why } = divergence;
	const beside = (
		<div className="row">
			<Button onClick={() => void showDivergence(0)}>First divergence</Button>
			<Button onClick={() => void showDivergence(event)}>Next divergence</Button>
		</div>
	);
	const heading = `Divergence at event ${count(event)}, in ${cache}`;
	return (
		<Panel {...{ heading, beside }} label="Divergence">
			<dl className={css.sides}>
				<Side name="Kernel" words={kernel} divergence={divergence} />
				<Side name="Model" words={model} divergence={divergence} />
			</dl>
			<p aria-live="polite">{why}</p>
		</Panel>
	);
}

interface SideProps {
	readonly name: string;
	readonly words: string;
	readonly divergence: Divergence;
}

function Side({ name, words, divergence }: SideProps) {
	const { event } = divergence;
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<p>{words}</p>
				<LinkButton
					aria-label={`Show event ${event} of the ${name.toLowerCase()} on the stage`}
					onClick={() => void showOnStage(divergence)}
				>
					Show event {count(event)} on the stage
				</LinkButton>
			</dd>
		</div>
	);
}
