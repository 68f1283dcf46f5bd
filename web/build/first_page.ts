/**
 * Puts the page into index.html as React draws it before anything is open: it is visible before any script has run,
 * and the boot script finds the stage's canvas in it.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, preprocessCSS, type ResolvedConfig, runnerImport } from "vite";
import type { firstPage } from "../src/boot/first_page.tsx";

const SOURCE = fileURLToPath(new URL("../src/boot/first_page.tsx", import.meta.url));
const ROOT = '<div id="root" hidden></div>';

export function firstPageHtml(): Plugin {
	let config: ResolvedConfig;
	return {
		name: "first-page",
		configResolved(resolved) {
			config = resolved;
		},
		transformIndexHtml: {
			order: "pre",
			handler: async (html) => {
				const { module } = await runnerImport<{ firstPage: typeof firstPage }>(SOURCE, {
					configFile: false,
					plugins: [classesOnly(config)],
				});
				if (!html.includes(ROOT)) throw new Error(`index.html has no ${ROOT}`);
				return html.replace(ROOT, () => `<div id="root" hidden>${module.firstPage()}</div>`);
			},
		},
	};
}

const NAMES = "\0classes:";

/**
 * HTML does not need style sheets, but does need the names that the page's build gives to the classes of CSS modules.
 */
function classesOnly(config: ResolvedConfig): Plugin {
	return {
		name: "classes-only",
		enforce: "pre",
		resolveId: (id, importer = "") =>
			// It has another extension, or Vite would take it for a style sheet.
			id.endsWith(".css") ? `${NAMES}${join(dirname(importer), id)}.js` : undefined,
		load: async (id) => {
			if (!id.startsWith(NAMES)) return undefined;
			const file = id.slice(NAMES.length, -".js".length);
			const { modules } = await preprocessCSS(readFileSync(file, "utf8"), file, config);
			return `export default ${JSON.stringify(modules ?? {})};`;
		},
	};
}
