/**
 * The problem at a lesson's end: the reader chooses a machine, and the core replays the trace on it and judges. The
 * goals are data (lessons.json); this file shows them and the numbers.
 */

import { useId, useState } from "react";
import { COUNTER_NAMES } from "#abi";
import { engine } from "../../app/platform/engine_link.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { allocatorName, busy } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, numberOf } from "../../base/format.ts";
import { capital } from "../../base/words.ts";
import type { Judged, Target } from "../../engine/quiz/judge.ts";
import type { ParamName } from "../../engine/types.ts";
import { Button, Select } from "../../ui/controls.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { originWords, ParamRow } from "../../ui/view.tsx";
import css from "./lessons.module.css";
import {
	type LessonCard,
	solve,
	type Problem as Task,
	useScore,
	withValue,
} from "./model/context.ts";
import { goTo, playedAt, withHelper } from "./model/places.ts";

/** Fields of the totals in words. */
const WORDS: Readonly<Record<string, string>> = {
	anyNodeZones: "zones checked",
	cycles: "model cycles",
	mostPagesVisited: "pages that the longest search visits",
	pagesPeak: "pages in use, at the peak",
	reports: "reports of debugging",
	slabBytes: "bytes in slabs",
	slabs: "slabs at the end",
	wasteTail: "tail waste",
};
const IN_BYTES = new Set(["slabBytes", "wasteTail"]);

interface Result {
	readonly judged: readonly Judged[];
	readonly sentence: string;
}

type Choice = Readonly<Record<string, string>>;

export function Problem({ card }: { card: LessonCard }) {
	const { problem } = card;
	const trace = problem.trace ?? card.trace ?? "";
	const machine = problem.machine ?? card.machine ?? "";
	const id = useId();
	const [choice, setChoice] = useState<Choice>({});
	const [result, setResult] = useState<Result>();
	const [isBusy, setBusy] = useState(false);
	const { solved } = useScore(card.name);
	const chosen = Object.entries(choice).reduce((m, [key, v]) => withValue(m, key, v), machine);
	const judge = () => judgeOn(trace, machine, machine, problem.targets);
	const { value: own } = useAsync(judge, [trace, machine, problem.targets]);
	const check = async () => {
		setBusy(true);
		try {
			const judged = await judgeOn(trace, machine, chosen, problem.targets);
			setResult({ judged, sentence: "" });
			if (judged.every((j) => j.isMet)) solve(card.name);
		} catch (error) {
			setResult({ judged: [], sentence: sentenceOf(error) });
		}
		setBusy(false);
	};
	const set = (param: string, value: string) => {
		const others = Object.entries(choice).filter(([key]) => key !== param);
		setChoice(Object.fromEntries(value === "" ? others : [...others, [param, value]]));
		setResult(undefined);
	};
	return (
		<section
			className={`narrows framed round ground ${css.task} ${css.problem}`}
			data-problem
			aria-labelledby={id}
		>
			<p className={`small accent ${css.mark}`}>Problem{solved && " · solved ✓"}</p>
			<h2 id={id}>{problem.title}</h2>
			<p>{problem.says}</p>
			<Goals
				goals={problem.targets.map((target, i) => ({
					...{ target, own: own?.[i], judged: result?.judged[i] },
				}))}
			/>
			<ProblemMachine controls={problem.controls} choice={choice} set={set} />
			<div className="row">
				<Button className="primary" aria-disabled={isBusy} onClick={() => !isBusy && void check()}>
					Check
				</Button>
				<Button onClick={() => void goTo({ trace, machine: chosen, op: 0 })}>
					Show this machine on the stage
				</Button>
			</div>
			<p role="status" className={`strong ${css.problemVerdict}`} data-judged={verdictOf(result)}>
				{wordsOf(result, problem.targets)}
			</p>
		</section>
	);
}

async function judgeOn(
	trace: string,
	machine: string,
	chosen: string,
	targets: readonly Target[],
): Promise<readonly Judged[]> {
	const played = await playedAt({ trace, machine });
	const { machine: changed } = await playedAt({ trace, machine: chosen });
	return withHelper((helper) => helper.judge(played, changed, targets));
}

function nameOf({ metric, since }: Target): string {
	const isCounter = (COUNTER_NAMES as readonly string[]).includes(metric);
	const name = isCounter ? metric.toLowerCase() : (WORDS[metric] ?? metric);
	return since === undefined ? name : `${name} after event ${count(numberOf(since))}`;
}

function valueText({ metric }: Target, n: number): string {
	return IN_BYTES.has(metric) ? bytes(n) : count(n);
}

interface Goal {
	readonly target: Target;
	readonly own: Judged | undefined;
	readonly judged: Judged | undefined;
}

const shown = ({ target }: Goal, n: number | undefined) =>
	n === undefined ? "…" : valueText(target, n);

