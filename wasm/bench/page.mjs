// page.mjs - measures the page in Chromium: how fast it reads a file, draws and scrubs, against the same browser
// doing nothing else. core.mjs runs it, after `vite build web`.
//
// The page is observed from outside: calls to its worker, the answers' handlers and frames are timed by wrapping them
// before the page starts.

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PORT = 4327;
const READS = 9;
const SCRUBS = 120;
const ROUNDS = 4;

export function median(numbers) {
	return quantile(numbers, 0.5);
}

/**
 * Figures of one run. The median of several runs counts, because a busy computer slows some down. 0 if none is over 50 ms.
 */
function longest(tasks) {
	return Math.max(0, ...tasks);
}

function quantile(numbers, share) {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Runs in the page before any of its scripts. */
function instrument() {
	const seen = { sentMs: 0, trips: [], answers: [], work: 0, frames: [], longTasks: [] };
	globalThis.bench = seen;
	const observer = new PerformanceObserver((list) => {
		for (const task of list.getEntries()) seen.longTasks.push(task.duration);
	});
	observer.observe({ type: "longtask" });
	const timed =
		(run) =>
		(...args) => {
			const begin = performance.now();
			const result = run(...args);
			seen.work += performance.now() - begin;
			return result;
		};
	const post = Worker.prototype.postMessage;
	Worker.prototype.postMessage = function (...args) {
		seen.sentMs = performance.now();
		return post.apply(this, args);
	};
	Worker.prototype.addEventListener = function (type, listener, options) {
		const handle = timed((event) => listener(event));
		const wrapped = (event) => {
			seen.trips.push(performance.now() - seen.sentMs);
			seen.answers.push((event.data?.answeredMs ?? NaN) - performance.timeOrigin - seen.sentMs);
			handle(event);
		};
		return EventTarget.prototype.addEventListener.call(this, type, wrapped, options);
	};
	document.addEventListener(
		"change",
		(event) => {
			seen.file = event.target.files?.[0] ?? seen.file;
		},
		true,
	);
	const raf = globalThis.requestAnimationFrame.bind(globalThis);
	globalThis.requestAnimationFrame = (run) => raf(timed(run));
	globalThis.plainFrame = raf;
}

/**
 * In the worker: each answer carries the time at which it was given. In the page it may wait until the previous frame
 * is drawn; that time is counted there.
 */
function instrumentWorker() {
	const post = globalThis.postMessage.bind(globalThis);
	globalThis.postMessage = (message, ...rest) => {
		if (typeof message === "object")
			message.answeredMs = performance.timeOrigin + performance.now();
		post(message, ...rest);
	};
}

/** In the page: frames per second of the idle page. */
async function idleRate(frames) {
	const begin = performance.now();
	for (let i = 0; i < frames; i++) await new Promise((resolve) => globalThis.plainFrame(resolve));
	return (frames * 1000) / (performance.now() - begin);
}

/**
 * In the page: drags the timeline to a share of its width in each frame. A frame costs the worker's time for it,
 * and the time in handlers and drawing here.
 */
async function scrub(shares) {
	const bench = globalThis.bench;
	const box = document.querySelector("[role=slider][aria-label=Timeline]");
	const { left, top, width } = box.getBoundingClientRect();
	const fire = (type, share) =>
		box.dispatchEvent(
			new PointerEvent(type, {
				bubbles: true,
				pointerId: 1,
				buttons: type === "pointerup" ? 0 : 1,
				clientX: left + share * width,
				clientY: top + 5,
			}),
		);
	box.setPointerCapture = () => {};
	fire("pointerdown", shares[0]);
	await new Promise((resolve) => setTimeout(resolve, 500));
	bench.longTasks.length = 0;
	const costs = [];
	let frames = 0;
	const begin = performance.now();
	for (const share of shares) {
		bench.work = 0;
		bench.trips.length = 0;
		bench.answers.length = 0;
		const start = performance.now();
		fire("pointermove", share);
		const asking = performance.now() - start;
		// Its answer may come after the frame, and is drawn in the one after that.
		for (let waited = 0; waited < 2; waited += bench.answers.length > 0 ? 1 : 0) {
			await new Promise((resolve) => globalThis.plainFrame(resolve));
			frames++;
		}
		costs.push({
			page: bench.work + asking,
			worker: bench.answers.reduce((a, b) => a + b, 0),
			answer: bench.trips.reduce((a, b) => Math.max(a, b), 0),
		});
	}
	const rate = (frames * 1000) / (performance.now() - begin);
	fire("pointerup", shares.at(-1));
	return { rate, costs, longTasks: [...bench.longTasks] };
}

/**
 * In the page: reads the file and does nothing else, through two 4 MiB buffers as the worker does. 0 if the browser
 * lost a read.
 */
async function readOnly() {
	const begin = performance.now();
	const reader = globalThis.bench.file.stream().getReader({ mode: "byob" });
	const late = new Promise((resolve) => setTimeout(() => resolve({ late: true }), 10_000));
	let next = reader.read(new Uint8Array(4 << 20));
	let spare = new ArrayBuffer(4 << 20);
	for (;;) {
		const { value, done, late: isLate } = await Promise.race([next, late]);
		if (isLate) return 0;
		if (done) return performance.now() - begin;
		next = reader.read(new Uint8Array(spare));
		spare = value.buffer;
	}
}

const LAUNCH = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];

