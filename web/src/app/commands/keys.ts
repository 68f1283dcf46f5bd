/** The keyboard: a pressed key runs its command, unless the focused control uses that key itself. */

import { facts } from "../state/store.ts";
import { commandFor } from "./commands.ts";

const MOVES = /^(Arrow|Home|End|Page)/;
const PRESSED = "button, a, summary, [role=tab], input[type=checkbox]";

/**
 * The control that was clicked last. It keeps the focus, or gets it back from a dialog. After a click, Space is
 * meant for the page; after reaching the control with Tab, it's meant for the control.
 */
let clicked: Element | null = null;
/** Space was meant for the page, so the focused control must ignore its release. */
let spaceTaken = false;

let typed = "";

/** Text typed for a dialog that has been requested but is not shown yet: its field gets it. */
export const typedAhead = () => typed;

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
	key.length === 1 && !ctrlKey && !metaKey && !altKey;

/** Whether the focused control uses this key for something else. */
function usesKey({ target, code }: KeyboardEvent): boolean {
	if (!(target instanceof HTMLElement) || code === "Escape") return false;
	if (code === "Space" && clicked !== null && target.closest(PRESSED) === clicked) return false;
	if (target.closest("input[type=range]") !== null) return MOVES.test(code);
	if (target.closest("input, select, textarea, [contenteditable]") !== null) return true;
	if (code === "Space" || code === "Enter")
		return target.closest("button, a, summary, [role=tab]") !== null;
	return target.closest("[role=slider], [role=tab]") !== null && MOVES.test(code);
}

function followClicks(): void {
	window.addEventListener("pointerdown", ({ target }) => {
		const control = target instanceof Element ? target.closest(PRESSED) : null;
		// A dialog, or a sheet, gives the focus back to the control that was clicked before.
		if (control?.closest("dialog, [data-sheet]") == null) clicked = control;
	});
	window.addEventListener("keydown", ({ code }) => {
		if (code === "Tab") clicked = null;
	});
	window.addEventListener("keyup", (event) => {
		if (event.code !== "Space" || !spaceTaken) return;
		spaceTaken = false;
		event.preventDefault();
	});
}

export function listenToKeys(): void {
	followClicks();
	window.addEventListener("keydown", (event) => {
		// React may have created the dialog some time before it opens; it only counts once it is open.
		const isOpen = document.querySelector("dialog[open]") !== null;
		const isAhead = facts().dialog !== "" && !isOpen;
		if (!isAhead) typed = "";
		if (event.defaultPrevented || isOpen) return;
		// A dialog has been requested but has not appeared yet: what is typed is meant for it.
		if (isAhead && event.key !== "Escape") {
			event.preventDefault();
			if (isLetter(event)) typed += event.key;
			return;
		}
		const command = commandFor(event, facts().characterKeys);
		if (!command || (!command.inFields && usesKey(event))) return;
		event.preventDefault();
		if (event.code === "Space") spaceTaken = true;
		command.run();
	});
}
