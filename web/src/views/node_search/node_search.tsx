/** Node search: the walk along the zonelist for a slab of another node, and its cost over the whole trace. */

import { useState } from "react";
import { findStep } from "../../app/playback/breakpoints.ts";
import { go } from "../../app/playback/player.ts";
import { allocatorOf, type Facts } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { openSample, setParam } from "../../app/trace/actions.ts";
import { count, quantity } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import { zoneName } from "../../engine/place_kinds.ts";
import type { Position } from "../../engine/types.ts";
import { Button, Heads, LinkButton, Scrolls } from "../../ui/controls.tsx";
import { CurrentStep } from "../../ui/current_step.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./node_search.module.css";
import {
	type BothWays,
	countBothWays,
	firstSearch,
	type Probe,
	SEARCH,
	type Walk,
	walkOf,
	watchSearch,
} from "./node_searches.ts";

export function NodeSearch() {
	const moment = useCalm((f) => f.moment);
	const built = useFacts((f) => f.built);
	if (!moment || !built) return null;
	const walk = walkOf(moment, moment.zones, zoneName);
	const searched = built.params.find((p) => p.key === "node_search");
	const has = searched?.allocators.includes(allocatorOf(built));
	return (
		<section className={css.view} aria-label="Node search">
			<div className={`row ${css.head}`}>
				<h2>Which node has a slab to spare?</h2>
				<div className="row">
					<Jump direction={-1} name="Go to previous search" />
					<Jump direction={1} name="Go to next search" />
				</div>
			</div>
			{has ? (
				<>
					{walk ? (
						<WalkView walk={walk} step={moment.position.step} op={moment.position.op} />
					) : (
						<NoWalk />
					)}
					<Cost rule={searched?.value ?? "all"} />
				</>
			) : (
				<p>
					Only SLUB walks a zonelist to take partial slabs from other nodes. Choose SLUB under
					Machine to see the walk.
				</p>
			)}
			<CurrentStep />
		</section>
	);
}

function Jump({ direction, name }: { direction: 1 | -1; name: string }) {
	return <Button onClick={() => void findStep(SEARCH, direction)}>{name}</Button>;
}

function NoWalk() {
	const first = useFirstSearch();
	return (
		<section className="card" aria-label="Walk">
			<p>This event searched no other node: its CPU or its own node had a free object.</p>
			{first === null && <NoSearch />}
			{first && (
				<p>
					The first search of this trace is at {eventWords(first.op)}.{" "}
					<Button className="strong" onClick={() => watchSearch(first)}>
						Watch it
					</Button>
				</p>
			)}
		</section>
	);
}

/** Looked up while nothing plays or loads; null if there is none. */
function useFirstSearch(): Position | null | undefined {
	const built = useFacts((f) => f.built);
	const free = useFacts((f) => !f.playing && !f.progress);
	const find = async () => built && { of: built, first: await firstSearch(built) };
	const { value } = useAsync(built && free ? find : undefined, [built, free]);
	return value && value.of === built ? value.first : undefined;
}

function NoSearch() {
	const sample = useFacts((f) => f.samples.find((s) => Number(s.machine?.nodes ?? 1) > 1));
	return (
		<p>
			No event of this trace does, on this machine.{" "}
			{sample && (
				<Button onClick={() => void openSample(sample.file)}>Open a trace with searches</Button>
			)}
		</p>
	);
}

function WalkView({ walk, step, op }: { walk: Walk; step: number; op: number }) {
	const useless = walk.probes.filter((p) => p.again && p.step <= step).length;
	const asked = walk.probes.filter((p) => p.zone >= 0 && p.answer !== "skipped" && p.step <= step);
	const to = (at: number) => go({ kind: "at", op, step: at });
	return (
		<section className="card" aria-label="Walk">
			<p className="quiet number">
				CPU {walk.cpu} · {asked.length} {asked.length === 1 ? "zone" : "zones"} checked
				{useless > 0 && `, ${useless} of them on a node that had just been checked in vain`}
			</p>
			<ol className={css.walk}>
				{walk.probes.map((probe) => (
					<ProbeCard key={probe.step} probe={probe} step={step} to={to} />
				))}
				{walk.end !== "" && (
					<li className={`${css.probe} ${css.end}`} data-state={state(walk.endStep, step)}>
						<button type="button" onClick={() => to(walk.endStep)}>
							{walk.endStep <= step ? walk.end : "Result"}
						</button>
					</li>
				)}
			</ol>
		</section>
	);
}

/** Whether a step is before, at or after the step on screen. */
function state(of: number, step: number): "to-come" | "now" | "done" {
	return of > step ? "to-come" : of === step ? "now" : "done";
}

const VERDICTS: Readonly<Record<Probe["answer"], string>> = {
	hit: "enough: takes a slab here",
	"too few": "too few to spare one",
	nothing: "no partial slab",
	skipped: "skipped: its node has just failed",
};

interface ProbeProps {
	readonly probe: Probe;
	readonly step: number;
	readonly to: (step: number) => void;
}

