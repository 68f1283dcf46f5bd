/** Turns lessons (MDX) and documents shown in the page (Markdown) into modules. */
import { compile } from "@mdx-js/mdx";
import remarkGfm from "remark-gfm";
import type { Plugin } from "vite";

export function mdx(): Plugin {
	return {
		name: "mdx",
		enforce: "pre",
		async transform(value, path) {
			if (!/\.mdx?$/.test(path)) return undefined;
			const module = await compile({ value, path }, { remarkPlugins: [remarkGfm] });
			return { code: String(module), map: null };
		},
	};
}
