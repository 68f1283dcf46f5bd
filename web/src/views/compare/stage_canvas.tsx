/** A stage that is only looked at: a canvas with one machine's scene and the path of its event. */
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useFacts } from "../../app/state/use_facts.ts";
import type { Frame } from "../../engine/frame.ts";
import { allocatedIn, placeName } from "../../engine/place_kinds.ts";
import type { Moment } from "../../engine/types.ts";
import { inWords } from "../../scene/describe.ts";
import { type Hit, hitTest } from "../../scene/hit.ts";
import type { ScenePath } from "../../scene/layout/path.ts";
import type { Rect, Scene } from "../../scene/scene.ts";
import { readPalette } from "../../stage/draw/colours.ts";
import { StagePainter } from "../../stage/draw/paint.ts";
import { waysOfPath } from "../../stage/ways.ts";
import type { Size } from "../../ui/use_element.ts";
import css from "./stages.module.css";

const WHOLE = { k: 1, x: 0, y: 0 };

interface StageCanvasProps {
	readonly name: string;
	readonly moment: Moment;
	readonly size: Size;
	readonly drawn: Drawn;
}

export interface Drawn {
	readonly scene: Scene;
	readonly path: ScenePath | undefined;
	/** Slabs with a dark ring. */
	readonly differing: readonly Rect[];
}

export function StageCanvas({ name, moment, size, drawn }: StageCanvasProps) {
	const [pointed, setPointed] = useState("");
	const canvas = usePainted(drawn, size);
	const { frame } = moment;
	const onPoint = (e: PointerEvent) => {
		const { offsetX, offsetY } = e.nativeEvent;
		const stop = stopAt(drawn.path, moment, offsetX, offsetY);
		setPointed(stop || nameOf(hitTest(drawn.scene, offsetX, offsetY, 1), frame));
	};
	return (
		<>
			<div className={css.paper} style={{ height: size.height }}>
				<canvas
					ref={canvas}
					role="img"
					aria-label={name}
					onPointerMove={onPoint}
					onPointerLeave={() => setPointed("")}
				/>
			</div>
			<p className={`small quiet number ${css.pointed}`} aria-hidden="true">
				{pointed}
			</p>
			<table className="hidden">
				<caption>{name}</caption>
				<tbody>
					{inWords(frame).map((row) => (
						<tr key={row.key}>
							<th scope="row">{row.name}</th>
							<td>{row.holds}</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}

/** Draws the scene whenever it, its size, the theme or the pixels of the screen change. */
function usePainted({ scene, path, differing }: Drawn, { width, height }: Size) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const painter = useRef<StagePainter>(undefined);
	const look = useFacts((f) => f.look);
	const ratio = useFacts((f) => f.pixelRatio);
	// Before it is drawn: both follow from one change.
	useEffect(() => {
		if (canvas.current && look) painter.current?.recolour(readPalette(canvas.current));
	}, [look]);
	useEffect(() => {
		const element = canvas.current;
		const ctx = element?.getContext("2d", { alpha: false });
		if (!element || !ctx) return;
		const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
		if (element.width !== w || element.height !== h) {
			element.width = w;
			element.height = h;
			painter.current?.forget();
		}
		painter.current ??= new StagePainter(ctx, readPalette(element));
		painter.current.paint(scene, WHOLE, ratio, {
			...{ slab: "", objects: [], closeUps: [], next: differing },
			...waysOfPath(path),
		});
	}, [scene, path, differing, width, height, look, ratio]);
	return canvas;
}

/** The sentence of the stop under the pointer; "" for none. */
function stopAt(path: ScenePath | undefined, moment: Moment, x: number, y: number): string {
	const stop = path?.stops.find((one) => {
		return Math.abs(one.x - x) <= one.w / 2 && Math.abs(one.y - y) <= one.h / 2;
	});
	if (!stop) return "";
	const { sentence = "" } = moment.steps[stop.from - moment.firstStep] ?? {};
	return `${stop.words}: ${sentence}`;
}

/** The name of the thing under the pointer: a slab with its place, or the place. */
function nameOf(hit: Hit | undefined, frame: Frame): string {
	const serial = hit?.object?.serial ?? hit?.slab?.serial;
	if (serial !== undefined) {
		const row = frame.slabs.serial.indexOf(serial);
		const place = frame.places[frame.slabs.place[row] ?? 0];
		const where = place ? `, ${placeName(place)}` : "";
		return `slab ${serial}${where}: ${allocatedIn(frame, row)} of ${frame.slabs.objects[row]} allocated`;
	}
	const { key = "" } = hit?.panel ?? {};
	const [, kind, number] = /^(cpu|node):(\d+)/.exec(key) ?? [];
	if (kind === "cpu") return `CPU ${number}`;
	return kind === "node" ? `node ${number}` : "";
}
