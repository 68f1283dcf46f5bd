/** Tests Slabscope inside other pages, by its address and by the element that they include; also the Share dialog. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Page, test } from "@playwright/test";
import {
	address,
	button,
	drop,
	event,
	faults,
	idle,
	importReport,
	open,
	variant,
	watch,
} from "../support/page.ts";

const DEMO = readFileSync(new URL("../demo/embed.html", import.meta.url), "utf8");

test.beforeEach(({ page }) => watch(page));
test.afterEach(({ context }) => context.clearPermissions());

const where = (page: Page) => page.locator("[data-part=position]");

test("a passage loops between its ends, without the rest of the page", async ({ page }) => {
	await page.goto("./?embed=1&trace=two-nodes.slabtrace&from=10&to=12&loop=1&speed=4&theme=dark");
	await expect(button(page, "Pause")).toBeVisible();
	await expect(page.getByRole("tablist")).toHaveCount(0);
	await expect(page.getByRole("slider")).toHaveCount(0);
	await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
	// Faster than five steps per second, text follows once in a while, and could miss every first event.
	const seen: string[] = [];
	const rounds = async () => {
		const words = /^event \d+/.exec((await where(page).textContent()) ?? "")?.[0];
		if (words !== undefined && words !== seen.at(-1)) seen.push(words);
		return seen.filter((event, i) => event === "event 11" && seen[i - 1] === "event 13").length;
	};
	await expect.poll(rounds, { intervals: [40], timeout: 30_000 }).toBeGreaterThanOrEqual(1);
	for (const words of seen) expect(words).toMatch(/^event 1[123]$/);
	await expect(where(page)).toHaveText(/event 11 of/);
	await page.keyboard.press("Space");
	await idle(page);
	await page.keyboard.press("End");
	await idle(page);
	await page.keyboard.press("ArrowLeft");
	await idle(page);
	await page.keyboard.press("Digit4");
	await page.keyboard.press("Control+Shift+KeyP");
	await expect(page.getByRole("dialog")).toHaveCount(0);
	const [full] = await Promise.all([
		page.waitForEvent("popup"),
		page.getByRole("link", { name: "Open full" }).click(),
	]);
	await idle(full);
	await expect(full.getByRole("tab", { name: "Explore" })).toBeVisible();
	await expect(page).toHaveURL(/embed=1.*from=10/);
	expect(await full.evaluate(() => localStorage.getItem("slabscope"))).toBeNull();
});

test(
	"a passage that does not loop stops at its end, and starts over on Play",
	variant(true),
	async ({ page }) => {
		await open(page, "embed=1&trace=two-nodes.slabtrace&from=10&to=13&speed=4");
		await expect(where(page)).toHaveText(/event 11 of/);
		await button(page, "Play").click();
		await expect(where(page)).toHaveText(/event 14 of/);
		await expect(button(page, "Play")).toBeVisible();
		await idle(page);
		await button(page, "Play").click();
		await expect(where(page)).toHaveText(/event 1[123] of/);
		await expect(button(page, "Play")).toBeVisible();
		await expect(where(page)).toHaveText(/event 14 of/);
	},
);

test("nothing leads out of a passage", variant(true), async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	const keys = ["End", "Home", "PageDown", "PageUp", "ArrowLeft", "ArrowRight"];
	for (const passage of ["from=10&to=12", "events=11-13&by=slow&caches=all"]) {
		await open(page, `embed=1&trace=two-nodes.slabtrace&op=60&break=new-slab&${passage}`);
		await expect(where(page)).toHaveText(/event 13 of/);
		for (const key of [...keys, ...keys.map((k) => `Shift+${k}`), "KeyG", "BracketRight"]) {
			for (let i = 0; i < 4; i++) await page.keyboard.press(key);
			await idle(page);
			await expect(where(page), key).toHaveText(/event 1[123] of/);
		}
		for (const name of ["Next event", "Next step", "Previous event", "Previous step"]) {
			for (let i = 0; i < 6; i++) await button(page, name).click();
			await idle(page);
			await expect(where(page), name).toHaveText(/event 1[123] of/);
		}
		await page.goto("about:blank");
	}
	await open(page, "embed=1&trace=two-nodes.slabtrace&events=11-13");
	await page.keyboard.press("End");
	await idle(page);
	await expect(where(page)).toHaveText(/event 13 of/);
	await page.keyboard.press("Home");
	await idle(page);
	await expect(where(page)).toHaveText(/event 11 of/);
});

test("the element accepts only http and https addresses", variant(true), async ({ page }) => {
	await page.route("**/demo.html", (route) =>
		route.fulfill({ contentType: "text/html", body: DEMO }),
	);
	page.on("dialog", () => {
		throw new Error("the address ran");
	});
	await page.goto("./demo.html");
	const player = page.locator("#slub");
	for (const src of ["javascript:alert(1)", "data:text/html,hello", "blob:x", "http://["]) {
		await player.evaluate((e, value) => e.setAttribute("src", value), src);
		await expect(player.getByRole("alert")).toContainText(`src="${src}"`);
		await expect(player.locator("iframe")).toHaveCount(0);
	}
	await player.evaluate((e) => e.removeAttribute("src"));
	await expect(player.getByRole("alert")).toHaveCount(0);
	await expect(page.frameLocator("#slub iframe").locator("[data-part=position]")).toHaveText(
		/event 1[123] of/,
	);
});

