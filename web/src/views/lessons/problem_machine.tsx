/**
 * The machine of a problem: the parameters that it allows, in the groups and with the words of the machine sheet, each limited to
 * the values that it offers.
 */
import { engine } from "../../app/platform/engine_link.ts";
import { allocatorName, busy } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import type { ParamName } from "../../engine/types.ts";
import { Select } from "../../ui/controls.tsx";
import { originWords, ParamRow } from "../../ui/param/param_row.tsx";
import { useAsync } from "../../ui/use_async.ts";
import type { Problem } from "./model/library.ts";
import css from "./problem.module.css";

interface ProblemMachineProps {
	readonly controls: Problem["controls"];
	/** The values that the reader has chosen, by key. */
	readonly choice: Readonly<Record<string, string>>;
	/** "" for the lesson's own value. */
	readonly set: (param: string, value: string) => void;
}

const ALLOCATOR = "allocator";
/** The groups in the order of the machine sheet; the rules are those of the allocators. */
const GROUPS: readonly (readonly [ParamName["group"], string])[] = [
	["allocator", ""],
	["topology", "Topology"],
	["proposals", "Proposals"],
	["rules", "Allocator's rules"],
	["debugging", "Debugging"],
];

export function ProblemMachine({ controls, choice, set }: ProblemMachineProps) {
	const built = useFacts((f) => f.built);
	const names = useAsync(built ? () => busy(() => engine().paramNames()) : undefined, [
		built,
	]).value;
	const nameOf = (key: string) => names?.params.find((n) => n.key === key);
	const inGroup = (group: ParamName["group"]) =>
		Object.entries(controls).filter(([param]) => (nameOf(param)?.group ?? "rules") === group);
	return (
		<fieldset className={css.controls}>
			<legend className="hidden">Your machine</legend>
			{GROUPS.filter(([group]) => inGroup(group).length > 0).map(([group, title]) => (
				<div key={group}>
					{title !== "" && <h3>{title}</h3>}
					<div className={css.group}>
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
