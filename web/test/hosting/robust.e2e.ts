/** Tests that the page says so when the simulator stops, and that the way back leads to the same trace, event and machine. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { button, drop, event, idle, importReport, listOf, open, variant } from "../support/page.ts";

const HERE = "trace=two-nodes.slabtrace&op=60&set.allocator=slab&step=0";

const step = (page: Page) => page.getByRole("status", { name: "Current step" });

/** The page keeps references to the workers that it starts, so that a test can end them. */
async function openWatched(page: Page): Promise<void> {
	await page.addInitScript(() => {
		const Own = window.Worker;
		const all: Worker[] = [];
		Object.assign(window, { workers: all });
		window.Worker = class extends Own {
			constructor(url: string | URL, options?: WorkerOptions) {
				super(url, options);
				all.push(this);
			}
		};
	});
	await open(page, HERE);
}

async function cameBack(page: Page, sentence: string | null): Promise<void> {
	await button(page, "Restart at this event").click();
	await idle(page);
	await expect(page.getByRole("alert")).toBeHidden();
	expect(await event(page)).toBe(61);
	await expect(step(page)).toHaveText(sentence ?? "");
	await expect(await listOf(page, "Allocator")).toHaveValue("slab");
	await button(page, "Next event").click();
	await idle(page);
	expect(await event(page)).toBeGreaterThan(61);
}

test("a trap in the module is reported, and the page resumes where it was", async ({ page }) => {
	// The module's steps trap once the page has said so.
	const patch = `
		const real = WebAssembly.instantiate;
		let trapping = false;
		new BroadcastChannel("trap").onmessage = () => { trapping = true; };
		const trap = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,
			1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11]))).exports.f;
		WebAssembly.instantiate = async (...args) => {
			const made = await real(...args);
			if (!(made instanceof WebAssembly.Instance)) return made;
			const exports = { ...made.exports, kmem_steps: (...a) => trapping ? trap() : made.exports.kmem_steps(...a) };
			return { exports };
		};\n`;
	await page.route("**/worker-*.js", async (route) => {
		const response = await route.fetch();
		await route.fulfill({ response, body: patch + (await response.text()) });
	});
	await open(page, HERE);
	const sentence = await step(page).textContent();
	await page.evaluate(() => new BroadcastChannel("trap").postMessage(1));
	await button(page, "Next event").click();
	await expect(page.getByRole("alert")).toContainText("The simulator stopped (unreachable)");
	await expect(page.getByRole("alert")).toContainText("event 61");
	await cameBack(page, sentence);
});

test("a failed worker is reported", async ({ page }) => {
	await openWatched(page);
	const sentence = await step(page).textContent();
	await page.evaluate(() => {
		const { workers } = window as unknown as { workers: Worker[] };
		workers[0]?.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
	});
	await expect(page.getByRole("alert")).toContainText("worker failed (out of memory)");
	await cameBack(page, sentence);
});

const LESSON = fileURLToPath(
	new URL("../../../traces/one-slab-after-another.slabtrace", import.meta.url),
);

for (const keeps of [true, false]) {
	test(
		`a visitor's own file returns, ${keeps ? "kept" : "not kept"} by the browser`,
		variant(!keeps),
		async ({ page }) => {
			if (!keeps)
				await page.route("**/worker-*.js", async (route) => {
					const response = await route.fetch();
					const body = `navigator.storage.getDirectory = () => Promise.reject(new Error("no"));\n`;
					await route.fulfill({ response, body: body + (await response.text()) });
				});
			await openWatched(page);
			await page.getByLabel("Trace file").setInputFiles(LESSON);
			await expect(await importReport(page)).toBeVisible();
			await idle(page);
			await page.getByRole("slider", { name: "Timeline" }).press("End");
			await idle(page);
			const [at, sentence] = [await event(page), await step(page).textContent()];
			await page.evaluate(() => {
				const { workers } = window as unknown as { workers: Worker[] };
				workers[0]?.dispatchEvent(new ErrorEvent("error", { message: "gone" }));
			});
			await button(page, "Restart at this event").click();
			await idle(page);
			await expect(page.getByRole("alert")).toBeHidden();
			expect(await event(page)).toBe(at);
			await expect(step(page)).toHaveText(sentence ?? "");
		},
	);
}

