/**
 * A range of steps as a film: WebM, recorded from a canvas that the stage's own painter draws on, with each step's
 * title, sentence and costs as on the page. Recording takes as long as the film lasts, because browsers stamp frames
 * by the clock.
 */

import { engine } from "../app/platform/engine_link.ts";
import { eventSteps, pathOf } from "../app/playback/event_path.ts";
import { cacheNumber, slideMs } from "../app/playback/player.ts";
import { busy, change, facts } from "../app/state/store.ts";
import { isTextCurrent } from "../app/state/throttle.ts";
import { quantity } from "../base/format.ts";
import type { Run } from "../engine/answers.ts";
import { momentOf } from "../engine/moment.ts";
import { ALL_CACHES, type Goal, type Moment, type Position, type Unit } from "../engine/types.ts";
import { capacitiesOf } from "../scene/layout/capacity.ts";
import { pathOn, type ScenePath } from "../scene/layout/path.ts";
import { makePlan, type Plan } from "../scene/layout/plan.ts";
import { shapeOf } from "../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../scene/scene.ts";
import { ease, type Transition, transition } from "../scene/tween.ts";
import { type Palette, readPalette } from "../stage/draw/colours.ts";
import { type Shown, sceneOf, stage } from "../stage/shown.ts";
import { stageOf } from "../views/compare/machines.ts";
import {
	captionOf,
	contextOf,
	drawStage,
	imageOf,
	type MapPainter,
	newCanvas,
	painterFor,
	type StageImage,
} from "./pictures.ts";
import { stageParts, stagePicture } from "./stage_svg.ts";

export interface FilmPlan {
	/** How many units, from the position on screen. */
	readonly count: number;
	readonly unit: Unit;
	readonly perSecond: number;
	/** Where it starts; if left out, at the position on screen. */
	readonly from?: Position;
	/** Steps from one picture to the next, within the event; left out: one unit. */
	readonly stride?: number;
	/** A second machine, shown in the right half. */
	readonly beside?: Beside | undefined;
}

/** How long a clip of one event is, unless it has very few steps or very many. */
export const CLIP_S = 12;
const PER_SECOND = { least: 0.5, most: 6 };

/** Films the event on screen from its first step to its last. */
export function clipOf({ position: { op }, nrSteps }: Moment, beside?: Beside): FilmPlan {
	const stride = Math.ceil(nrSteps / (CLIP_S * PER_SECOND.most));
	const count = Math.ceil((nrSteps - 1) / stride);
	const perSecond = Math.min(PER_SECOND.most, Math.max(PER_SECOND.least, (count + 2) / CLIP_S));
	return { count, unit: "step", perSecond, from: { op, step: 0 }, stride, beside };
}

const FRAME_MS = 40;
const BITS_PER_S = 8_000_000;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export function canFilm(): boolean {
	return filmType() !== undefined;
}

function filmType(): string | undefined {
	return "MediaRecorder" in window
		? TYPES.find((type) => MediaRecorder.isTypeSupported(type))
		: undefined;
}

type FrameTrack = MediaStreamTrack & { requestFrame?: () => void };

/** Draws frames onto a canvas, and shows each for its time. */
class Camera {
	readonly canvas = document.createElement("canvas");
	readonly #recorder: MediaRecorder;
	readonly #track: FrameTrack | undefined;
	readonly #pieces: Blob[] = [];

	constructor(type: string) {
		const stream = this.canvas.captureStream(0);
		this.#track = stream.getVideoTracks()[0];
		const how = { mimeType: type, videoBitsPerSecond: BITS_PER_S };
		this.#recorder = new MediaRecorder(stream, how);
		this.#recorder.addEventListener("dataavailable", ({ data }) => this.#pieces.push(data));
	}

