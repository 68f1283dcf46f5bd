/**
 * Which look of tokens.css is in use (the visitor's choice, or else the system's), and the screen's pixels. They are
 * facts, so that canvases can follow them.
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

/** Runs before everything that draws: it changes the style sheet first, then the fact. */
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
	followPixels();
}

/**
 * The window may move to another screen. A query for one ratio only reports that the ratio has changed, not to what.
 */
function followPixels(): void {
	const { devicePixelRatio: pixelRatio } = window;
	if (pixelRatio !== store.getState().pixelRatio) change({ pixelRatio });
	asks(`resolution: ${pixelRatio}dppx`).addEventListener("change", followPixels, { once: true });
}
