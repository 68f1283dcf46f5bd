/** A small stage: one cache at some positions of a trace, drawn as on the large one. It stands still or plays slowly. */

import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useFacts } from "../../../app/state/use_facts.ts";
import type { Film, Shot } from "../../../engine/answers.ts";
import { type Place as FramePlace, NONE } from "../../../engine/frame.ts";
import { momentOf } from "../../../engine/moment.ts";
import type { Moment } from "../../../engine/types.ts";
import { isAbout } from "../../../scene/about.ts";
import { slabBySerial } from "../../../scene/find.ts";
import { type Capacities, capacitiesOf } from "../../../scene/layout/capacity.ts";
import { makePlan } from "../../../scene/layout/plan.ts";
import { shapeOf } from "../../../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../../../scene/scene.ts";
import { ease, transition } from "../../../scene/tween.ts";
import { readPalette } from "../../../stage/draw/colours.ts";
import { type Held, StagePainter } from "../../../stage/draw/paint.ts";
import { sceneOf } from "../../../stage/shown.ts";
import { type Size, useAsync, useSeen, useSize } from "../../../ui/hooks.ts";
import { type Place, playedAt, withHelper } from "../model/places.ts";
import css from "./figure.module.css";

const FRAME_MS = 900;
const SLIDE_MS = 350;

interface Props {
	readonly place: Place;
	readonly shots: readonly Shot[];
	/** A description for somebody who can't see it; "" if the words beside it are enough. */
	readonly label: string;
	readonly plays?: boolean;
	/** The part to show. */
	readonly cut?: Cut | undefined;
	/** The number of the slab to put a ring around. */
	readonly slab?: number | undefined;
}

export function SmallStage({ place, shots, label, plays = false, cut, slab }: Props) {
	const box = useRef<HTMLSpanElement>(null);
	const size = useSize(box);
	const seen = useSeen(box);
	const { trace, text, machine, cache } = place;
	const key = JSON.stringify(shots);
	const { value: film, sentence } = useAsync(
		seen ? () => filmOf({ trace, text, machine, cache }, shots) : undefined,
		[seen, trace, text, machine, cache, key],
	);
	return (
		<span className="block relative wide tall clips" ref={box}>
			{film && size.width > 0 && (
				<Picture film={film} size={size} label={label} plays={plays} cut={cut} slab={slab} />
			)}
			{sentence !== "" && <span className="danger">{sentence}</span>}
		</span>
	);
}

interface PictureProps extends Pick<Props, "label" | "cut" | "slab"> {
	readonly film: Film;
	readonly size: Size;
	readonly plays: boolean;
}

export function Picture({ film, size, label, plays, cut, slab }: PictureProps) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const { node, slab: close } = cut ?? {};
	const reel = useMemo(() => reelOf(film, size, { node, slab: close }), [film, size, node, close]);
	const brush = useBrush(canvas);
	useEffect(() => brush?.resize(size), [brush, size]);
	useEffect(() => {
		if (!brush) return;
		brush.draw(reel, reel.scenes[0], slab);
		return plays ? play(reel, (scene) => brush.draw(reel, scene, slab)) : undefined;
	}, [brush, reel, plays, slab]);
	const words =
		label === "" ? { "aria-hidden": true } : ({ role: "img", "aria-label": label } as const);
	return (
		<canvas
			ref={canvas}
			className={`absolute covers wide tall ${css.smallStageCanvas}`}
			data-small-stage
			{...words}
		/>
	);
}

interface Brush {
	readonly resize: (size: Size) => void;
	readonly draw: (reel: Reel, scene: Scene | undefined, slab: number | undefined) => void;
}

/** A change of theme changes the colours, and a change of screen the pixels, so either needs a new brush. */
export function useBrush(canvas: RefObject<HTMLCanvasElement | null>): Brush | undefined {
	const look = useFacts((f) => f.look);
	const ratio = useFacts((f) => f.pixelRatio);
	const [brush, setBrush] = useState<Brush>();
	useEffect(() => {
		if (canvas.current && look !== undefined) setBrush(brushOf(canvas.current, ratio));
	}, [canvas, look, ratio]);
	return brush;
}

function brushOf(canvas: HTMLCanvasElement, ratio: number): Brush | undefined {
	const ctx = canvas.getContext("2d", { alpha: false });
	if (!ctx) return undefined;
	const painter = new StagePainter(ctx, readPalette(canvas));
	return {
		resize: ({ width, height }) => {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			painter.forget();
		},
		draw: ({ window: { x, y, w } }, scene, slab) => {
			if (!scene) return;
			const k = canvas.width / ratio / w;
			painter.paint(scene, { k, x: -x * k, y: -y * k }, ratio, heldIn(scene, slab));
		},
	};
}

function heldIn(scene: Scene, slab: number | undefined): Held {
	const key = slab === undefined ? "" : (slabBySerial(scene, slab)?.key ?? "");
	return { slab: key, objects: [], closeUps: [] };
}