test("the element's old attributes still count from 0", variant(true), async ({ page }) => {
	const body = DEMO.replace('events="11-13"', 'from="10" to="12"').replace('event="41"', 'op="40"');
	await page.route("**/demo.html", (route) => route.fulfill({ contentType: "text/html", body }));
	await page.emulateMedia({ reducedMotion: "reduce" });
	await page.goto("./demo.html");
	const slub = page.frameLocator("#slub iframe").locator("[data-part=position]");
	await expect(slub).toHaveText(/event 11 of/);
	await page.locator("#slab").scrollIntoViewIfNeeded();
	await expect(page.frameLocator("#slab iframe").locator("[data-part=position]")).toHaveText(
		/event 41 of/,
	);
});

test("the element shows passages in somebody else's page", async ({ page, baseURL }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await page.route("**/demo.html", (route) =>
		route.fulfill({ contentType: "text/html", body: DEMO }),
	);
	await page.goto("./demo.html");
	const slub = page.frameLocator("#slub iframe");
	await expect(slub.locator("[data-part=position]")).toHaveText(/event 11 of/);
	await page.locator("#slab").scrollIntoViewIfNeeded();
	const slab = page.frameLocator("#slab iframe");
	await expect(slab.locator("[data-part=position]")).toHaveText(/event 41 of/);
	await expect(slab.getByRole("img", { name: /The stage/ })).toBeVisible();
	await expect(slab.getByText("array cache").first()).toBeAttached();
	await expect(page.getByTitle("SLAB at event 41")).toBeVisible();
	await slab.getByRole("button", { name: "Next event" }).click();
	await expect(slab.locator("[data-part=position]")).toHaveText(/event 42 of/);
	await page.locator("#slab").evaluate((e) => e.setAttribute("event", "6"));
	await expect(slab.locator("[data-part=position]")).toHaveText(/event 6 of/);
	expect(new URL((await page.locator("#slab iframe").getAttribute("src")) ?? "").origin).toBe(
		new URL(baseURL ?? "").origin,
	);
});

test(
	"a page of another site, for which browsers keep nothing, can show a passage too",
	variant(true),
	async ({ page, baseURL }) => {
		const src = `${baseURL}?embed=1&trace=one-slab-after-another.slabtrace&from=5&to=30`;
		const site = createServer((_, response) => {
			response.setHeader("Content-Type", "text/html");
			response.end(`<!doctype html><iframe width="900" height="500" src="${src}"></iframe>`);
		});
		await new Promise<void>((ready) => site.listen(0, "127.0.0.1", ready));
		await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
		const frame = page.frameLocator("iframe");
		await expect(frame.locator("[data-part=position]")).toHaveText(/event 6 of/);
		await frame.getByRole("button", { name: "Next event" }).click();
		await expect(frame.locator("[data-part=position]")).toHaveText(/event 7 of/);
		await expect(frame.getByRole("alert")).toBeHidden();
		site.closeAllConnections();
		site.close();
	},
);

