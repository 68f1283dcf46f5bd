/** Controls that the views share: buttons, choices, labelled fields, areas that scroll, and heads of tables. */

import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { count } from "../base/format.ts";

type ButtonProps = ComponentProps<"button">;

/** A button with its name on it. */
export function Button({ className, ...props }: ButtonProps) {
	return <button type="button" className={classes("tool-text", className)} {...props} />;
}

/** A button that looks like a link. */
export function LinkButton({ className, ...props }: ButtonProps) {
	return <button type="button" className={classes("link", className)} {...props} />;
}

interface IconButtonProps extends ButtonProps {
	/** Its accessible name; shown under the pointer too, unless a `title` says more. */
	readonly name: string;
	readonly icon?: IconName;
}

/** A button with an icon, or with a sign as its children. */
export function IconButton({ name, icon, className, children, ...props }: IconButtonProps) {
	return (
		<button
			type="button"
			className={classes("tool", className)}
			aria-label={name}
			title={name}
			{...props}
		>
			{icon ? <Icon name={icon} /> : children}
		</button>
	);
}

/** A value, its label, and more to read under the pointer; a value alone is its own label. */
export type Option = string | readonly [value: string | number, words: ReactNode, title?: string];

export function Options({ of }: { of: readonly Option[] }) {
	return of.map((option) => {
		const [value, words, title] = typeof option === "string" ? [option, option] : option;
		return (
			<option key={value} value={value} title={title}>
				{words}
			</option>
		);
	});
}

interface SelectProps extends Omit<ComponentProps<"select">, "onSelect"> {
	readonly options?: readonly Option[];
	readonly onSelect: (value: string) => void;
}

/** A list to choose from. Its children, if any, come after its options. */
export function Select({ options = [], onSelect, children, ...props }: SelectProps) {
	return (
		<select {...props} onChange={(e) => onSelect(e.currentTarget.value)}>
			<Options of={options} />
			{children}
		</select>
	);
}

interface FieldProps {
	readonly label: string;
	/** The control, which takes the identifier that its label refers to, and whatever belongs below it. */
	readonly children: (id: string) => ReactNode;
}

export function Field({ label, children }: FieldProps) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			{children(id)}
		</div>
	);
}

/** A labelled list to choose from. Its children go below the list. */
export function SelectField({
	label,
	children,
	...props
}: SelectProps & { readonly label: string }) {
	return (
		<Field label={label}>
			{(id) => (
				<>
					<Select id={id} {...props} />
					{children}
				</>
			)}
		</Field>
	);
}

interface CheckProps {
	readonly checked: boolean;
	readonly onCheck: (checked: boolean) => void;
	readonly title?: string;
	readonly children: ReactNode;
}

export function Check({ checked, onCheck, title, children }: CheckProps) {
	return (
		<label className="check" title={title}>
			<input type="checkbox" checked={checked} onChange={(e) => onCheck(e.currentTarget.checked)} />
			<span>{children}</span>
		</label>
	);
}

/** A text field for words that are in no dictionary. */
export function TextInput(props: ComponentProps<"input">) {
	return <input type="text" autoComplete="off" spellCheck={false} {...props} />;
}

interface ScrollsProps {
	readonly label: string;
	readonly className?: string;
	readonly children: ReactNode;
}

/** An area that scrolls by itself, so the keyboard has to reach it. */
export function Scrolls({ label, className = "table-scroll", children }: ScrollsProps) {
	return (
		/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */
		<section className={className} tabIndex={0} aria-label={label}>
			{children}
		</section>
	);
}

/** A column's name, and perhaps more to read under the pointer. */
export type Head = string | readonly [name: ReactNode, title?: string];

/** The head of a table. */
export function Heads({ of }: { of: readonly Head[] }) {
	return (
		<thead>
			<tr>
				{of.map((head, i) => (
					<th key={i} scope="col" title={typeof head === "string" ? undefined : head[1]}>
						{typeof head === "string" ? head : head[0]}
					</th>
				))}
			</tr>
		</thead>
	);
}

interface WholeProps {
	readonly name: string;
	/** NaN while the field has no valid number, if that counts. */
	readonly value: number;
	readonly most: number;
	/** Called with NaN for other input. */
	readonly set: (n: number) => void;
}

const isWithin = (text: string, most: number) =>
	/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most;

/** An integer from 1 up; for other input it says what is expected. It takes effect while typing. */
export function Whole({ name, value, most, set }: WholeProps) {
	const [text, setText] = useState<string | null>(null);
	const shown = text ?? (Number.isNaN(value) ? "" : String(value));
	const wrong = !isWithin(shown, most);
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
						value={shown}
						aria-invalid={wrong}
						aria-describedby={`${id}-fault`}
						onChange={(e) => {
							const typed = e.currentTarget.value;
							setText(typed);
							set(isWithin(typed, most) ? Number(typed) : Number.NaN);
						}}
						onBlur={() => !Number.isNaN(value) && setText(null)}
					/>
					<p id={`${id}-fault`} className="small danger" hidden={!wrong} aria-live="polite">
						{wrong && `${name}: expected an integer from 1 to ${count(most)}.`}
					</p>
				</>
			)}
		</Field>
	);
}

/* The icons on buttons, drawn on a grid of 20. They are decoration: the button has the name. */

const PATHS = {
	first: "M4 4h2v12H4zM16 4v12L7 10z",
	previousEvent: "M11 4v12L3 10zM17 4v12l-8-6z",
	previousStep: "M14 4v12L5 10z",
	play: "M6 3.5v13l11-6.5z",
	pause: "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
	nextStep: "M6 4v12l9-6z",
	nextEvent: "M9 4v12l8-6zM3 4v12l8-6z",
	last: "M14 4h2v12h-2zM4 4v12l9-6z",
	breakpoint: "M7 2h6l5 5v6l-5 5H7l-5-5V7zM9 5v6h2V5zM9 13v2h2v-2z",
	share: "M13 2l5 5-5 5V9c-5 0-8 2-11 7 0-6 4-11 11-11z",
	mark: "M4 2h2v1h10l-3 4 3 4H6v7H4z",
	open: "M3 5h5l2 2h7v9H3z",
	recent:
		"M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM9 6h2v4l3 2-1 1.6-4-2.6z",
	report: "M4 2h9l3 3v13H4zM6 7v1.6h8V7zm0 3.2v1.6h8v-1.6zm0 3.2V15h5v-1.6z",
	export: "M9 2h2v8h3l-4 4.5L6 10h3zM3 14h2v2h10v-2h2v4H3z",
	theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg
			fill="currentColor"
			viewBox="0 0 20 20"
			width="20"
			height="20"
			aria-hidden="true"
			focusable="false"
		>
			<path fillRule="evenodd" d={PATHS[name]} />
		</svg>
	);
}

/* Joins the class names of an element; names that are false or undefined are left out. */

export const classes = (...names: readonly (string | false | undefined)[]): string =>
	names.filter(Boolean).join(" ");
