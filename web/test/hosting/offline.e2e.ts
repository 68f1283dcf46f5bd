/** Tests the page under any path on any host, without a network, as a newer version of itself, and from a disk. */
import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { unzipSync } from "fflate";
import { type Host, serve } from "../support/host.ts";
import {
	button,
	choose,
	event,
	idle,
	importReport,
	openSlabinfo,
	reload,
	variant,
	watch,
} from "../support/page.ts";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const LESSON = "one-slab-after-another.slabtrace";

const step = (page: Page) => page.getByRole("status", { name: "Current step" });

test.afterEach(({ context }) => context.setOffline(false));

/** Waits until the first version is kept: all its files are cached. */
async function kept(page: Page): Promise<void> {
	await page.evaluate(async () => {
		const { active } = await navigator.serviceWorker.ready;
		if (active?.state === "activated") return;
		await new Promise((done) => active?.addEventListener("statechange", done));
	});
}

async function steps(page: Page): Promise<void> {
	const before = await step(page).textContent();
	await button(page, "Next step").click();
	await idle(page);
	await expect(step(page)).not.toHaveText(before ?? "");
}

test.describe("served below /a/b/", () => {
	test.use({ serviceWorkers: "allow" });
	let host: Host;
	let folder: string;

	test.beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), "slabscope-page-"));
		cpSync(DIST, folder, { recursive: true });
		host = await serve(folder, "/a/b/");
	});

	test.afterAll(async () => {
		await host.close();
		rmSync(folder, { recursive: true });
	});

	test("the page loads, goes offline, loads again, opens another sample and steps", async ({
		page,
		context,
	}) => {
		watch(page);
		await page.goto(`${host.url}?trace=${LESSON}&op=10`);
		await idle(page);
		await kept(page);
		await context.setOffline(true);
		await reload(page);
		await idle(page);
		expect(await event(page)).toBe(11);
		await choose(page, "Trace", "two-nodes.slabtrace");
		await idle(page);
		await steps(page);
		for (const tab of await page.getByRole("tab").all()) {
			await tab.click();
			await idle(page);
		}
		await page.goto(`${host.url}index.html?trace=${LESSON}&op=3`);
		await idle(page);
	});

	test(
		"a newer version is offered, and installed when the visitor wants it",
		variant(true),
		async ({ page }) => {
			await page.goto(`${host.url}?trace=${LESSON}&op=10`);
			await idle(page);
			await kept(page);
			await reload(page);
			await idle(page);
			const news = page.getByRole("status", { name: "Version" });
			await expect(news).toBeHidden();
			const html = join(folder, "index.html");
			writeFileSync(html, readFileSync(html, "utf8").replace("<title>", "<title>New "));
			appendFileSync(join(folder, "offline.js"), "// newer\n");
			const worker = join(folder, "offline.js");
			writeFileSync(worker, readFileSync(worker, "utf8").replace(/VERSION = "/, 'VERSION = "n'));
			await reload(page);
			await expect(page).toHaveTitle("Slabscope");
			await expect(news).toContainText("A new version of Slabscope is available.");
			await news.getByRole("button", { name: "Reload" }).click();
			await expect(page).toHaveTitle("New Slabscope");
			await idle(page);
			expect(await event(page)).toBe(11);
			await expect(news).toBeHidden();
		},
	);
});

test.describe("from a disk", () => {
	let folder: string;

	test.beforeAll(() => {
		const top = fileURLToPath(new URL("../../..", import.meta.url));
		execFileSync(process.execPath, ["web/zip.mjs"], { cwd: top, stdio: "pipe" });
		folder = mkdtempSync(join(tmpdir(), "slabscope zip "));
		const files = unzipSync(readFileSync(join(top, "web/dist-zip/slabscope.zip")));
		for (const [name, bytes] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), bytes);
		}
	});

	test.afterAll(() => rmSync(folder, { recursive: true }));

	test(
		"the archive opens, replays and steps from files alone",
		variant(true),
		async ({ page, context }) => {
			watch(page);
			await context.setOffline(true);
			const asked: string[] = [];
			page.on("request", (request) => asked.push(request.url()));
			const url = pathToFileURL(join(folder, "slabscope/index.html")).href;
			await page.goto(url);
			await expect(page.getByRole("status", { name: "Current step" })).toContainText(/\w/);
			await page.goto(`${url}?trace=${LESSON}&op=10`);
			await idle(page);
			expect(await event(page)).toBe(11);
			await steps(page);
			await choose(page, "Trace", "two-nodes.slabtrace");
			await idle(page);
			await steps(page);
			await openSlabinfo(page);
			await expect(page.getByRole("region", { name: "Slabinfo" })).toBeVisible();
			await choose(page, "Allocator", "slab");
			await idle(page);
			await expect(page.getByRole("alert")).toBeHidden();
			const line = "a 1 c cpu=0\nf 1 cpu=0\n".repeat(50_000);
			const large = `slabtrace 1\ncache c size=64\n${line.repeat(16)}`;
			await page.getByLabel("Trace file").setInputFiles({
				name: "large.slabtrace",
				mimeType: "text/plain",
				buffer: Buffer.from(large),
			});
			await expect(await importReport(page)).toContainText("large.slabtrace");
			await idle(page);
			await page.getByRole("tab", { name: "Learn" }).click();
			await page.getByRole("button", { name: /What is a slab/ }).click();
			await idle(page);
			await expect(page.getByRole("alert")).toBeHidden();
			expect(asked.filter((u) => !/^(file|blob):/.test(u))).toEqual([]);
		},
	);
});