/** Plays the scenes in a loop until the returned function is called; shows a still if the visitor wants no motion. */
function play({ scenes }: Reel, draw: (scene: Scene) => void): (() => void) | undefined {
	if (scenes.length < 2 || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
	let frame = 0;
	let began = performance.now();
	let at = 0;
	let way: ReturnType<typeof transition> | undefined;
	const tick = (now: number) => {
		if (now - began >= FRAME_MS) {
			const from = scenes[at];
			at = (at + 1) % scenes.length;
			const to = scenes[at];
			way = from && to ? transition(from, to) : undefined;
			began = now;
		}
		const t = (now - began) / SLIDE_MS;
		if (way) draw(way(ease(Math.min(1, t))));
		if (t >= 1) way = undefined;
		frame = requestAnimationFrame(tick);
	};
	frame = requestAnimationFrame(tick);
	return () => cancelAnimationFrame(frame);
}

/* A card with a small live stage above its words; the stage plays while the card is pointed at. */

interface StageCardProps {
	readonly place: Place;
	readonly shots: readonly Shot[];
	readonly onOpen: () => void;
	readonly children: ReactNode;
}

export function StageCard({ place, shots, onOpen, children }: StageCardProps) {
	const [isPointed, setPointed] = useState(false);
	return (
		<button
			type="button"
			className={`grid wide tall clips framed round paper ${css.card}`}
			onClick={onOpen}
			onPointerEnter={() => setPointed(true)}
			onPointerLeave={() => setPointed(false)}
			onFocus={() => setPointed(true)}
			onBlur={() => setPointed(false)}
		>
			<span className={`block line-below ground ${css.stage}`}>
				<SmallStage place={place} shots={shots} label="" plays={isPointed && shots.length > 1} />
			</span>
			<span className={`grid gap-1 ${css.words}`}>{children}</span>
		</button>
	);
}

/* Scenes of a cache at some positions of a trace, laid out for a small picture: all of them on one plan. */

/** The picture of one slab, against the slab. */
const CLOSE_ROOM = 1.2;
/** How many films are kept; the most recently used comes last. */
const KEPT_MOST = 60;
const kept = new Map<string, Promise<Film>>();

/** Returns the same film for the same question. */
export function filmOf(
	{ trace, text, machine, cache = "" }: Place,
	shots: readonly Shot[],
): Promise<Film> {
	const key = JSON.stringify([trace, text, machine, cache, shots]);
	const film =
		kept.get(key) ??
		withHelper(async (helper) =>
			helper.film(await playedAt({ trace, text, machine }), cache, shots),
		);
	kept.delete(key);
	kept.set(key, film);
	film.catch(() => kept.delete(key));
	const oldest = kept.keys().next().value;
	if (kept.size > KEPT_MOST && oldest !== undefined) kept.delete(oldest);
	return film;
}

interface Reel {
	readonly scenes: readonly Scene[];
	/** The part of the scenes that is shown. */
	readonly window: Rect;
}

/** A part of the stage: one node of a larger machine, or one slab. */
interface Cut {
	readonly node?: number | undefined;
	readonly slab?: number | undefined;
}

function reelOf({ built, moments: packed }: Film, size: Size, { node, slab }: Cut): Reel {
	const { nodeOfCpu, nrNodes } = built;
	const moments = packed.map(momentOf);
	let capacities: Capacities | undefined;
	for (const { frame } of moments) capacities = largest(capacities, capacitiesOf(frame.places));
	const width = node === undefined ? size.width : size.width * nrNodes;
	const machine = { width, height: size.height, nodeOfCpu, nrNodes };
	const plan = makePlan(shapeOf(placesUsed(moments), machine, capacities));
	const scenes: Scene[] = [];
	for (const moment of moments)
		scenes.push(sceneOf(plan, built, moment, scenes.at(-1) ?? EMPTY_SCENE));
	const panel = plan.nodes.find((of) => of.node === node)?.column;
	const box = scenes[0] && slab !== undefined ? slabBySerial(scenes[0], slab) : undefined;
	const whole = { x: 0, y: 0, w: width, h: size.height };
	if (!box) return { scenes, window: panel ?? whole };
	return { scenes: scenes.map((scene) => only(scene, box.serial)), window: around(box, size) };
}

/** Returns their places, without the kinds that hold nothing in any of them and that no step is about: each of those would take up a row. */
export function placesUsed(moments: readonly Moment[]): readonly FramePlace[] {
	const used = new Set<number>();
	for (const { frame, steps } of moments)
		for (const place of frame.places) {
			const holds = place.nrSlabs + place.nrEntries + place.sheaves > 0;
			const isTold = steps.some((step) => isAbout({ frame, step }, place));
			if (holds || isTold) used.add(place.kind);
		}
	const places = moments[0]?.frame.places ?? [];
	return places.filter(({ kind, cpu }) => used.has(kind) || cpu !== NONE);
}

/** Shows the slab without the things around it, which the picture would cut off. */
function only(scene: Scene, serial: number): Scene {
	const slab = slabBySerial(scene, serial);
	const slabs = slab ? [slab] : [];
	const none = { panels: [], arrays: [], histograms: [], flying: [], labels: [], marks: [] };
	return { ...scene, ...none, crowd: undefined, slabs };
}

/** Returns the box with some room around it, in the proportions of the picture. */
function around({ x, y, w, h }: Rect, { width, height }: Size): Rect {
	const scale = CLOSE_ROOM * Math.max(w / width, h / height);
	const [wide, high] = [width * scale, height * scale];
	return { x: x + (w - wide) / 2, y: y + (h - high) / 2, w: wide, h: high };
}

export function largest(a: Capacities = {}, b: Capacities): Capacities {
	const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
	return Object.fromEntries([...keys].map((key) => [key, Math.max(a[key] ?? 0, b[key] ?? 0)]));
}
