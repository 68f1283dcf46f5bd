/** The right half of a clip: the same event on a compared machine, drawn by the stage's own painter. */
import { engine } from "../app/platform/engine_link.ts";
import { eventSteps } from "../app/playback/event_steps.ts";
import { facts } from "../app/state/store.ts";
import { quantity } from "../base/format.ts";
import type { Run } from "../engine/answers.ts";
import { momentOf } from "../engine/moment.ts";
import type { Moment } from "../engine/types.ts";
import { capacitiesOf } from "../scene/layout/capacity.ts";
import { pathOn, type ScenePath } from "../scene/layout/path.ts";
import { makePlan, type Plan } from "../scene/layout/plan.ts";
import { shapeOf } from "../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../scene/scene.ts";
import { ease, type Transition, transition } from "../scene/tween.ts";
import type { Palette } from "../stage/draw/colours.ts";
import { sceneOf } from "../stage/shown.ts";
import { stageOf } from "../views/compare/machines.ts";
import type { MapPainter } from "./pictures.ts";

/** A machine that the engine compares with the one on the stage. */
export interface Beside {
	/** Its number, from 1. */
	readonly nr: number;
	readonly run: Run;
	/** "SLUB 7.2". */
	readonly name: string;
}

const WHOLE = { k: 1, x: 0, y: 0 };
const MARGIN = 20;

export class OtherHalf {
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

	/** Goes where the machine on the stage is. */
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
