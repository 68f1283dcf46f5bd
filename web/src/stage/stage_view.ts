/**
 * The canvas behind the stage. It draws a pure function of the facts: the moment on screen, the one before it,
 * how far between them the clock is, the selection and the zoom; and it draws only when one of them changes.
 */
import type { Built, Moment } from "../engine/types.ts";
import { onFrame, wake } from "../player/clock.ts";
import { stageKeys } from "../player/keys.ts";
import { slideMs } from "../player/rate.ts";
import { change, facts, useFacts } from "../player/store.ts";
import { type Hit, hitTest } from "../scene/hit.ts";
import { layout } from "../scene/layout.ts";
import { makePlan, type Plan } from "../scene/plan.ts";
import { EMPTY_SCENE, type Scene } from "../scene/scene.ts";
import { ease, moves, tween } from "../scene/tween.ts";
import { StagePainter } from "./paint.ts";
import { readPalette } from "./palette.ts";
import type { Size } from "./use_size.ts";
import { StageZoom } from "./zoom.ts";

export class StageView {
	readonly #canvas: HTMLCanvasElement;
	readonly #painter: StagePainter | undefined;
	readonly #zoom: StageZoom;
	readonly #onHover: (hit: Hit | undefined) => void;
	readonly #onFitted: (fitted: boolean) => void;
	readonly #stops: (() => void)[] = [];
	#size: Size = { width: 0, height: 0 };
	#plan: Plan | undefined;
	#planFor: readonly unknown[] = [];
	#moment: Moment | null = null;
	#from: Scene = EMPTY_SCENE;
	#to: Scene = EMPTY_SCENE;
	#start = 0;
	#length = 0;
	#dirty = true;

	constructor(
		canvas: HTMLCanvasElement,
		onHover: (hit: Hit | undefined) => void,
		onFitted: (fitted: boolean) => void,
	) {
		this.#canvas = canvas;
		this.#onHover = onHover;
		this.#onFitted = onFitted;
		const ctx = canvas.getContext("2d", { alpha: false });
		if (ctx) this.#painter = new StagePainter(ctx, readPalette(canvas));
		this.#zoom = new StageZoom(canvas, () => {
			this.#onFitted(this.#zoom.isFitted());
			this.#redraw();
		});
		this.#listen();
	}

	#listen(): void {
		const dark = matchMedia("(prefers-color-scheme: dark)");
		const recolour = () => {
			this.#painter?.recolour(readPalette(this.#canvas));
			this.#redraw();
		};
		dark.addEventListener("change", recolour);
		const unsubscribe = useFacts.subscribe((now, before) => {
			if (now.theme !== before.theme) recolour();
			if (now.trace !== before.trace) this.#zoom.fit();
			if (now.moment !== before.moment || now.selected !== before.selected) this.#redraw();
		});
		this.#canvas.addEventListener("pointermove", this.#point);
		this.#canvas.addEventListener("pointerleave", this.#leave);
		this.#canvas.addEventListener("click", this.#click);
		stageKeys.zoom = (by) => this.#zoom.by(by);
		stageKeys.pan = (x, y) => this.#zoom.pan(x, y);
		stageKeys.fit = () => this.#zoom.fit();
		stageKeys.focus = () => this.#focus();
		this.#stops.push(
			onFrame((now) => this.#frame(now)),
			unsubscribe,
			() => dark.removeEventListener("change", recolour),
		);
	}

	resize(size: Size): void {
		if (size.width === 0 || size.height === 0) return;
		this.#size = size;
		this.#zoom.resize(size.width, size.height);
		this.#moment = null;
		this.#redraw();
	}

	destroy(): void {
		for (const stop of this.#stops) stop();
		this.#zoom.destroy();
		this.#canvas.removeEventListener("pointermove", this.#point);
		this.#canvas.removeEventListener("pointerleave", this.#leave);
		this.#canvas.removeEventListener("click", this.#click);
	}

	#focus(): void {
		const box = this.#to.slabs.find((s) => s.key === this.#selectedKey());
		if (box) this.#zoom.focus(box, this.#size.width, this.#size.height);
	}

	#selectedKey(): string {
		const { selected, moment } = facts();
		return selected >= 0 && moment ? `slab:${moment.cache}/${selected}` : "";
	}

	#redraw(): void {
		this.#dirty = true;
		wake();
	}

	/** The plan changes with the machine, the cache and the size only. */
	#planOf(built: Built, cache: number): Plan {
		const { width, height } = this.#size;
		const row = built.caches.find((c) => c.cache === cache);
		const key = [built, cache, width, height];
		if (!this.#plan || key.some((k, i) => k !== this.#planFor[i])) {
			const chain = row?.cpuPartialSlabs ?? 0;
			this.#plan = makePlan({
				width,
				height,
				nodeOfCpu: built.nodeOfCpu,
				nrNodes: built.nrNodes,
				chain,
			});
			this.#planFor = key;
		}
		return this.#plan;
	}

	#sceneOf(built: Built, moment: Moment): Scene {
		return layout(this.#planOf(built, moment.cache), {
			cache: moment.caches.find((c) => c.cache === moment.cache),
			frame: moment.frame,
			zones: moment.zones,
			step: moment.steps[moment.position.step - moment.firstStep],
			tailShare: moment.tailShare,
		});
	}

	/** A new moment: from what is on screen now, slide to it. */
	#take(nowMs: number): void {
		const { moment, built, before, playing, speed } = facts();
		if (moment === this.#moment || !moment || !built || this.#size.width === 0) return;
		const shown = this.#between(nowMs);
		const fresh = this.#moment === null || before?.cache !== moment.cache;
		this.#moment = moment;
		this.#to = this.#sceneOf(built, moment);
		this.#from = fresh ? this.#to : shown;
		const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const near =
			before !== null && Math.abs(before.position.op - moment.position.op) < built.nrOps / 50 + 2;
		this.#length =
			near && !fresh && moves(this.#from, this.#to) ? slideMs(speed, playing, reduced) : 0;
		this.#start = nowMs;
		this.#dirty = true;
	}

	#between(nowMs: number): Scene {
		const t = this.#length === 0 ? 1 : (nowMs - this.#start) / this.#length;
		return t >= 1 ? this.#to : tween(this.#from, this.#to, ease(t));
	}

	#frame(nowMs: number): boolean {
		this.#take(nowMs);
		const sliding = this.#length > 0 && nowMs - this.#start < this.#length;
		if (!sliding && !this.#dirty) return false;
		this.#dirty = sliding;
		this.#draw(this.#between(nowMs));
		return sliding;
	}

	#draw(scene: Scene): void {
		const ratio = window.devicePixelRatio;
		const width = Math.round(this.#size.width * ratio);
		const height = Math.round(this.#size.height * ratio);
		if (this.#canvas.width !== width) this.#canvas.width = width;
		if (this.#canvas.height !== height) this.#canvas.height = height;
		this.#painter?.paint(scene, this.#zoom.view, ratio, this.#selectedKey());
	}

	#hit(event: MouseEvent): Hit | undefined {
		const box = this.#canvas.getBoundingClientRect();
		const { k, x, y } = this.#zoom.view;
		return hitTest(this.#to, (event.clientX - box.left - x) / k, (event.clientY - box.top - y) / k);
	}

	#point = (event: PointerEvent): void => {
		if (event.pointerType === "mouse") this.#onHover(this.#hit(event));
	};

	#leave = (): void => this.#onHover(undefined);

	#click = (event: MouseEvent): void => {
		change({ selected: this.#hit(event)?.slab.serial ?? -1 });
	};
}
