// setup.mjs - prepares a fresh computer for `npm start` and `npm test`; it needs only node.
//
//   node wasm/setup.mjs           what building and serving need: npm packages, cc, make, emcc
//   node wasm/setup.mjs --tests   and what the tests need: clang, Chromium, Firefox, gzip, zstd, xz
//
// It first prints what it will install and how to do that by hand. npm packages go into this folder. It asks before it
// installs anything into the system, except in continuous integration (CI=true) and with --yes, which `npm start --yes`
// and `npm test --yes` pass on. If it can't continue, it stops with the command to run. Existing tools are only looked
// up on PATH, so a second run costs nothing. It uses only node's built-in modules, because it runs before any package
// is installed.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync, readSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = [20, 19];
const TOP = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * One tool: the variable that overrides the look-up, its names on PATH (or absolute paths), and the packages that
 * contain it. `byHand` is the command to run if no package manager is available.
 */
const TOOLS = [
	{
		what: "a C compiler",
		commands: ["cc"],
		apt: ["gcc", "libc6-dev"],
		byHand: "xcode-select --install",
	},
	{ what: "make", commands: ["make"], apt: ["make"], byHand: "xcode-select --install" },
	{
		what: "emcc (C to WebAssembly)",
		variable: "EMCC",
		commands: ["emcc"],
		apt: ["emscripten"],
		brew: ["emscripten"],
		byHand:
			"git clone https://github.com/emscripten-core/emsdk && cd emsdk && ./emsdk install latest && ./emsdk activate latest && . ./emsdk_env.sh",
	},
	{
		what: "clang",
		tests: true,
		commands: ["clang"],
		apt: ["clang", "libclang-rt-dev"],
		byHand: "xcode-select --install",
	},
	{
		what: "Chromium",
		tests: true,
		variable: "CHROMIUM",
		commands: [
			"chromium",
			"chromium-browser",
			"google-chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		],
		apt: ["chromium", "fonts-liberation"],
		brew: ["--cask", "chromium"],
	},
	{
		what: "Firefox",
		tests: true,
		variable: "FIREFOX",
		commands: ["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"],
		apt: ["firefox-esr"],
		brew: ["--cask", "firefox"],
	},
	{ what: "gzip", tests: true, commands: ["gzip"], apt: ["gzip"] },
	{ what: "zstd", tests: true, commands: ["zstd"], apt: ["zstd"], brew: ["zstd"] },
	{ what: "xz", tests: true, commands: ["xz"], apt: ["xz-utils"], brew: ["xz"] },
];

/** The path of a command, or undefined. A name with a slash is a path already. */
function find(command) {
	const folders = (process.env.PATH ?? "").split(delimiter);
	const paths = command.includes("/") ? [command] : folders.map((folder) => join(folder, command));
	return paths.find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

/** The command of a tool in the table on this computer; wasm/build.mjs and the tests use it. */
export function toolPath(what) {
	const tool = TOOLS.find((t) => t.what.startsWith(what));
	const override = tool.variable && process.env[tool.variable];
	return override || tool.commands.map(find).find((path) => path !== undefined);
}

function say(text) {
	process.stdout.write(`setup: ${text}\n`);
}

/** Ends the process: one sentence, and the command to type on a line of its own. */
function stop(why, command) {
	process.stderr.write(`setup: ${why}\n${command ? `\n    ${command}\n\n` : ""}`);
	process.exit(1);
}

function run(command, args, options = {}) {
	say([command, ...args].join(" "));
	return spawnSync(command, args, { cwd: TOP, stdio: "inherit", ...options }).status === 0;
}

function checkNode() {
	const [major, minor] = process.versions.node.split(".").map(Number);
	if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
		stop(
			`node ${process.versions.node} is too old: ${OLDEST_NODE.join(".")} or newer is needed. ` +
				"Get it from https://nodejs.org.",
		);
	}
}

/** Locked packages missing from node_modules in their locked version; npm keeps its own list of installed packages. */
function missingPackages() {
	const listed = join(TOP, "node_modules", ".package-lock.json");
	if (!existsSync(join(TOP, "package-lock.json")) || !existsSync(listed)) {
		return ["all"];
	}
	const wanted = JSON.parse(readFileSync(join(TOP, "package-lock.json"), "utf8")).packages;
	const have = JSON.parse(readFileSync(listed, "utf8")).packages;
	return Object.keys(wanted).filter(
		(key) =>
			key !== "" &&
			!wanted[key].optional &&
			!wanted[key].devOptional &&
			wanted[key].version !== have[key]?.version,
	);
}

function installPackages() {
	if (missingPackages().length === 0) {
		return;
	}
	const command = "npm ci --no-audit --no-fund";
	say(`installing the npm packages of package-lock.json into node_modules/. By hand: ${command}`);
	// Never npm install: it may install other versions than the lock file's.
	if (!run("npm", command.split(" ").slice(1))) {
		stop("npm ci failed; its message is above. To try again:", command);
	}
}

/** Whether somebody is there to answer. */
const isTerminal = () => isatty(0) && isatty(1);

/** Whether tools may be installed into the system: allowed by an option, by continuous integration, or by an answer. */
function isAllowed(through) {
	const { CI, npm_config_yes } = process.env;
	if (process.argv.includes("--yes") || npm_config_yes === "true" || (CI && CI !== "false")) {
		return true;
	}
	if (!isTerminal()) {
		return false;
	}
	process.stdout.write(`setup: install them now with ${through}? [y/N] `);
	const answer = Buffer.alloc(100);
	return /^y(es)?$/i.test(answer.toString("utf8", 0, readSync(0, answer)).trim());
}

/** apt-get with the rights it needs; undefined if there is no apt-get or no way to get them. sudo only asks in a terminal. */
function aptCommand() {
	if (!find("apt-get")) {
		return undefined;
	}
	if (process.getuid() === 0) {
		return ["apt-get"];
	}
	const sudo = isTerminal() ? ["sudo"] : ["sudo", "-n"];
	return find("sudo") ? [...sudo, "apt-get"] : undefined;
}

function apt(packages) {
	const [command, ...first] = aptCommand();
	const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
	const lists = "/var/lib/apt/lists";
	const install = [...first, "install", "-y", "-q", "--no-install-recommends", ...packages];
	const known = existsSync(lists) && readdirSync(lists).some((name) => name.endsWith("Packages"));
	if (known && run(command, install, options)) {
		return true;
	}
	return run(command, [...first, "update", "-q"], options) && run(command, install, options);
}

/** The package manager that can install all of these here, or undefined. */
function installer(tools) {
	if (aptCommand()) {
		return "apt-get";
	}
	return find("brew") && tools.every((tool) => tool.brew) ? "brew" : undefined;
}

function installTools(tools) {
	if (installer(tools) === "apt-get") {
		return apt(tools.flatMap((tool) => tool.apt));
	}
	return tools.every((tool) => run("brew", ["install", ...tool.brew]));
}

function commandByHand(tools) {
	if (find("apt-get")) {
		return `sudo apt-get update && sudo apt-get install -y ${tools.flatMap((tool) => tool.apt).join(" ")}`;
	}
	const lines = tools.map((tool) => {
		if (find("brew") && tool.brew) {
			return `brew install ${tool.brew.join(" ")}`;
		}
		return tool.byHand ?? `# install ${tool.what} with this system's package manager`;
	});
	return [...new Set(lines)].join("\n    ");
}

function main() {
	checkNode();
	installPackages();
	const wanted = TOOLS.filter((tool) => !tool.tests || process.argv.includes("--tests"));
	const isMissing = (tool) => toolPath(tool.what) === undefined;
	const missing = wanted.filter(isMissing);
	if (missing.length === 0) {
		return;
	}
	const through = installer(missing);
	say(`this machine lacks ${missing.map((tool) => tool.what).join(", ")}`);
	if (through) {
		say(`${through} has them. By hand:\n\n    ${commandByHand(missing)}\n`);
		if (!isAllowed(through)) {
			stop(
				"nothing was installed into the system. Run the command above, or let setup do it:",
				`node wasm/setup.mjs ${[...process.argv.slice(2), "--yes"].join(" ")}`,
			);
		}
		installTools(missing);
	}
	const still = missing.filter(isMissing);
	if (still.length > 0) {
		stop(
			`could not install ${still.map((tool) => tool.what).join(", ")} from here. ` +
				"Run this, then the same command again:",
			commandByHand(still),
		);
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	main();
}
