/**
 * Writes what the core measures of each proposal, for the page to show before anybody measures again:
 * `npm run measured`, after a change of the simulator. With --check it compares and writes nothing. It takes minutes.
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

function quantityOf(text) {
	if (text === null) return null;
	const decimals = text.split(".")[1]?.length ?? 0;
	return { value: Number(text.replace(".", "")), decimals };
}

function measured(id, stamp) {
	const options = { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] };
	const [study] = JSON.parse(
		asText(execFileSync(COMMAND, ["reproduce", id, "--json"], options)),
	).seeds;
	const figures = study.rows.map(({ table, row, column, ours, agrees, why, rule }) => ({
		table,
		row,
		column,
		ours: quantityOf(ours),
		agrees,
		why: why ?? "",
		rule: rule ?? "",
	}));
	return `${JSON.stringify({ golden: stamp, figures }, undefined, "\t")}\n`;
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
