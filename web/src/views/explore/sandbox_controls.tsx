/** The small controls of the sandbox: a choice, a folded part, a request. */
import type { ReactNode } from "react";
import { Button, SelectField } from "../../ui/controls.tsx";
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
