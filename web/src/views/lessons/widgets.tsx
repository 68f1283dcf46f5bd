/** The widgets of prose: stops, links that move the player, passages that play, numbers that a test checks. */

import {
	type MouseEvent,
	type ReactElement,
	type ReactNode,
	useContext,
	useEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import { COUNTER_NAMES } from "#abi";
import type { Study } from "#wasm";
import { fromQuery } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { pause } from "../../app/playback/player.ts";
import { allocatorOf, change, facts } from "../../app/state/store.ts";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, eventsWords } from "../../base/format.ts";
import type { Figures } from "../../engine/answers.ts";
import { Button, Icon, LinkButton } from "../../ui/controls.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { useAsync, useSeen } from "../../ui/hooks.ts";
import { Terms } from "../../ui/term.tsx";
import { metricsOf } from "../compare/metrics.ts";
import {
	FigureTable,
	lookUp,
	measureStudy,
	type TableOf,
	tablesOf,
	useStudy,
} from "../experiments/studies.tsx";
import { Gate } from "./lesson.tsx";
import css from "./lessons.module.css";
import { AroundContext, useAround, within, withValue } from "./model/context.ts";
import { addressOf, figuresAt, goTo, type Place, playPassage } from "./model/places.ts";
import { Predict } from "./predict.tsx";

export interface StopProps extends Place {
	/** In the address, as stop=ID. */
	readonly id: string;
	readonly children?: ReactNode;
}

const isQuestion = ({ type }: ReactElement) => type === Predict;

/**
 * A part of the text, and the place of the stage while it is read. The text below a question stays hidden until it's answered.
 */
export function Stop({ id, children, ...place }: StopProps) {
	const around = useContext(AroundContext);
	const { trace, machine, op, step, cache, select } = place;
	const { register, isYours } = around;
	const here = useMemo(
		() =>
			isYours ? around.place : within(around.place, { trace, machine, op, step, cache, select }),
		[around.place, isYours, trace, machine, op, step, cache, select],
	);
	useEffect(() => register(id, here), [register, id, here]);
	const inside = useMemo(() => ({ ...around, place: here, stop: id }), [around, here, id]);
	const current = useFacts((f) => f.lesson.stop === id);
	return (
		<AroundContext value={inside}>
			<section
				className={css.stop}
				id={`stop-${id}`}
				data-stop={id}
				aria-current={current ? "step" : undefined}
			>
				<Gate name={`${around.lesson} ${id}`} isQuestion={isQuestion}>
					{children}
				</Gate>
			</section>
		</AroundContext>
	);
}

/** With a modifier key, a link opens wherever the browser would open it. */
const inPage = (go: () => void) => (event: MouseEvent) => {
	if (event.metaKey || event.ctrlKey || event.shiftKey) return;
	event.preventDefault();
	go();
};

interface GoProps extends Place {
	readonly children: ReactNode;
}

/** A link that moves the player. It has an address, so it can be copied and opened elsewhere. */
export function Go({ children, ...place }: GoProps) {
	const around = useAround();
	const to = within(around.place, place);
	const here = useEachPosition(
		(f) =>
			f.trace === to.trace &&
			f.moment?.position.op === to.op &&
			(f.moment?.position.step === to.step ||
				(to.step === undefined && f.moment?.position.step === (f.moment?.nrSteps ?? 0) - 1)),
	);
	return (
		<a
			className={`accent ${css.go}`}
			href={addressOf(to)}
			data-op={to.op}
			data-step={to.step}
			aria-current={here ? "true" : undefined}
			onClick={inPage(() => {
				// The focus may have scrolled the text: what that leads to comes first, or it would replace this.
				around.settle();
				void goTo(to);
			})}
		>
			{children}
		</a>
	);
}

/** Words for a part of the stage: pointing at them highlights it, and pointing at it highlights them. */
export function PartWords({ is, children }: { readonly is: string; readonly children: ReactNode }) {
	const isLit = useFacts((f) => f.litPart === is || f.partsUnder.includes(is));
	const light = () => change({ litPart: is });
	const unlight = () => facts().litPart === is && change({ litPart: "" });
	useEffect(() => () => void (facts().litPart === is && change({ litPart: "" })), [is]);
	return (
		<button
			type="button"
			className={css.part}
			data-part-words={is}
			data-lit={isLit}
			onPointerEnter={light}
			onPointerLeave={unlight}
			onFocus={light}
			onBlur={unlight}
			onClick={light}
		>
			{children}
		</button>
	);
}

