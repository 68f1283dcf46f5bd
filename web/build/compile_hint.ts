/**
 * Hints that nearly all functions of the first view's script are needed at once: Chromium then compiles them while
 * the script is still loading, rather than one by one on the page's main thread.
 */
import type { Plugin } from "vite";

const HINT = "//# allFunctionsCalledOnLoad\n";

export function compileHint(): Plugin {
	return {
		name: "compile-hint",
		apply: "build",
		generateBundle: {
			order: "post",
			handler: (_, bundle) => {
				for (const file of Object.values(bundle))
					if (file.type === "chunk" && file.isEntry) file.code = HINT + file.code;
			},
		},
	};
}
