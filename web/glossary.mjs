// glossary.mjs - writes docs/glossary.md from the table that the page's definitions come from.
//
// 	npm run glossary
// 	node web/glossary.mjs --check     fails if the document is not what the table says

import { readFileSync, writeFileSync } from "node:fs";

const TABLE = new URL("src/ui/glossary.json", import.meta.url);
const DOCUMENT = new URL("../docs/glossary.md", import.meta.url);

const HEAD = `# Glossary

<!-- Written by \`npm run glossary\` from web/src/ui/glossary.json: change the table, not this file. -->

Terms of the kernel and of Slabscope. Source files refer to Linux 6.1; sheaves and barns to 7.2. The page shows the same
definitions when you point at an underlined term or reach it with Tab.

| term | meaning | in the kernel |
|---|---|---|
`;

const code = (text) => `\`${text}\``;

function row([term, { is, also, source }]) {
	const place = [source ? code(source) : "", also ? code(also) : ""].filter(Boolean).join(", ");
	return `| **${term}** | ${is} | ${place} |`;
}

function text() {
	const terms = Object.entries(JSON.parse(readFileSync(TABLE, "utf8")));
	const sorted = terms.toSorted(([a], [b]) => a.toLowerCase().localeCompare(b.toLowerCase(), "en"));
	return `${HEAD}${sorted.map(row).join("\n")}\n`;
}

if (!process.argv.includes("--check")) writeFileSync(DOCUMENT, text());
else if (readFileSync(DOCUMENT, "utf8") !== text()) {
	console.error(
		"docs/glossary.md differs from web/src/ui/glossary.json: run npm run glossary to write it again",
	);
	process.exitCode = 1;
}
