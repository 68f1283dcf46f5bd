/**
 * Makes the service worker of a built page: offline.js, with a list of all the build's files before it. Its version is a hash
 * over all of them, so a browser finds a new one exactly when something has changed.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const SOURCE = fileURLToPath(new URL("offline.js", import.meta.url));
const NAME = "offline.js";
/** Files that are served beside the page, but that it does not need. */
const LEFT_OUT = /^traces\/.*\.(md|sh|py)$/;

/** Runs after all plugins that write files. */
export function offline(): Plugin {
	let outDir = "";
	return {
		name: "offline",
		apply: "build",
		configResolved(config) {
			outDir = resolve(config.root, config.build.outDir);
		},
		closeBundle: {
			order: "post",
			sequential: true,
			handler() {
				writeFileSync(join(outDir, NAME), workerOf(outDir));
			},
		},
	};
}

function workerOf(folder: string): string {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
		.filter((file) => file !== NAME && !LEFT_OUT.test(file))
		.sort();
	const source = readFileSync(SOURCE, "utf8");
	const hash = createHash("sha256").update(source);
	for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
	const version = hash.digest("hex").slice(0, 16);
	const paths = files.map((file) => (file === "index.html" ? "./" : file));
	return `const VERSION = "${version}";\nconst FILES = ${JSON.stringify(paths)};\n${source}`;
}