async function idle(page) {
	await page.locator("html[data-idle=true]").waitFor({ timeout: 120_000 });
}

/** Opens a file as a visitor would, and returns the figures of the import report. */
async function openFile(page, path) {
	await page.evaluate(() => globalThis.bench.longTasks.splice(0));
	await page.getByLabel("Trace file").setInputFiles(path);
	await page.locator("html[data-idle=false]").waitFor();
	await idle(page);
	const longTasks = await page.evaluate(() => [...globalThis.bench.longTasks]);
	// The sheet of the trace opens by itself.
	await page.getByRole("button", { name: "Show the full report" }).click();
	const text = await page.getByRole("dialog", { name: "Import report" }).textContent();
	await page.keyboard.press("Escape");
	const seconds = (what) => Number(new RegExp(`${what}([\\d.]+) s`).exec(text)?.[1]);
	return { read: seconds("read in"), replay: seconds("replayed in"), longTasks };
}

/** How much storage the browser has for opened traces; without a number, its default. */
async function allowStorage(page, quotaSize) {
	const client = await page.context().newCDPSession(page);
	const origin = new URL(page.url()).origin;
	await client.send("Storage.overrideQuotaForOrigin", { origin, ...(quotaSize && { quotaSize }) });
}

async function measureReading(page, file) {
	const pairs = [];
	// Keeping traces in the background would take time from the next one.
	await allowStorage(page, 1000);
	for (let i = 0; i <= READS; i++) {
		// Another time, another file.
		utimesSync(file, i + 1, i + 1);
		const { read, replay, longTasks } = await openFile(page, file);
		const only = (await page.evaluate(readOnly)) / 1000;
		if (only > 0) pairs.push({ read, replay, longTasks, only });
	}
	await allowStorage(page);
	utimesSync(file, 0, READS + 2);
	await openFile(page, file);
	// The list of recent traces is in the sheet.
	const list = page.getByRole("combobox", { name: "Trace", exact: true });
	if ((await list.count()) === 0)
		await page
			.getByRole("button", { name: /^Trace/ })
			.first()
			.click();
	await list.locator("optgroup[label=Recent]").waitFor({ state: "attached", timeout: 120_000 });
	await page.keyboard.press("Escape");
	const again = await openFile(page, file);
	return { pairs: pairs.slice(1), again };
}

/** Visits the same positions several times and takes the least time of each, to leave out the time of other programs. */
async function measureScrub(page, shares) {
	const idleFrames = await page.evaluate(idleRate, SCRUBS);
	const rounds = [];
	for (let i = 0; i < ROUNDS; i++) rounds.push(await page.evaluate(scrub, shares));
	const least = (key) =>
		shares.map((_, i) => Math.min(...rounds.map((round) => round.costs[i][key])));
	return {
		idleFrames,
		rate: Math.max(...rounds.map((r) => r.rate)),
		page: least("page"),
		worker: least("worker"),
		answer: least("answer"),
		longest: median(rounds.map((r) => longest(r.longTasks))),
	};
}

