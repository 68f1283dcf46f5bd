/**
 * The keyboard: what is pressed goes to the registry of commands, unless the control that has the focus uses that key
 * itself.
 */
import { commandFor } from "./commands.ts";
import { facts } from "./store.ts";

const MOVES = /^(Arrow|Home|End|Page)/;

/** Whether the control that has the focus means something else by this key. */
function usesKey({ target, code }: KeyboardEvent): boolean {
	if (!(target instanceof HTMLElement) || code === "Escape") return false;
	if (target.closest("input[type=range]") !== null) return MOVES.test(code);
	if (target.closest("input, select, textarea, [contenteditable]") !== null) return true;
	if (code === "Space" || code === "Enter")
		return target.closest("button, a, summary, [role=tab]") !== null;
	return target.closest("[role=slider], [role=tab]") !== null && MOVES.test(code);
}

export function listenToKeys(): void {
	window.addEventListener("keydown", (event) => {
		if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
		// A dialog that was asked for and is not there yet: what is typed is meant for it.
		if (
			facts().dialog !== "" &&
			document.querySelector("dialog[open]") === null &&
			event.key !== "Escape"
		) {
			event.preventDefault();
			return;
		}
		const command = commandFor(event);
		if (!command || (!command.inFields && usesKey(event))) return;
		event.preventDefault();
		command.run();
	});
}
