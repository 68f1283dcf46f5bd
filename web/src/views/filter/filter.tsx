/** Fields for the conditions of a filter: of the stage, or of an excerpt to save. */

import { useEffect, useId, useState } from "react";
import { FILTER_KEYS, type FilterCondition, type FilterKey } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { change, facts } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { applyFilter, followFilter } from "../../app/trace/filter.ts";
import { count, numberOf, quantity } from "../../base/format.ts";
import { Button, Field, TextInput } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./filter.module.css";

export type Values = Partial<Record<FilterKey, string>>;

const FILTER_WORDS: Readonly<Record<FilterKey, string>> = {
	"from-event": "From event",
	"to-event": "To event",
	"from-time": "From time",
	"to-time": "To time",
	cpu: "CPUs",
	node: "Nodes",
	cache: "Caches",
	"call-site": "Call sites",
	task: "Tasks",
};

const EXAMPLES: Values = {
	cpu: "0,2 or 4-7",
	node: "0",
	cache: "kmalloc-*",
	"call-site": "copy_process",
	task: "bash",
};

/** Call sites that the field offers. */
const OFFERED_MOST = 500;

export const valuesOf = (filter: readonly FilterCondition[]): Values => Object.fromEntries(filter);

export function conditionsOf(values: Values): FilterCondition[] {
	return FILTER_KEYS.flatMap((key) => {
		const value = values[key]?.trim() ?? "";
		return value === "" ? [] : [[key, value] as const];
	});
}

interface Props {
	readonly values: Values;
	readonly onValues: (values: Values) => void;
}

export function FilterFields({ values, onValues }: Props) {
	const isTimed = useFacts((f) => f.report !== null && f.report.timeLast > f.report.timeFirst);
	const range = useFacts((f) => f.range);
	const caches = useFacts((f) => f.built?.caches);
	const { value: sites = [] } = useAsync(() => engine().callSites(), []);
	const id = useId();
	const offers: Partial<Record<FilterKey, readonly string[]>> = {
		cache: caches?.map(({ name }) => name) ?? [],
		"call-site": sites.slice(0, OFFERED_MOST),
	};
	const keys = FILTER_KEYS.filter((key) => isTimed || !key.endsWith("-time"));
	return (
		<>
			<div className={`grid ${css.fields}`}>
				{keys.map((key) => (
					<Field key={key} label={FILTER_WORDS[key]}>
						{(field) => (
							<>
								<TextInput
									id={field}
									value={values[key] ?? ""}
									placeholder={EXAMPLES[key]}
									list={offers[key] ? `${id}${key}` : undefined}
									maxLength={400}
									onChange={(e) => onValues({ ...values, [key]: e.currentTarget.value })}
								/>
								{offers[key] && (
									<datalist id={`${id}${key}`}>
										{[...new Set(offers[key])].map((offer) => (
											<option key={offer} value={offer} />
										))}
									</datalist>
								)}
							</>
						)}
					</Field>
				))}
			</div>
			{range && (
				<Button onClick={() => onValues({ ...values, ...eventsOf(facts().range ?? range) })}>
					Use the events on the timeline
				</Button>
			)}
			<p className="hint">
				More values in a field widen the filter; more fields narrow it. Separate values with commas;
				* stands for any characters. An allocation must match every field, and the free of its
				object comes with it.
			</p>
		</>
	);
}

const eventsOf = ({ from, to }: { readonly from: number; readonly to: number }): Values => ({
	"from-event": String(numberOf(from)),
	"to-event": String(numberOf(to)),
});

/* The filter that is on, above the timeline: what passes, and ways to change or remove it. */

export function FilterBar() {
	const filter = useFacts((f) => f.filter);
	const chosen = useFacts((f) => f.chosen);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const live = useCalm((f) => f.moment?.caches.find((c) => c.cache === f.moment?.cache));
	useEffect(followFilter, []);
	return (
		<section className={`flex wrap middle above-2 ${css.bar}`} aria-label="Filter">
			<p>
				<i className="swatch ticks" /> <strong>Filter</strong>{" "}
				{filter.map(([key, value]) => `${FILTER_WORDS[key]}: ${value}`).join("; ")}
				{chosen && (
					<span className="quiet">
						{" "}
						· {count(chosen.events)} of {quantity(nrOps, "event")}
						{live &&
							live.cache === chosen.cache &&
							` · ${count(chosen.objects)} of ${quantity(live.liveObjects, "live object")} of ${live.name}`}
					</span>
				)}
			</p>
			<Button onClick={() => change({ dialog: "filter" })}>Change the filter</Button>
			<Button onClick={() => change({ filter: [], chosen: null })}>Remove the filter</Button>
		</section>
	);
}

/* Chooses the events that moves stop at, and the objects that the stage doesn't dim. */

export function FilterDialog() {
	const [values, setValues] = useState<Values>(() => valuesOf(facts().filter));
	const [said, say] = useState("");
	const apply = async (chosen: Values) => {
		const conditions = conditionsOf(chosen);
		try {
			const why = await applyFilter(conditions);
			if (why === "") change({ dialog: "" });
			else say(why);
		} catch (error) {
			say(sentenceOf(error));
		}
	};
	return (
		<Dialog title="Filter">
			<form
				onSubmit={(e) => {
					e.preventDefault();
					void apply(values);
				}}
			>
				<p className="hint">
					Next and previous go to events that pass the filter. The stage dims objects whose
					allocation doesn't.
				</p>
				<FilterFields values={values} onValues={setValues} />
				<p className="row">
					<button type="submit" className="tool-text">
						Apply the filter
					</button>{" "}
					<Button onClick={() => void apply({})}>Remove the filter</Button>
				</p>
				<p role="status" aria-label="Filter">
					{said}
				</p>
			</form>
		</Dialog>
	);
}
