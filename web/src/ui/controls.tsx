/** Controls that the views share: buttons, choices, labelled fields, areas that scroll, and heads of tables. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { count } from "../base/format.ts";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icons.tsx";

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

/** A value, its words, and more to read under the pointer; a value alone is its own words. */
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
	/** The control, which takes the identifier that its label names; what stands below it may be part of this. */
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

/** A labelled list to choose from. Its children stand below the list. */
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

/** A field for words that no dictionary knows. */
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

/** The name of a column, and perhaps more to read under the pointer. */
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
					<p id={`${id}-fault`} className="small danger" hidden={!wrong} aria-live="polite">
						{wrong && `${name}: expected an integer from 1 to ${count(most)}.`}
					</p>
				</>
			)}
		</Field>
	);
}
