// firefox.test.mjs - tests the page in Firefox, driven over WebDriver BiDi: the first view, all views, files, moving, zooming, and the page
// without its server; with LONG=1 also a file of each format, comparing, the playground and a shared link. Run `vite build web` first.
// Chromium has the full suite (*.e2e.ts).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { preview } from "vite";
import { toolPath } from "../../wasm/setup.mjs";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const TOP = join(WEB, "..");
const PORT = Number(process.env.TEST_PORT ?? 4319) + 2000;
const WAIT_MS = 60_000;
/** Polls on a timer, because a browser without a window may not draw frames. */
const WAITING = { timeout: WAIT_MS, polling: 50 };
const WITHOUT_FIREFOX = toolPath("Firefox")
	? false
	: "Firefox is not installed: node wasm/setup.mjs --tests";

const IS_LONG = process.env.LONG === "1";

/** One file for each format that an import knows, and what the page calls it. */
const CORPUS = "core/test/corpus/trace";
const FORMATS = [
	["traces/two-nodes.slabtrace", "slabtrace"],
	["traces/linux-6.18-fork-and-tcp.ftrace.txt.gz", "ftrace"],
	["traces/linux-5.10-fork-and-tcp.perf.txt.gz", "perf"],
	["traces/linux-6.12-fork-and-tcp.trace-cmd.txt.gz", "ftrace"],
	[`${CORPUS}/file.perf.data`, "perf.data"],
	[`${CORPUS}/7.trace.dat`, "trace.dat"],
	[`${CORPUS}/recorded.perf-trace`, "perf trace"],
	[`${CORPUS}/recorded.bpftrace`, "bpftrace"],
	[`${CORPUS}/recorded.csv`, "csv"],
	[`${CORPUS}/glibc.mtrace`, "mtrace"],
	[`${CORPUS}/threads.ltrace`, "ltrace"],
	[`${CORPUS}/malloc.ostep`, "ostep"],
	[`${CORPUS}/short.rep`, "rep"],
];
/** One that is text, one that is packed, one that is binary. */
const SOME_FORMATS = FORMATS.filter(([, format]) => /^(slabtrace|perf|trace\.dat)$/.test(format));

let server;
let url;
let browser;
let profile;
let page;
let faults;

before(async () => {
	if (WITHOUT_FIREFOX) return;
	profile = mkdtempSync(join(tmpdir(), "slabscope-firefox-"));
	browser = await puppeteer.launch({
		browser: "firefox",
		executablePath: toolPath("Firefox"),
		headless: true,
		userDataDir: profile,
		extraPrefsFirefox: {
			"app.update.enabled": false,
			"network.captive-portal-service.enabled": false,
			// Drawing without a graphics card costs most of the time: fewer frames show the same page.
			"layout.frame_rate": 15,
			"dom.ipc.processCount": 1,
			"dom.ipc.processPrelaunch.enabled": false,
			"fission.autostart": false,
			"browser.safebrowsing.malware.enabled": false,
			"browser.safebrowsing.phishing.enabled": false,
			"extensions.enabledScopes": 0,
			"browser.tabs.remote.separatePrivilegedContentProcess": false,
		},
	});
});

after(async () => {
	await browser?.close();
	if (profile) rmSync(profile, { recursive: true, force: true });
});

beforeEach(async () => {
	if (WITHOUT_FIREFOX) return;
	server = await preview({
		root: WEB,
		preview: { host: "localhost", port: PORT, strictPort: true },
	});
	url = `http://localhost:${PORT}/`;
	page = await browser.newPage();
	await page.setViewport({ width: 1440, height: 900 });
	faults = [];
	page.on("pageerror", (error) => faults.push(error.message));
});

afterEach(async () => {
	if (WITHOUT_FIREFOX) return;
	assert.deepEqual(faults, []);
	await page.close();
	await stopServer();
});

async function stopServer() {
	const stopping = server;
	server = undefined;
	await stopping?.close();
}

function run(name, body) {
	test(name, { skip: WITHOUT_FIREFOX, timeout: 4 * WAIT_MS }, body);
}

/** Otherwise Chromium's tests cover these. */
function runLong(name, body) {
	if (IS_LONG) run(name, body);
}

async function open(query) {
	await page.goto(url + query, { waitUntil: "load" });
	await idle();
}

async function idle() {
	await page.waitForFunction(() => document.documentElement.dataset.idle === "true", WAITING);
}

const byRole = (role, name) => page.waitForSelector(`::-p-aria([role="${role}"][name="${name}"])`);

async function press(name, role = "button") {
	await (await byRole(role, name)).click();
	await idle();
}

const event = async () =>
	page.$eval('[role="slider"][aria-label="Timeline"]', (slider) => Number(slider.ariaValueNow));
