/**
 * Builds a page that works when it is opened from a disk. Browsers do not give such a page module scripts, fetch, or
 * a worker from another file, so there is one classic script, which contains every file that a served page would
 * fetch, as base64. src/app/platform/page_files_on_disk.ts replaces page_files.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { TRACES } from "./traces.ts";

const MODULE = fileURLToPath(new URL("../../wasm/dist/kmem.wasm", import.meta.url));
const NAME = "virtual:own-files";
const PLACE = /\/page_files\.ts$/;
/**
 * Omits the worker inside the worker, which browsers do not allow in such a page; files are read without it
 * (engine/import/pull.ts).
 */
const READER = /\/reader_worker\.ts\?worker&url$/;
const NO_READER = "\0no-reader";
const RESOLVED = `\0${NAME}`;

export function ownFiles(): Plugin {
	return {
		name: "own-files",
		enforce: "pre",
		resolveId(id, importer) {
			if (id === NAME) return RESOLVED;
			if (READER.test(id)) return NO_READER;
			return PLACE.test(id)
				? this.resolve(id.replace(PLACE, "/page_files_on_disk.ts"), importer)
				: null;
		},
		load(id) {
			if (id === NO_READER) return 'export default "";';
			return id === RESOLVED ? `export const FILES = ${JSON.stringify(all())};` : undefined;
		},
	};
}

function all(): Record<string, string> {
	const index = join(TRACES, "index.json");
	const samples = JSON.parse(readFileSync(index, "utf8")) as readonly { readonly file: string }[];
	const files: Record<string, string> = {
		"kmem.wasm": base64(MODULE),
	};
	for (const { file } of samples) files[`traces/${file}`] = base64(join(TRACES, file));
	return files;
}

function base64(path: string): string {
	return readFileSync(path).toString("base64");
}

/** Removes what only a served page may have: modules, requests with an origin, a manifest. */
export function classicScript(): Plugin {
	return {
		name: "classic-script",
		transformIndexHtml: {
			order: "post",
			handler: (html) =>
				html
					.replaceAll(/<script [^>]*?type="module"[^>]*? src=/g, "<script defer src=")
					.replaceAll(/(<link rel="stylesheet") crossorigin/g, "$1")
					.replaceAll(/\s*<link rel="(?:modulepreload|manifest)"[^>]*>/g, ""),
		},
	};
}
