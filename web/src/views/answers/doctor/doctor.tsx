/** Which changes of one parameter would save memory or slow paths on this trace, and what each costs. */

import { Fragment, useEffect, useRef } from "react";
import { create, useStore } from "zustand";
import {
	DOCTOR_MEASURE_WORDS,
	DoctorMeasure,
	FROM_WORDS,
	From as Mark,
	SET_BY_WORDS,
	SetBy,
	START_FROM_NAMES,
	START_FROM_WORDS,
	StartFrom,
	StartLimit,
} from "#abi";
import type { ParamChange, Savings } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import {
	createMeasuring,
	isKnown,
	isQuick,
	type Measuring,
	markOf,
} from "../../../app/playback/many_replays.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { facts } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { setParam } from "../../../app/trace/actions.ts";
import { tableOf } from "../../../base/csv_table.ts";
import { bytes, count, percent, quantity } from "../../../base/format.ts";
import { sampledWords } from "../../../base/words.ts";
import { alikeWords } from "../../../engine/alike.ts";
import type { Built, Machine } from "../../../engine/types.ts";
import { Button, Scrolls } from "../../../ui/controls.tsx";
import { DownloadCsv, Fault, From, fromKey, Heading, Working } from "../../../ui/view.tsx";
import css from "./doctor.module.css";

/** One bar of each change. */
interface Side {
	readonly name: string;
	/** The measure that the bar shows; the others are used in turn if a change doesn't affect it. */
	readonly of: readonly [number, ...number[]];
	readonly show: (amount: number) => string;
}

const SIDES: readonly Side[] = [
	{
		name: "peak memory",
		of: [DoctorMeasure.DOCTOR_PEAK_BYTES, DoctorMeasure.DOCTOR_END_BYTES],
		show: bytes,
	},
	{
		name: "slow paths",
		of: [
			DoctorMeasure.DOCTOR_SLOW_PATHS,
			DoctorMeasure.DOCTOR_CYCLES,
			DoctorMeasure.DOCTOR_LOCK_WAIT_CYCLES,
		],
		show: count,
	},
];
/** The longest bar is this many times the largest saving: the bar of a change that costs far more is cut off. */
const SCALE = 2.5;
const COLUMNS = 3 + SIDES.length;

export function DoctorView() {
	const built = useFacts((f) => f.built);
	const sampling = useFacts((f) => f.report?.sampling);
	const { savings } = useSavings();
	const measuring = useStore(store);
	const { replays, isRunning } = measuring;
	const sentence = measuring.sentence || (replays[0]?.why ?? "");
	const start = startOf(measuring);
	const done = replays.filter(isKnown).length;
	const invalid = replays.filter(({ why }) => why !== "").length;
	const isOld = measuring.built !== null && measuring.built !== built;
	useMeasuredAtOnce();
	return (
		<section aria-label="Suggestions">
			<Heading>
				<h2>Suggestions: which setting should you change?</h2>
				{built && built.measured !== "" && <p>{built.measured}</p>}
				<p className="quiet">
					The trace is replayed once for each change to one parameter of this allocator. These are
					the ten changes that save the most memory or the most slow paths.{" "}
					{built && <StartWords built={built} start={start} why={alikeOf(measuring)} />}{" "}
					{sampledWords(sampling)}
				</p>
			</Heading>
			<div className="row gap-3">
				<Button className="primary" onClick={() => (isRunning ? stop() : void startDoctor())}>
					{isRunning ? "Stop" : savings ? "Measure again" : "Measure"}
				</Button>
				{isRunning && (
					<Working label="Replays" done={done} all={replays.length}>
						{count(done)} of {quantity(replays.length, "replay")}
					</Working>
				)}
				{savings && !isRunning && <DownloadCsv table={() => fileOf(savings, start)} />}
			</div>
			<Fault sentence={sentence} />
			{isOld && savings && (
				<p role="status" className="strong">
					The machine or the trace has changed since then: measure again.
				</p>
			)}
			{savings && <List savings={savings} start={start} isOld={isOld} />}
			{invalid > 0 && !isRunning && (
				<p className="hint">
					Left out: {quantity(invalid, "change")} that would make the machine invalid.
				</p>
			)}
		</section>
	);
}

/** Measures when the view opens and when the trace changes. After a change of the machine, the old list stays until you measure again. */
function useMeasuredAtOnce() {
	const built = useFacts((f) => f.built);
	const trace = useFacts((f) => f.trace);
	const isOpening = useRef(true);
	useEffect(() => {
		if (!built) return;
		const known = store.getState();
		const isWanted = isOpening.current ? known.built !== built : known.trace !== trace;
		isOpening.current = false;
		if (isWanted) void startDoctor(true);
	}, [built, trace]);
}

