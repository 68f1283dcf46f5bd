/**
 * Puts the page as React draws it before anything is open into index.html: it is visible before a script has run, and
 * the boot script finds the stage's canvas in it.
 */
import { fileURLToPath } from "node:url";
import { type Plugin, runnerImport } from "vite";
import type { firstPage } from "../src/boot/first_page.tsx";

const SOURCE = fileURLToPath(new URL("../src/boot/first_page.tsx", import.meta.url));
const ROOT = '<div id="root" hidden></div>';

export function firstPageHtml(): Plugin {
	return {
		name: "first-page",
		transformIndexHtml: {
			order: "pre",
			handler: async (html) => {
				const { module } = await runnerImport<{ firstPage: typeof firstPage }>(SOURCE, {
					configFile: false,
					plugins: [withoutStyles],
				});
				if (!html.includes(ROOT)) throw new Error(`index.html has no ${ROOT}`);
				return html.replace(ROOT, () => `<div id="root" hidden>${module.firstPage()}</div>`);
			},
		},
	};
}

/** HTML needs no style sheets. */
const withoutStyles: Plugin = {
	name: "without-styles",
	enforce: "pre",
	resolveId: (id) => (id.endsWith(".css") ? "\0style" : undefined),
	load: (id) => (id === "\0style" ? "" : undefined),
};
