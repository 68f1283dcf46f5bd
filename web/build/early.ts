/**
 * What the first view needs and the browser would find out about late - the page's script behind the boot script, the
 * worker's, the list of recordings - is named in the page itself.
 */
import type { Plugin } from "vite";

/** As much of the bundle as is looked at here. */
type Files = Readonly<Record<string, File>>;
type File =
	| { readonly type: "asset" }
	| {
			readonly type: "chunk";
			readonly facadeModuleId: string | null;
			readonly imports: readonly string[];
	  };

export function early(): Plugin {
	return {
		name: "early",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (html, { bundle }) => {
				const files: Files = bundle ?? {};
				const named = Object.keys(files);
				const scripts = [...mainOf(files), ...named.filter((f) => /\/worker-[^/]*\.js$/.test(f))];
				const tag = (rel: string, file: string, more = {}) => ({
					tag: "link",
					attrs: { rel, href: `./${file}`, crossorigin: true, ...more },
					injectTo: "head" as const,
				});
				return [
					...scripts
						.filter((file) => !html.includes(file))
						.map((file) => tag("modulepreload", file)),
					tag("preload", "traces/index.json", { as: "fetch" }),
				];
			},
		},
	};
}

/** The page's script and all that it imports at once. */
function mainOf(files: Files): string[] {
	const found = new Set<string>();
	const add = (name: string) => {
		const file = files[name];
		if (found.has(name) || file?.type !== "chunk") return;
		found.add(name);
		for (const other of file.imports) add(other);
	};
	for (const [name, file] of Object.entries(files))
		if (file.type === "chunk" && file.facadeModuleId?.endsWith("/main.tsx")) add(name);
	return [...found];
}
