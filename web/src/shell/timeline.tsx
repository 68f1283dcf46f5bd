/**
 * The whole trace at a glance, or a part of it, and how to get to any position: press or drag. With Shift, or after
 * "Zoom to a part", a drag chooses the part to show.
 */

import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { FROM_WORDS, From as Mark } from "#abi";
import { goToMark, momentWords } from "../app/playback/marks.ts";
import { meant, pause, seek, seekNear } from "../app/playback/player.ts";
import {
	behindOf,
	curvesShown,
	mostOf,
	SERIES_LOOKS,
	showRange,
	spanOf,
	toggleSeries,
	zoomRange,
} from "../app/state/range.ts";
import { change, chaptersOf, facts, type Range, store } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, eventsWords, eventWords, numberOf } from "../base/format.ts";
import type { Built, Curves } from "../engine/types.ts";
import { classes, Heads, LinkButton } from "../ui/controls.tsx";
import { useSize } from "../ui/hooks.ts";
import { lazyPart, noNotice, Part } from "../ui/lazy_part.tsx";
import { drawSeries } from "../ui/timeline_draw.ts";
import css from "./timeline.module.css";

const ChapterPins = lazyPart<{ readonly span: Range }>(() =>
	import("../views/explore/chapters.tsx").then((m) => m.ChapterPins),
);

const Crosshair = lazyPart<{ readonly at: number; readonly span: Range }>(() =>
	import("./timeline_parts.tsx").then((m) => m.Crosshair),
);

const ChosenRow = lazyPart<{ readonly span: Range }>(() =>
	import("./timeline_parts.tsx").then((m) => m.ChosenRow),
);

const Lanes = lazyPart<{ readonly span: Range }>(() =>
	import("./timeline_parts.tsx").then((m) => m.Lanes),
);

const agreement = () => import("./agreement.tsx");
const AgreementRow = lazyPart<{ readonly span: Range }>(() =>
	agreement().then((m) => m.AgreementRow),
);
const AgreementKey = lazyPart(() => agreement().then((m) => m.AgreementKey));

/** A drag over fewer pixels is a press. */
const LEAST_PX = 4;

export function Timeline() {
	const built = useFacts((f) => f.built);
	const range = useFacts((f) => f.range);
	const curves = useFacts(curvesShown);
	const [brushing, setBrushing] = useState(false);
	const nrOps = built?.nrOps ?? 0;
	const span = useMemo(() => spanOf(range, nrOps), [range, nrOps]);
	return (
		<div className={css.timeline} data-part="timeline">
			<div className={`flex baseline small ${css.head}`}>
				<Legend curves={curves} span={span} />
				<p role="status" aria-label="Message" className="quiet">
					{useFacts((f) => f.said)}
				</p>
				<div className="flex gap-3 one-line">
					{brushing && <span className="quiet">Drag over the part to show.</span>}
					{range && (
						<>
							<span className="number quiet">{eventsWords(span.from, span.to)}</span>
							<LinkButton onClick={() => change({ range: null })}>Show all</LinkButton>
						</>
					)}
					<LinkButton
						className={css.brushButton}
						aria-pressed={brushing}
						disabled={nrOps === 0}
						title="Then drag over a part of the timeline. You can also hold Shift and drag, or press Shift W and Shift S"
						onClick={() => setBrushing(!brushing)}
					>
						Zoom to a part
					</LinkButton>
				</div>
			</div>
			<Plot built={built} span={span} brushing={brushing} brushed={() => setBrushing(false)} />
			{nrOps > 0 && <InWords curves={curves} span={span} />}
		</div>
	);
}

/** Draws only what follows the pointer, so that nothing else is rendered while it moves. */
function Plot({ built, span, ...brush }: Omit<TrackProps, "point">) {
	const [pointed, setPointed] = useState(-1);
	const filtering = useFacts((f) => f.filter.length > 0);
	const hasState = useFacts((f) => f.startState !== null);
	const nrOps = built?.nrOps ?? 0;
	return (
		<div className="relative" data-part="plot">
			<Track built={built} span={span} {...brush} point={setPointed} />
			<Part name="The lanes of the CPUs" frame={noNotice}>
				{built && <Lanes span={span} />}
			</Part>
			<Part name="The events that match the filter" frame={noNotice}>
				{filtering && <ChosenRow span={span} />}
			</Part>
			<Part name="Agreement with the kernel" frame={noNotice}>
				{hasState && <AgreementRow span={span} />}
			</Part>
			<Pins span={span} />
			<Part name="The crosshair" frame={noNotice}>
				{pointed >= 0 && !brush.brushing && nrOps > 0 && (
					<Crosshair at={Math.min(pointed, nrOps - 1)} span={span} />
				)}
			</Part>
		</div>
	);
}

