// picture.mjs - takes the animated picture of the README from the built page: docs/slabscope.png.
//
//	npm run picture
//
// Chromium runs by a clock that only this script moves, so every frame of every movement is taken, however slow the
// computer is. The result is the same page, the same traces and the same steps each time.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";
import { readPng, writeApng } from "./apng.mjs";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const OUT = join(WEB, "..", "docs", "slabscope.png");
/** Wide enough for the page as it is on a desk. */
const VIEWPORT = { width: 1200, height: 720 };
const MOST_BYTES = 1_500_000;
const LAUNCH = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"];

/** Any time will do. */
const START = Date.UTC(2026, 0, 1);
/** Objects move for 280 ms. */
const FRAME_MS = 40;
const FRAMES_A_MOVEMENT = 8;
/** How long a sentence is shown: to find it, and to read it; what compares two numbers may be read elsewhere. */
const COMPARES = /modulo|against/;
const readingMs = (text) => (COMPARES.test(text) ? 200 : 350 + 6 * text.length);
/** The worker answers in its own time, which the page's clock does not know. */
const ANSWER_MS = 120;

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512";

/** Passages of a trace: a fast allocation and a slow one, a free from another node, a per-CPU partial list that overflows. */
const PASSAGES = [
	{ query: `${HACKBENCH}&show=focus&event=7000`, steps: 1 },
	{ query: `${HACKBENCH}&show=focus&event=16424&step=1`, steps: 13 },
	{ query: `${HACKBENCH}&show=focus&event=12721&step=1`, steps: 3 },
	{ query: `${HACKBENCH}&show=focus&event=16805&step=1`, steps: 10 },
];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function untilIdle(page) {
	for (let i = 0; i < 200; i++) {
		await page.clock.runFor(100);
		await pause(50);
		if ((await page.evaluate(() => document.documentElement.dataset.idle)) === "true") return;
	}
	throw new Error("the page was not idle within 200 turns of its clock");
}

/** What looks like the frame before it makes that one last longer. */
async function take(page, frames, ms) {
	const png = await page.screenshot({ type: "png" });
	const last = frames.at(-1);
	if (last?.png.equals(png)) last.ms += ms;
	else frames.push({ png, ms });
}

async function filmPassage(page, address, { query, steps }) {
	const frames = [];
	await page.goto(`${address}?${query}`);
	await untilIdle(page);
	for (let step = 0; step < steps; step++) {
		if (step > 0) await filmStep(page, frames);
		await untilIdle(page);
		const sentence = await page.getByLabel("Current step").textContent();
		await take(page, frames, readingMs(sentence));
		console.log(`  ${sentence}`);
	}
	return frames;
}

async function filmStep(page, frames) {
	await page.getByRole("button", { name: "Next step" }).click();
	await page.mouse.move(VIEWPORT.width - 1, 1);
	await page.clock.runFor(FRAME_MS);
	await pause(ANSWER_MS);
	for (let i = 0; i < FRAMES_A_MOVEMENT; i++) {
		await page.clock.runFor(FRAME_MS);
		await take(page, frames, FRAME_MS);
	}
}

async function main() {
	const server = await preview({ root: WEB, logLevel: "error", preview: { port: 0 } });
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: LAUNCH,
	});
	try {
		const address = `http://localhost:${server.httpServer.address().port}/`;
		const context = await browser.newContext({
			viewport: VIEWPORT,
			serviceWorkers: "block",
		});
		const frames = [];
		for (const passage of PASSAGES) {
			const page = await context.newPage();
			await page.clock.install({ time: START });
			await page.clock.pauseAt(START + 1000);
			frames.push(...(await filmPassage(page, address, passage)));
			await page.close();
		}
		const picture = writeApng(frames.map(({ png, ms }) => ({ ...readPng(png), ms })));
		if (picture.length > MOST_BYTES)
			throw new Error(`${picture.length} bytes; expected at most ${MOST_BYTES}: show fewer steps`);
		writeFileSync(OUT, picture);
		const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
		console.log(`docs/slabscope.png: ${picture.length} bytes, ${seconds.toFixed(1)} seconds`);
	} finally {
		await browser.close();
		await server.close();
	}
}

await main();
