/** The machine that replays: allocator, kernel preset, and every parameter in groups, by its name and then by its key. */

import { type ReactNode, useState } from "react";
import { SEEDS } from "#abi";
import { engine } from "../../app/platform/engine_link.ts";
import { ownMachine } from "../../app/playback/opened.ts";
import { allocatorName, allocatorOf, busy, facts } from "../../app/state/store.ts";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import {
	hasPresets,
	presetInForce,
	setMachine,
	setParam,
	tryParam,
} from "../../app/trace/actions.ts";
import type { CostParam, Param, ParamNames } from "../../engine/types.ts";
import { Field, LinkButton, Select, SelectField, TextInput } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { Terms } from "../../ui/term.tsx";
import { originWords, ParamRow } from "../../ui/view.tsx";
import { EffectOf } from "./effect.tsx";
import { Sheet, WarmStart } from "./sheet.tsx";
import css from "./sheets.module.css";

/** Parameters that people change more often than the rest of the topology. */
const FIRST = ["cpus", "nodes", "page_size", "memory"];

/** Finds the proposal that a parameter switches on, for its year. */
const proposalOf = (key: string) => SEEDS.find((s) => s.parameter === key);

export function MachineSheet() {
	const built = useFacts((f) => f.built);
	const machine = useFacts((f) => f.machine);
	const names = useNames();
	const allocator = allocatorOf(built);
	const isChanged = machine.preset !== "" || Object.keys(machine.values).length > 0;
	const all = built?.params ?? [];
	const of = (owner: string) => all.filter((p) => p.allocators.includes(owner));
	const nameOf = (p: Param) => names?.params.find((n) => n.key === p.key);
	const topology = of("machine");
	const own = of(allocator);
	const groupOf = (p: Param) => nameOf(p)?.group ?? "rules";
	const proposals = own.filter((p) => groupOf(p) === "proposals");
	const debugging = own.filter((p) => groupOf(p) === "debugging");
	const rest = own.filter((p) => groupOf(p) === "rules");
	const list = (params: readonly Param[]) =>
		params.map((p) => (
			<ParamField
				key={p.key}
				param={p}
				name={nameOf(p)?.name ?? p.key}
				year={proposalOf(p.key)?.year}
			/>
		));
	return (
		<Sheet name="machine" title="Machine" wide>
			<section className={css.machine} data-part="machine" aria-label="Machine">
				{isChanged && (
					<p>
						<LinkButton onClick={() => void setMachine({ preset: "", values: {} })}>
							Reset
						</LinkButton>
					</p>
				)}
				{list(all.filter((p) => p.key === "allocator"))}
				<PresetField />
				<WarmStart />
				<h3>Topology</h3>
				<div className="pair">{list(topology.filter((p) => FIRST.includes(p.key)))}</div>
				<Group title="More topology settings">
					{() => list(topology.filter((p) => !FIRST.includes(p.key)))}
				</Group>
				{proposals.length > 0 && <h3>Proposals</h3>}
				{list(proposals)}
				{rest.length > 0 && <Group title={allocatorName(allocator)}>{() => list(rest)}</Group>}
				{debugging.length > 0 && <Group title="Debugging">{() => list(debugging)}</Group>}
				{names && <Group title="Costs">{() => <Costs costs={names.costs} />}</Group>}
			</section>
		</Sheet>
	);
}

/** Returns the names and costs for the machine in use. Undefined until the whole simulator has loaded. */
function useNames(): ParamNames | undefined {
	const built = useFacts((f) => f.built);
	const { value } = useAsync(built ? () => busy(() => engine().paramNames()) : undefined, [built]);
	return value;
}

/**
 * Folded content is only rendered once it is unfolded; otherwise dozens of fields would be rendered again for each
 * trace.
 */
function Group({ title, children }: { title: string; children: () => ReactNode }) {
	const [open, setOpen] = useState(false);
	return (
		<details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
			<summary>{title}</summary>
			{open && children()}
		</details>
	);
}

function PresetField() {
	const { presets } = useFacts((f) => f.built) ?? { presets: [] };
	const applies = useFacts((f) => hasPresets(allocatorOf(f.built)));
	const preset = useFacts((f) => f.machine.preset);
	const meaning = presets.find((p) => p.name === preset)?.meaning;
	const kernel = useFacts((f) => f.built?.kernel ?? null);
	const own = useFacts((f) => ownMachine(f.trace).preset);
	const inForce = useFacts(presetInForce);
	const unset =
		own !== ""
			? `the sample's kernel: ${own}`
			: preset === "" && inForce !== ""
				? `none: ${inForce}`
				: "none: Linux 6.1";
	return (
		<SelectField
			label="Kernel preset"
			value={preset}
			onSelect={(name) => void setMachine({ preset: name, values: facts().machine.values })}
			options={[["", unset], ...presets.map((p) => p.name)]}
		>
			{kernel && kernel.recorded !== "" && <p className="hint">Kernel modelled: {kernel.words}.</p>}
			{applies && meaning && (
				<p className="hint">
					<Terms>{meaning}</Terms>
				</p>
			)}
			{!applies && preset !== "" && (
				<p className="hint">
					Presets apply only to SLUB and SLAB, so this one changes nothing here.
				</p>
			)}
		</SelectField>
	);
}

/** Nobody reads a longer list than this. */
const MOST_COSTS = 12;