function ProbeCard({ probe, step, to }: ProbeProps) {
	const { zone, node, zoneName: name, nrPartial, minPartial, answer, again } = probe;
	const known = probe.step <= step;
	const useless = known && again && answer !== "hit";
	return (
		<li
			className={css.probe}
			data-state={state(probe.step, step)}
			data-answer={known ? answer : undefined}
			data-useless={useless || undefined}
		>
			<button
				type="button"
				aria-current={probe.step === step ? "step" : undefined}
				onClick={() => to(probe.step)}
			>
				<span className="small quiet">{zone < 0 ? "own node" : `zone ${zone}`}</span>
				<span className={`strong ${css.node}`}>
					Node {node}
					{name !== "" && <span className="quiet"> {name}</span>}
				</span>
				{known ? (
					<>
						<Slabs have={nrPartial} needs={zone < 0 ? 1 : minPartial + 1} />
						<span className="small number">
							{count(nrPartial)} partial
							{zone >= 0 && <span className="quiet">, more than {minPartial} needed</span>}
						</span>
						<span className={`small ${css.verdict}`}>
							{zone < 0 && answer === "hit" ? "takes a slab" : VERDICTS[answer]}
						</span>
						{useless && <span className={`small ${css.again}`}>checked again</span>}
					</>
				) : (
					<span className="small quiet">not checked yet</span>
				)}
			</button>
		</li>
	);
}

const SHOWN = 12;

/** The node partial list, and a line at the needed number. */
function Slabs({ have, needs }: { have: number; needs: number }) {
	const shown = Math.min(SHOWN, Math.max(have, needs));
	const most = have > SHOWN ? SHOWN : have;
	return (
		<svg className={css.slabs} viewBox={`0 0 ${SHOWN * 11} 14`} aria-hidden="true">
			{Array.from({ length: shown }, (_, i) => (
				<rect
					key={i}
					className={i < most ? css.has : css.lacks}
					x={i * 11 + 1}
					y="2"
					width="9"
					height="9"
				/>
			))}
			{needs <= SHOWN && <path className={css.needs} d={`M${needs * 11 + 0.5} 0V14`} />}
		</svg>
	);
}

function ratio(entered: number, zones: number): string {
	return entered === 0 ? "–" : `1 : ${(zones / entered).toFixed(2)}`;
}

/** The trace and the machine without the rule itself: the sums hold for these. */
function questionOf({ trace, machine }: Facts): string {
	const { node_search: _, ...values } = machine.values;
	return JSON.stringify([trace, machine.preset, values]);
}

/**
 * The two counters of the 2018 proposal: so far, and over the whole trace with either rule, beside the proposal's and
 * a real 6.1's.
 */
function Cost({ rule }: { rule: string }) {
	const searches = useCalm((f) => f.moment?.searches);
	const about = useFacts(questionOf);
	const [counted, setCounted] = useState({ about: "", both: null as BothWays | null });
	const both = counted.about === about ? counted.both : null;
	const countBoth = async () => setCounted({ about, both: await countBothWays() });
	return (
		<section className="card" aria-label="Cost">
			<h3>Searches and zones checked</h3>
			<p className="number">
				So far: {quantity(searches?.entered ?? 0, "search", "searches")} checked{" "}
				{quantity(searches?.zones ?? 0, "zone")},{" "}
				<strong>{ratio(searches?.entered ?? 0, searches?.zones ?? 0)}</strong> with node_search=
				{rule}.{" "}
				<LinkButton
					onClick={() => void setParam("node_search", rule === "all" ? "skip-checked" : "")}
				>
					{rule === "all" ? "Skip the checked node" : "Check every zone"}
				</LinkButton>
			</p>
			<Scrolls label="Zones per search" className={`${css.rules} scrolls`}>
				<table className="number">
					<caption className="hidden">
						Zones checked per search: this trace, the proposal and real kernels
					</caption>
					<Heads of={["node_search", "this trace", ...OTHERS]} />
					<tbody>
						{ROWS.map((row) => (
							<tr key={row.rule} className={row.rule === rule ? css.taken : undefined}>
								<th scope="row">{row.rule}</th>
								<td>{both ? ratio(row.of(both).entered, row.of(both).zones) : "–"}</td>
								{row.others.map((text, i) => (
									<td key={OTHERS[i]}>{text}</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
			<p className="hint">
				{both ? (
					<>
						In this trace {count(both.all.entered)} searches check {count(both.all.zones)} zones;
						when they skip the checked node, {count(both.skipChecked.entered)} searches check{" "}
						{count(both.skipChecked.zones)}.
					</>
				) : (
					<LinkButton onClick={() => void countBoth()}>Count the whole trace both ways</LinkButton>
				)}
			</p>
		</section>
	);
}

const OTHERS = [
	"2018 proposal, 1 node",
	"2018 proposal, 4 nodes",
	"real 6.1, 1 node",
	"real 6.1, 4 nodes",
] as const;

/**
 * The proposal's table as posted on 20 November 2018; Linux 6.1 guests of 1 and 4 nodes, compiling, calls that passed
 * the gate.
 */
const ROWS = [
	{
		rule: "all",
		of: (both: BothWays) => both.all,
		others: ["1 : 3", "1 : 5.8", "1 : 3.00", "1 : 5.88"],
	},
	{
		rule: "skip-checked",
		of: (both: BothWays) => both.skipChecked,
		others: ["1 : 0", "1 : 2.5", "1 : 0.00", "1 : 2.71"],
	},
] as const;
