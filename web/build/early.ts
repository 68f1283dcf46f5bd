/** Puts early_script.js into the built page's head, with the built names of the files that a first view needs. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { STARTER } from "../src/base/own_worker.ts";
import { TRACES } from "./traces.ts";

const SOURCE = fileURLToPath(new URL("early_script.js", import.meta.url));

export function early(): Plugin {
	let name = "";
	let text = "";
	return {
		name: "early",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (_, { bundle }) => {
				text = textFor(Object.keys(bundle ?? {}));
				// The name changes with what is in it, as those of all scripts do.
				const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
				name = `assets/early-${hash}.js`;
				const attrs = { src: `./${name}`, async: true };
				return [{ tag: "script", attrs, injectTo: "head-prepend" }];
			},
		},
		writeBundle: ({ dir }) => writeFileSync(join(dir ?? "", name), text),
	};
}

function textFor(files: readonly string[]): string {
	const [worker] = files.filter((f) => /\/worker-[^/]*\.js$/.test(f));
	const [module] = files.filter((f) => /\/kmem-first-[^/]*\.wasm$/.test(f));
	const samples: readonly { readonly file: string }[] = JSON.parse(
		readFileSync(join(TRACES, "index.json"), "utf8"),
	);
	if (!worker || !module || !samples[0])
		throw new Error("The build lacks what a first view needs.");
	const first = {
		worker: `./${worker}`,
		module: `./${module}`,
		recording: `./traces/${samples[0].file}`,
	};
	const source = readFileSync(SOURCE, "utf8").replace(/^\/\*\*[\s\S]*?\*\/\n/, "");
	return `const FIRST = ${JSON.stringify(first)};\nconst STARTER = ${JSON.stringify(STARTER)};\n${source}`;
}
