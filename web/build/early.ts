/**
 * What the first view needs and the browser would find out about late - the worker's script, the simulator - is named
 * in the page itself.
 */
import type { Plugin } from "vite";

export function early(): Plugin {
	return {
		name: "early",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (_, { bundle }) => {
				const files = Object.keys(bundle ?? {});
				const [worker] = files.filter((f) => /\/worker-[^/]*\.js$/.test(f));
				const [module] = files.filter((f) => /\/kmem-first-[^/]*\.wasm$/.test(f));
				if (!worker || !module) throw new Error("The build lacks the worker or its module.");
				const tag = (rel: string, file: string, more = {}) => ({
					tag: "link",
					attrs: { rel, href: `./${file}`, crossorigin: true, ...more },
					injectTo: "head" as const,
				});
				return [tag("modulepreload", worker), tag("preload", module, { as: "fetch" })];
			},
		},
	};
}