const Pins = memo(function Pins({ span }: { readonly span: Range }) {
	const hasChapters = useFacts((f) => chaptersOf(f).length > 0);
	return (
		<>
			<Part name="The chapters" frame={noNotice}>
				{hasChapters && <ChapterPins span={span} />}
			</Part>
			<Flags span={span} />
		</>
	);
});

interface TrackProps {
	readonly built: Built | null;
	readonly span: Range;
	readonly brushing: boolean;
	readonly brushed: () => void;
	/** Called with the event under the pointer; -1 for none. */
	readonly point: (op: number) => void;
}

function Track({ built, span, brushing, brushed, point }: TrackProps) {
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	const box = useRef<HTMLDivElement>(null);
	const nrOps = built?.nrOps ?? 0;
	const held = useRef({ left: 0, width: 0, brushFrom: -1, isDown: false });
	const [isFocused, setFocused] = useState(false);
	/** Start and end, as shares of the timeline's width. */
	const [brush, setBrush] = useState<Range>();
	const shareAt = (clientX: number) => {
		const { left, width } = held.current;
		return width > 0 ? Math.min(1, Math.max(0, (clientX - left) / width)) : 0;
	};
	// Taken from the facts, not from this render: React may hear of an event before it has rendered with them.
	const opAt = (share: number) => {
		const { from, to } = spanOf(facts().range, facts().built?.nrOps ?? 0);
		return from + share * (to - from);
	};
	// Reading the place on each move of a drag would cause a layout.
	const measure = (element: HTMLElement) => {
		const { left, width } = element.getBoundingClientRect();
		held.current = { ...held.current, left, width };
	};
	const drag = (clientX: number) => {
		const share = shareAt(clientX);
		const { brushFrom } = held.current;
		if (brushFrom < 0) seek(opAt(share));
		else setBrush({ from: Math.min(brushFrom, share), to: Math.max(brushFrom, share) });
	};
	const drop = (event: React.PointerEvent) => {
		if (event.pointerType === "touch") point(-1);
		if (!held.current.isDown) return;
		held.current.isDown = false;
		if (brush && (brush.to - brush.from) * held.current.width >= LEAST_PX) {
			showRange(opAt(brush.from), opAt(brush.to));
			brushed();
		}
		// The stage followed every event of the drag; it settles on one that involves the chosen cache.
		if (held.current.brushFrom < 0)
			seekNear(opAt(shareAt(event.clientX)), meant(spanOf(facts().range, nrOps)));
		held.current.brushFrom = -1;
		setBrush(undefined);
	};
	const key = (event: React.KeyboardEvent) => {
		const by = KEYS[event.key];
		setFocused(true);
		if (by === undefined || event.shiftKey) return;
		event.preventDefault();
		pause();
		seek(by(facts().moment?.position.op ?? 0, facts().built?.nrOps ?? 0));
	};
	// Two fingers, or Ctrl and the wheel: zooms in on the place under the pointer.
	useNative(box, "wheel", (event) => {
		if (!event.ctrlKey && !event.metaKey) return;
		event.preventDefault();
		const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
		const at = span.from + ((event.clientX - left) / Math.max(1, width)) * (span.to - span.from);
		zoomRange(2 ** (event.deltaY / 200), at);
	});
	useNative(box, "pointermove", (event) => {
		if (!held.current.isDown) {
			if (event.pointerType === "touch") return;
			measure(event.currentTarget as HTMLElement);
			point(Math.round(opAt(shareAt(event.clientX))));
			return;
		}
		event.stopPropagation();
		// The stage itself follows a drag, at every frame.
		point(-1);
		drag(event.clientX);
	});
	// With the keyboard, the crosshair is at the position.
	useEffect(() => {
		if (isFocused) point(op);
	}, [isFocused, op, point]);
	return (
		<div
			ref={box}
			className={brushing ? `${css.box} ${css.brushing}` : css.box}
			role="slider"
			tabIndex={0}
			aria-label="Timeline"
			aria-valuemin={1}
			aria-valuemax={Math.max(1, nrOps)}
			aria-valuenow={Math.min(numberOf(op), Math.max(1, nrOps))}
			aria-valuetext={`${eventWords(op)} of ${count(nrOps)}`}
			onKeyDown={key}
			onPointerDown={(e) => {
				if (e.button !== 0) return;
				held.current.isDown = true;
				pause();
				e.currentTarget.setPointerCapture(e.pointerId);
				measure(e.currentTarget);
				held.current.brushFrom = -1;
				setFocused(false);
				if (e.shiftKey || brushing) held.current.brushFrom = shareAt(e.clientX);
				drag(e.clientX);
			}}
			onPointerUp={drop}
			onPointerCancel={drop}
			onPointerLeave={() => point(-1)}
			onFocus={(e) => setFocused(e.currentTarget.matches(":focus-visible"))}
			onBlur={() => {
				setFocused(false);
				point(-1);
			}}
		>
			<Series span={span} />
			{brush && (
				<div
					className={`absolute untouched ${css.brush}`}
					style={{ left: `${brush.from * 100}%`, right: `${(1 - brush.to) * 100}%` }}
				/>
			)}
			{nrOps > 0 && <Playhead span={span} />}
		</div>
	);
}

