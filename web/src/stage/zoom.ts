/** d3-zoom on the stage's canvas, wrapped once: made, moved by keys, fitted, taken away. Loaded on first use. */
import { select, type ZoomBehavior, zoom, zoomIdentity } from "d3";
import type { Rect } from "../scene/scene.ts";
import type { View } from "./view.ts";

const CLOSEST = 64;
const FOCUS_SHARE = 0.6;

export class StageZoom {
	readonly #canvas: HTMLCanvasElement;
	readonly #behaviour: ZoomBehavior<HTMLCanvasElement, unknown>;
	view: View = { k: 1, x: 0, y: 0 };

	constructor(canvas: HTMLCanvasElement, onView: () => void) {
		this.#canvas = canvas;
		this.#behaviour = zoom<HTMLCanvasElement, unknown>()
			.scaleExtent([1, CLOSEST])
			.filter((event: Event) => mayZoom(event, this.view))
			.on("zoom", (event: { transform: View }) => {
				this.view = event.transform;
				onView();
			});
		select(canvas).call(this.#behaviour).on("dblclick.zoom", null);
	}

	/** The stage has a new size: it can be moved within it. */
	resize(width: number, height: number): void {
		this.#behaviour
			.extent([
				[0, 0],
				[width, height],
			])
			.translateExtent([
				[0, 0],
				[width, height],
			]);
		select(this.#canvas).call(this.#behaviour.translateBy, 0, 0);
	}

	by(factor: number): void {
		select(this.#canvas).call(this.#behaviour.scaleBy, factor);
	}

	pan(x: number, y: number): void {
		select(this.#canvas).call(this.#behaviour.translateBy, x / this.view.k, y / this.view.k);
	}

	isFitted(): boolean {
		const { k, x, y } = this.view;
		return k === 1 && x === 0 && y === 0;
	}

	fit(): void {
		select(this.#canvas).call(this.#behaviour.transform, zoomIdentity);
	}

	/** The same closeness, with the box in the middle. */
	centre(box: Rect): void {
		const { translateTo } = this.#behaviour;
		select(this.#canvas).call(translateTo, box.x + box.w / 2, box.y + box.h / 2);
	}

	/** So close to a box that its objects can be read, with the box in the middle. */
	focus(box: Rect, width: number, height: number): void {
		const k = Math.min(CLOSEST, (FOCUS_SHARE * Math.min(width, height)) / Math.max(box.w, box.h));
		const to = zoomIdentity
			.translate(width / 2, height / 2)
			.scale(Math.max(1, k))
			.translate(-(box.x + box.w / 2), -(box.y + box.h / 2));
		select(this.#canvas).call(this.#behaviour.transform, to);
	}

	destroy(): void {
		select(this.#canvas).on(".zoom", null);
	}
}

/** Where the page scrolls, one finger and the plain wheel scroll it as long as the stage is fitted. */
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
