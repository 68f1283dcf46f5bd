/**
 * d3-zoom on the stage's canvas, wrapped in one place: created, moved by keys, fitted, destroyed. Loaded on first
 * use. Key moves glide, so that the eye does not lose its place.
 */
import {
	interpolateZoom,
	select,
	type ZoomBehavior,
	type ZoomTransform,
	zoom,
	zoomIdentity,
} from "d3";
import type { Zoom } from "../app/state/store.ts";
import { onFrame, wake } from "../base/frame_clock.ts";
import { EMPTY_SCENE, type Rect, type Scene } from "../scene/scene.ts";
import { ease } from "../scene/tween.ts";
import type { View } from "./draw/viewport.ts";

const CLOSEST_LEAST = 64;
/** How far to zoom in: until the smallest cell fills the stage. */
const CLOSEST_SHARE = 0.95;
const FOCUS_SHARE = 0.7;
const GLIDE_MS = 180;
/**
 * How much of the nearest thing stays visible however far you zoom and pan, as a share of the window, if the thing is
 * that large.
 */
const SIGHT_SHARE = 0.25;
/** Margin around a box that is brought into view, in pixels. */
const REVEAL_MARGIN = 24;

interface Glide {
	readonly to: ZoomTransform;
	readonly way: (t: number) => readonly number[];
	readonly start: number;
}

export class StageZoom {
	readonly #canvas: HTMLCanvasElement;
	readonly #behaviour: ZoomBehavior<HTMLCanvasElement, unknown>;
	readonly #stop: () => void;
	#glide: Glide | undefined;
	/** A link's view, kept until the visitor looks elsewhere, because the stage may not get its height until later. */
	#linked: Zoom | undefined;
	#width = 1;
	#height = 1;
	#closest = CLOSEST_LEAST;
	#scene: Pick<Scene, "finest"> = EMPTY_SCENE;
	view: View = { k: 1, x: 0, y: 0 };