const OBJECTS = 500_000;
const PER_SLAB = 64;

/**
 * Half a million objects of one cache; then one object per slab is kept and all others are freed: every cell changes.
 */
function cellsText() {
	const ids = Array.from({ length: OBJECTS }, (_, i) => i);
	const kept = ids.filter((i) => i % PER_SLAB !== 0);
	return [
		"slabtrace 1\nmachine cpus=2\ncache c size=64 name=cells",
		...ids.map((i) => `a ${i} c cpu=0`),
		...kept.map((i) => `f ${i} cpu=1`),
		"",
	].join("\n");
}

/** Prints the rows of the page. `text`: a trace of some 200 MB with 100,000 live objects. */
export async function benchPage(scratch, text, print) {
	const server = await preview({
		root: join(TOP, "web"),
		preview: { port: PORT, strictPort: true },
		logLevel: "warn",
	});
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: LAUNCH,
	});
	try {
		const page = await browser.newPage({
			viewport: { width: 1440, height: 900 },
			serviceWorkers: "block",
		});
		await page.addInitScript(instrument);
		await page.goto(`http://localhost:${PORT}/?op=5`);
		await idle(page);
		for (const worker of page.workers()) await worker.evaluate(instrumentWorker);
		mkdirSync(scratch, { recursive: true });
		const file = join(scratch, "large.txt");
		writeFileSync(file, text);
		const reading = await measureReading(page, file);
		printReading(reading, text.length, print);
		const shares = Array.from({ length: SCRUBS }, (_, i) => ((i * 0.618034) % 1) * 0.98 + 0.01);
		printScrub(await measureScrub(page, shares), print);
		const cells = join(scratch, "cells.slabtrace");
		writeFileSync(cells, cellsText());
		await openFile(page, cells);
		const ends = shares.map((share, i) => (i % 2 === 0 ? 0.5 : 0.9) + share * 0.05);
		printCells(await measureScrub(page, ends), print);
	} finally {
		await browser.close();
		await server.close();
	}
}

function printReading({ pairs, again }, bytes, print) {
	// Best against best: in a browser of many processes a pair has too much of others in it.
	const read = Math.min(...pairs.map((p) => p.read));
	const ratio = read / Math.min(...pairs.map((p) => p.only));
	const worst = median(pairs.map((p) => longest(p.longTasks)));
	print(
		"10 page: import / only reading",
		`${(bytes / read / 1e6).toFixed(0)} MB/s`,
		ratio,
		"<=",
		2.5,
	);
	print("10 page: longest task meanwhile", `${worst.toFixed(0)} ms`, worst, "<=", 50);
	print(
		"   page: opened again / import",
		`${(again.read * 1000).toFixed(0)} ms`,
		again.read / read,
	);
}

function printScrub({ page, worker, answer, longest }, print) {
	const both = page.map((ms, i) => ms + worker[i]);
	const p95 = quantile(both, 0.95);
	print("17 page: scrub, seek + draw, p95", `${p95.toFixed(1)} ms`, p95, "<=", 8);
	const share = (times) => [`${quantile(times, 0.95).toFixed(1)} ms`, quantile(times, 0.95) / p95];
	print("   page: of these, the worker's", ...share(worker));
	print("   page: from question to answer, p95", ...share(answer));
	print("17 page: scrub, longest task", `${longest.toFixed(0)} ms`, longest, "<=", 50);
}

function printCells({ page, worker, rate, idleFrames }, print) {
	print(
		"16 page: 500 k cells, frames / idle",
		`${rate.toFixed(0)} /s`,
		rate / idleFrames,
		">=",
		0.9,
	);
	print("16 page: 500 k cells, script p50", `${median(page).toFixed(1)} ms`, median(page), "<=", 9);
	print("   page: its answers by the worker", `${median(worker).toFixed(1)} ms`, median(worker));
}