/** Bypasses React, whose wheel events cannot be stopped, and which would ask all the page's listeners on each move. */
function useNative<Type extends "wheel" | "pointermove">(
	box: React.RefObject<HTMLDivElement | null>,
	type: Type,
	run: (event: HTMLElementEventMap[Type]) => void,
): void {
	const latest = useRef(run);
	useLayoutEffect(() => {
		latest.current = run;
	});
	useEffect(() => {
		const element = box.current;
		const hear = (event: HTMLElementEventMap[Type]) => latest.current(event);
		element?.addEventListener(type, hear, { passive: false });
		return () => element?.removeEventListener(type, hear);
	}, [box, type]);
}

/** Moves with the stage, not with the panels: bypasses React, and causes no layout. */
function Playhead({ span: { from, to } }: { span: Range }) {
	const line = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const follow = () => {
			const op = facts().moment?.position.op ?? 0;
			const share = Math.min(1, Math.max(0, (op - from) / Math.max(1, to - from)));
			if (!line.current) return;
			line.current.style.transform = `translateX(${share * 100}%)`;
			const beyond = op < from ? "before" : op > to ? "after" : "";
			if (line.current.dataset.beyond !== beyond) line.current.dataset.beyond = beyond;
		};
		follow();
		return store.subscribe((now, before) => {
			if (now.moment !== before.moment) follow();
		});
	}, [from, to]);
	return (
		<div ref={line} className={`absolute covers untouched ${css.playhead}`} data-part="playhead" />
	);
}

const KEYS: Readonly<Record<string, (op: number, nrOps: number) => number>> = {
	ArrowRight: (op) => op + 1,
	ArrowUp: (op) => op + 1,
	ArrowLeft: (op) => op - 1,
	ArrowDown: (op) => op - 1,
	PageUp: (op, nrOps) => op + nrOps / 20,
	PageDown: (op, nrOps) => op - nrOps / 20,
	Home: () => 0,
	End: (_, nrOps) => nrOps,
};

/** Marks at their positions, as buttons over the timeline. */
function Flags({ span: { from, to } }: { span: Range }) {
	const marks = useFacts((f) => f.marks).filter((m) => m.op >= from && m.op <= to);
	if (marks.length === 0) return null;
	return (
		<ul className={css.flags} aria-label="Marks on the timeline">
			{marks.map((m) => (
				<li key={`${m.op}/${m.step}`} style={{ left: `${((m.op - from) / (to - from)) * 100}%` }}>
					<button
						type="button"
						aria-label={`Go to mark: ${m.label || momentWords(m)}`}
						title={m.label === "" ? momentWords(m) : `${m.label} (${momentWords(m)})`}
						onClick={() => goToMark(m)}
					/>
				</li>
			))}
		</ul>
	);
}

