/** Parts that most views have: choices above an answer, work in progress, and a fault. */
import type { ReactNode } from "react";
import css from "./view.module.css";

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

/** The reason for a missing answer; nothing for "". */
export function Fault({ sentence }: { readonly sentence: string }) {
	if (sentence === "") return null;
	return (
		<p role="alert" className="danger strong">
			{sentence}
		</p>
	);
}
