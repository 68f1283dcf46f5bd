/** Puts early_script.js into the head of the built page, with the built names of the files that a first view needs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import type { Sample } from "../src/app/state/store.ts";
import { STARTER } from "../src/base/load_code.ts";
import { TRACES } from "./traces.ts";

/** Browsers look for the encoding only at the very start, and a script after a style sheet waits for the sheet. */
const BEFORE = '<meta charset="utf-8" />';
const SOURCE = fileURLToPath(new URL("early_script.js", import.meta.url));

export function early(): Plugin {
	return {
		name: "early",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (html, { bundle }) => {
				if (!html.includes(BEFORE)) throw new Error(`index.html has no ${BEFORE}`);
				const script = `<script>${textFor(Object.keys(bundle ?? {}))}</script>`;
				return html.replace(BEFORE, () => `${BEFORE}\n\t\t${script}`);
			},
		},
	};
}

function textFor(files: readonly string[]): string {
	const [worker] = files.filter((f) => /\/worker-[^/]*\.js$/.test(f));
	const [module] = files.filter((f) => /\/kmem-first-[^/]*\.wasm$/.test(f));
	const samples: readonly Pick<Sample, "file" | "preset" | "machine">[] = JSON.parse(
		readFileSync(join(TRACES, "index.json"), "utf8"),
	);
	if (!worker || !module || !samples[0])
		throw new Error("The build lacks what a first view needs.");
	const first = {
		worker: `./${worker}`,
		module: `./${module}`,
		recording: `./traces/${samples[0].file}`,
		// As in inFull() of opened.ts.
		machine: { preset: samples[0].preset ?? "", values: samples[0].machine ?? {} },
	};
	const source = readFileSync(SOURCE, "utf8").replaceAll(
		/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n/gm,
		"",
	);
	// The braces keep its names out of the scope that all scripts share.
	return `{ const FIRST = ${JSON.stringify(first)}, STARTER = ${JSON.stringify(STARTER)};\n${source}}`;
}
