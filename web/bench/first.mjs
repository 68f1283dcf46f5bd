// first.mjs - measures the first visit: the bytes that are fetched, the time of the first paint, the time of the
// first scene. Rows 19 to 21 of the budgets.
//
//   npm run bench                    this and the other benchmarks
// node web/bench/first.mjs measures the last built page
//
// The first view is everything requested until the first position is drawn. Each visit has a browser and a profile of
// its own; visits to the page and to a blank page of the same server take turns, and the median of each counts. Bytes
// are those of Brotli at its best, counted in a visit of their own: taking copies of all files delays the page.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "@playwright/test";
import { preview } from "vite";

const WEB = dirname(dirname(fileURLToPath(import.meta.url)));
const VISITS = 7;
const BLANK = "/blank-page";
const LAUNCH = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"];

/** Serves the built page and a page with a single word. */
async function serve() {
	const server = await preview({ root: WEB, logLevel: "error", preview: { port: 0 } });
	const [before] = server.httpServer.listeners("request");
	server.httpServer.removeAllListeners("request");
	server.httpServer.on("request", (request, response) => {
		if (request.url !== BLANK) return before(request, response);
		response.setHeader("Content-Type", "text/html");
		response.end("<!doctype html><title>blank</title><p>blank</p>");
	});
	return server;
}

/** A page in a browser and a profile of its own. */
async function withPage(use) {
	const profile = mkdtempSync(join(tmpdir(), "slabscope-first-"));
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: LAUNCH,
		viewport: { width: 1440, height: 900 },
	});
	try {
		return await use(context.pages()[0] ?? (await context.newPage()));
	} finally {
		await context.close();
		rmSync(profile, { recursive: true });
	}
}

/** Milliseconds from the start of the navigation. */
function timesOf(url, isOurs) {
	return withPage(async (page) => {
		await page.goto(url);
		const paint = await page.evaluate(firstPaint);
		return { paint, scene: isOurs ? await page.evaluate(firstScene) : paint };
	});
}

/** All files that the page asks for until it rests, and whether each was asked for before the first scene. */
function filesOf(url) {
	return withPage(async (page) => {
		const bodies = [];
		page.on("response", (response) => {
			bodies.push(
				response.body().then(
					(body) => ({ url: response.url(), body }),
					() => undefined,
				),
			);
		});
		await page.goto(url);
		const scene = await page.evaluate(firstScene);
		await page.waitForLoadState("networkidle");
		const began = await page.evaluate(() => performance.timeOrigin);
		const threads = [page, ...page.workers()];
		const asked = await Promise.all(threads.map((t) => t.evaluate(askedBefore, began + scene)));
		const before = new Set(asked.flat());
		const all = (await Promise.all(bodies)).filter(Boolean);
		return all.map((b) => ({ ...b, isFirst: b.url === url || before.has(b.url) }));
	});
}

/** In the page. */
function firstPaint() {
	return new Promise((resolve) => {
		new PerformanceObserver((list) => {
			const found = list.getEntriesByName("first-contentful-paint")[0];
			if (found) resolve(found.startTime);
		}).observe({ type: "paint", buffered: true });
	});
}

/** In the page: the engine is up and the first position drawn; or the page shows why there is none. */
function firstScene() {
	return new Promise((resolve, reject) => {
		new PerformanceObserver((list) => {
			const found = list.getEntriesByName("first-scene")[0];
			if (found) resolve(found.startTime);
		}).observe({ type: "mark", buffered: true });
		setInterval(() => {
			const alert = document.querySelector("[role=alert] p")?.textContent;
			if (alert) reject(new Error(`The page says: ${alert}`));
		}, 200);
	});
}

/** In the page or its worker: the requests before a time of the clock that both share. */
function askedBefore(timeMs) {
	const entries = performance.getEntriesByType("resource");
	const isBefore = ({ startTime }) => performance.timeOrigin + startTime < timeMs;
	return entries.filter(isBefore).map(({ name }) => name);
}

const packed = (body) =>
	brotliCompressSync(body, {
		params: {
			[constants.BROTLI_PARAM_QUALITY]: 11,
			[constants.BROTLI_PARAM_SIZE_HINT]: body.length,
		},
	}).length;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function row(number, what, value, limit, isMet) {
	console.log(`  row ${number}: ${what} ${value} (limit ${limit})${isMet ? "" : "  MISSED"}`);
}

/**
 * Traces are data that a visitor chooses; the rest is the page. Files that come after the first scene are reported
 * apart.
 */
function printBytes(bodies) {
	const files = new Map();
	for (const { url, body, isFirst } of bodies)
		files.set(new URL(url).pathname, { bytes: packed(body), isFirst });
	const sum = (isWanted) =>
		[...files].reduce((all, [path, file]) => all + (isWanted(path, file) ? file.bytes : 0), 0);
	const isRecording = (path) => path.includes("/traces/");
	for (const [path, { bytes, isFirst }] of [...files].toSorted((a, b) => b[1].bytes - a[1].bytes))
		console.log(`  ${String(bytes).padStart(9)}  ${isFirst ? " " : "later"} ${path}`);
	const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
	const script = sum((path, { isFirst }) => isFirst && path.endsWith(".js"));
	const wasm = sum((path, { isFirst }) => isFirst && path.endsWith(".wasm"));
	const all = sum((path, { isFirst }) => isFirst && !isRecording(path));
	const later = sum((path, { isFirst }) => !isFirst && !isRecording(path));
	row(19, "scripts", kilo(script), "<= 100 kB", script <= 100_000);
	row(19, "module", kilo(wasm), "<= 40 kB", wasm <= 40_000);
	row(19, "all but the recording", kilo(all), "<= 130 kB", all <= 130_000);
	console.log(`          and behind the first scene, React and the panels: ${kilo(later)}`);
}

const server = await serve();
const origin = `http://localhost:${server.httpServer.address().port}`;
try {
	const ours = [];
	const blanks = [];
	for (let i = 0; i < VISITS; i++) {
		blanks.push(await timesOf(`${origin}${BLANK}`, false));
		ours.push(await timesOf(`${origin}/`, true));
	}
	console.log("\nThe first visit");
	printBytes(await filesOf(`${origin}/`));
	const blank = median(blanks.map((v) => v.paint));
	const paint = median(ours.map((v) => v.paint));
	const scene = median(ours.map((v) => v.scene));
	const times = (ms) => `${ms.toFixed(0)} ms, ${(ms / blank).toFixed(2)} x ${blank.toFixed(0)} ms`;
	row(20, "first paint", times(paint), "<= 3.5 x a blank page", paint <= 3.5 * blank);
	row(21, "first scene", times(scene), "<= 6 x a blank page", scene <= 6 * blank);
} finally {
	await server.close();
}
