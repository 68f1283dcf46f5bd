/** A small stage: one cache at some positions of a trace, drawn as on the large one. It stands still or plays slowly. */

import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useFacts } from "../../../app/state/use_facts.ts";
import type { Film, Shot } from "../../../engine/answers.ts";
import { slabBySerial } from "../../../scene/find.ts";
import type { Scene } from "../../../scene/scene.ts";
import { ease, transition } from "../../../scene/tween.ts";
import { readPalette } from "../../../stage/draw/colours.ts";
import { type Held, StagePainter } from "../../../stage/draw/paint.ts";
import { useAsync } from "../../../ui/use_async.ts";
import { type Size, useSeen, useSize } from "../../../ui/use_element.ts";
import type { Place } from "../model/places.ts";
import { type Cut, filmOf, type Reel, reelOf } from "./reel.ts";
import css from "./small_stage.module.css";

const FRAME_MS = 900;
const SLIDE_MS = 350;

interface Props {
	readonly place: Place;
	readonly shots: readonly Shot[];
	/** Its words for somebody who does not see it; "" if words beside it are enough. */
	readonly label: string;
	readonly plays?: boolean;
	/** The part to show. */
	readonly cut?: Cut | undefined;
	/** The number of a slab with a ring around it. */
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
		<span className={css.box} ref={box}>
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

function Picture({ film, size, label, plays, cut, slab }: PictureProps) {
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
	return <canvas ref={canvas} className={css.canvas} data-small-stage {...words} />;
}

interface Brush {
	readonly resize: (size: Size) => void;
	readonly draw: (reel: Reel, scene: Scene | undefined, slab: number | undefined) => void;
}

/** Another theme has other colours, another screen other pixels, and so another brush. */
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

/** Plays the scenes in a circle until the returned function is called; still where the visitor wants no motion. */
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
