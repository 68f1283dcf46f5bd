// millions.mjs - measures the page with a trace of ten million events: the import, and the answers that read every event.
//
// node web/bench/millions.mjs [EVENTS] measures the last built page
//
// Each row has the seconds from the press to the answer, and the page's longest task meanwhile, in processor time.

import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";
import { CATEGORIES, eventsBetweenMarks, longestTask } from "./main_thread.mjs";
import { settled } from "./settled.mjs";

const WEB = dirname(dirname(fileURLToPath(import.meta.url)));
const LIVE = 100_000;
const SIZES = [8, 16, 32, 64, 96, 128, 192, 256, 512, 1024];
const NR_SITES = 200;
const LINES_AT_ONCE = 20_000;
/** Of ten million events in a browser on a slow computer. */
const PATIENCE_MS = 600_000;
const TASK_MS = 50;

/** Events of slabs that the kernel allocates, frees and allocates again, as ftrace writes them. */
async function write(path, events) {
	const out = createWriteStream(path);
	const live = [];
	const free = [];
	let state = 1;
	let next = 0xffff888000000000n;
	const random = (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
	const allocated = () => {
		if (free.length > LIVE / 5) return free.pop();
		next += 1024n;
		return { ptr: next.toString(16), bytes: SIZES[random(SIZES.length)] };
	};
	const line = (i) => {
		const who = `     bench-${1000 + random(30)}    [00${random(4)}] .....`;
		const head = `${who} ${100 + Math.floor(i / 1e6)}.${String(i % 1e6).padStart(6, "0")}:`;
		const site = `call_site=function_${random(NR_SITES)}+0x12/0x340`;
		if (random(2 * LIVE) < live.length) {
			const k = random(live.length);
			const object = live[k];
			live[k] = live[live.length - 1];
			live.pop();
			free.push(object);
			return `${head} kfree: ${site} ptr=${object.ptr}\n`;
		}
		const object = allocated();
		live.push(object);
		return `${head} kmalloc: ${site} ptr=${object.ptr} bytes_req=${object.bytes} bytes_alloc=${object.bytes} gfp_flags=GFP_KERNEL node=-1 accounted=false\n`;
	};
	for (let i = 0; i < events; i += LINES_AT_ONCE) {
		const lines = Array.from({ length: Math.min(LINES_AT_ONCE, events - i) }, (_, k) =>
			line(i + k),
		);
		if (!out.write(lines.join(""))) await once(out, "drain");
	}
	out.end();
	await once(out, "close");
}

async function measure(browser, page, what, work) {
	await browser.startTracing(page, { categories: CATEGORIES });
	await page.evaluate(() => performance.mark("bench-begin"));
	const begin = performance.now();
	await work();
	await settled(page);
	const seconds = (performance.now() - begin) / 1000;
	await page.evaluate(() => performance.mark("bench-end"));
	const longest = longestTask(eventsBetweenMarks(await browser.stopTracing()));
	console.log(
		`${what.padEnd(28)}${seconds.toFixed(1).padStart(6)} s   longest task ${longest.toFixed(0).padStart(4)} ms (limit <= ${TASK_MS} ms)${longest > TASK_MS ? "  MISSED" : ""}`,
	);
}

async function answers(browser, page) {
	await page.getByRole("button", { name: "Suggestions", exact: true }).click();
	for (const name of ["Where memory goes", "Call sites"]) {
		await measure(browser, page, name, async () => {
			await page.getByRole("button", { name, exact: true }).click();
			await page
				.getByRole("region", { name, exact: true })
				.getByRole("table")
				.first()
				.waitFor({ timeout: PATIENCE_MS });
		});
	}
	await measure(browser, page, "the next Call sites", async () => {
		// A locator would read the whole table in the page itself.
		await page.evaluate(() =>
			Array.from(document.querySelectorAll("button"))
				.find(({ textContent }) => textContent.startsWith("Next 200"))
				?.click(),
		);
	});
}

const events = Number(process.argv[2] ?? 10_000_000);
const folder = mkdtempSync(join(tmpdir(), "slabscope-millions-"));
const server = await preview({ root: WEB, logLevel: "error", preview: { port: 0 } });
const { port } = server.httpServer.address();
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"],
});
try {
	const path = join(folder, "trace.txt");
	await write(path, events);
	const page = await browser.newPage({
		viewport: { width: 1440, height: 900 },
		serviceWorkers: "block",
	});
	await page.goto(`http://localhost:${port}/`);
	await settled(page);
	await measure(browser, page, `open ${events.toLocaleString("en")} events`, async () => {
		await page.getByLabel("Trace file").setInputFiles(path);
		await page.getByText("trace.txt").first().waitFor({ timeout: PATIENCE_MS });
	});
	for (const part of [0.5, 0.9]) {
		await measure(browser, page, `go to ${part * 100} %`, async () => {
			await page.keyboard.press("KeyG");
			const field = page.getByRole("combobox", { name: "Go to" });
			await field.fill(String(Math.floor(events * part)));
			await field.press("Enter");
			await page.getByRole("dialog").waitFor({ state: "hidden" });
		});
	}
	await answers(browser, page);
} finally {
	await browser.close();
	await server.close();
	rmSync(folder, { recursive: true });
}
