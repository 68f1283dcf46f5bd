/**
 * The stage by keyboard: a tree of places, slabs and objects. Focus stays on the tree, and screen readers read the
 * current item; for the eye, a ring on the canvas follows it at every zoom.
 *
 * Elsewhere arrow keys step through events, so they belong to the walk only between Enter and Escape.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { askWhy } from "../app/playback/why.ts";
import { stageKeys } from "../app/state/stage_keys.ts";
import { change, facts } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import type { Moment } from "../engine/types.ts";
import { slabBySerial } from "../scene/find.ts";
import {
	follow,
	pathTo,
	rectOf,
	type Stop,
	startOf,
	type Turn,
	turn,
} from "../scene/layout/walk.ts";
import type { Rect } from "../scene/scene.ts";
import { project } from "./draw/viewport.ts";
import { type OnDrawn, stage } from "./shown.ts";
import css from "./walker.module.css";

const TURNS: Readonly<Record<string, Turn>> = {
	ArrowDown: "next",
	ArrowUp: "previous",
	ArrowRight: "in",
	ArrowLeft: "out",
	Home: "first",
	End: "last",
	PageDown: "farther",
	PageUp: "back",
};

/** A smaller ring would be invisible. */
const RING_LEAST = 14;
const RING_GAP = 3;

/** Where the last walk ended: the next one continues there. */
let lastStop: Stop | undefined;

export function Walker({ leave }: { readonly leave: () => void }) {
	const moment = useCalm((f) => f.moment);
	return moment ? <Walk moment={moment} leave={leave} /> : null;
}

function Walk({ moment, leave }: { readonly moment: Moment; readonly leave: () => void }) {
	const { frame } = moment;
	const selected = useFacts((f) => f.selected);
	const [wanted, setWanted] = useState(() => startOf(frame, facts().selected, lastStop));
	const [isAbove, setAbove] = useState(false);
	const tree = useRef<HTMLDivElement>(null);
	const ring = useRef<HTMLDivElement>(null);
	const id = useId();
	const stop = follow(frame, wanted);
	const path = pathTo(frame, stop);
	useEffect(() => tree.current?.focus({ preventScroll: true }), []);
	useRing(ring, moment, stop, setAbove);
	const go = (to: Stop) => {
		lastStop = to;
		setWanted(to);
		const shown = stage.shown();
		const box = shown && rectOf(shown.scene, shown.plan, frame, to);
		const slab = to.slab && shown && slabBySerial(shown.scene, to.slab.serial, to.slab.cache);
		if (box) stageKeys.reveal(box, slab?.fold?.unfoldsAt);
	};
	const key = (event: React.KeyboardEvent) => {
		if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
		const to = TURNS[event.key];
		if (to) go(turn(frame, stop, to));
		else if (event.key === "Enter") select(stop, frame);
		else if (event.key === "Escape") leave();
		else return;
		event.preventDefault();
	};
	return (
		<>
			<div ref={ring} className={css.ring} data-part="ring" hidden />
			<div className={isAbove ? `${css.tree} ${css.above}` : css.tree}>
				<div
					ref={tree}
					role="tree"
					tabIndex={0}
					aria-label="Places, slabs and objects on the stage"
					aria-describedby={`${id}-keys`}
					aria-activedescendant={`${id}-${path.at(-1)?.key}`}
					onKeyDown={key}
					onBlur={leave}
				>
					{path.map((words, i) => (
						<div
							key={words.key}
							role="treeitem"
							id={`${id}-${words.key}`}
							tabIndex={-1}
							aria-level={words.level}
							aria-posinset={words.position}
							aria-setsize={words.of}
							aria-expanded={i < path.length - 1 ? true : undefined}
							aria-selected={i === path.length - 1 && isSelected(stop, selected)}
						>
							{words.name}
						</div>
					))}
				</div>
				<p id={`${id}-keys`}>
					↑ ↓ next, → into, ← out of it, Enter selects or explains, Shift ← → steps, Esc leaves
				</p>
			</div>
		</>
	);
}

function isSelected({ slab, object }: Stop, selected: { serial: number; index: number } | null) {
	const serial = object?.serial ?? slab?.serial;
	return (
		selected !== null && serial === selected.serial && (object?.index ?? -1) === selected.index
	);
}

/** Enter selects a slab or an object, and asks why a place has what it has. */
function select(stop: Stop, frame: Moment["frame"]): void {
	const serial = stop.object?.serial ?? stop.slab?.serial;
	if (serial === undefined) {
		const place = frame.places[stop.place];
		if (place) askWhy(place);
		return;
	}
	const isOn = isSelected(stop, facts().selected);
	change({ selected: isOn ? null : { serial, index: stop.object?.index ?? -1 } });
}

/** Keeps the ring around the stop, whatever moves; calls `setAbove` if the text would cover it. */
function useRing(
	ring: React.RefObject<HTMLDivElement | null>,
	{ frame }: Moment,
	stop: Stop,
	setAbove: (above: boolean) => void,
): void {
	useLayoutEffect(() => {
		const put = (box: Rect | undefined) => {
			const own = ring.current;
			const around = own?.parentElement;
			if (!own || !around) return;
			own.hidden = box === undefined;
			if (!box) return;
			const w = Math.max(RING_LEAST, box.w + 2 * RING_GAP);
			const h = Math.max(RING_LEAST, box.h + 2 * RING_GAP);
			const x = box.x + box.w / 2 - w / 2;
			const y = box.y + box.h / 2 - h / 2;
			// Around a box larger than the stage, the ring follows the stage's edges.
			const left = within(x, 0, around.clientWidth - RING_LEAST);
			const top = within(y, 0, around.clientHeight - RING_LEAST);
			Object.assign(own.style, {
				left: `${left}px`,
				top: `${top}px`,
				width: `${Math.min(around.clientWidth, x + w) - left}px`,
				height: `${Math.min(around.clientHeight, y + h) - top}px`,
			});
			setAbove(top + h / 2 > around.clientHeight / 2);
		};
		const shown = stage.shown();
		const now = shown && rectOf(shown.scene, shown.plan, frame, stop);
		put(now && shown && project(now, shown.view));
		const onDrawn: OnDrawn = (scene, plan, view) => {
			const box = plan && rectOf(scene, plan, frame, stop);
			put(box && project(box, view));
		};
		stage.drawn.add(onDrawn);
		return () => {
			stage.drawn.delete(onDrawn);
		};
	});
}

function within(at: number, least: number, most: number): number {
	return Math.min(Math.max(least, most), Math.max(least, at));
}