/** The series and their maxima; pressing one shows or hides it. */
function Legend({ curves, span }: { curves: Curves | null; span: Range }) {
	const shown = useFacts((f) => f.series);
	const cache = useFacts((f) => (behindOf(f) ? f.cache : ""));
	const from = useFacts((f) => f.built?.from ?? Mark.FROM_GUESS);
	const hasLanes = useFacts((f) => chaptersOf(f).length > 0);
	const filtering = useFacts((f) => f.filter.length > 0);
	const hasState = useFacts((f) => f.startState !== null);
	return (
		<div className={`flex wrap ${css.legend} number`}>
			<span className="strong">
				{cache === "" ? "all caches" : cache}
				{":"}
			</span>
			<ul className={`flex wrap ${css.legend}`} aria-label="Series">
				{SERIES_LOOKS.map(({ name, words, of, text, isModelled }) => {
					const on = shown.includes(name);
					const most = curves && on ? text(mostOf(of(curves), span)) : "";
					return (
						<li key={name}>
							<button
								type="button"
								aria-pressed={on}
								title={name === "slow" ? "Taller bars: more slow paths" : undefined}
								onClick={() => toggleSeries(name)}
							>
								<i className={classes("swatch", css[name])} /> {words}
							</button>{" "}
							{most !== "" && name !== "slow" && (
								<span className="quiet">
									up to {most}, {FROM_WORDS[isModelled ? from : Mark.FROM_MEASURED]}
								</span>
							)}
						</li>
					);
				})}
			</ul>
			{cache !== "" && (
				<span className="quiet" title="The live objects of all caches, on their own scale">
					<i className={classes("swatch", css.behind)} /> all caches
				</span>
			)}
			{hasLanes && (
				<span className="quiet" title="A lane for each CPU: the darker, the deeper its events went">
					<i className={classes("swatch", css.slow)} /> depth by CPU
				</span>
			)}
			{filtering && (
				<span className="quiet" title="Taller ticks: more events">
					<i className="swatch ticks" /> matches the filter
				</span>
			)}
			<Part name="The key of the agreement" frame={noNotice}>
				{hasState && <AgreementKey />}
			</Part>
		</div>
	);
}

function Series({ span }: { span: Range }) {
	const curves = useFacts(curvesShown);
	const behind = useFacts(behindOf);
	const canvas = useRef<HTMLCanvasElement>(null);
	const size = useSize(canvas);
	const look = useFacts((f) => f.look);
	const ratio = useFacts((f) => f.pixelRatio);
	const shown = useFacts((f) => f.series);
	const { from, to } = span;
	useEffect(() => {
		if (canvas.current && curves)
			drawSeries(canvas.current, size, { curves, behind, shown, span: { from, to } });
	}, [curves, behind, size, look, ratio, shown, from, to]);
	return <canvas ref={canvas} />;
}

/** The curves as a short table, for readers who cannot see them. */
function InWords({ curves, span }: { curves: Curves | null; span: Range }) {
	const shown = useFacts((f) => f.series);
	const cache = useFacts((f) => (behindOf(f) ? f.cache : "all caches"));
	if (!curves) return null;
	const looks = SERIES_LOOKS.filter(({ name }) => shown.includes(name));
	const length = (span.to - span.from) / PARTS;
	const parts = Array.from({ length: PARTS }, (_, i) => ({
		from: Math.floor(span.from + i * length),
		to: Math.floor(span.from + (i + 1) * length),
	}));
	return (
		<div className="hidden">
			<table>
				<caption>The timeline in numbers: {cache}, with the maximum in each part</caption>
				<Heads of={["Events", ...looks.map(({ words }) => words)]} />
				<tbody>
					{parts.map((part) => (
						<tr key={part.from}>
							<th scope="row">
								{count(numberOf(part.from))} to {count(numberOf(part.to))}
							</th>
							{looks.map(({ name, of, text }) => (
								<td key={name}>{text(mostOf(of(curves), part))}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

const PARTS = 10;