	/** `nearest` returns the thing nearest to a window of the scene. */
	constructor(
		canvas: HTMLCanvasElement,
		onView: () => void,
		nearest: (window: Rect) => Rect | undefined,
	) {
		this.#canvas = canvas;
		this.#behaviour = zoom<HTMLCanvasElement, unknown>()
			.scaleExtent([1, CLOSEST_LEAST])
			.filter((event: Event) => {
				this.#limit();
				return mayZoom(event, this.view);
			})
			.on("zoom", (event: { transform: View; sourceEvent: Event | null }) => {
				if (event.sourceEvent) this.#glide = this.#linked = undefined;
				this.view = event.transform;
				onView();
			});
		const toStage = this.#behaviour.constrain();
		this.#behaviour.constrain((wanted, extent, all) => {
			const view = toStage(wanted, extent, all);
			const thing = view.k > 1 ? nearest(this.#windowOf(view)) : undefined;
			return thing ? toThing(view, this.#windowOf(view), thing) : view;
		});
		select(canvas).call(this.#behaviour).on("dblclick.zoom", null);
		this.#stop = onFrame((now) => this.#glideOn(now));
	}

	/** The stage has a new size: limits panning to it. */
	resize(width: number, height: number): void {
		this.#width = width;
		this.#height = height;
		const all: [[number, number], [number, number]] = [
			[0, 0],
			[width, height],
		];
		this.#behaviour.extent(all).translateExtent(all);
		if (this.#linked) this.look(this.#linked);
		else select(this.#canvas).call(this.#behaviour.translateBy, 0, 0);
	}

	/** Its smallest cell limits the zoom. It is looked for when the visitor zooms, not in every frame. */
	mayComeTo(scene: Pick<Scene, "finest">): void {
		this.#scene = scene;
	}

	/** Leaves a view that is already closer as it is. */
	#limit(): void {
		const finest = Math.max(0.01, this.#scene.finest);
		const near = (CLOSEST_SHARE * Math.max(this.#width, this.#height)) / finest;
		this.#closest = Math.max(CLOSEST_LEAST, this.view.k, near);
		this.#behaviour.scaleExtent([1, this.#closest]);
	}

	by(factor: number): void {
		this.#limit();
		const { k, x, y } = this.#heading();
		const to = Math.min(this.#closest, Math.max(1, k * factor));
		const [cx, cy] = [this.#width / 2, this.#height / 2];
		const f = to / k;
		this.#go(zoomIdentity.translate(cx - (cx - x) * f, cy - (cy - y) * f).scale(to));
	}

	pan(dx: number, dy: number): void {
		const { k, x, y } = this.#heading();
		this.#go(zoomIdentity.translate(x + dx, y + dy).scale(k));
	}

	isFitted(): boolean {
		const { k, x, y } = this.view;
		return k === 1 && x === 0 && y === 0;
	}

	/** Returns the view in shares of the stage, for a link; null for the whole stage. */
	share(): Zoom | null {
		if (this.isFitted()) return null;
		const [x, y] = this.#window(this.view);
		return { k: this.view.k, x: x / this.#width, y: y / this.#height };
	}

	look(linked: Zoom): void {
		const { k, x, y } = linked;
		this.#limit();
		this.#glide = undefined;
		this.#linked = linked;
		const to = zoomIdentity
			.translate(this.#width / 2, this.#height / 2)
			.scale(Math.min(k, this.#closest))
			.translate(-x * this.#width, -y * this.#height);
		this.#set(this.#within(to));
	}

	/** The scene has the new size: limits the link's view, or the present one, to it. */
	fitInto(): void {
		if (this.#linked) this.look(this.#linked);
		else if (!this.#glide) {
			const { k, x, y } = this.view;
			this.#set(this.#within(zoomIdentity.translate(x, y).scale(k)));
		}
	}

	fit(): void {
		this.#go(zoomIdentity);
	}

	/** Keeps the zoom and moves the box to the middle. */
	centre(box: Rect): void {
		const { translateTo } = this.#behaviour;
		this.#linked = undefined;
		select(this.#canvas).call(translateTo, box.x + box.w / 2, box.y + box.h / 2);
	}

	/** Zooms so close to a box that its content can be read, and moves it to the middle. */
	focus(box: Rect): void {
		const fits = Math.min(this.#width / box.w, this.#height / box.h);
		this.#limit();
		const k = Math.min(this.#closest, Math.max(1, FOCUS_SHARE * fits));
		this.#go(
			zoomIdentity
				.translate(this.#width / 2, this.#height / 2)
				.scale(k)
				.translate(-(box.x + box.w / 2), -(box.y + box.h / 2)),
		);
	}

	/**
	 * Keeps the zoom and moves no further than needed to show the whole box; from afar it zooms in to `least`, at which
	 * the box can be seen.
	 */
	reveal(box: Rect, least = 1): void {
		const { k, x, y } = this.#heading();
		if (k < least) {
			const to = zoomIdentity.translate(this.#width / 2, this.#height / 2).scale(least);
			this.#go(to.translate(-(box.x + box.w / 2), -(box.y + box.h / 2)));
			return;
		}
		const dx = shiftInto(box.x * k + x, box.w * k, this.#width);
		const dy = shiftInto(box.y * k + y, box.h * k, this.#height);
		if (dx !== 0 || dy !== 0) this.#go(zoomIdentity.translate(x + dx, y + dy).scale(k));
	}

	destroy(): void {
		this.#stop();
		select(this.#canvas).on(".zoom", null);
	}

	/** Returns where a glide will end. */
	#heading(): View {
		return this.#glide?.to ?? this.view;
	}

	/** Limits a move to the stage. */
	#within(wanted: ZoomTransform): ZoomTransform {
		const all: [[number, number], [number, number]] = [
			[0, 0],
			[this.#width, this.#height],
		];
		return this.#behaviour.constrain()(wanted, all, all);
	}

	#go(wanted: ZoomTransform): void {
		this.#linked = undefined;
		const to = this.#within(wanted);
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
			this.#glide = undefined;
			this.#set(to);
			return;
		}
		const way = interpolateZoom(this.#window(this.view), this.#window(to));
		this.#glide = { to, way, start: performance.now() };
		wake();
	}

	#windowOf({ k, x, y }: View): Rect {
		return { x: -x / k, y: -y / k, w: this.#width / k, h: this.#height / k };
	}

	/** Returns the centre and width of the view. */
	#window({ k, x, y }: View): [number, number, number] {
		return [(this.#width / 2 - x) / k, (this.#height / 2 - y) / k, this.#width / k];
	}

	#glideOn(now: number): boolean {
		const glide = this.#glide;
		if (!glide) return false;
		const t = (now - glide.start) / GLIDE_MS;
		if (t >= 1) {
			this.#glide = undefined;
			this.#set(glide.to);
			return false;
		}
		const [cx = 0, cy = 0, w = 1] = glide.way(ease(Math.max(0, t)));
		const k = this.#width / w;
		const [x, y] = [this.#width / 2 - cx * k, this.#height / 2 - cy * k];
		this.#set(zoomIdentity.translate(x, y).scale(k));
		return true;
	}

	#set(to: ZoomTransform): void {
		select(this.#canvas).call(this.#behaviour.transform, to);
	}
}

/** Moves until a share of the thing is in the window. */
function toThing(view: ZoomTransform, window: Rect, thing: Rect): ZoomTransform {
	const dx = overlapBy(window.x, window.w, thing.x, thing.w);
	const dy = overlapBy(window.y, window.h, thing.y, thing.h);
	return dx === 0 && dy === 0 ? view : view.translate(-dx, -dy);
}

/** Returns how far [from, from + size) has to move until enough of the other span is in it. */
function overlapBy(from: number, size: number, other: number, otherSize: number): number {
	const least = Math.min(otherSize, size * SIGHT_SHARE);
	if (from + size < other + least) return other + least - from - size;
	return from > other + otherSize - least ? other + otherSize - least - from : 0;
}

/** Returns how far a span has to move to be inside [0, room) with a margin; a larger span is centred. */
function shiftInto(from: number, size: number, room: number): number {
	const margin = Math.min(REVEAL_MARGIN, Math.max(0, (room - size) / 2));
	if (size > room) return (room - size) / 2 - from;
	if (from < margin) return margin - from;
	return from + size > room - margin ? room - margin - size - from : 0;
}

/** If the page scrolls, one finger and the plain wheel scroll the page as long as the stage is fitted. */
function mayZoom(event: Event, view: View): boolean {
	if (event instanceof WheelEvent) return event.ctrlKey || view.k > 1 || !pageScrolls();
	if (event instanceof MouseEvent && event.type === "mousedown") return event.button === 0;
	if (event.type === "touchstart" && "touches" in event) {
		return (event as TouchEvent).touches.length > 1 || view.k > 1;
	}
	return true;
}

function pageScrolls(): boolean {
	return document.documentElement.scrollHeight > window.innerHeight;
}
