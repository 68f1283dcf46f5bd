/** One parameter or cost: its name, its key, its value, what it means, and what another value would change. */
import { type ReactNode, useState } from "react";
import { allocatorName, facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { setParam, tryParam } from "../../app/trace/actions.ts";
import type { CostParam, Param } from "../../engine/types.ts";
import { Select, TextInput } from "../../ui/controls.tsx";
import { originWords, ParamRow } from "../../ui/param/param_row.tsx";
import { EffectOf } from "./effect_table.tsx";

/** The key of this one adds nothing to its name. */
const ALLOCATOR = "allocator";

interface ParamFieldProps {
	readonly param: Param;
	readonly name: string;
	/** The year of the proposal that it switches on. */
	readonly year: number | undefined;
}

export function ParamField({ param, name, year }: ParamFieldProps) {
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

export function CostField({ cost }: { readonly cost: CostParam }) {
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

/** A number, a size or a list: takes effect on Enter or on leaving the field; empty goes back to the default. */
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