const textOf = (selector) => page.$eval(selector, (element) => element.textContent);
const step = () => textOf('[role="status"][aria-label="Current step"]');

/** Counts the stage's colours: an empty one has few. */
function colours() {
	return page.$eval("[data-part=stage] canvas", (canvas) => {
		const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		return new Set(new Uint32Array(data.buffer)).size;
	});
}

run("the first view shows a running replay", async () => {
	await page.goto(url, { waitUntil: "load" });
	await page.waitForFunction(
		() =>
			/\w/.test(
				document.querySelector('[role="status"][aria-label="Current step"]')?.textContent ?? "",
			),
		WAITING,
	);
	await byRole("button", "Pause");
	await press("Pause");
	assert.ok((await colours()) > 20);
	assert.equal((await page.$$('[role="tab"]')).length, 4);
});

run("every view opens", async () => {
	await open("?trace=two-nodes.slabtrace&op=20");
	for (const tab of await page.$$('[role="tab"]')) {
		await tab.click();
		await idle();
		const panel = await tab.evaluate((element) => element.getAttribute("aria-controls"));
		assert.notEqual((await textOf(`#${panel}`)).trim(), "");
		assert.equal(await page.$(".part-failed"), null);
	}
});

run(`a file of ${IS_LONG ? "each format" : "some formats"} opens, and steps`, async () => {
	await open("?trace=two-nodes.slabtrace&op=0");
	for (const [file, format] of IS_LONG ? FORMATS : SOME_FORMATS) {
		const input = await page.waitForSelector('input[type="file"]');
		await input.uploadFile(join(TOP, file));
		const name = file.split("/").at(-1);
		await page.waitForFunction(
			(wanted) =>
				document.documentElement.dataset.idle === "true" &&
				(document.querySelector('section[aria-label="Import report"]')?.textContent ?? "").includes(
					wanted,
				),
			WAITING,
			name,
		);
		assert.match(
			await textOf('section[aria-label="Import report"]'),
			new RegExp(format, "i"),
			file,
		);
		const before = await event();
		await press("Next event");
		assert.ok((await event()) > before, file);
		assert.match(await step(), /\w/, file);
	}
});

run("it steps, plays and zooms", async () => {
	await open("?trace=two-nodes.slabtrace&op=20");
	const before = await step();
	await press("Next step");
	assert.notEqual(await step(), before);
	await press("Previous step");
	assert.equal(await step(), before);
	const at = await event();
	await (await byRole("button", "Play")).click();
	await page.waitForFunction(
		(from) =>
			Number(
				document
					.querySelector('[role="slider"][aria-label="Timeline"]')
					.getAttribute("aria-valuenow"),
			) > from,
		WAITING,
		at,
	);
	await press("Pause");
	const canvas = await page.$("[data-part=stage] canvas");
	const box = await canvas.boundingBox();
	await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3);
	await page.mouse.wheel({ deltaY: -400 });
	await byRole("button", "Fit");
	await idle();
	await press("Fit");
});

runLong("it compares two machines", async () => {
	await open("?trace=two-nodes.slabtrace&op=20&tab=compare");
	await page.waitForFunction(
		() => /slab/i.test(document.querySelector("#view-compare table")?.textContent ?? ""),
		WAITING,
	);
});

runLong("the sandbox allocates, and its link brings it back", async () => {
	await open("?trace=sandbox");
	await press("Allocate");
	await press("Allocate");
	assert.equal(await event(), 3);
	const link = await page.evaluate(() => location.href);
	await page.goto("about:blank");
	await page.goto(link);
	await idle();
	assert.equal(await event(), 3);
});

runLong("a shared link restores the view", async () => {
	await open("?trace=two-nodes.slabtrace&op=20&set.allocator=slab&tab=compare");
	await page.evaluate(() => {
		Object.defineProperty(navigator, "clipboard", {
			value: { writeText: async (text) => Object.assign(window, { copied: text }) },
		});
	});
	await press("Share");
	await press("Copy link");
	const link = await page.evaluate(() => window.copied);
	await page.goto("about:blank");
	await page.goto(link);
	await idle();
	assert.equal(await event(), 21);
	assert.equal(
		await page.$eval('[role="tab"][aria-selected="true"]', (tab) => tab.textContent.trim()),
		"Compare",
	);
});

run("it goes on without its server", async () => {
	await open("?trace=two-nodes.slabtrace&op=20");
	await page.evaluate(async () => {
		const { active } = await navigator.serviceWorker.ready;
		if (active.state !== "activated")
			await new Promise((done) => active.addEventListener("statechange", done, { once: true }));
	});
	await stopServer();
	await page.reload({ waitUntil: "load" });
	await idle();
	assert.equal(await event(), 21);
	for (const tab of await page.$$('[role="tab"]')) {
		await tab.click();
		await idle();
		assert.equal(await page.$(".part-failed"), null);
	}
});
