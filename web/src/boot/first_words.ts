/**
 * Before React is loaded: shows the sentence of the first scene, and enables the buttons that move. Presses are
 * replayed once React is loaded (early_input.ts), which finds the HTML otherwise unchanged.
 */
import { facts } from "../app/state/store.ts";

export function showFirstWords(): void {
	const { moment } = facts();
	if (!moment) return;
	const { op, steps, position, firstStep } = moment;
	const sentence = steps[position.step - firstStep]?.sentence ?? op.sentence;
	for (const place of document.querySelectorAll("[data-sentence]")) place.textContent = sentence;
	for (const button of document.querySelectorAll<HTMLButtonElement>("[data-moves]"))
		button.disabled = false;
}
