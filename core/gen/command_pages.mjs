// command_pages.mjs - writes docs/command.md and a page for each command, docs/command/NAME.md, from what --help prints.
//
//	npm run commands
//	node core/gen/command_pages.mjs --check     fails if a page is not what --help says
//
// A page starts with the part that is made here. What comes after END is written by hand, and stays.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../build/slabscope", import.meta.url));
const INDEX = new URL("../../docs/command.md", import.meta.url);
const PAGES = new URL("../../docs/command/", import.meta.url);

const made = (source) =>
	`<!-- Made from \`slabscope ${source}\` by \`npm run commands\`, up to the next such line: change the command's table, not this. -->`;
const END = "<!-- Written by hand from here on. -->";

/** Why the test of the documents can't run the examples of these commands. */
const NOT_RUN = {
	bench: "it takes a minute",
	check: "it needs the states of a run",
	compare: "it needs two traces of one machine",
	counters: "it needs the counters of a kernel",
	export: "it needs DuckDB",
	lookup: "it needs the report of a machine",
	merge: "it needs several files of one machine",
	reproduce: "it takes minutes",
	run: "it needs a program and a repository",
};

function help(...words) {
	const { status, stdout, stderr } = spawnSync(COMMAND, [...words, "--help"], { encoding: "utf8" });
	if (status !== 0) throw new Error(`slabscope ${words} --help: ${stderr}`);
	return stdout;
}

const OPTION_WORD =
	/(?<![\w-])--?[a-z][a-z-]*(?![\w-])(?: (?:[A-Z]|[A-Z]{2,}(?:=[A-Z]+)?|help)\b(?!\w))?/g;

/** Turns options into code, unless they are code already. */
const marked = (text) =>
	text
		.split("`")
		.map((part, i) => (i % 2 ? part : part.replaceAll(OPTION_WORD, "`$&`")))
		.join("`");

/** Indented lines are a table and keep their line breaks. */
const prose = (details) =>
	details
		.split(/\n\n|\n(?= {2})(?<!\n {2}.*\n)|(?<=\n {2}.*)\n(?! {2})/)
		.map((part) => (part.startsWith("  ") ? `\`\`\`text\n${part}\n\`\`\`` : marked(part)))
		.join("\n\n");

function table(lines) {
	const rows = lines.split("\n").map((line) => {
		const [, letter, option, value, meaning] =
			/^ {2}(?:(-\w), | {4})(--[a-z-]+)(?: ([^ a-z][^ ]*))? +(.+)$/.exec(line) ?? [];
		if (!option) throw new Error(`not the line of an option: ${line}`);
		const name = [letter, option].filter(Boolean).join("`, `");
		const code = `\`${name}${value ? ` ${value}` : ""}\``.replaceAll("|", "\\|");
		return `| ${code} | ${marked(meaning).replaceAll("|", "\\|")} |`;
	});
	return `| option | meaning |\n|---|---|\n${rows.join("\n")}`;
}

/** Splits the --help of a command into its parts. */
function partsOf(name) {
	const [usage, ...rest] = help(name).trimEnd().split("\n\n");
	const titled = /^(?:(\w+) )?(options|example):\n([\s\S]*)$/;
	const details = rest.filter((part) => !titled.test(part)).join("\n\n");
	const sections = rest.map((part) => titled.exec(part)).filter(Boolean);
	const own = sections.find(([, title, what]) => !title && what === "options")?.[3];
	const example = sections.find(([, , what]) => what === "example")[3].replaceAll(/^ {2}/gm, "");
	const shared = new Map(
		sections.filter(([, title]) => title).map(([, title, , rows]) => [title, rows]),
	);
	return { usage: usage.replace("usage: ", ""), details, own, example, shared };
}

const sentence = (summary) => `${summary[0].toUpperCase()}${summary.slice(1)}.`;

