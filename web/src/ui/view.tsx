/** Parts that most views have: the view itself, its panels, choices above an answer, work in progress, and errors. */

import { type ComponentProps, type ReactNode, useId, useRef, useState } from "react";
import { FROM_NAMES, FROM_WORDS, type From as Mark } from "#abi";
import { fileName, save } from "../app/trace/files.ts";
import { type Table, toCsv } from "../base/csv_table.ts";
import { Button, classes, TextInput } from "./controls.tsx";
import { Terms } from "./term.tsx";
import css from "./view.module.css";

interface PageProps {
	readonly label: string;
	readonly className?: string | undefined;
	readonly children: ReactNode;
}

/** A view that scrolls, with its parts one below another. */
export function Page({ label, className, children }: PageProps) {
	return (
		<section
			className={classes("relative grid one-column packed gap-3 tall scrolls", css.page, className)}
			aria-label={label}
		>
			{children}
		</section>
	);
}

interface PanelProps {
	readonly heading: string;
	/** Its accessible name, if that is not its heading. */
	readonly label?: string;
	/** At the end of the heading's line. */
	readonly beside?: ReactNode;
	readonly children: ReactNode;
}

/** A part of a view, with its own background. */
export function Panel({ heading, label = heading, beside, children }: PanelProps) {
	return (
		<section className="card packed gap-2" aria-label={label}>
			<div className={`flex wrap baseline ${css.head}`}>
				<h3>{heading}</h3>
				{beside}
			</div>
			{children}
		</section>
	);
}

/** The heading of a view, and what it is about. */
export function Heading({ children }: { readonly children: ReactNode }) {
	return <div className="grid gap-1">{children}</div>;
}

/** Fields and buttons that decide what is shown below. */
export function Choices({ children }: { readonly children: ReactNode }) {
	return <div className={`flex wrap low gap-3 ${css.choices}`}>{children}</div>;
}

interface WorkingProps {
	/** A name of the work. */
	readonly label: string;
	readonly done: number;
	/** Undefined while it is unknown. */
	readonly all: number | undefined;
	/** The progress in words. */
	readonly children: ReactNode;
}

export function Working({ label, done, all, children }: WorkingProps) {
	return (
		<span className={`flex wrap middle gap-3 ${css.working}`}>
			<progress aria-label={label} value={done} max={all} />
			<span className="number">{children}</span>
		</span>
	);
}

interface FileButtonProps {
	/** The accessible name of the field. */
	readonly label: string;
	readonly multiple?: boolean;
	readonly onFiles: (files: readonly File[]) => void;
	readonly children: ReactNode;
}

/** A button that opens the browser's dialog for files. */
export function FileButton({ label, multiple, onFiles, children }: FileButtonProps) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<Button onClick={() => input.current?.click()}>{children}</Button>
			<input
				ref={input}
				type="file"
				multiple={multiple}
				hidden
				aria-label={label}
				onChange={(e) => {
					onFiles([...(e.currentTarget.files ?? [])]);
					// The same file may be chosen again.
					e.currentTarget.value = "";
				}}
			/>
		</>
	);
}

interface FaultProps {
	readonly sentence: string;
	/** Content after it. */
	readonly children?: ReactNode;
}

/** The reason for a missing answer; nothing for "". */
export function Fault({ sentence, children }: FaultProps) {
	if (sentence === "") return null;
	return (
		<p role="alert" className="danger strong">
			{sentence.replace(/[^.]$/, "$&.")} {children}
		</p>
	);
}

/* A field whose text takes effect on Enter, or on leaving the field. */

interface EntryProps extends ComponentProps<typeof TextInput> {
	/** The text in effect. */
	readonly value: string;
	/** Called with the new text, without blanks around it. */
	readonly onEnter: (text: string) => void;
}

export function Entry({ value, onEnter, ...props }: EntryProps) {
	const [text, setText] = useState<string | null>(null);
	const enter = () => {
		const entered = text?.trim() ?? value;
		if (entered !== value) onEnter(entered);
		setText(null);
	};
	return (
		<TextInput
			{...props}
			value={text ?? value}
			onChange={(e) => setText(e.currentTarget.value)}
			onBlur={enter}
			onKeyDown={(e) => {
				if (e.key === "Enter") enter();
			}}
		/>
	);
}

/* The mark of a memory figure: where it comes from, in the word of the command and with its definition. */

/** The mark from the command's tables, such as "known_start"; "" for a number that is not about memory. */
export function fromKey(of: Mark | undefined): string {
	return of === undefined ? "" : FROM_NAMES[of].replace(/^FROM_/, "").toLowerCase();
}

export function From({ of }: { readonly of: Mark }) {
	return (
		<span className={`quiet small one-line ${css.from}`} data-from={of}>
			<Terms>{FROM_WORDS[of] ?? ""}</Terms>
		</span>
	);
}

/* A button that saves a table as a file. */

/** The file is named after the table. */
export function DownloadCsv({ table }: { readonly table: () => Table }) {
	const download = () => {
		const made = table();
		save(new Blob([toCsv(made)], { type: "text/csv" }), fileName(made.name, "csv"));
	};
	return <Button onClick={download}>Download CSV</Button>;
}

/* A row in a list of facts. */

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
	return (
		<>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</>
	);
}

/* One parameter as people meet it everywhere: its name, its key, its control, what it means, and where it comes from. */

interface ParamRowProps {
	readonly paramKey: string;
	readonly name: string;
	/** "" if the name says it all. */
	readonly shownKey: string;
	readonly meaning: string;
	/** Its default, and the first kernel version that has it, in words. */
	readonly origin: string;
	readonly tag?: string | undefined;
	readonly isSet: boolean;
	/** The control, which takes the id. */
	readonly control: (id: string) => ReactNode;
	readonly children?: ReactNode;
}

export function ParamRow(props: ParamRowProps) {
	const { paramKey, name, shownKey, meaning, origin, tag = "", isSet, control, children } = props;
	const id = useId();
	return (
		<div className={isSet ? `field ${css.set}` : "field"} data-param={paramKey}>
			<span className={`flex wrap baseline apart ${css.paramRowHead}`}>
				<label htmlFor={id}>
					{name}
					{shownKey !== "" && <code className={`quiet ${css.key}`}> {shownKey}</code>}
				</label>
				{tag !== "" && <span className="tag">{tag}</span>}
			</span>
			{control(id)}
			{meaning !== "" && (
				<p className="hint">
					<Terms>{meaning}</Terms> <span>{origin}</span>
				</p>
			)}
			{children}
		</div>
	);
}

interface Described {
	readonly default: string;
	readonly since: string;
}

export function originWords({ default: byDefault, since }: Described): string {
	return `Default: ${byDefault}${since === "" ? "" : `; since Linux ${since}`}.`;
}
