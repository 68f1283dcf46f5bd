/** Parts that most views have: the view itself, its panels, choices above an answer, work in progress, and a fault. */
import { type ReactNode, useRef } from "react";
import { classes } from "../classes.ts";
import { Button } from "../controls.tsx";
import css from "./view.module.css";

interface PageProps {
	readonly label: string;
	readonly className?: string | undefined;
	readonly children: ReactNode;
}

/** A view that scrolls: its parts stand below each other. */
export function Page({ label, className, children }: PageProps) {
	return (
		<section className={classes(css.page, className)} aria-label={label}>
			{children}
		</section>
	);
}

interface PanelProps {
	readonly heading: string;
	/** Its accessible name, if that is not its heading. */
	readonly label?: string;
	/** At the end of the line of the heading. */
	readonly beside?: ReactNode;
	readonly children: ReactNode;
}

/** A part of a view, with a background of its own. */
export function Panel({ heading, label = heading, beside, children }: PanelProps) {
	return (
		<section className={`card ${css.panel}`} aria-label={label}>
			<div className={css.head}>
				<h3>{heading}</h3>
				{beside}
			</div>
			{children}
		</section>
	);
}

/** The heading of a view, and what it is about. */
export function Heading({ children }: { readonly children: ReactNode }) {
	return <div className={css.heading}>{children}</div>;
}

/** Fields and buttons that decide what is shown below. */
export function Choices({ children }: { readonly children: ReactNode }) {
	return <div className={css.choices}>{children}</div>;
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
		<span className={css.working}>
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
	/** More behind it. */
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
