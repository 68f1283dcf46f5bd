/**
 * The stage before React: index.html comes with its canvas, and the first moment is drawn there while the panels around it
 * are still on their way. The component takes it over when it comes.
 */
import { StageView } from "./stage_view.ts";

let early: StageView | undefined;

/** On the canvas that the page came with. */
export function beginStage(): void {
	const canvas = document.querySelector<HTMLCanvasElement>(".stage-canvas canvas");
	const box = canvas?.parentElement;
	if (!canvas || !box) return;
	early = new StageView(canvas);
	early.resize({ width: box.clientWidth, height: box.clientHeight });
}

/** The view of that canvas: the early one if it is its own. */
export function stageOn(canvas: HTMLCanvasElement): StageView {
	const made = early?.canvas === canvas ? early : new StageView(canvas);
	if (made !== early) early?.destroy();
	early = undefined;
	return made;
}