interface StartWordsProps {
	readonly built: Built;
	readonly start: ReplayStart;
	/** Why all replays start from less, "" if they don't. */
	readonly why: string;
}

function alikeOf({ alike, question }: Measuring<readonly ParamChange[]>): string {
	const change = alike && question?.[alike.cannot - 1];
	const machine = change ? `${change.key}=${change.value}` : "the unchanged machine";
	return alike ? alikeWords(alike, machine) : "";
}

/** The start of every replay, and what it means for the memory that a change saves. */
function StartWords({ built: { startFrom }, start: { from }, why }: StartWordsProps) {
	return (
		<>
			{why || `Each replay starts from ${START_FROM_WORDS[startFrom]}.`} So the memory that a change
			saves or costs is modelled from a <From of={from} />
			{from === Mark.FROM_GUESS &&
				"; a snapshot of the machine, or the kernel's state, gives you a known start"}
			.
		</>
	);
}

/** What these results' replays started from. */
interface ReplayStart {
	readonly from: Mark;
	readonly word: string;
}

function startOf({ alike, replays, built }: Measuring<unknown>): ReplayStart {
	const startFrom = built?.startFrom ?? StartFrom.START_EMPTY;
	const hasCounts =
		alike?.limit === StartLimit.LIMIT_COUNTS && startFrom > StartFrom.START_POINTERS;
	const name = START_FROM_NAMES[alike && !hasCounts ? StartFrom.START_EMPTY : startFrom];
	const from = replays[0] && markOf(replays[0]);
	return {
		from: from ?? built?.from ?? Mark.FROM_GUESS,
		word: name.replace(/^START_/, "").toLowerCase(),
	};
}

interface ListProps {
	readonly savings: Savings;
	readonly start: ReplayStart;
	readonly isOld: boolean;
}

function List({ savings, start, isOld }: ListProps) {
	const { base, best } = savings;
	if (best.length === 0) return <p>No single change saves memory or slow paths on this trace.</p>;
	return (
		<Scrolls label="Changes that would help">
			<table className={`wide ${css.list}`}>
				<caption className="hidden">The best changes, with what they save and cost</caption>
				<thead>
					<tr>
						<th scope="col">rank</th>
						<th scope="col">change</th>
						{SIDES.map(({ name, of: [m] }) => (
							<th key={name} scope="col">
								{name}
								{m === DoctorMeasure.DOCTOR_PEAK_BYTES && ` (${FROM_WORDS[start.from]})`}
								<span className={`flex gap-4 small quiet ${css.ends}`} aria-hidden="true">
									<span>← saved</span>
									<span>added →</span>
								</span>
							</th>
						))}
						<th scope="col">machine</th>
					</tr>
				</thead>
				<tbody>
					{best.map((one, i) => (
						<Fragment key={`${one.key}=${one.value}`}>
							{isSettable(one) !== isSettable(best[i - 1]) && (
								<tr className={css.group}>
									<th scope="colgroup" colSpan={COLUMNS}>
										{isSettable(one)
											? "Boot options, and settings you can change in a running kernel"
											: "Other kernel builds and versions"}
									</th>
								</tr>
							)}
							<tr>
								<td className="number quiet">{i + 1}</td>
								<th scope="row">
									<code>
										{one.key}={one.value}
									</code>
									<span className="small quiet block">
										{one.name}, now {one.now}
									</span>
								</th>
								<Bars rank={i} best={best} base={base} />
								<td>
									<Button
										disabled={isOld}
										aria-label={`Apply ${one.key}=${one.value}`}
										onClick={() => void setParam(one.key, one.value)}
									>
										Apply
									</Button>
								</td>
							</tr>
						</Fragment>
					))}
				</tbody>
			</table>
		</Scrolls>
	);
}

/** Whether the change can be made at boot or while the kernel runs; undefined for no change, so that the first row always differs. */
function isSettable(one: ParamChange | undefined): boolean | undefined {
	return one && (one.setBy === SetBy.SET_BY_BOOT || one.setBy === SetBy.SET_BY_RUNNING);
}

interface BarsProps {
	readonly rank: number;
	readonly best: readonly ParamChange[];
	readonly base: readonly number[];
}

