/**
 * Which of the looks of tokens.css is in force: by the visitor's choice, else as the system asks. It is a fact, so
 * what draws on canvases follows it.
 */
import { change, type Look, store, type Theme } from "./store.ts";

const asks = (feature: string) => matchMedia(`(${feature})`);

function lookOf(theme: Theme): Look {
	const dark = asks("prefers-color-scheme: dark").matches;
	if (theme === "light" || theme === "dark") return theme;
	const strong =
		theme === "contrast" ||
		asks("prefers-contrast: more").matches ||
		asks("forced-colors: active").matches;
	if (strong) return dark ? "contrast-dark" : "contrast-light";
	return dark ? "dark" : "light";
}

/** Comes before all that draws: it changes the style sheet first and tells of it then. */
export function startLook(): void {
	const apply = () => {
		const look = lookOf(store.getState().theme);
		document.documentElement.dataset.theme = look;
		if (look !== store.getState().look) change({ look });
	};
	store.subscribe((now, before) => {
		if (now.theme !== before.theme) apply();
	});
	for (const feature of [
		"prefers-color-scheme: dark",
		"prefers-contrast: more",
		"forced-colors: active",
	])
		asks(feature).addEventListener("change", apply);
	apply();
}
