/// <reference types="vite/client" />

/** Files inside a page that is opened from a disk, as base64: web/build/on_disk.ts makes it. */
declare module "virtual:own-files" {
	export const FILES: Readonly<Record<string, string>>;
}

/** A document that the page shows: web/build/mdx.ts makes it a component. */
declare module "*.md" {
	import type { ComponentType } from "react";

	const Text: ComponentType<{ readonly components?: Readonly<Record<string, unknown>> }>;
	// biome-ignore lint/style/noDefaultExport: a module that MDX makes has nothing else
	export default Text;
}