/** Savings extend to the left, costs to the right. The bars of an earlier, identical change aren't repeated. */
function Bars({ rank, best, base }: BarsProps) {
	const one = best[rank];
	if (!one) return null;
	const first = best.findIndex((other) => other.more.every((more, m) => more === one.more[m]));
	if (first < rank)
		return (
			<td colSpan={SIDES.length} className="quiet">
				saves and costs the same as change {first + 1}
			</td>
		);
	return SIDES.map((side) => {
		const shares = best.map((other) => share(other, base, shownOf(other, side)));
		const saved = -Math.min(...shares);
		const most = saved > 0 ? SCALE * saved : Math.max(...shares);
		return (
			<td key={side.name} data-label={`${side.name}: saved ← → added`}>
				<Bar one={one} base={base} side={side} most={most} />
			</td>
		);
	});
}

/** Finds the first measure on this side that the change affects. */
const shownOf = ({ more }: ParamChange, { of }: Side) => of.find((m) => more[m] !== 0) ?? of[0];

const share = ({ more }: ParamChange, base: readonly number[], m: number) =>
	(more[m] ?? 0) / Math.max(1, base[m] ?? 0);

interface BarProps {
	readonly one: ParamChange;
	readonly base: readonly number[];
	readonly side: Side;
	/** The share that the longest bar stands for. */
	readonly most: number;
}

function Bar({ one, base, side, most }: BarProps) {
	const m = shownOf(one, side);
	const more = one.more[m] ?? 0;
	if (more === 0)
		return (
			<span className={`relative grid middle ${css.bar}`}>
				<span className="quiet">no change</span>
			</span>
		);
	const amount = Math.abs(more);
	const length = Math.abs(share(one, base, m)) / most;
	return (
		<span className={`relative grid middle ${css.bar}`} data-saves={more < 0}>
			<i data-cut={length > 1} style={{ width: `${Math.min(1, length) * 50}%` }} />
			<span className="number">
				{more < 0 ? "−" : "+"}
				{side.show(amount)}
				{(base[m] ?? 0) > 0 && ` (${percent(amount, base[m] ?? 0)})`}
				{m !== side.of[0] && ` ${words(m)}`}
			</span>
		</span>
	);
}

/** The unit is written before it already. */
function words(measure: number): string {
	return (DOCTOR_MEASURE_WORDS[measure] ?? "").replace(/^bytes of /, "of ");
}

/** Writes the same rows as `slabscope doctor --csv`. */
const fileOf = ({ best }: Savings, start: ReplayStart) =>
	tableOf<ParamChange>(
		"doctor",
		{
			key: (one) => one.key,
			value: (one) => one.value,
			now: (one) => one.now,
			group: (one) => one.group,
			set_by: (one) => SET_BY_WORDS[one.setBy] ?? "",
			start: () => start.word,
			...Object.fromEntries(
				DOCTOR_MEASURE_WORDS.map((measure, i) => [measure, (one: ParamChange) => one.more[i] ?? 0]),
			),
			from: () => fromKey(start.from),
		},
		best,
	);

/* Replays of single changes of a parameter: measured by helper workers, ranked by the core. They stay while the page lives. */

/** After this many more replays, the list shows the ranking so far. */
const RANK_EVERY = 12;

/** The question is the list of changes. The first replay is of the unchanged machine. */
const { store, start, stop } = createMeasuring<readonly ParamChange[]>();

/** The best changes so far; undefined before the first. */
const useSavings = create<{ readonly savings: Savings | undefined }>(() => ({
	savings: undefined,
}));

function machineWith(base: Machine, { key, value }: ParamChange): Machine {
	return { ...base, values: { ...base.values, [key]: value } };
}

/** Measures every change on the trace and machine of the stage; but starts a long measurement only when asked to. */
async function startDoctor(isUnasked = false): Promise<void> {
	stop();
	const { trace, machine, built } = facts();
	try {
		const changes = await engine().changesToTry();
		if (facts().built !== built || (isUnasked && !isQuick(changes.length + 1))) return;
		useSavings.setState({ savings: undefined });
		const machines = [machine, ...changes.map((one) => machineWith(machine, one))];
		await start(
			changes,
			machines.map((one) => ({ trace, machine: one })),
		);
		await rank();
	} catch (error) {
		if (facts().built === built) store.setState({ sentence: sentenceOf(error) });
	}
}

async function rank(): Promise<void> {
	const { built, replays } = store.getState();
	const [base, ...others] = replays.map(({ rows }) => rows?.map(({ value }) => value ?? 0));
	if (!base) return;
	const savings = await engine().savings(base, others);
	if (store.getState().built === built) useSavings.setState({ savings });
}

store.subscribe(({ replays, isRunning }) => {
	const done = replays.filter(isKnown).length;
	// A list that changes several times a second cannot be read.
	if (isRunning && done > 0 && done % RANK_EVERY === 0 && !isQuick(replays.length)) void rank();
});
