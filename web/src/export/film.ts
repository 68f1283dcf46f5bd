/**
 * A range of steps as a film: WebM, recorded from a canvas that the stage's own painter draws on, with the sentence of
 * each step below it. Recording takes as long as the film is, because browsers stamp frames by the clock.
 */

import { engine } from "../app/platform/engine_link.ts";
import { cacheNumber } from "../app/playback/player.ts";
import { slideMs } from "../app/playback/rate.ts";
import { busy, facts } from "../app/state/store.ts";
import { momentOf } from "../engine/moment.ts";
import { ALL_CACHES, type Goal, type Moment, type Unit } from "../engine/types.ts";
import type { Scene } from "../scene/scene.ts";
import { ease, transition } from "../scene/tween.ts";
import { readPalette } from "../stage/draw/colours.ts";
import { sceneOf, stage } from "../stage/shown.ts";
import { captionOf } from "./caption.ts";
import { drawStage, painterFor } from "./pictures.ts";

export interface FilmPlan {
	/** Units from the position on screen on. */
	readonly count: number;
	readonly unit: Unit;
	readonly perSecond: number;
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

	/** The recorder's time passes only while a frame is shown, however long drawing took. */
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

/** Null if it was stopped; `onUnit` is called for each unit that is recorded. */
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
	const shown = stage.shown();
	const { built, moment: first } = facts();
	if (!type || !shown || !built || !first) throw new Error("This browser cannot record a film.");
	const palette = readPalette(document.documentElement);
	const painter = painterFor(palette);
	const camera = new Camera(type);
	const draw = (scene: Scene, moment: Moment) => {
		const held = { ...shown.held, closeUps: [] };
		drawStage({ ...shown, scene, held }, palette, captionOf(moment), 1, camera.canvas, painter);
	};
	draw(shown.scene, first);
	const frames = Math.max(1, Math.round(1000 / plan.perSecond / FRAME_MS));
	for (let i = 0; i < frames; i++) await camera.frame();
	let moment = first;
	let scene: Scene = shown.scene;
	for (let done = 0; done < plan.count && !signal.aborted && !moment.ended; done++) {
		onUnit(done);
		moment = await next(moment, plan.unit);
		const to = sceneOf(shown.plan, built, moment, scene);
		await show(scene, to, frames, plan, (s) => draw(s, moment), camera);
		scene = to;
	}
	const blob = await camera.end();
	return signal.aborted ? null : blob;
}

/** Slides as on the page, then rests. */
async function show(
	from: Scene,
	to: Scene,
	frames: number,
	{ perSecond }: FilmPlan,
	draw: (scene: Scene) => void,
	camera: Camera,
): Promise<void> {
	const way = transition(from, to);
	const slide = Math.min(frames, Math.round(slideMs(perSecond, true, false) / FRAME_MS));
	for (let i = 1; i <= frames; i++) {
		if (i <= slide && way.moves) draw(i === slide ? to : way(ease(i / slide)));
		else if (i === 1 || i === slide + 1) draw(to);
		await camera.frame();
	}
}

async function next({ position }: Moment, unit: Unit): Promise<Moment> {
	const scope = facts().onlyCache ? cacheNumber() : ALL_CACHES;
	const goal: Goal = { kind: "move", from: position, unit, direction: 1, count: 1, scope };
	return momentOf(await engine().go(goal, cacheNumber()));
}