interface PlayerProps extends Place {
	readonly from: number;
	readonly to: number;
	readonly loop?: boolean;
	readonly children?: ReactNode;
}

/** A passage, played on the stage. */
export function Player({ from, to, loop = false, children, ...place }: PlayerProps) {
	const at = within(useAround().place, place);
	const playing = useEachPosition(
		(f) =>
			f.playing &&
			f.trace === at.trace &&
			(f.moment?.position.op ?? -1) >= from &&
			(f.moment?.position.op ?? -1) <= to,
	);
	return (
		<div className={`row ${css.passage}`}>
			<Button
				data-from={from}
				data-to={to}
				onClick={() => (playing ? pause() : void playPassage(at, { from, to, loop }))}
			>
				<Icon name={playing ? "pause" : "play"} />
				{playing ? "Pause" : "Play"} {eventsWords(from, to)}
			</Button>
			<div className={`${css.passageText} quiet`}>{children}</div>
		</div>
	);
}

/** The meaning of a number, so that a test can ask the core for it; see README.md. */
export interface Claim extends Place {
	readonly value: number;
	/** A total or counter after `op`, a fact of a cache or of a size, or a figure of an experiment. */
	readonly of: string;
	readonly size?: number;
	/** Counted from after this event. */
	readonly since?: number;
	/** Divided by its value on this machine, or by this figure. */
	readonly per?: string;
	/** The number in words: "three", "a third fewer". */
	readonly children?: ReactNode;
}

export function Num({ value, children }: Claim) {
	if (children) return children;
	return (
		<span className="number">{Number.isInteger(value) ? count(value) : value.toFixed(2)}</span>
	);
}

/** A paragraph of plain Markdown, with definitions of its kernel terms. */
export function Paragraph({ children }: { readonly children?: ReactNode }) {
	return (
		<p>
			<Terms atOnce>{children}</Terms>
		</p>
	);
}

/** A glossary term inside other markup, such as emphasis, where terms aren't found by themselves. */
export function TermWords({ children }: { readonly children: ReactNode }) {
	return <Terms atOnce>{children}</Terms>;
}

interface LinkProps {
	readonly href?: string;
	readonly children?: ReactNode;
}

/** A link of plain Markdown: inside this page without a reload, or elsewhere in another tab. */
export function Link({ href = "", children }: LinkProps) {
	if (!href.startsWith("?"))
		return (
			<a href={href} target="_blank" rel="noopener noreferrer">
				{children}
			</a>
		);
	return (
		<a className="link" href={href} onClick={inPage(() => follow(href))}>
			{children}
		</a>
	);
}

/** A link to another lesson lets that lesson choose the trace; a link to a view keeps the current one. */
function follow(href: string): void {
	const view = fromQuery(href);
	if (view.trace === "")
		change({ tab: view.tab, parts: view.parts, lesson: view.lesson, lab: view.lab });
	else void restore(view);
}

/** Text for a reader without a file of their own: it is about the lesson's trace. */
export function Sample({ children }: { readonly children: ReactNode }) {
	return useAround().isYours ? null : children;
}

/** Text that takes its place while the reader's own file is open. */
export function Yours({ children }: { readonly children: ReactNode }) {
	return useAround().isYours ? children : null;
}

/** A folded part that the reader may skip. */
export function Aside({ title, children }: { title: string; children: ReactNode }) {
	return (
		<details className={css.aside}>
			<summary>{title}</summary>
			{children}
		</details>
	);
}

/** A link to the limits of the model. */
export function Limits({ children }: { children: ReactNode }) {
	return <LinkButton onClick={() => change({ dialog: "fidelity" })}>{children}</LinkButton>;
}

/*
 * Switches one parameter on the same trace: shows the totals for each value, computed by the core, and puts either
 * value on the stage.
 */

