/** The first minute of a first visit: five chapters that play, stop where the visitor acts, and end for good. */

import { expect, type Page, test } from "@playwright/test";
import { button, event, faults, idle, reload, variant, watch } from "../support/page.ts";

const links = (page: Page) => page.getByRole("navigation", { name: "Chapters" }).getByRole("link");
const current = (page: Page) =>
	links(page).evaluateAll((all) => all.findIndex((a) => a.hasAttribute("aria-current")));
const controls = (page: Page) => page.locator("[data-part=first-minute]:visible");

test.beforeEach(({ page }) => watch(page));

/** Lets the page's clock run until something holds; the simulator answers in its own time. */
async function runUntil(page: Page, holds: () => Promise<boolean>): Promise<void> {
	await expect
		.poll(
			async () => {
				await page.clock.runFor(700);
				return holds();
			},
			{ intervals: [30], timeout: 50_000 },
		)
		.toBe(true);
}

test("plays five chapters one after the other, a step at a time, and ends with three ways on", async ({
	page,
}) => {
	await page.clock.install();
	await page.goto("./");
	await runUntil(page, async () => (await current(page)) === 0);
	await expect(button(page, "Pause")).toBeVisible();
	await expect(links(page)).toHaveCount(5);
	const seen: number[] = [];
	await runUntil(page, async () => {
		const at = await current(page);
		if (at >= 0 && seen.at(-1) !== at) seen.push(at);
		return (await controls(page).textContent())?.includes("Lesson 1") === true;
	});
	expect(seen).toEqual([0, 1, 2, 3, 4]);
	await expect(button(page, "Play")).toBeVisible();
	await expect(controls(page)).toContainText("Your own trace");
	await button(page, "Change a rule").click();
	await expect(page.getByRole("combobox", { name: "Allocator" })).toBeVisible();
	await page.keyboard.press("Escape");
	await button(page, "Lesson 1").click();
	await expect(page).toHaveURL(/lesson=what-a-slab-is/);
});

test(
	"stops at its place when the visitor acts, goes on, and can be skipped through",
	variant(true),
	async ({ page }) => {
		await page.clock.install();
		await page.goto("./");
		await runUntil(page, async () => (await current(page)) === 0);
		await button(page, "Next chapter").click();
		await runUntil(page, async () => (await current(page)) === 1);
		await expect(button(page, "Pause")).toBeVisible();
		await button(page, "Next step").click();
		await expect(button(page, "Play")).toBeVisible();
		await idle(page);
		const at = await event(page);
		await page.clock.runFor(30_000);
		await idle(page);
		expect(await event(page)).toBe(at);
		expect(await current(page)).toBe(1);
		await button(page, "Go on with the tour").click();
		await expect(button(page, "Pause")).toBeVisible();
		await links(page).nth(3).click();
		await runUntil(page, async () => (await current(page)) === 3);
		await expect(button(page, "Pause")).toBeVisible();
		await button(page, "Pause").click();
		await expect(button(page, "Go on with the tour")).toBeVisible();
		await button(page, "Play").click();
		await expect(button(page, "Pause")).toBeVisible();
		expect(await faults(page)).toEqual([]);
	},
);

for (const width of [1440, 390])
	test(
		`exploring freely ends it for good: ${width} wide`,
		variant(width === 390),
		async ({ page }) => {
			await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
			await page.goto("./");
			await expect(button(page, "Explore freely")).toBeInViewport({ ratio: 1 });
			await button(page, "Explore freely").click();
			await idle(page);
			await expect(controls(page)).toHaveCount(0);
			await expect(links(page)).not.toHaveCount(5);
			await reload(page);
			await idle(page);
			await page.waitForTimeout(1500);
			await expect(button(page, "Play")).toBeVisible();
			await expect(controls(page)).toHaveCount(0);
		},
	);

test(
	"does not play by itself with reduced motion: buttons lead from chapter to chapter",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.clock.install();
		await page.goto("./");
		await expect(button(page, "Next chapter")).toBeVisible();
		const before = await event(page);
		await page.clock.runFor(20_000);
		expect(await event(page)).toBe(before);
		for (const chapter of [0, 1, 2]) {
			await button(page, "Next chapter").click();
			await idle(page);
			expect(await current(page)).toBe(chapter);
			await expect(button(page, "Play")).toBeVisible();
		}
		const href = (await links(page).nth(2).getAttribute("href")) ?? "";
		expect(new URLSearchParams(href.slice(href.indexOf("?"))).get("event")).toBe(
			String(await event(page)),
		);
	},
);