test("a worker that is killed while it reads a file is noticed; nothing kept is lost, and the file opens again", async ({
	page,
}) => {
	// The worker ends while it waits for the second piece of a file, as if the system had taken its memory.
	const patch = `
		let left = -1;
		const doom = new BroadcastChannel("doom");
		doom.onmessage = () => { left = 2; doom.postMessage("heard"); };
		const { read } = ReadableStreamBYOBReader.prototype;
		ReadableStreamBYOBReader.prototype.read = function (...args) {
			if (--left !== 0) return read.apply(this, args);
			doom.postMessage("gone");
			self.close();
			return new Promise(() => {});
		};\n`;
	await page.route("**/worker-*.js", async (route) => {
		const response = await route.fetch();
		await route.fulfill({ response, body: patch + (await response.text()) });
	});
	await page.clock.install();
	await open(page, HERE);
	await drop(page, "mine.slabtrace", readFileSync(LESSON));
	await expect((await listOf(page, "Trace")).locator("optgroup[label=Recent]")).toContainText(
		"mine.slabtrace",
	);
	await idle(page);
	const events = Array.from({ length: 60_000 }, (_, i) => `k ${i} 64 cpu=0\n`).join("");
	// The seconds of silence start once the worker is gone, however long a busy machine takes until then.
	await page.evaluate(async () => {
		const doom = new BroadcastChannel("doom");
		const says = (word: string) =>
			new Promise<void>((done) => {
				doom.addEventListener("message", ({ data }) => data === word && done());
			});
		const heard = says("heard");
		Object.assign(window, { gone: says("gone") });
		doom.postMessage("end at the second piece");
		await heard;
	});
	await drop(page, "long.slabtrace", `slabtrace 1\n${events}`);
	await page.evaluate(() => (window as unknown as { gone: Promise<void> }).gone);
	await page.clock.runFor(16_000);
	const alert = page.getByRole("alert");
	await expect(alert).toContainText("The simulator has not answered for 15 seconds");
	await button(page, "Restart at this event").click();
	await idle(page);
	await expect(alert).toBeHidden();
	await expect(await importReport(page)).toContainText("mine.slabtrace");
	await drop(page, "long.slabtrace", `slabtrace 1\n${events}`);
	const list = (await listOf(page, "Trace")).locator("optgroup[label=Recent] option");
	await expect(list).toHaveText([/long\.slabtrace/, /mine\.slabtrace/]);
});

test("a worker that has gone is noticed", variant(true), async ({ page }) => {
	await page.clock.install();
	await openWatched(page);
	const sentence = await step(page).textContent();
	await page.evaluate(() => {
		(window as unknown as { workers: Worker[] }).workers[0]?.terminate();
	});
	await button(page, "Next event").click();
	await page.clock.runFor(5_000);
	await expect(page.getByRole("alert")).toBeEmpty();
	await page.clock.runFor(11_000);
	await expect(page.getByRole("alert")).toContainText("has not answered for 15 seconds");
	await cameBack(page, sentence);
});

test("canvases have the pixels of the screen that the window moves to", async ({ page }) => {
	// Chromium sends no change for an emulated screen of the same size, so the test does.
	await page.addInitScript(() => {
		const ask = window.matchMedia.bind(window);
		const asked: MediaQueryList[] = [];
		window.matchMedia = (query) => {
			const list = ask(query);
			if (query.includes("resolution")) asked.push(list);
			return list;
		};
		Object.assign(window, { asked });
	});
	for (const query of ["tab=compare", ""]) {
		await open(page, `trace=two-nodes.slabtrace&op=30&${query}`);
		const ratios = () =>
			page
				.locator("canvas:visible")
				.evaluateAll((all) =>
					all.map((c) => (c as HTMLCanvasElement).width / c.getBoundingClientRect().width),
				);
		for (const ratio of await ratios()) expect(ratio).toBeCloseTo(1, 1);
		await page.evaluate(() => {
			Object.defineProperty(window, "devicePixelRatio", { value: 2, configurable: true });
			const { asked } = window as unknown as { asked: MediaQueryList[] };
			for (const list of asked.splice(0)) list.dispatchEvent(new Event("change"));
		});
		await expect(async () => {
			const all = await ratios();
			expect(all.length).toBeGreaterThan(1);
			for (const ratio of all) expect(ratio).toBeCloseTo(2, 1);
		}).toPass({ timeout: 10_000 });
	}
});
