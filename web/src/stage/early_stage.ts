/**
 * The stage before React: index.html contains its canvas, and the first position is drawn on it while the panels
 * around it are still loading. The component takes over later.
 */

import { StageView } from "./stage_view.ts";

let early: StageView | undefined;

/** Resolves once the HTML and its style sheets are complete, because the script waits for neither. */
export async function untilStyled(): Promise<void> {
	if (document.readyState === "loading") await happened(document, "DOMContentLoaded");
	for (const sheet of document.querySelectorAll<HTMLLinkElement>(
		"link[rel=stylesheet]:not([disabled])",
	))
		if (!sheet.sheet) await Promise.race([happened(sheet, "load"), happened(sheet, "error")]);
}

function happened(target: EventTarget, what: string): Promise<void> {
	return new Promise((resolve) => target.addEventListener(what, () => resolve(), { once: true }));
}

/** Starts on the canvas in the page's HTML. */
export function beginStage(): void {
	const canvas = document.querySelector<HTMLCanvasElement>('[data-part="stage"] canvas');
	const box = canvas?.parentElement;
	if (!canvas || !box) return;
	early = new StageView(canvas);
	early.resize({ width: box.clientWidth, height: box.clientHeight });
}

/** Returns the view of a canvas: the early view if this is its canvas. */
export function stageOn(canvas: HTMLCanvasElement): StageView {
	const made = early?.canvas === canvas ? early : new StageView(canvas);
	if (made !== early) early?.destroy();
	early = undefined;
	return made;
}