function Goals({ goals }: { readonly goals: readonly Goal[] }) {
	const areLimits = goals.every(({ target }) => target.is === "at most");
	return (
		<DataTable
			caption="Goals"
			columns={[
				{ name: "Goal", show: ({ target }: Goal) => nameOf(target) },
				{ name: "in the lesson", show: (goal) => shown(goal, goal.own?.own) },
				{
					name: areLimits ? "at most" : "wanted",
					show: (goal) => shown(goal, goal.own?.bound),
				},
				{
					name: "yours",
					show: (goal) =>
						goal.judged && (
							<>
								{goal.judged.isAbsent ? "no such counter" : shown(goal, goal.judged.value)}{" "}
								<span className={goal.judged.isMet ? "accent" : "danger"}>
									{goal.judged.isMet ? "✓" : "✕"}
								</span>
								<span className="hidden">{goal.judged.isMet ? " reached" : " not reached"}</span>
							</>
						),
				},
			]}
			rows={goals}
			keyOf={({ target }) => nameOf(target)}
			rowProps={({ judged }) => ({ "data-goal": judged ? (judged.isMet ? "met" : "missed") : "" })}
		/>
	);
}

function verdictOf(result: Result | undefined): string {
	if (!result) return "";
	return result.sentence === "" && result.judged.every((j) => j.isMet) ? "solved" : "open";
}

function wordsOf(result: Result | undefined, targets: readonly Target[]): string {
	if (!result) return "";
	if (result.sentence !== "") return result.sentence;
	const missed = result.judged.flatMap((j, i) => {
		const target = targets[i];
		return j.isMet || !target ? [] : [missedBy(target, j)];
	});
	return missed.length === 0 ? "Solved: this machine reaches every goal." : `${missed.join(" ")}`;
}

/** Shows how close it is. */
function missedBy(target: Target, { value, bound, isAbsent }: Judged): string {
	const name = nameOf(target);
	if (isAbsent) return `This allocator has no counter ${name}.`;
	const by = valueText(target, Math.abs(value - bound));
	return `${capital(name)}: ${by} ${value > bound ? "too many" : "too few"}.`;
}

/*
 * The machine of a problem: the parameters that it allows, in the groups and with the words of the machine sheet, each limited to
 * the values that it offers.
 */

interface ProblemMachineProps {
	readonly controls: Task["controls"];
	/** The values that the reader has chosen, by key. */
	readonly choice: Readonly<Record<string, string>>;
	/** "" for the lesson's own value. */
	readonly set: (param: string, value: string) => void;
}

const ALLOCATOR = "allocator";
/** The groups in the order of the machine sheet; the rules come from the allocators. */
const GROUPS: readonly (readonly [ParamName["group"], string])[] = [
	["allocator", ""],
	["topology", "Topology"],
	["proposals", "Proposals"],
	["rules", "Allocator's rules"],
	["debugging", "Debugging"],
];

function ProblemMachine({ controls, choice, set }: ProblemMachineProps) {
	const built = useFacts((f) => f.built);
	const names = useAsync(built ? () => busy(() => engine().paramNames()) : undefined, [
		built,
	]).value;
	const nameOf = (key: string) => names?.params.find((n) => n.key === key);
	const inGroup = (group: ParamName["group"]) =>
		Object.entries(controls).filter(([param]) => (nameOf(param)?.group ?? "rules") === group);
	return (
		<fieldset className={`grid gap-3 ${css.controls}`}>
			<legend className="hidden">Your machine</legend>
			{GROUPS.filter(([group]) => inGroup(group).length > 0).map(([group, title]) => (
				<div key={group}>
					{title !== "" && <h3>{title}</h3>}
					<div className={`grid gap-3 high ${css.group}`}>
						{inGroup(group).map(([param, values]) => (
							<ProblemParam
								key={param}
								paramKey={param}
								name={nameOf(param)?.name ?? ""}
								values={values.split(" ")}
								value={choice[param] ?? ""}
								set={(value) => set(param, value)}
							/>
						))}
					</div>
				</div>
			))}
		</fieldset>
	);
}

interface ProblemParamProps {
	readonly paramKey: string;
	/** "" until it is known. */
	readonly name: string;
	readonly values: readonly string[];
	readonly value: string;
	readonly set: (value: string) => void;
}

function ProblemParam({ paramKey, name, values, value, set }: ProblemParamProps) {
	const row = useFacts((f) => f.built?.params.find((p) => p.key === paramKey));
	const isAllocator = paramKey === ALLOCATOR;
	const options: readonly (readonly [string, string])[] = values.map((v) => [
		v,
		isAllocator ? allocatorName(v) : v,
	]);
	return (
		<ParamRow
			paramKey={paramKey}
			name={isAllocator ? "Allocator" : name}
			shownKey={isAllocator ? "" : paramKey}
			meaning={isAllocator ? "" : (row?.meaning ?? "")}
			origin={row ? originWords(row) : ""}
			isSet={value !== ""}
			control={(id) => (
				<Select
					id={id}
					value={value}
					onSelect={set}
					options={[["", "as in the lesson"], ...options]}
				/>
			)}
		/>
	);
}
