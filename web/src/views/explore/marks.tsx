/** Lists the marks of this trace: you can go there, name them or remove them. */

import { useRef, useState } from "react";
import { STEP_KINDS, WHEN_WORDS, When } from "#abi";
import {
	addBreakpoint,
	breakpointWords,
	removeBreakpoint,
	runTo,
	setBreakpoint,
} from "../../app/playback/breakpoints.ts";
import {
	adoptMarks,
	goToMark,
	marksAside,
	marksOfLink,
	momentWords,
	removeMark,
	renameMark,
	showOwnMarks,
	toggleMark,
} from "../../app/playback/marks.ts";
import { type Breakpoint, change, type Mark } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { Button, Check, LinkButton, Options, Select } from "../../ui/controls.tsx";
import { useVisit } from "../../ui/hooks.ts";
import { Entry } from "../../ui/view.tsx";
import css from "./marks.module.css";

export function Marks() {
	const marks = useFacts((f) => f.marks);
	const panel = useRef<HTMLElement>(null);
	useVisit(panel);
	return (
		<section
			ref={panel}
			tabIndex={-1}
			className={`grid one-column gap-2 above-2 scrolls line-below ${css.panel} ${css.marks}`}
			aria-label="Marks"
		>
			<div className={css.bar}>
				<h2>Marks</h2>
				<Button onClick={toggleMark}>Mark this position</Button>
				<Whose />
				<LinkButton onClick={() => change({ marking: false })}>Close</LinkButton>
			</div>
			{marks.length > 0 && (
				<ul className={css.list} aria-label="Marked positions">
					{marks.map((m) => (
						<MarkItem key={`${m.op}/${m.step}`} mark={m} />
					))}
				</ul>
			)}
		</section>
	);
}

/** Explains the two kinds of marks to a visitor whose link has marks. */
function Whose() {
	const ofLink = useFacts((f) => marksOfLink(f).length);
	const aside = useFacts((f) => marksAside(f).length);
	const none = useFacts((f) => f.marks.length === 0);
	if (ofLink === 0)
		return (
			<p className="hint">
				{none
					? "No positions are marked yet. This browser keeps your marks, and links include them."
					: "This browser keeps your marks, and links include them."}
			</p>
		);
	return (
		<p className="hint">
			{quantity(ofLink, "mark")} came with the link.{" "}
			{aside > 0 && (
				<>
					{count(aside)} of your own {aside === 1 ? "is" : "are"} hidden.{" "}
					<LinkButton onClick={showOwnMarks}>Show my marks</LinkButton>{" "}
				</>
			)}
			<LinkButton onClick={adoptMarks}>Keep the link's marks too</LinkButton>
		</p>
	);
}

function MarkItem({ mark }: { mark: Mark }) {
	const words = momentWords(mark);
	return (
		<li>
			<LinkButton className="number" onClick={() => goToMark(mark)}>
				{words}
			</LinkButton>
			<Entry
				aria-label={`Name of the mark at ${words}`}
				placeholder="Name"
				value={mark.label}
				onEnter={(name) => renameMark(mark, name)}
			/>
			<LinkButton aria-label={`Remove the mark at ${words}`} onClick={() => removeMark(mark)}>
				Remove
			</LinkButton>
		</li>
	);
}

/* The list of breakpoints, and the buttons that run to the next and the previous one. */

/** Kinds of breakpoints, sorted by how often people look for them. */
const WHENS = [
	When.WHEN_NEW_SLAB,
	When.WHEN_SLAB_FREED,
	When.WHEN_EMPTY_FREED,
	When.WHEN_SLAB_MOVED,
	When.WHEN_REMOTE_NODE,
	When.WHEN_ORDER_FALLBACK,
	When.WHEN_SLOW_PATH,
	When.WHEN_LOCK_WAIT,
	When.WHEN_LARGE,
	When.WHEN_ANOMALY,
	When.WHEN_FIRST_USE,
	When.WHEN_ALLOC,
	When.WHEN_FREE,
	When.WHEN_TOUCHED,
] as const;

export function Breakpoints() {
	const all = useFacts((f) => f.breakpoints);
	const stopped = useFacts((f) => f.stopped);
	const panel = useRef<HTMLElement>(null);
	useVisit(panel);
	return (
		<section
			ref={panel}
			tabIndex={-1}
			className={`grid one-column gap-2 above-2 scrolls line-below ${css.panel}`}
			aria-label="Breakpoints"
		>
			<div className={css.bar}>
				<h2>Breakpoints</h2>
				<Add />
				<div className={css.run}>
					<Button onClick={() => void runTo(-1)}>Previous breakpoint</Button>
					<Button onClick={() => void runTo(1)}>Next breakpoint</Button>
				</div>
				<p role="status" aria-label="Breakpoint">
					{stopped}
				</p>
				<LinkButton onClick={() => change({ breaking: false })}>Close</LinkButton>
			</div>
			{all.length > 0 && (
				<ul className={css.list} aria-label="List of breakpoints">
					{all.map((b) => (
						<BreakpointItem key={b.id} breakpoint={b} />
					))}
				</ul>
			)}
		</section>
	);
}

function BreakpointItem({ breakpoint }: { breakpoint: Breakpoint }) {
	const words = breakpointWords(breakpoint);
	return (
		<li>
			<Check checked={breakpoint.on} onCheck={(on) => setBreakpoint(breakpoint.id, on)}>
				{words}
			</Check>
			<LinkButton aria-label={`Remove: ${words}`} onClick={() => removeBreakpoint(breakpoint.id)}>
				Remove
			</LinkButton>
		</li>
	);
}

type Scope = "any" | "cache" | "slab" | "object";

function Add() {
	const cache = useFacts((f) => f.cache);
	const selected = useFacts((f) => f.selected);
	const [what, setWhat] = useState<string>(String(When.WHEN_NEW_SLAB));
	const [request, setScope] = useState<Scope>("any");
	const scopes: readonly (readonly [Scope, string])[] = [
		["any", "of any cache"],
		["cache", `of ${cache}`],
		...(selected ? [["slab", `of slab #${selected.serial}`] as const] : []),
		...(selected && selected.index >= 0 ? [["object", "of this object"] as const] : []),
	];
	const scope = scopes.some(([s]) => s === request) ? request : "any";
	const add = () => {
		const isStep = Number.isNaN(Number(what));
		const thing = scope === "slab" && selected ? { serial: selected.serial, index: -1 } : selected;
		addBreakpoint({
			when: isStep ? When.WHEN_STEP : Number(what),
			step: isStep ? what : "",
			cache: scope === "any" ? "" : cache,
			thing: scope === "slab" || scope === "object" ? thing : null,
		});
	};
	return (
		<div className={css.add}>
			<Select
				aria-label="Stop when"
				value={what}
				onSelect={setWhat}
				options={WHENS.map((when) => [when, WHEN_WORDS[when]])}
			>
				<optgroup label="a step, by name">
					<Options of={STEP_KINDS.map(({ name }) => name)} />
				</optgroup>
			</Select>
			<Select
				aria-label="Stop for"
				value={scope}
				onSelect={(chosen) => setScope(chosen as Scope)}
				options={scopes}
			/>
			<Button onClick={add}>Add breakpoint</Button>
		</div>
	);
}