	/** The recorder's time only passes while a frame is shown, however long drawing took. */
	async frame(): Promise<void> {
		if (this.#recorder.state === "inactive") this.#recorder.start();
		else this.#recorder.resume();
		this.#track?.requestFrame?.();
		await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
		this.#recorder.pause();
	}

	async end(): Promise<Blob> {
		const stopped = new Promise((resolve) => this.#recorder.addEventListener("stop", resolve));
		this.#recorder.stop();
		await stopped;
		this.#track?.stop();
		return new Blob(this.#pieces, { type: "video/webm" });
	}
}

/** Resolves to null if it was stopped; `onUnit` is called for each recorded unit. */
export function film(
	plan: FilmPlan,
	onUnit: (done: number) => void,
	signal: AbortSignal,
): Promise<Blob | null> {
	return busy(() => record(plan, onUnit, signal));
}

async function record(
	plan: FilmPlan,
	onUnit: (done: number) => void,
	signal: AbortSignal,
): Promise<Blob | null> {
	const type = filmType();
	const { built, moment: first } = facts();
	if (!type || !built || !first) throw new Error("This browser cannot record a film.");
	const palette = readPalette(document.documentElement);
	const painter = painterFor(palette);
	const camera = new Camera(type);
	const half = newCanvas();
	const other = plan.beside && new OtherHalf(plan.beside, painterFor(palette), palette);
	const frames = Math.max(1, Math.round(1000 / plan.perSecond / FRAME_MS));
	try {
		let moment = plan.from ? await at({ kind: "at", ...plan.from }) : first;
		let now = await pictureAt(moment, palette, other);
		const draw = (scene: Scene, share: number) => {
			const drawn = now.shown && { ...now.shown, scene };
			drawStage(drawn, now, palette, 1, half, painter);
			const { canvas } = camera;
			const width = half.width * (other ? 2 : 1);
			if (canvas.width !== width || canvas.height !== half.height)
				Object.assign(canvas, { width, height: half.height });
			const ctx = contextOf(canvas);
			ctx.drawImage(half, 0, 0);
			if (other && now.map) other.draw(ctx, half.width, now.map, share);
		};
		draw(now.shown?.scene ?? EMPTY_SCENE, 1);
		for (let i = 0; i < frames; i++) await camera.frame();
		for (let done = 0; done < plan.count && !signal.aborted && !moment.ended; done++) {
			onUnit(done);
			const before = now.shown?.scene ?? EMPTY_SCENE;
			moment = await next(moment, plan);
			now = await pictureAt(moment, palette, other);
			await show(before, now.shown?.scene ?? EMPTY_SCENE, frames, plan, draw, camera);
		}
		// Leaves time to read the end of an event.
		for (let i = 0; plan.from && i < frames; i++) await camera.frame();
		const blob = await camera.end();
		return signal.aborted ? null : blob;
	} finally {
		change({ moment: first, before: null });
	}
}

/** How long an answer about an event's path may take. */
const PATH_MS = 2000;

/** The page goes there too, because the film takes the title, the costs and the path from it. */
async function pictureAt(
	moment: Moment,
	palette: Palette,
	other: OtherHalf | undefined,
): Promise<StageImage & { readonly shown: Shown | undefined }> {
	change({ moment, before: facts().moment });
	const from = performance.now();
	const isShown = () => isTextCurrent() && (facts().levels === null || pathOf(facts(), moment));
	while (!isShown() && performance.now() - from < PATH_MS) await nextFrame();
	// React renders what has changed, then the browser lays it out.
	await nextFrame();
	await nextFrame();
	const parts = stageParts();
	if (!parts) throw new Error("The stage is no longer on the page.");
	const around = await imageOf(stagePicture(parts, palette, captionOf(moment), ""));
	if (parts.map) await other?.follow(moment, parts.map);
	const shown = stage.shown();
	return {
		around,
		map: parts.map,
		shown: shown && { ...shown, held: { ...shown.held, closeUps: [] } },
	};
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Slides as on the page, then rests. */
async function show(
	from: Scene,
	to: Scene,
	frames: number,
	{ perSecond }: FilmPlan,
	draw: (scene: Scene, share: number) => void,
	camera: Camera,
): Promise<void> {
	const way = transition(from, to);
	const slide = Math.min(frames, Math.round(slideMs(perSecond, true, false) / FRAME_MS));
	for (let i = 1; i <= frames; i++) {
		if (i < slide) draw(way.moves ? way(ease(i / slide)) : to, i / slide);
		else if (i === 1 || i === slide) draw(to, 1);
		await camera.frame();
	}
}

async function next({ position, nrSteps }: Moment, { unit, stride }: FilmPlan): Promise<Moment> {
	const { op, step } = position;
	if (stride) return at({ kind: "at", op, step: Math.min(nrSteps - 1, step + stride) });
	const scope = facts().onlyCache ? cacheNumber() : ALL_CACHES;
	return at({ kind: "move", from: position, unit, direction: 1, count: 1, scope });
}

async function at(goal: Goal): Promise<Moment> {
	return momentOf(await engine().go(goal, cacheNumber()));
}

/* The right half of a clip: the same event on a compared machine, drawn by the stage's own painter. */

/** A machine that the engine compares with the one on the stage. */
interface Beside {
	/** Its number, from 1. */
	readonly nr: number;
	readonly run: Run;
	/** "SLUB 7.2". */
	readonly name: string;
}

const WHOLE = { k: 1, x: 0, y: 0 };
const MARGIN = 20;

class OtherHalf {
	readonly #of: Beside;
	readonly #painter: MapPainter;
	readonly #palette: Palette;
	#plan: Plan | undefined;
	#scene: Scene = EMPTY_SCENE;
	#way: Transition | undefined;
	#path: ScenePath | undefined;
	#words: readonly string[] = [];

	constructor(of: Beside, painter: MapPainter, palette: Palette) {
		this.#of = of;
		this.#painter = painter;
		this.#palette = palette;
	}

	/** Goes to where the machine on the stage is. */
	async follow(mine: Moment, { w: width, h: height }: Rect): Promise<void> {
		const { nr, run, name } = this.#of;
		const other = await engine().otherStage(stageOf(nr, mine, facts().cache));
		if (!other) throw new Error(`${name} has no cache ${facts().cache} at this event.`);
		const moment = momentOf(other.moment);
		const [, taken] = other.taken;
		const { nodeOfCpu, nrNodes } = run;
		const { places } = moment.frame;
		const machine = { width, height, nodeOfCpu, nrNodes, acting: moment.op.cpu };
		this.#plan ??= makePlan(shapeOf(places, machine, capacitiesOf(places, undefined)));
		const scene = sceneOf(this.#plan, run, moment, this.#scene);
		this.#way = this.#scene === EMPTY_SCENE ? undefined : transition(this.#scene, scene);
		this.#scene = scene;
		this.#path = pathOn(this.#plan, eventSteps(moment, taken.path, taken.levels));
		const step = moment.steps[moment.position.step - moment.firstStep];
		const cycles = quantity(taken.path.cycles, "cycle");
		this.#words = [`${name}: ${cycles}`, step?.sentence ?? moment.op.sentence];
	}

	/** `share`: how far the step has come. */
	draw(ctx: CanvasRenderingContext2D, left: number, map: Rect, share: number): void {
		const { canvas, painter } = this.#painter;
		const scene = share < 1 && this.#way?.moves ? this.#way(ease(share)) : this.#scene;
		const [w, h] = [Math.round(map.w), Math.round(map.h)];
		if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
		painter.paint(scene, WHOLE, 1, { slab: "", objects: [], closeUps: [], path: this.#path });
		const { ground, ink, line, sans } = this.#palette;
		ctx.fillStyle = ground;
		ctx.fillRect(left, 0, ctx.canvas.width - left, ctx.canvas.height);
		ctx.fillStyle = line;
		ctx.fillRect(left, 0, 1, ctx.canvas.height);
		ctx.fillStyle = ink;
		this.#words.forEach((words, i) => {
			ctx.font = `${i === 0 ? 700 : 400} ${i === 0 ? 20 : 15}px ${sans}`;
			ctx.fillText(words, left + MARGIN, 28 + i * 24, map.w - 2 * MARGIN);
		});
		ctx.drawImage(canvas, left + Math.round(map.x), Math.round(map.y));
	}
}
