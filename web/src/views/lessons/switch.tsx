/**
 * Switches one parameter on the same trace: shows the totals for each value, computed by the core, and puts either
 * value on the stage.
 */

import { useRef, useState } from "react";
import { COUNTER_NAMES } from "#abi";
import { allocatorOf, facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count } from "../../base/format.ts";
import type { Figures } from "../../engine/answers.ts";
import { Button } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/use_async.ts";
import { useSeen } from "../../ui/use_element.ts";
import { type Metric, metricsOf } from "../compare/metrics.ts";
import lessonsCss from "./lessons.module.css";
import { useAround, within } from "./model/context.ts";
import { figuresAt, goTo, type Place } from "./model/places.ts";
import { withValue } from "./model/with_value.ts";
import css from "./switch.module.css";

interface SwitchProps extends Place {
	/** Key of a parameter. */
	readonly param: string;
	/** Separated by blanks. */
	readonly values: string;
	/** Names as in Compare's table, separated by commas. */
	readonly figures: string;
}

export function Switch({ param, values, figures, ...own }: SwitchProps) {
	const place = within(useAround().place, own);
	const words = values.split(/\s+/);
	const box = useRef<HTMLElement>(null);
	const { results, sentence } = useFigures(place, param, values, useSeen(box));
	const [on, setOn] = useState("");
	const inForce = useFacts((f) =>
		param === "allocator"
			? allocatorOf(f.built)
			: (f.built?.params.find((p) => p.key === param)?.value ?? ""),
	);
	const turn = (value: string) => {
		setOn(value);
		const f = facts();
		const op = f.trace === place.trace ? f.moment?.position.op : place.op;
		void goTo({
			...place,
			op,
			step: undefined,
			machine: withValue(place.machine ?? "", param, value),
		});
	};
	return (
		<figure className={`${lessonsCss.task} ${css.switch}`} data-switch ref={box}>
			<fieldset>
				<legend>
					<code>{param}</code> on the stage
				</legend>
				{words.map((value) => (
					<Button
						key={value}
						aria-pressed={(on === "" || on === value) && inForce === value}
						onClick={() => turn(value)}
					>
						{value}
					</Button>
				))}
			</fieldset>
			{sentence !== "" && <p className="danger">{sentence}</p>}
			<table>
				<caption>
					The whole trace, with {words.length === 2 ? "either" : "each"} {param}
				</caption>
				<thead>
					<tr>
						<th scope="col">At its end</th>
						{words.map((value) => (
							<th key={value} scope="col" className="number">
								{value}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{figures.split(",").map((name) => (
						<Row key={name} name={name.trim()} results={results} values={words} />
					))}
				</tbody>
			</table>
		</figure>
	);
}

interface Results {
	readonly results: readonly Figures[];
	readonly sentence: string;
}

function useFigures(place: Place, param: string, values: string, wanted: boolean): Results {
	const { trace, machine = "" } = place;
	const ask = async () => {
		const results: Figures[] = [];
		for (const value of values.split(/\s+/))
			results.push(await figuresAt({ trace, machine: withValue(machine, param, value) }));
		return results;
	};
	const { value, sentence } = useAsync(wanted ? ask : undefined, [
		trace,
		machine,
		param,
		values,
		wanted,
	]);
	return { results: sentence === "" ? (value ?? []) : [], sentence };
}

/** A figure by its name in Compare's table. */
export function metricNamed(name: string, of: readonly Figures[]): Metric | undefined {
	return metricsOf(of.map((f) => f.totals)).find((m) => m.name === name);
}

interface RowProps {
	readonly name: string;
	readonly results: readonly Figures[];
	readonly values: readonly string[];
}

/** Whether it is a counter that the allocator in use does not have. */
function isAbsent(name: string, { counters }: Figures): boolean {
	const counter = COUNTER_NAMES.findIndex((n) => n.toLowerCase() === name);
	return counter >= 0 && !counters.includes(counter);
}

function Row({ name, results, values }: RowProps) {
	const metric = metricNamed(name, results);
	return (
		<tr>
			<th scope="row" title={metric?.title}>
				{name}
			</th>
			{values.map((value, i) => {
				const result = results[i];
				const n = result ? (metric?.of(result.totals) ?? 0) : undefined;
				if (result && isAbsent(name, result))
					return (
						<td key={value} className="number quiet">
							<span aria-hidden="true">–</span>
							<span className="hidden">no such counter</span>
						</td>
					);
				return (
					<td key={value} className="number">
						{n === undefined ? "…" : metric?.bytes ? bytes(n) : count(n)}
					</td>
				);
			})}
		</tr>
	);
}
