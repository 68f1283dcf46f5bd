/**
 * Before React is there: the first scene gets its sentence, and the buttons that move say that they can be pressed. What is
 * pressed is done once React has come (early_input.ts), which finds the HTML as it came but for these.
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
