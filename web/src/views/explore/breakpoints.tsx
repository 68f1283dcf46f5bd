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
import { Button, Check, LinkButton, Options, Select } from "../../ui/controls.tsx";
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
					<Button onClick={() => void runTo(-1)}>Go back to breakpoint</Button>
					<Button onClick={() => void runTo(1)}>Go on to breakpoint</Button>
				</div>
				<p role="status" aria-label="Breakpoint">
					{stopped}
				</p>
				<LinkButton onClick={() => change({ breaking: false })}>Close</LinkButton>
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
				<optgroup label="a step, by its name">
					<Options of={STEP_KINDS.map(({ name }) => name)} />
				</optgroup>
			</Select>
			<Select
				aria-label="Stop for"
				value={scope}
				onSelect={(chosen) => setScope(chosen as Scope)}
				options={scopes}
			/>
			<Button onClick={add}>Add</Button>
		</div>
	);
}
