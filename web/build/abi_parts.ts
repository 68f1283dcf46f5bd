/**
 * Splits the core's generated tables (wasm/src/abi.ts) into a module for each of them. A file goes as a whole into
 * the chunk of whoever imports it first, so a first view would otherwise fetch the tables for every panel.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ABI = fileURLToPath(new URL("../../wasm/src/abi.ts", import.meta.url));
const PART = `${ABI}?part=`;
/** Where a value or a type starts; comments before it are left out. */
const BEGINS = /^(?=(?:export )?(?:const|function|interface|type) )/m;
const VALUE = /^(?:export )?(?:const|function) (\w+)/;
const WORDS = /\b[A-Za-z]\w+/g;

/** The module of a part of the tables has this in its name. */
export const isAbiPart = (id: string) => id.startsWith(PART);

export function abiParts(): Plugin {
	let parts = new Map<string, string>();
	return {
		name: "abi-parts",
		apply: "build",
		buildStart() {
			parts = partsOf(readFileSync(ABI, "utf8"));
		},
		resolveId: (id) => (isAbiPart(id) ? id : undefined),
		load: {
			order: "pre",
			handler(id) {
				if (id === ABI) return barrelOf(parts);
				return isAbiPart(id) ? moduleOf(id.slice(PART.length), parts) : undefined;
			},
		},
	};
}

/** Returns the text of each value, by its name. */
function partsOf(text: string): Map<string, string> {
	const parts = new Map<string, string>();
	for (const part of text.split(BEGINS)) {
		const name = VALUE.exec(part)?.[1];
		if (name !== undefined) parts.set(name, part);
	}
	return parts;
}

const pathOf = (name: string) => JSON.stringify(PART + name);

function barrelOf(parts: ReadonlyMap<string, string>): string {
	return [...parts.keys()].map((name) => `export { ${name} } from ${pathOf(name)};`).join("\n");
}

/** Lists a part, and the other parts that it names. */
function moduleOf(name: string, parts: ReadonlyMap<string, string>): string {
	const own = parts.get(name) ?? "";
	const named = new Set(own.match(WORDS));
	named.delete(name);
	const imports = [...named]
		.filter((word) => parts.has(word))
		.map((word) => `import { ${word} } from ${pathOf(word)};`);
	return [...imports, own.startsWith("export ") ? own : `export ${own}`].join("\n");
}
