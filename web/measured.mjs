/**
 * Writes what the core measures for each proposal, for the page to show before anybody measures again: run `npm run
 * measured` after changing the simulator. With --check it compares and writes nothing. It takes minutes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../core/build/slabscope", import.meta.url));
const GOLDEN = new URL("../core/test/golden/seeds.txt", import.meta.url);
const FOLDER = new URL("src/views/experiments/measured/", import.meta.url);
const PROPOSALS = ["000", "001", "002", "003", "004"];

/** JSON numbers have no trailing zeros; these are digits as printed. */
const asText = (json) => json.replaceAll(/"ours": (-?[\d.]+)/g, '"ours": "$1"');

/** The number of a sentence in the file, which has each sentence only once; 0 means none. */
function placeIn(sentences, sentence) {
	const known = sentences.indexOf(sentence);
	return known < 0 ? sentences.push(sentence) - 1 : known;
}

/** As shipped.ts reads it; a figure is one line. */
function measured(id, stamp) {
	const options = { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] };
	const [study] = JSON.parse(
		asText(execFileSync(COMMAND, ["reproduce", id, "--json"], options)),
	).seeds;
	const sentences = [""];
	const figures = {};
	for (const { table, row, column, ours, agrees, why, rule } of study.rows) {
		figures[table] ??= {};
		figures[table][row] ??= {};
		const places = [why, rule].map((sentence) => placeIn(sentences, sentence ?? ""));
		figures[table][row][column] =
			`[${[ours, agrees, ...places].map((part) => JSON.stringify(part)).join(", ")}]`;
	}
	const text = JSON.stringify({ golden: stamp, sentences, figures }, undefined, "\t");
	return `${text.replaceAll(/"(\[.*\])"(?=,?$)/gm, (_, figure) => figure.replaceAll('\\"', '"'))}\n`;
}

const stamp = createHash("sha256").update(readFileSync(GOLDEN)).digest("hex");
mkdirSync(FOLDER, { recursive: true });
for (const id of PROPOSALS) {
	const file = new URL(`${id}.json`, FOLDER);
	const text = measured(id, stamp);
	if (!process.argv.includes("--check")) writeFileSync(file, text);
	else if (readFileSync(file, "utf8") !== text) {
		console.error(
			`views/experiments/measured/${id}.json is not what the core measures: run npm run measured`,
		);
		process.exitCode = 1;
	}
}
