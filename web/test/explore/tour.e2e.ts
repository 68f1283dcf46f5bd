/** Tests the tour on a first visit: a slab, and five chapters that play, stop when you do something, and end for good. */

import { expect, type Page, test } from "@playwright/test";
import { button, event, faults, idle, reload, variant, watch } from "../support/page.ts";

const links = (page: Page) => page.getByRole("navigation", { name: "Tour" }).getByRole("link");
const current = (page: Page) =>
	links(page).evaluateAll((all) => all.findIndex((a) => a.hasAttribute("aria-current")));
const ways = (page: Page) =>
	page.getByRole("list", { name: "What to do next" }).getByRole("button");
const slab = (page: Page) => page.locator("[data-part=large-slab]");
const controls = (page: Page) => page.locator("[data-part=tour-controls]:visible");

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

test("says what a slab is, plays five chapters in the order of time, and ends by offering what to do next", async ({
	page,
}) => {
	await page.clock.install();
	await page.goto("./");
	const heading = page.getByRole("region", { name: "Stage" }).getByRole("heading").first();
	await expect(heading).toHaveText("A slab is a few pages cut into objects of one size");
	await expect(slab(page)).toContainText("2 pages of 4 KiB, cut into 32 objects of 256 B");
	await expect(slab(page)).toContainText("20 allocated 12 free, available to CPU 3");
	await expect(slab(page).getByRole("listitem", { includeHidden: true })).toHaveCount(32);
	await expect(ways(page)).toHaveCount(5);
	await expect(links(page)).toHaveCount(5);
	// Without a press it plays by itself, but not at once.
	await page.clock.runFor(5000);
	await expect(button(page, "Play")).toBeVisible();
	const first = await event(page);
	await runUntil(page, async () => (await current(page)) === 0);
	await expect(button(page, "Pause")).toBeVisible();
	await expect(slab(page)).toHaveCount(0);
	expect(await event(page)).toBe(first);
	const seen: number[] = [];
	const events = [first];
	let hadCard = false;
	const later = new Set<string>();
	await runUntil(page, async () => {
		const at = await current(page);
		if (at >= 0 && seen.at(-1) !== at) seen.push(at);
		const consequence = await page.locator("[data-part=consequence]").textContent();
		const [words] = /^.* events? later[^.]*\./.exec(consequence ?? "") ?? [];
		if (words) later.add(words);
		const now = await event(page);
		if (events.at(-1) !== now) events.push(now);
		if (at === 4 && !hadCard) {
			// Its code may still be on the way, whatever the page's clock says.
			await expect(page.locator("[data-part=why]")).toBeVisible();
			hadCard = true;
		}
		return (await ways(page).count()) > 0;
	});
	expect(seen).toEqual([0, 1, 2, 3, 4]);
	// Three pops, and no event between chapters that belongs to none of them.
	expect(events).toEqual(events.toSorted((a, b) => a - b));
	expect(events).toHaveLength(3 + 4);
	expect(hadCard).toBe(true);
	expect([...later]).toEqual([
		"7,728 events later, in another cache.",
		"3,026 events later.",
		"661 events later.",
	]);
	await expect(heading).toHaveText("The further down a CPU has to go, the longer it takes");
	await expect(button(page, "Play")).toBeVisible();
	await expect(button(page, "Start lesson 1")).toHaveClass(/primary/);
	await expect(button(page, "Open your trace…")).toBeVisible();
	await button(page, "Change a rule").click();
	await expect(page.getByRole("combobox", { name: "Allocator" })).toBeVisible();
	await page.keyboard.press("Escape");
	await button(page, "Start lesson 1").click();
	await expect(page).toHaveURL(/lesson=what-a-slab-is/);
});

test("a click starts the tour, skips to the slow path, or leaves the first frame", async ({
	page,
}) => {
	await page.clock.install();
	for (const press of ["Watch two more pops", "Space", "Skip to the slow path", "Next event"]) {
		await page.goto("./");
		await expect(slab(page)).toBeVisible();
		await expect(links(page)).toHaveCount(5);
		if (press === "Space") await page.keyboard.press("Space");
		else await button(page, press).click();
		const plays = press !== "Next event";
		await expect(button(page, plays ? "Pause" : "Play")).toBeVisible();
		const chapter = press.startsWith("Skip") ? 3 : 0;
		await runUntil(page, async () => (await current(page)) === chapter);
		await expect(ways(page)).toHaveCount(0);
	}
});

test("Space stops the tour and continues it", async ({ page }) => {
	await page.clock.install();
	await page.goto("./");
	await expect(links(page)).toHaveCount(5);
	await button(page, "Skip to the slow path").click();
	await runUntil(page, async () => (await current(page)) === 3);
	await page.keyboard.press("Space");
	await expect(button(page, "Play")).toBeVisible();
	await page.keyboard.press("Space");
	await expect(button(page, "Pause")).toBeVisible();
	await runUntil(page, async () => (await ways(page).count()) > 0);
	expect(await current(page)).toBe(4);
});

for (const width of [1440, 390])
	test(
		`the first screen has Open trace, and axe finds no faults: ${width} wide`,
		variant(width === 390),
		async ({ page }) => {
			await page.emulateMedia({ reducedMotion: "reduce" });
			await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
			await page.goto("./");
			await expect(slab(page)).toBeVisible();
			await expect(button(page, "Open trace")).toBeInViewport({ ratio: 1 });
			const chooser = page.waitForEvent("filechooser");
			await button(page, "Open trace").click();
			await chooser;
			await idle(page);
			expect(await faults(page)).toEqual([]);
		},
	);

test(
	"stops where it is when you do something, continues, and can be skipped through",
	variant(true),
	async ({ page }) => {
		await page.clock.install();
		await page.goto("./");
		await button(page, "Watch two more pops").click();
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
		await button(page, "Continue the tour").click();
		await expect(button(page, "Pause")).toBeVisible();
		await links(page).nth(3).click();
		await runUntil(page, async () => (await current(page)) === 3);
		await expect(button(page, "Pause")).toBeVisible();
		await button(page, "Pause").click();
		await expect(button(page, "Continue the tour")).toBeVisible();
		await button(page, "Play").click();
		await expect(button(page, "Pause")).toBeVisible();
		expect(await faults(page)).toEqual([]);
	},
);

for (const width of [1440, 390])
	test(
		`exploring freely ends the tour for good: ${width} wide`,
		variant(width === 390),
		async ({ page }) => {
			await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
			// A link to an answer opens on that, and not on the tour.
			await page.goto("./?answer=slabinfo");
			await idle(page);
			await expect(controls(page)).toHaveCount(0);
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
	"doesn't play by itself with reduced motion: buttons go from chapter to chapter",
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