interface SwitchProps extends Place {
	/** Key of a parameter. */
	readonly param: string;
	/** Values separated by blanks. */
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
		<figure
			className={`narrows framed round ground ${css.task} ${css.switch}`}
			data-switch
			ref={box}
		>
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
			<DataTable
				caption={`The whole trace, with ${words.length === 2 ? "either" : "each"} ${param}`}
				hasCaption
				columns={[
					{ name: "At its end", show: (name: string) => <NameOf name={name} results={results} /> },
					...words.map((value, i) => ({
						name: value,
						show: (name: string) => <ValueOf name={name} results={results} nr={i} />,
					})),
				]}
				rows={figures.split(",").map((name) => name.trim())}
				keyOf={(name) => name}
			/>
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

interface FigureProps {
	readonly name: string;
	readonly results: readonly Figures[];
}

const metricIn = ({ name, results }: FigureProps) =>
	metricsOf(results.map((f) => f.totals)).find((m) => m.name === name);

function NameOf(props: FigureProps) {
	return <span title={metricIn(props)?.title}>{props.name}</span>;
}

function ValueOf({ nr, ...props }: FigureProps & { readonly nr: number }) {
	const result = props.results[nr];
	if (!result) return "…";
	// A counter that the allocator in use does not have.
	const counter = COUNTER_NAMES.findIndex((n) => n.toLowerCase() === props.name);
	if (counter >= 0 && !result.counters.includes(counter))
		return (
			<span className="quiet">
				<span aria-hidden="true">–</span>
				<span className="hidden">no such counter</span>
			</span>
		);
	const metric = metricIn(props);
	const n = metric?.of(result.totals) ?? 0;
	return metric?.bytes ? bytes(n) : count(n);
}

/** Shows the last debugging report up to an event, as dmesg would print it. */
export function Report(own: Place) {
	const { trace, machine, op } = within(useAround().place, own);
	const { value, sentence } = useAsync(
		() => figuresAt({ trace, machine, op }),
		[trace, machine, op],
	);
	if (sentence !== "") return <p className="danger">{sentence}</p>;
	return <pre data-report>{value?.reports.at(-1) ?? "…"}</pre>;
}

/* An experiment's tables: the proposal's figures, a real kernel's, and ours, which can be measured again. */

interface ProposalTableProps {
	/** "000" to "004". */
	readonly proposal: string;
	/** Names of the tables to show, separated by semicolons; all if left out. */
	readonly tables?: string;
	/** Names of the rows to show, likewise. */
	readonly rows?: string;
}

export function ProposalTable({ proposal, tables = "", rows = "" }: ProposalTableProps) {
	const { study, isOwn, running, done, sentence } = useStudy(proposal);
	useEffect(() => void lookUp(proposal), [proposal]);
	if (sentence !== "") return <p className="danger">{sentence}</p>;
	if (!study) return null;
	return (
		<div className={`grid one-column gap-3 at-start ${css.tables}`} data-tables>
			{tablesIn(study, tables, rows).map((one) => (
				<FigureTable key={one.name} {...one} hasCaption />
			))}
			<p className="quiet">{study.setup}.</p>
			{running ? (
				<progress max={1000} value={done} aria-label="Measuring" />
			) : (
				!isOwn && (
					<Button onClick={() => void measureStudy(proposal)}>
						Measure it again in this browser
					</Button>
				)
			)}
			<p className="hidden" role="status">
				{isOwn ? "Measured." : ""}
			</p>
		</div>
	);
}

/** Returns them in the requested order. */
export function tablesIn(study: Study, tables: string, rows: string): readonly TableOf[] {
	const all = tablesOf(study);
	const [names, wanted] = [listIn(tables), listIn(rows)];
	const named = (name: string) => all.find((one) => one.name === name) ?? { name, figures: [] };
	return (names.length === 0 ? all : names.map(named)).map(({ name, figures }) => ({
		name,
		figures: figures.filter(({ row }) => wanted.length === 0 || wanted.includes(row)),
	}));
}

function listIn(words: string): string[] {
	return words
		.split(";")
		.map((word) => word.trim())
		.filter((word) => word !== "");
}
