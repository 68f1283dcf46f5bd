// format.mjs - formats the C files: clang-format by .clang-format, in the version that the lock file pins.
//
//   node wasm/format.mjs            names the files that are not formatted
//   node wasm/format.mjs --write    formats them
//
// Tables (*.def) are laid out by hand. TypeScript is Biome's.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "@wasm-fmt/clang-format";

const TOP = dirname(dirname(fileURLToPath(import.meta.url)));

function main() {
	const style = readFileSync(join(TOP, ".clang-format"), "utf8");
	const write = process.argv.includes("--write");
	const files = readdirSync(join(TOP, "core"), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.[ch]$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => !file.startsWith(join(TOP, "core", "build")));
	const off = files.filter((file) => {
		const text = readFileSync(file, "utf8");
		const formatted = format(text, file, style);
		if (formatted !== text && write) {
			writeFileSync(file, formatted);
		}
		return formatted !== text;
	});
	for (const file of off) {
		console.log(
			`${relative(TOP, file)} ${write ? "formatted" : "is not formatted: npm run format fixes it"}`,
		);
	}
	process.exitCode = off.length > 0 && !write ? 1 : 0;
}

main();