/** Lists the costs of the event on screen, or those that a search finds. */
function Costs({ costs }: { costs: readonly CostParam[] }) {
	const [wanted, setWanted] = useState("");
	const kinds = useEachPosition((f) => f.moment?.steps);
	const changed = useFacts((f) => f.machine.values);
	const here = new Set(kinds?.map((s) => `cost.${s.kind}`));
	const word = wanted.trim().toLowerCase();
	const found = costs.filter((c) =>
		word === ""
			? here.has(c.key) || changed[c.key] !== undefined || c.value !== c.default
			: `${c.name} ${c.key} ${c.meaning}`.toLowerCase().includes(word),
	);
	return (
		<>
			<p className="hint">
				Costs are in model cycles: they compare machines, they do not predict times. Until you
				search, the list shows the steps of the event on screen.
			</p>
			<Field label="Find a cost">
				{(id) => (
					<TextInput id={id} value={wanted} onChange={(e) => setWanted(e.currentTarget.value)} />
				)}
			</Field>
			{found.slice(0, MOST_COSTS).map((c) => (
				<CostField key={c.key} cost={c} />
			))}
			{found.length > MOST_COSTS && (
				<p className="hint">{found.length - MOST_COSTS} more: type more of the name to see them.</p>
			)}
			{found.length === 0 && <p className="quiet">No costs match.</p>}
		</>
	);
}

/* One parameter or cost: its name, its key, its value, what it means, and what another value would change. */

/** Whether this key adds nothing to the name. */
const ALLOCATOR = "allocator";

interface ParamFieldProps {
	readonly param: Param;
	readonly name: string;
	/** The year of the proposal that it switches on. */
	readonly year: number | undefined;
}

function ParamField({ param, name, year }: ParamFieldProps) {
	const { key, type } = param;
	return (
		<Row
			param={param}
			name={key === ALLOCATOR ? "Allocator" : name}
			tag={year === undefined ? "" : `${year} proposal`}
			origin={originWords(param)}
		>
			{(id) =>
				type === "choice" ? (
					<Choice id={id} param={param} />
				) : (
					<Free
						id={id}
						key={param.value}
						paramKey={key}
						value={param.value}
						byDefault={param.default}
						isNumber={type === "number"}
					/>
				)
			}
		</Row>
	);
}

function CostField({ cost }: { readonly cost: CostParam }) {
	return (
		<Row param={cost} name={cost.name} tag="" origin={`Default: ${cost.default} model cycles.`}>
			{(id) => (
				<Free
					id={id}
					key={cost.value}
					paramKey={cost.key}
					value={cost.value}
					byDefault={cost.default}
					isNumber
				/>
			)}
		</Row>
	);
}

interface RowProps {
	readonly param: Param | CostParam;
	readonly name: string;
	readonly tag: string;
	readonly origin: string;
	readonly children: (id: string) => ReactNode;
}

function Row({ param, name, tag, origin, children }: RowProps) {
	const { key, meaning } = param;
	const isSet = useFacts((f) => f.machine.values[key] !== undefined);
	const isPlain = key === ALLOCATOR;
	return (
		<ParamRow
			paramKey={key}
			name={name}
			shownKey={isPlain ? "" : key}
			meaning={isPlain ? "" : meaning}
			origin={origin}
			tag={tag}
			isSet={isSet}
			control={children}
		>
			<EffectOf param={param} label={name} />
		</ParamRow>
	);
}

function Choice({ id, param }: { id: string; param: Param }) {
	return (
		<Select
			id={id}
			value={param.value}
			onSelect={(value) => void setParam(param.key, value)}
			options={
				param.key === ALLOCATOR ? param.values.map((v) => [v, allocatorName(v)]) : param.values
			}
		/>
	);
}

interface FreeProps {
	readonly id: string;
	readonly paramKey: string;
	readonly value: string;
	readonly byDefault: string;
	readonly isNumber: boolean;
}

/**
 * A number, a size or a list: takes effect on Enter or on leaving the field; an empty field goes back to the default.
 */
function Free({ id, paramKey, value, byDefault, isNumber }: FreeProps) {
	const own = useFacts((f) => f.machine.values[paramKey] ?? "");
	const shown = own !== "" ? own : value === "automatic" ? "" : value;
	const [text, setText] = useState(shown);
	/** Why the text is not accepted. */
	const [refusal, setRefusal] = useState("");
	const words = `${id}-refusal`;
	const apply = async () => {
		if (text.trim() === shown || refusal !== "") return;
		const why = await tryParam(paramKey, text.trim());
		setRefusal(why);
		if (why === "") setText(facts().machine.values[paramKey] ?? shown);
	};
	return (
		<>
			<TextInput
				id={id}
				inputMode={isNumber ? "numeric" : "text"}
				placeholder={value === "automatic" ? "automatic" : byDefault}
				value={text}
				aria-invalid={refusal !== ""}
				aria-describedby={refusal === "" ? undefined : words}
				onChange={(e) => {
					setText(e.currentTarget.value);
					setRefusal("");
				}}
				onBlur={() => void apply()}
				onKeyDown={(e) => {
					if (e.key === "Enter") void apply();
				}}
			/>
			{refusal !== "" && (
				<p id={words} role="alert" className="danger small">
					{refusal}
				</p>
			)}
		</>
	);
}
