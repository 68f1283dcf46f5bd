/** The machine that replays: allocator, preset, CPUs, nodes, and every parameter with its meaning. */

import { type ReactNode, useId, useState } from "react";
import { allocatorName, allocatorOf, facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { hasPresets, presetInForce, setMachine, setParam } from "../../app/trace/actions.ts";
import type { Param } from "../../engine/types.ts";
import { LinkButton, Select, SelectField, TextInput } from "../../ui/controls.tsx";
import { Terms } from "../../ui/term.tsx";
import css from "./panels.module.css";
import { Sheet } from "./sheet.tsx";

/** The proposals that the project is about; each is one switch. */
const PROPOSALS: readonly {
	readonly key: string;
	readonly name: string;
	readonly value: string;
}[] = [
	{ key: "min_partial_rule", name: "2008 proposal", value: "rfc-2008" },
	{ key: "node_search", name: "2018 proposal", value: "skip-checked" },
	{ key: "order_rule", name: "2023 proposal", value: "rfc-2023" },
];
const PLAIN = ["cpus", "nodes", "page_size", "memory"];

export function MachineSheet() {
	return (
		<Sheet name="machine" title="Machine" wide>
			<MachinePanel />
		</Sheet>
	);
}

function MachinePanel() {
	const built = useFacts((f) => f.built);
	const machine = useFacts((f) => f.machine);
	if (!built) return null;
	const allocator = allocatorOf(built);
	const param = (key: string) => built.params.filter((p) => p.key === key);
	const ofAllocator = built.params.filter((p) => p.allocators.includes(allocator));
	const ofMachine = built.params.filter((p) => p.allocators.includes("machine"));
	const proposals = PROPOSALS.flatMap((s) => ofAllocator.filter((p) => p.key === s.key));
	const more = ofAllocator.filter((p) => !proposals.includes(p));
	const list = (params: readonly Param[]) =>
		params.map((p) => <ParamField key={p.key} param={p} />);
	const changed = machine.preset !== "" || Object.keys(machine.values).length > 0;
	return (
		<section className={css.machine} data-part="machine" aria-label="Machine">
			{changed && (
				<LinkButton onClick={() => void setMachine({ preset: "", values: {} })}>Reset</LinkButton>
			)}
			{list(param("allocator"))}
			<PresetField />
			<div className="pair">{list(PLAIN.flatMap(param))}</div>
			{proposals.length > 0 && <h3>Proposals</h3>}
			{list(proposals)}
			{more.length > 0 && (
				<More summary={`More parameters of ${allocator}`}>{() => list(more)}</More>
			)}
			<More summary="More parameters of the machine">
				{() => list(ofMachine.filter((p) => !PLAIN.includes(p.key)))}
			</More>
		</section>
	);
}

/** Folded content is rendered when it is unfolded: dozens of fields would be rendered again with each trace. */
function More({ summary, children }: { summary: string; children: () => ReactNode }) {
	const [open, setOpen] = useState(false);
	return (
		<details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
			<summary>{summary}</summary>
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
	const unset = useFacts((f) => presetInForce({ ...f, machine: { ...f.machine, preset: "" } }));
	return (
		<SelectField
			label="Kernel preset"
			value={preset}
			onSelect={(name) => void setMachine({ preset: name, values: facts().machine.values })}
			options={[
				["", preset === "" && unset !== "" ? `none: ${unset}` : "none: Linux 6.1"],
				...presets.map((p) => p.name),
			]}
		>
			{kernel && kernel.recorded !== "" && <p className="hint">Kernel modelled: {kernel.words}.</p>}
			{applies && meaning && (
				<p className="hint">
					<Terms>{meaning}</Terms>
				</p>
			)}
			{!applies && preset !== "" && (
				<p className="hint">Presets apply to SLUB and SLAB: this one changes nothing here.</p>
			)}
		</SelectField>
	);
}

const LABELS: Readonly<Record<string, string>> = { allocator: "Allocator" };

function ParamField({ param }: { param: Param }) {
	const id = useId();
	const proposal = PROPOSALS.find((s) => s.key === param.key);
	const set = useFacts((f) => f.machine.values[param.key] !== undefined);
	const label = LABELS[param.key] ?? param.key;
	const plain = PLAIN.includes(param.key) || param.key === "allocator";
	return (
		<div className={set ? `field ${css.set}` : "field"} data-param={param.key}>
			<span className={css.fieldHead}>
				<label htmlFor={id} className={LABELS[param.key] ? undefined : "mono"}>
					{label}
				</label>
				{proposal && <span className="tag">{proposal.name}</span>}
			</span>
			{param.type === "choice" ? (
				<Choice id={id} param={param} />
			) : (
				<Free id={id} param={param} key={param.value} />
			)}
			{plain ? null : (
				<p className="hint" id={`${id}-hint`}>
					<Terms>{param.meaning}</Terms>
				</p>
			)}
		</div>
	);
}

function Choice({ id, param }: { id: string; param: Param }) {
	return (
		<Select
			id={id}
			value={param.value}
			onSelect={(value) => void setParam(param.key, value)}
			options={
				param.key === "allocator" ? param.values.map((v) => [v, allocatorName(v)]) : param.values
			}
		/>
	);
}

/** A number, a size or a list: takes effect on Enter or on leaving the field; empty goes back to the default. */
function Free({ id, param }: { id: string; param: Param }) {
	const own = useFacts((f) => f.machine.values[param.key] ?? "");
	const shown = own !== "" ? own : param.value === "automatic" ? "" : param.value;
	const [text, setText] = useState(shown);
	const apply = () => {
		if (text.trim() !== shown)
			void setParam(param.key, text.trim()).then(() =>
				setText(facts().machine.values[param.key] ?? shown),
			);
	};
	return (
		<TextInput
			id={id}
			inputMode={param.type === "number" ? "numeric" : "text"}
			placeholder={param.value === "automatic" ? "automatic" : param.default}
			title={param.meaning}
			value={text}
			onChange={(e) => setText(e.currentTarget.value)}
			onBlur={apply}
			onKeyDown={(e) => {
				if (e.key === "Enter") apply();
			}}
		/>
	);
}
