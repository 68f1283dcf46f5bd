/** Chooses the trace that a compared machine replays: the one on the stage, a sample, or one that the browser keeps. */

import { futureTrace, LETTERS, recentTrace, traceWords } from "../../app/state/machine_spec.ts";
import { FUTURES } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { classes, Options, Select } from "../../ui/controls.tsx";
import css from "./compare.module.css";

interface TraceOfProps {
	readonly nr: number;
	/** "" for the trace on the stage. */
	readonly trace: string;
	readonly set: (trace: string) => void;
	/** The words for "". */
	readonly none?: string;
}

export function TraceOf({ nr, trace, set, none = "the trace of A" }: TraceOfProps) {
	const own = useFacts((f) => f.trace);
	const samples = useFacts((f) => f.samples);
	const recent = useFacts((f) => f.recent);
	const isForked = useFacts((f) => (f.sandbox?.after ?? 0) > 0);
	const futures = isForked ? FUTURES.map(futureTrace) : [];
	const others = samples.filter(({ file }) => file !== own);
	const known = [
		...futures,
		...others.map(({ file }) => file),
		...recent.map(({ key }) => recentTrace(key)),
	];
	return (
		<Select
			aria-label={`Trace of ${LETTERS[nr]}`}
			value={trace}
			onSelect={set}
			options={[["", none]]}
		>
			{trace !== "" && !known.includes(trace) && <Options of={[[trace, traceWords(trace)]]} />}
			{isForked && (
				<optgroup label="This branch">
					<Options of={futures.map((future) => [future, traceWords(future)])} />
				</optgroup>
			)}
			<optgroup label="Samples">
				<Options of={others.map(({ file, title }) => [file, title])} />
			</optgroup>
			{recent.length > 0 && (
				<optgroup label="Opened before">
					<Options of={recent.map(({ key, name }) => [recentTrace(key), name])} />
				</optgroup>
			)}
		</Select>
	);
}

/* The letter of a machine, in its hue and dash. */

export function Letter({ nr }: { readonly nr: number }) {
	return <span className={classes(`small ${css.letter}`, css[`run${nr}`])}>{LETTERS[nr]}</span>;
}
