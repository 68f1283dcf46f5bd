// zip.mjs - `npm run zip`: the page as one archive that needs no server: unpack it and open index.html from the disk.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const OUT = join(WEB, "dist-zip");
const FOLDER = join(OUT, "slabscope");
const ARCHIVE = join(OUT, "slabscope.zip");
const VITE = join(WEB, "../node_modules/vite/bin/vite.js");

const README = `Slabscope: the Linux slab allocators, made visible.

Open index.html in a browser. There is nothing to install, and nothing is sent anywhere.
Traces that you open are not kept between visits: a browser has nowhere to store them for a page on a disk.
`;

rmSync(OUT, { recursive: true, force: true });
execFileSync(
	process.execPath,
	[VITE, "build", WEB, "--mode", "disk", "--outDir", FOLDER, "--logLevel", "warn"],
	{ stdio: "inherit" },
);
writeFileSync(join(FOLDER, "README.txt"), README);
const files = {};
for (const name of readdirSync(FOLDER, { recursive: true })) {
	const path = join(FOLDER, name);
	if (statSync(path).isFile()) files[relative(OUT, path)] = readFileSync(path);
}
// The same page makes the same archive.
const zip = zipSync(files, { level: 9, mtime: new Date("2026-01-01T00:00:00") });
writeFileSync(ARCHIVE, zip);
console.log(`web/dist-zip/slabscope.zip written, ${zip.length} bytes`);
