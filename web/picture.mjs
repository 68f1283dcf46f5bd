// picture.mjs - takes the pictures of the README and the tutorial from the built page.
//
// 	npm run picture
//
// Chromium runs by a clock that only this script advances, so the script captures every frame of every movement,
// however slow the computer is. The page, the traces and the steps are the same each time.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";
import { readPng, writeApng } from "./apng.mjs";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const DOCS = join(WEB, "..", "docs");
/** Wide enough for the page's desktop layout. */
const VIEWPORT = { width: 1200, height: 720 };
const MOST_BYTES = 300_000;
const MOST_BYTES_MOVING = 1_500_000;
const LAUNCH = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"];

/** Any time will do. */
const START = Date.UTC(2026, 0, 1);
/** Objects move for 280 ms. */
const FRAME_MS = 40;
const FRAMES_A_MOVEMENT = 8;
/**
 * How long a sentence is shown: time to find it and time to read it. A comparison of two numbers can be read
 * elsewhere.
 */
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

const EVENT = `${HACKBENCH}&event=16424`;

/**
 * Pictures that do not move, by their file in docs/. A label points at a part of the page; it says where its disc is
 * in that part, as shares of the width and height, and what its words below the picture are.
 */
const STILLS = {
	"page.png": {
		query: EVENT,
		labels: [
			{
				part: "[data-part=chips]",
				at: [0.06, 1.1],
				words: "The trace, the cache and the machine: click to change the kernel or the allocator",
			},
			{
				part: "[data-part=consequence]",
				at: [0.985, -0.7],
				words: "What happened and why, in words",
			},
			{
				part: "[data-part=stage]",
				at: [0.06, 0.8],
				words: "Rows are levels: further down is slower. Columns are NUMA nodes",
			},
			{
				part: "[data-part=stage]",
				at: [0.65, 0.41],
				words: "The path of this event: where it asked, and where it found memory",
			},
			{
				part: "[data-part=cycles]",
				at: [0.62, 0.13],
				words: "What each part of the path cost, on one scale for all events",
			},
			{
				part: "[data-part=story]",
				at: [0.34, 0.05],
				words: "Every decision with its cost, and the kernel's rule",
			},
			{
				part: "[aria-label^='Next object']",
				at: [0.72, 0.09],
				words: "Where the next object comes from, on each CPU",
			},
			{
				part: "[data-part=plot]",
				at: [0.24, 0.2],
				words: "The whole trace: drag to any event; the numbers lead to those worth seeing",
			},
			{
				part: "[data-part=buttons]",
				at: [-0.08, 0.5],
				words: "Play and step, forwards and backwards",
			},
		],
	},
	"tutorial-suggestions.png": { query: `${EVENT}&answer=doctor` },
	"tutorial-compare.png": { query: `${EVENT}&tab=compare&with=slub,min_objects=256` },
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function untilIdle(page) {
	for (let i = 0; i < 200; i++) {
		await page.clock.runFor(100);
		await pause(50);
		if ((await page.evaluate(() => document.documentElement.dataset.idle)) === "true") return;
	}
	throw new Error("the page was not idle within 200 turns of its clock");
}

/** A frame that looks like the one before it just makes that one last longer. */
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

/** The page in a browser whose clock is stopped. */
async function openPage(context) {
	const page = await context.newPage();
	await page.clock.install({ time: START });
	await page.clock.pauseAt(START + 1000);
	return page;
}

function save(name, frames, most) {
	const picture = writeApng(frames.map(({ png, ms }) => ({ ...readPng(png), ms })));
	if (picture.length > most)
		throw new Error(`docs/${name}: ${picture.length} bytes; expected at most ${most}: show less`);
	writeFileSync(join(DOCS, name), picture);
	console.log(`docs/${name}: ${picture.length} bytes`);
}

async function film(context, address) {
	const frames = [];
	for (const passage of PASSAGES) {
		const page = await openPage(context);
		frames.push(...(await filmPassage(page, address, passage)));
		await page.close();
	}
	save("slabscope.png", frames, MOST_BYTES_MOVING);
}

async function takeStill(context, address, name, { query, labels = [] }) {
	const page = await openPage(context);
	await page.goto(`${address}?${query}`);
	await untilIdle(page);
	let png = await page.screenshot({ type: "png" });
	if (labels.length > 0) {
		const places = [];
		for (const { part, at } of labels) {
			const box = await page.locator(part).first().boundingBox();
			places.push([box.x + at[0] * box.width, box.y + at[1] * box.height]);
		}
		png = await labelled(context, png, labels, places);
	}
	save(name, [{ png, ms: 0 }], MOST_BYTES);
	await page.close();
}

const letter = (i) => String.fromCharCode(65 + i);

/** The picture with a lettered disc at each place, and what the letters mean below it. */
async function labelled(context, png, labels, places) {
	const disc = (i, style) => `<b style="${style}">${letter(i)}</b>`;
	const discs = places.map(([x, y], i) => disc(i, `position:absolute;left:${x}px;top:${y}px`));
	const words = labels.map((label, i) => `<li>${disc(i, "")}<span>${label.words}</span></li>`);
	const page = await context.newPage();
	await page.setContent(`<style>
		body { margin: 0; width: ${VIEWPORT.width}px; font: 17px/1.25 sans-serif; position: relative }
		img { display: block }
		b { box-sizing: border-box; width: 32px; height: 32px; border: 2px solid #fff; border-radius: 16px; background: #6a1b9a;
			color: #fff; font: 600 18px/28px sans-serif; text-align: center; flex: none }
		div > b { transform: translate(-50%, -50%) }
		ul { list-style: none; margin: 0; padding: 16px 20px; display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px 28px;
			border-top: 1px solid #999 }
		li { display: flex; gap: 10px; align-items: center }
	</style><div><img width="${VIEWPORT.width}" src="data:image/png;base64,${png.toString("base64")}">${discs.join("")}</div><ul>${words.join("")}</ul>`);
	const picture = await page.locator("body").screenshot({ type: "png" });
	await page.close();
	return picture;
}

async function main() {
	const server = await preview({ root: WEB, logLevel: "error", preview: { port: 0 } });
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: LAUNCH,
	});
	try {
		const address = `http://localhost:${server.httpServer.address().port}/`;
		const settings = { viewport: VIEWPORT, serviceWorkers: "block" };
		const context = await browser.newContext(settings);
		const sharp = await browser.newContext({ ...settings, deviceScaleFactor: 1.5 });
		const only = process.argv.slice(2);
		const isWanted = (name) => only.length === 0 || only.includes(name);
		for (const [name, still] of Object.entries(STILLS))
			if (isWanted(name)) await takeStill(sharp, address, name, still);
		if (isWanted("slabscope.png")) await film(context, address);
	} finally {
		await browser.close();
		await server.close();
	}
}

await main();
