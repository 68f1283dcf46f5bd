// Tests what a first visit fetches, and that everything else arrives as soon as it is needed.

import { expect, type Page, test } from "@playwright/test";
import { button, faults, idle, importReport, variant } from "../support/page.ts";

/** The modules that the page requests, in order. It requests early what the worker requests later, from the cache. */
function modulesOf(page: Page): ReadonlySet<string> {
	const modules = new Set<string>();
	page.on("request", (request) => {
		const name = /(kmem[\w-]*?)-[\w-]{8}\.wasm/.exec(request.url())?.[1];
		if (name) modules.add(name);
	});
	return modules;
}

test("the small module shows the trace, and the whole one follows once the page is idle", async ({
	page,
}) => {
	const modules = modulesOf(page);
	await page.route(/\/kmem-[\w-]{8}\.wasm$/, async (route) => {
		const scenes = await page.evaluate(() => performance.getEntriesByName("first-scene").length);
		expect(scenes).toBe(1);
		await route.continue();
	});
	await page.goto("./?op=900");
	const status = page.getByRole("status", { name: "Current step" });
	await expect(status).toContainText(/\w/);
	const words = await status.textContent();
	await idle(page);
	expect([...modules]).toEqual(["kmem-first", "kmem"]);
	await expect(status).toHaveText(words ?? "");
	// Nobody has moved, and still what only the whole module knows is on screen.
	await expect(page.getByRole("navigation", { name: "Tour" }).getByRole("link")).not.toHaveCount(0);
});

test(
	"a visitor who saves data gets the whole module at the first sign of use",
	variant(true),
	async ({ page }) => {
		await page.addInitScript(() => {
			Object.defineProperty(navigator, "connection", { value: { saveData: true } });
		});
		const modules = modulesOf(page);
		await page.goto("./?op=900");
		await idle(page);
		expect([...modules]).toEqual(["kmem-first"]);
		await page.mouse.move(400, 300);
		await page.mouse.move(410, 310);
		const chapters = page.getByRole("navigation", { name: "Tour" }).getByRole("link");
		await expect(chapters.first()).toBeVisible();
		expect([...modules]).toEqual(["kmem-first", "kmem"]);
	},
);

test("a whole module that does not arrive is requested again at the next press", async ({
	page,
}) => {
	const whole = /\/kmem-[\w-]{8}\.wasm$/;
	await page.route(whole, (route) => route.abort());
	await page.goto("./?op=900");
	await idle(page);
	const chapters = page.getByRole("navigation", { name: "Tour" });
	await expect(chapters).toHaveCount(0);
	await page.unroute(whole);
	await button(page, "Next event").click();
	await expect(chapters.getByRole("link").first()).toBeVisible();
});

test("the first position is drawn before React is requested, and its HTML says what the page is", async ({
	page,
}) => {
	// React and the panels never arrive.
	await page.route(/\/assets\/main-[\w-]+\.js$/, () => {});
	await page.goto("./");
	await page.waitForFunction(() => performance.getEntriesByName("first-scene").length > 0);
	await expect(page.getByRole("heading", { name: "Slabscope" })).toBeVisible();
	await expect(page.getByRole("tab")).toHaveCount(4);
	await expect(page.getByRole("status", { name: "Current step" })).toContainText(/\w/);
	await expect(button(page, "Next event")).toBeEnabled();
	const colours = await page.locator("[data-part=stage] canvas").evaluate((canvas) => {
		const { width, height } = canvas as HTMLCanvasElement;
		const ctx = (canvas as HTMLCanvasElement).getContext("2d");
		return new Set(new Uint32Array(ctx?.getImageData(0, 0, width, height).data.buffer ?? [])).size;
	});
	expect(colours).toBeGreaterThan(20);
	expect(await faults(page)).toEqual([]);
});

/** Returns a function that lets React and the panels load. */
async function holdPanels(page: Page): Promise<() => void> {
	let letGo = () => {};
	const held = new Promise<void>((resolve) => {
		letGo = resolve;
	});
	await page.route(/\/assets\/main-[\w-]+\.js$/, async (route) => {
		await held;
		await route.continue();
	});
	return letGo;
}

test("a button pressed before React arrives takes effect when it does, and nothing is drawn twice", async ({
	page,
}) => {
	const errors: string[] = [];
	page.on("pageerror", ({ message }) => errors.push(message));
	const letGo = await holdPanels(page);
	await page.goto("./");
	const status = page.getByRole("status", { name: "Current step" });
	await expect(status).toContainText(/\w/);
	const words = await status.textContent();
	await status.evaluate((element) => element.setAttribute("data-met", ""));
	await button(page, "First event").click();
	letGo();
	await expect(page.getByRole("slider", { name: "Timeline" })).toHaveAttribute(
		"aria-valuenow",
		"1",
	);
	await expect(status).not.toHaveText(words ?? "");
	// React has taken over the element that it found instead of creating its own.
	await expect(status).toHaveAttribute("data-met", "");
	expect(errors).toEqual([]);
});

test("a first visit waits for a moment, and then plays", variant(true), async ({ page }) => {
	await page.goto("./");
	await idle(page);
	await expect(button(page, "Pause")).toBeVisible();
});

test("actions from before React arrives take effect when it does", async ({ page }) => {
	const letGo = await holdPanels(page);
	await page.goto("./");
	await page.getByRole("tab", { name: "Labs" }).click();
	await page.getByLabel("Trace file").setInputFiles({
		name: "early.slabtrace",
		mimeType: "text/plain",
		buffer: Buffer.from("slabtrace 1\ncache c size=64 name=early\na one c cpu=0\nf one cpu=0\n"),
	});
	letGo();
	await expect(page.getByRole("tab", { name: "Labs" })).toHaveAttribute("aria-selected", "true");
	await expect(await importReport(page)).toContainText("early");
	await idle(page);
});

test("a key pressed as soon as there is a picture takes effect", async ({ page }) => {
	await page.goto("./");
	await page.waitForFunction(() => performance.getEntriesByName("first-scene").length > 0);
	const timeline = page.getByRole("slider", { name: "Timeline" });
	await timeline.focus();
	await page.keyboard.press("End");
	await expect(timeline).toHaveAttribute("aria-valuenow", "20000");
});
