/** The small controls of the sandbox: a choice, an integer, a folded part, a request. */
import type { ReactNode } from "react";
import { count } from "../../base/format.ts";
import { Button, Field, SelectField } from "../../ui/controls.tsx";
import css from "./sandbox.module.css";

interface ChoiceProps {
	readonly name: string;
	readonly value: number;
	readonly of: readonly number[];
	readonly words: (n: number) => string;
	readonly set: (n: number) => void;
}

export function Choice({ name, value, of, words, set }: ChoiceProps) {
	return (
		<SelectField
			label={name}
			value={value}
			options={of.map((n) => [n, words(n)])}
			onSelect={(n) => set(Number(n))}
		/>
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
	const wrong = Number.isNaN(value);
	return (
		<Field label={name}>
			{(id) => (
				<>
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
					<p id={`${id}-fault`} className={`small danger ${css.fault}`} aria-live="polite">
						{wrong && `${name}: expected an integer from 1 to ${count(most)}.`}
					</p>
				</>
			)}
		</Field>
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

interface RequestProps {
	readonly name: string;
	readonly words: string;
	readonly disabled?: boolean;
	readonly run: () => void;
	readonly children?: ReactNode;
}

/** A button, and below it what the request does. */
export function Request({ name, words, disabled = false, run, children }: RequestProps) {
	return (
		<div className={css.request}>
			{children}
			<Button disabled={disabled} onClick={run}>
				{name}
			</Button>
			<p className="hint">{words}</p>
		</div>
	);
}
