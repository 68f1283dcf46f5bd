/** The list of breakpoints, and the buttons that run to the next and the previous one. */
import { useRef, useState } from "react";
import { STEP_KINDS, WHEN_WORDS, When } from "#abi";
import {
	addBreakpoint,
	breakpointWords,
	removeBreakpoint,
	runTo,
	setBreakpoint,
} from "../../app/playback/breakpoints.ts";
import { type Breakpoint, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { useVisit } from "../../ui/use_focus.ts";
import css from "./breakpoints.module.css";

/** Sorted by how often people look for them. */
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
		<section ref={panel} tabIndex={-1} className={css.panel} aria-label="Breakpoints">
			<div className={css.bar}>
				<h2>Breakpoints</h2>
				<Add />
				<div className={css.run}>
					<button type="button" className="tool-text" onClick={() => void runTo(-1)}>
						Go back to breakpoint
					</button>
					<button type="button" className="tool-text" onClick={() => void runTo(1)}>
						Go on to breakpoint
					</button>
				</div>
				<p role="status" aria-label="Breakpoint">
					{stopped}
				</p>
				<button type="button" className="link" onClick={() => change({ breaking: false })}>
					Close
				</button>
			</div>
			{all.length > 0 && (
				<ul className={css.list} aria-label="List of breakpoints">
					{all.map((b) => (
						<Item key={b.id} breakpoint={b} />
					))}
				</ul>
			)}
		</section>
	);
}

function Item({ breakpoint }: { breakpoint: Breakpoint }) {
	const words = breakpointWords(breakpoint);
	return (
		<li>
			<label className="check">
				<input
					type="checkbox"
					checked={breakpoint.on}
					onChange={(e) => setBreakpoint(breakpoint.id, e.currentTarget.checked)}
				/>
				<span>{words}</span>
			</label>
			<button
				type="button"
				className="link"
				aria-label={`Remove: ${words}`}
				onClick={() => removeBreakpoint(breakpoint.id)}
			>
				Remove
			</button>
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
			<select aria-label="Stop when" value={what} onChange={(e) => setWhat(e.currentTarget.value)}>
				{WHENS.map((when) => (
					<option key={when} value={when}>
						{WHEN_WORDS[when]}
					</option>
				))}
				<optgroup label="a step, by its name">
					{STEP_KINDS.map(({ name }) => (
						<option key={name} value={name}>
							{name}
						</option>
					))}
				</optgroup>
			</select>
			<select
				aria-label="Stop for"
				value={scope}
				onChange={(e) => setScope(e.currentTarget.value as Scope)}
			>
				{scopes.map(([value, name]) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
			<button type="button" className="tool-text" onClick={add}>
				Add
			</button>
		</div>
	);
}