test(
	"a missing trace leaves the frame empty, and the frame says so",
	variant(true),
	async ({ page }) => {
		await open(page, "embed=1&trace=nope.slabtrace&op=3");
		await expect(page.getByRole("alert")).toHaveText("This page has no trace nope.slabtrace.");
		await page.keyboard.press("Escape");
		await expect(page.getByRole("alert")).toHaveText("This page has no trace nope.slabtrace.");
		await expect(page.getByRole("region", { name: "Stage" })).toHaveCount(0);
		await expect(button(page, "Play")).toBeDisabled();
		await expect(page.getByRole("link", { name: "Open full" })).toBeVisible();
	},
);

test("Share copies the link and says what it contains and what it does not", async ({
	page,
	context,
}) => {
	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	await open(page, "trace=two-nodes.slabtrace&op=30&set.cpus=6&mark=3&break=new-slab");
	await button(page, "Share").click();
	const status = page.getByRole("status", { name: "Share" });
	await expect(status).toContainText("Copied the link.");
	await expect(status).toContainText("event 31, 1 setting of the machine, 1 breakpoint and 1 mark");
	const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
	expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
	await page.getByRole("button", { name: "Copy code" }).click();
	await expect(status).toContainText("Copied the code.");
	expect(await page.getByRole("textbox", { name: "Code to embed" }).inputValue()).toMatch(
		/slab-player.js"><\/script> <slab-player trace="two-nodes.slabtrace" event="31" settings="cpus=6"><\/slab-player>$/,
	);
	await page.keyboard.press("Escape");
	await page.goto("about:blank");
	await page.goto(link);
	await idle(page);
	expect(await event(page)).toBe(31);
	await drop(page, "mine.slabtrace", "slabtrace 1\nk 1 64 cpu=0\nf 1 cpu=0\n");
	await expect(await importReport(page)).toContainText("mine");
	await idle(page);
	await button(page, "Share").click();
	await expect(status).toContainText("does not contain mine.slabtrace itself");
});

test(
	"the code of a playground, or of a branch, shows the visitor's own events",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		const embedded = async (): Promise<Page> => {
			await button(page, "Share").click();
			const code = await page.getByRole("textbox", { name: "Code to embed" }).inputValue();
			expect(code).toMatch(/ sandbox="[\w-]+" /);
			await page.keyboard.press("Escape");
			const frame = page.context().newPage();
			const home = new URL("index.html", await address(page)).href;
			await (await frame).goto(home);
			await (await frame).setContent(code);
			return frame;
		};
		const shown = async (name: string, own: string) => {
			const other = await embedded();
			const inside = other.frameLocator("iframe");
			await expect(inside.locator("[data-part=position]")).toHaveText(new RegExp(name));
			await expect(inside.getByRole("status", { name: "Current step" })).toContainText(own);
			await other.close();
		};
		await open(page, "trace=sandbox");
		await button(page, "Allocate").click();
		await idle(page);
		await shown("event 2 of 2", "CPU 0");
		await open(page, "trace=two-nodes.slabtrace&event=30");
		await button(page, "Branch from here").click();
		await idle(page);
		await button(page, "Allocate").click();
		await idle(page);
		// A branch continues with the CPU of its event.
		await shown("event 31 of 31", "CPU 2");
	},
);

for (const colorScheme of ["light", "dark"] as const) {
	test(
		`axe finds no faults in an embedded page and in Share: ${colorScheme}`,
		variant(true),
		async ({ page }) => {
			await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
			await page.setViewportSize({ width: 640, height: 420 });
			await open(page, "embed=1&trace=two-nodes.slabtrace&op=30");
			expect(await faults(page)).toEqual([]);
			await page.setViewportSize({ width: 1440, height: 900 });
			await open(page, "trace=two-nodes.slabtrace&op=30");
			await button(page, "Share").click();
			await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
			expect(await faults(page)).toEqual([]);
		},
	);
}
