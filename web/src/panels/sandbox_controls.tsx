/** The small controls that the sandbox is made of: a choice, a whole number, a label, a part that is folded away. */
import { type ReactNode, useId } from "react";

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
	readonly value: number;
	readonly most: number;
	readonly set: (n: number) => void;
}

/** A whole number from 1 on; what is none leaves the one before. */
export function Whole({ name, value, most, set }: WholeProps) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{name}</label>
			<input
				id={id}
				type="number"
				min={1}
				max={most}
				step={1}
				defaultValue={value}
				onChange={(e) => {
					const n = e.currentTarget.valueAsNumber;
					if (Number.isInteger(n) && n >= 1 && n <= most) set(n);
				}}
			/>
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
			<div className="sandbox-folded">{children}</div>
		</details>
	);
}
