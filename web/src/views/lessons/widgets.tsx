/** The widgets of prose: stops, links that move the player, passages that play, numbers that a test checks. */

import {
	type MouseEvent,
	type ReactElement,
	type ReactNode,
	useContext,
	useEffect,
	useMemo,
} from "react";
import { fromQuery } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { pause } from "../../app/playback/player.ts";
import { change } from "../../app/state/store.ts";
import { useEachPosition, useFacts } from "../../app/state/use_facts.ts";
import { count } from "../../base/format.ts";
import { eventsWords } from "../../base/numbering.ts";
import { Button, Icon, LinkButton } from "../../ui/controls.tsx";
import { Terms } from "../../ui/term.tsx";
import { Gate } from "./lesson.tsx";
import css from "./lessons.module.css";
import { AroundContext, useAround, within } from "./model/context.ts";
import { addressOf, goTo, type Place, playPassage } from "./model/places.ts";
import { Predict } from "./predict.tsx";

export interface StopProps extends Place {
	/** In the address, as stop=ID. */
	readonly id: string;
	readonly children?: ReactNode;
}

const isQuestion = ({ type }: ReactElement) => type === Predict;

/**
 * A part of the text, and the place of the stage while it is read. The text below a question waits for its answer.
 */
export function Stop({ id, children, ...place }: StopProps) {
	const around = useContext(AroundContext);
	const { trace, machine, op, step, cache, select } = place;
	const here = useMemo(
		() => within(around.place, { trace, machine, op, step, cache, select }),
		[around.place, trace, machine, op, step, cache, select],
	);
	const { register } = around;
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

/** With a key held, a link opens elsewhere, as the browser does it. */
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
			className={css.go}
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

interface LinkProps {
	readonly href?: string;
	readonly children?: ReactNode;
}

/** A link of plain Markdown: inside this page without a reload, or elsewhere in another tab. */
export function Link({ href = "", children }: LinkProps) {
	if (!href.startsWith("?"))
		return (
			<a href={href} target="_blank" rel="noreferrer">
				{children}
			</a>
		);
	return (
		<a className="link" href={href} onClick={inPage(() => follow(href))}>
			{children}
		</a>
	);
}

/** A link to another lesson leaves the trace to it; a link to a view keeps its trace. */
function follow(href: string): void {
	const view = fromQuery(href);
	if (view.trace === "")
		change({ tab: view.tab, parts: view.parts, lesson: view.lesson, lab: view.lab });
	else void restore(view);
}

/** A folded part that may be skipped. */
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
