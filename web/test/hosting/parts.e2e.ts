/**
 * Tests code that does not load: the part says so, the rest of the page keeps working, and trying again works
 * once the network is back.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { expect, type Page, test } from "@playwright/test";
import { button, drop, event, idle, listOf, open, openSlabinfo, variant } from "../support/page.ts";

const LESSON = "one-slab-after-another.slabtrace";
const TEXT = readFileSync(
	fileURLToPath(new URL(`../../../traces/${LESSON}`, import.meta.url)),
	"utf8",
);
const CODE = /\/assets\/.*\.(js|css|wasm)$/;

const views = (page: Page) => page.getByRole("tab").all();
const failure = (page: Page) => page.getByRole("alert").filter({ hasText: "cannot be shown" });

/** Opens the page completely; from then on, no code loads. */
async function openThenCutOff(page: Page): Promise<void> {
	await open(page, `trace=two-nodes.slabtrace&op=20&set.allocator=slab`);
	await page.route(CODE, (route) => route.abort());
}

test("web/README.md states the size of the boot script", () => {
	const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)));
	const page = read("../../dist/index.html").toString();
	const [, boot = ""] = /type="module"[^>]*src="\.\/(assets\/[^"]+)"/.exec(page) ?? [];
	const size = brotliCompressSync(read(`../../dist/${boot}`)).length / 1000;
	const readme = read("../../README.md").toString();
	const [, said] = /boot script arrives \((\d+) kB\)/.exec(readme) ?? [];
	expect(Math.abs(Number(said) - size)).toBeLessThan(3);
});

test("each view that does not load says so, and loads when it is tried again", async ({ page }) => {
	const errors: string[] = [];
	page.on("pageerror", (error) => errors.push(error.message));
	await openThenCutOff(page);
	for (const tab of await views(page)) {
		await tab.click();
		await idle(page);
		const isExplore = (await tab.textContent())?.includes("Explore");
		await expect(failure(page)).toHaveCount(isExplore ? 0 : 1);
		await expect(page.getByRole("banner")).toBeVisible();
	}
	await page.getByRole("tab", { name: "Explore" }).click();
	const before = await event(page);
	await button(page, "Next event").click();
	await idle(page);
	expect(await event(page)).toBeGreaterThan(before);

	await page.getByRole("tab", { name: "Compare" }).click();
	await button(page, "Try again").click();
	await expect(failure(page), "still without a network").toHaveCount(1);
	await page.unroute(CODE);
	for (const tab of await views(page)) {
		await tab.click();
		await idle(page);
		if (await failure(page).isVisible()) await button(page, "Try again").click();
		await idle(page);
		await expect(failure(page)).toHaveCount(0);
		const id = await tab.getAttribute("aria-controls");
		await expect(page.locator(`#${id}`)).not.toBeEmpty();
	}
	// A style sheet that failed to load with a view now loads with it.
	const unstyled = await page.evaluate(
		() =>
			[
				...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]:not([disabled])"),
			].filter((l) => !l.sheet).length,
	);
	expect(unstyled).toBe(0);
	expect(errors).toEqual([]);
});

test(
	"a dialog that does not load can be closed and tried again",
	variant(true),
	async ({ page }) => {
		await openThenCutOff(page);
		await page.keyboard.press("Shift+Slash");
		await expect(page.getByRole("dialog", { name: "Not available" })).toContainText(
			"cannot be shown",
		);
		await page.keyboard.press("Escape");
		await expect(page.getByRole("dialog")).toHaveCount(0);
		await page.unroute(CODE);
		await page.keyboard.press("Shift+Slash");
		await button(page, "Try again").click();
		await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
	},
);

test("the link leads to the same view", variant(true), async ({ page }) => {
	await openThenCutOff(page);
	await page.getByRole("tab", { name: "Compare" }).click();
	await expect(failure(page)).toBeVisible();
	await page.unroute(CODE);
	await page.getByRole("link", { name: "Reload the page at this view" }).click();
	await page.waitForLoadState("load");
	await idle(page);
	await expect(page.getByRole("region", { name: "Compare" }).first()).toBeVisible();
	await expect(await listOf(page, "Allocator")).toHaveValue("slab");
});

test("a file opens once the simulator's code arrives", variant(true), async ({ page }) => {
	await page.route(/\/assets\/(workbench|kmem-[^f]).*/, (route) => route.abort());
	await page.goto("./");
	await idle(page);
	await drop(page, LESSON, TEXT);
	await idle(page);
	await expect(page.getByRole("alert").first()).toContainText("could not be loaded");
	await page.unroute(/\/assets\/(workbench|kmem-[^f]).*/);
	await drop(page, LESSON, TEXT);
	await idle(page);
	const shown = (await listOf(page, "Trace")).locator("option:checked");
	await expect(shown).toHaveText(LESSON);
});

test("a page whose panels do not load says so, and gets them when it is tried again", async ({
	page,
}) => {
	await page.route("**/assets/main-*.js", (route) => route.abort());
	await page.goto("./");
	const notice = page.getByRole("alert").filter({ hasText: "could not be loaded" });
	await expect(notice).toBeVisible();
	await page.unroute("**/assets/main-*.js");
	await notice.getByRole("button", { name: "Try again" }).click();
	await expect(notice).toHaveCount(0);
	await idle(page);
	await openSlabinfo(page);
	await expect(page.getByRole("region", { name: "Slabinfo" })).toBeVisible();
});