function list(words) {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function page({ name, summary, parts }) {
	const { usage, details, own, example, shared } = parts;
	const links = [...shared.keys()].map((title) => `[${title}](../command.md#${title}-options)`);
	const exits = usage.includes("-- PROGRAM")
		? ""
		: "\nThe exit status is the [same for all commands](../command.md#exit-status).\n";
	const mark = NOT_RUN[name] ? `<!-- sh: not run, ${NOT_RUN[name]} -->\n` : "";
	return `# slabscope ${name}

${made(`${name} --help`)}

${sentence(summary)}

Usage: \`${usage}\`

${prose(details)}

${own ? `## Options\n\n${table(own)}\n\nIt also takes` : "It takes"} ${list(links)} options.

## Example

${mark}\`\`\`sh
${example}
\`\`\`
${exits}`;
}

/** Each option that commands share, once, in the order in which they first appear. */
function sharedOptions(commands) {
	const titles = new Map();
	for (const { parts } of commands)
		for (const [title, rows] of parts.shared)
			titles.set(title, new Set([...(titles.get(title) ?? []), ...rows.split("\n")]));
	return [...titles].map(([title, rows]) => {
		const heading = `${title[0].toUpperCase()}${title.slice(1)} options`;
		return `### ${heading}\n\n${table([...rows].join("\n"))}\n`;
	});
}

/** The groups of --help, each with its title and its commands. */
function groupsOf(text) {
	const group = /^(\w[^\n]*):\n((?: {2}[a-z]+ {2,}.*\n)+)/gm;
	return [...text.matchAll(group)].map(([, title, lines]) => ({
		title,
		commands: [...lines.matchAll(/^ {2}([a-z]+) +(.*)$/gm)].map(([, name, summary]) => ({
			name,
			summary,
			parts: partsOf(name),
		})),
	}));
}

function index(groups) {
	const tables = groups.map(({ title, commands }) => {
		const rows = commands.map(
			({ name, summary }) => `| [\`${name}\`](command/${name}.md) | ${summary} |`,
		);
		return `### ${title}\n\n| command | what it does |\n|---|---|\n${rows.join("\n")}\n`;
	});
	return `# The command

${made("--help")}

\`make -C core\` builds \`core/build/slabscope\` with nothing but a C compiler and make. Below, \`slabscope\` is that file. \`TRACE\` is a file in any of
the [formats](formats.md), compressed or not; \`-\` is standard input; \`workload:NAME?seed=1\` generates a trace. \`slabscope NAME --help\` prints what
a command's page says.

## Commands

${tables.join("\n")}
## Options that many commands share

${sharedOptions(groups.flatMap(({ commands }) => commands)).join("\n")}`;
}

/** Adds what was written by hand. A page without the END line is refused: all of it might be by hand. */
function whole(url, head) {
	const text = existsSync(url) ? readFileSync(url, "utf8") : END;
	const [, tail] = text.split(END);
	if (tail === undefined) throw new Error(`${fileURLToPath(url)}: expected the line ${END}`);
	return tail.trim() ? `${head}\n${END}\n\n${tail.trim()}\n` : `${head}\n${END}\n`;
}

const groups = groupsOf(help());
const commands = groups.flatMap((group) => group.commands);
const files = new Map([
	[INDEX, index(groups)],
	...commands.map((command) => [new URL(`${command.name}.md`, PAGES), page(command)]),
]);

mkdirSync(PAGES, { recursive: true });
const names = new Set(commands.map(({ name }) => `${name}.md`));
for (const [url, head] of files) {
	const text = whole(url, head);
	if (!process.argv.includes("--check")) {
		writeFileSync(url, text);
	} else if (!existsSync(url) || readFileSync(url, "utf8") !== text) {
		console.error(`${fileURLToPath(url)}: is not what --help says; run npm run commands`);
		process.exitCode = 1;
	}
}
for (const file of readdirSync(PAGES).filter((file) => !names.has(file))) {
	console.error(`docs/command/${file}: no command has that name: delete the page`);
	process.exitCode = 1;
}
