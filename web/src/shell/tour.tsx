/**
 * A short tour of the page: a bubble beside each part in turn. The page keeps working below it; Esc or the cross ends
 * it. It is offered unasked only once.
 */

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { change, facts } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import css from "./tour.module.css";

interface Stop {
	/** The part of the page that it is about. */
	readonly at: string;
	readonly title: string;
	readonly words: string;
}

const STOPS: readonly Stop[] = [
	{
		at: '[data-part="stage"]',
		title: "This is memory",
		words:
			"Each tile is a slab: a few pages, cut into objects of one size. Each cell is one object. CPUs are on top, " +
			"lists of slabs in the middle, pages at the bottom. Zoom in, down to the bytes of one object.",
	},
	{
		at: '[data-part="buttons"]',
		title: "One decision at a time",
		words:
			"Play, or go by event or by step, forwards and backwards. The arrow keys go by event, with Shift by " +
			"step. Try it now.",
	},
	{
		at: '[data-part="story"]',
		title: "Each decision, and why",
		words:
			"Each step is a sentence, with the kernel function that decided and the counters that changed. Click a " +
			"sentence to see the stage at that step.",
	},
	{
		at: '[data-part="timeline"]',
		title: "The whole trace",
		words:
			"Drag anywhere in it and the stage follows. Bars are slow paths: where they are tall, the allocator works hardest.",
	},
	{
		at: '[data-part="chips"]',
		title: "Another trace, cache or machine",
		words:
			"Each opens a sheet. Choose another allocator, kernel or parameter: the trace replays at once, and you stay " +
			"at the same event.",
	},
	{
		at: '[data-chip="trace"]',
		title: "Your own trace",
		words:
			"Open one from ftrace, perf, trace-cmd or bpftrace. It never leaves your browser. Press ? for all keys and help.",
	},
];

export function Tour() {
	const nr = useFacts((f) => f.tour);
	const stop = STOPS[nr];
	return stop ? <Bubble key={nr} stop={stop} nr={nr} /> : null;
}

const end = () => change({ tour: -1, toured: true });

function Bubble({ stop, nr }: { stop: Stop; nr: number }) {
	const next = useRef<HTMLButtonElement>(null);
	const bubble = useRef<HTMLElement>(null);
	const place = usePlace(stop.at, bubble);
	useFocus(next);
	const last = nr === STOPS.length - 1;
	const go = (to: number) => (to < STOPS.length ? change({ tour: to }) : end());
	return (
		<>
			{place && (
				<div
					className={css.ring}
					style={{ left: place.x, top: place.y, width: place.w, height: place.h }}
				/>
			)}
			<section
				ref={bubble}
				className={css.tour}
				data-part="tour"
				role="dialog"
				aria-labelledby="tour-title"
				aria-describedby="tour-words"
				style={place ? { left: place.left, top: place.top } : undefined}
			>
				<div className="panel-head">
					<h2 id="tour-title">{stop.title}</h2>
					<IconButton name="End the tour" onClick={end}>
						×
					</IconButton>
				</div>
				<p id="tour-words">{stop.words}</p>
				<div className={css.moves}>
					<span className="quiet number">
						{nr + 1} of {STOPS.length}
					</span>
					{nr > 0 && <Button onClick={() => go(nr - 1)}>Back</Button>}
					<Button ref={next} className="primary" onClick={() => go(nr + 1)}>
						{last ? "Done" : "Next"}
					</Button>
				</div>
			</section>
		</>
	);
}

/** The focus goes to the bubble; Esc ends the tour and nothing else. */
function useFocus(next: React.RefObject<HTMLButtonElement | null>): void {
	useEffect(() => {
		next.current?.focus({ preventScroll: true });
		const key = (event: KeyboardEvent) => {
			if (event.key !== "Escape" || facts().dialog !== "") return;
			event.preventDefault();
			end();
		};
		window.addEventListener("keydown", key, { capture: true });
		return () => window.removeEventListener("keydown", key, { capture: true });
	}, [next]);
}

interface Place {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
	readonly left: number;
	readonly top: number;
}

/** How far outside the part its ring is: around a large part it would cover its neighbours. */
const AROUND = 4;
const LARGE = 240;
const GAP = 12;
const MARGIN = 8;

/** Beside that part of the page if there is room, else over it. */
function usePlace(at: string, bubble: React.RefObject<HTMLElement | null>): Place | undefined {
	const [place, setPlace] = useState<Place>();
	useLayoutEffect(() => {
		const target = document.querySelector(at);
		target?.scrollIntoView({ block: "nearest" });
		if (!target) return;
		const measure = () => {
			if (bubble.current) setPlace(placeOf(target, bubble.current.getBoundingClientRect()));
		};
		const stop = new AbortController();
		for (const type of ["resize", "scroll"])
			window.addEventListener(type, measure, { signal: stop.signal, capture: true });
		const resized = new ResizeObserver(measure);
		resized.observe(target);
		return () => {
			stop.abort();
			resized.disconnect();
		};
	}, [at, bubble]);
	return place;
}

/** Down to the bar with the buttons, unless the part is in that bar. */
function floorFor(target: Element): number {
	const bar = document.querySelector('[data-part="controls"]');
	if (!bar || bar.contains(target)) return window.innerHeight;
	return Math.min(window.innerHeight, bar.getBoundingClientRect().top);
}

function placeOf(part: Element, bubble: DOMRect): Place {
	const target = part.getBoundingClientRect();
	const [width, height] = [document.documentElement.clientWidth, floorFor(part)];
	const out = target.height > LARGE ? 0 : AROUND;
	const x = Math.max(AROUND, target.left - out);
	const y = Math.max(AROUND, target.top - out);
	const w = Math.min(width - AROUND, target.right + out) - x;
	const h = Math.min(height - AROUND, target.bottom + out) - y;
	const within = (value: number, size: number, room: number) =>
		Math.max(MARGIN, Math.min(value, room - size - MARGIN));
	const middle = within(target.left + target.width / 2 - bubble.width / 2, bubble.width, width);
	const level = within(target.top + 24, bubble.height, height);
	const spots = [
		{ fits: x - GAP - bubble.width >= MARGIN, left: x - GAP - bubble.width, top: level },
		{ fits: x + w + GAP + bubble.width <= width - MARGIN, left: x + w + GAP, top: level },
		{ fits: y - GAP - bubble.height >= MARGIN, left: middle, top: y - GAP - bubble.height },
		{ fits: y + h + GAP + bubble.height <= height - MARGIN, left: middle, top: y + h + GAP },
	];
	const spot = spots.find(({ fits }) => fits) ?? {
		left: middle,
		top: within(y + h - bubble.height - GAP, bubble.height, height),
	};
	return { x, y, w, h, left: spot.left, top: spot.top };
}
