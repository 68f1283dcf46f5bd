/** The small controls of the sandbox: a choice, an integer, a label, a folded part. */
import { type ReactNode, useId } from "react";
import { count } from "../../base/format.ts";
import css from "./sandbox.module.css";

interface ChoiceProps {
	readonly name: string;
	readonly value: number;
	readonly of: readonly number[];
	readonly words: (n: number) => string;
	readonly set: (n: number) => void;
}

export function Choice({ name, value, of, words, set }: ChoiceProps) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{name}</label>
			<select id={id} value={value} onChange={(e) => set(Number(e.currentTarget.value))}>
				{of.map((n) => (
					<option key={n} value={n}>
						{words(n)}
					</option>
				))}
			</select>
		</div>
	);
}

interface WholeProps {
	readonly name: string;
	/** NaN while the field has no valid number. */
	readonly value: number;
	readonly most: number;
	readonly set: (n: number) => void;
}

/** An integer from 1 up; for other input it shows what is expected, and disables the action. */
export function Whole({ name, value, most, set }: WholeProps) {
	const id = useId();
	const wrong = Number.isNaN(value);
	return (
		<div className="field">
			<label htmlFor={id}>{name}</label>
			<input
				id={id}
				type="number"
				min={1}
				max={most}
				step={1}
				defaultValue={wrong ? "" : value}
				aria-invalid={wrong}
				aria-describedby={`${id}-fault`}
				onChange={(e) => {
					const n = e.currentTarget.valueAsNumber;
					set(Number.isInteger(n) && n >= 1 && n <= most ? n : Number.NaN);
				}}
			/>
			<p id={`${id}-fault`} className={css.fault} aria-live="polite">
				{wrong && `${name}: expected an integer from 1 to ${count(most)}.`}
			</p>
		</div>
	);
}

export function Labelled({
	name,
	children,
}: {
	name: string;
	children: (id: string) => ReactNode;
}) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{name}</label>
			{children(id)}
		</div>
	);
}

export function Folded({ summary, children }: { summary: string; children: ReactNode }) {
	return (
		<details>
			<summary>{summary}</summary>
			<div className={css.folded}>{children}</div>
		</details>
	);
}
