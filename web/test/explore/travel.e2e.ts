/** Tests breakpoints in both directions, and the life of what is selected. */

import {
	button,
	event,
	faults,
	idle,
	open,
	placeOnStage,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON = "one-slab-after-another.slabtrace";
const step = (page: Page) => page.getByRole("status", { name: "Current step" });
const breakpoints = (page: Page) => page.getByRole("region", { name: "Breakpoints" });
const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

test.beforeEach(({ page }) => watch(page));

async function stopWhen(page: Page, what: string): Promise<void> {
	await breakpoints(page).getByRole("combobox", { name: "Stop when" }).selectOption(what);
	await breakpoints(page).getByRole("button", { name: "Add" }).click();
}

test("runs to a breakpoint forwards and backwards, by button and by key", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=0&caches=all`);
	await button(page, "Breakpoints").click();
	await breakpoints(page).getByRole("button", { name: "Next breakpoint" }).click();
	const outcome = page.getByRole("status", { name: "Breakpoint" });
	await expect(outcome).toContainText("Add a breakpoint");
	await stopWhen(page, "a slab is made");
	const on = async () => {
		await page.keyboard.press("KeyN");
		await idle(page);
		return event(page);
	};
	await breakpoints(page).getByRole("button", { name: "Next breakpoint" }).click();
	await idle(page);
	const stops = [await event(page), await on()];
	expect(stops[1]).toBeGreaterThan(stops[0] ?? 0);
	await expect(outcome).toContainText("a slab is made");
	const sentence = await step(page).textContent();
	await page.keyboard.press("Shift+KeyN");
	await idle(page);
	expect(await event(page)).toBe(stops[0]);
	expect(await on()).toBe(stops[1]);
	await expect(step(page)).toHaveText(sentence ?? "");
	expect(await on()).toBe(stops[1]);
	await expect(outcome).toContainText("No breakpoint is reached after");
});

test("playing stops at a breakpoint", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=0&caches=all`);
	await page.keyboard.press("KeyB");
	await stopWhen(page, "a slab is discarded");
	await page.getByRole("combobox", { name: "Granularity" }).selectOption("event");
	await page.getByRole("slider", { name: "Speed" }).fill("0.8");
	await button(page, "Play").click();
	await expect(page.getByRole("status", { name: "Breakpoint" })).toContainText("Stopped at event");
	await expect(button(page, "Play")).toBeVisible();
	await breakpoints(page)
		.getByRole("button", { name: /^Remove: a slab/ })
		.click();
	await expect(breakpoints(page).getByRole("listitem")).toHaveCount(0);
});

test("a selected slab shows its life, and keys move along it", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=16`);
	await page.locator("[data-part=stage] canvas").click({ position: await placeOnStage(page) });
	const life = page.getByRole("region", { name: "Lifetime" });
	await expect(life).toContainText(/allocated by event|Made by event/);
	await page.keyboard.press("BracketLeft");
	await idle(page);
	const birth = await event(page);
	expect(birth).toBeLessThanOrEqual(17);
	await page.keyboard.press("Period");
	await idle(page);
	const next = await event(page);
	expect(next).toBeGreaterThan(birth);
	await expect(life.getByRole("listitem").and(page.locator("[aria-current]"))).toContainText(
		String(next),
	);
	await page.keyboard.press("Comma");
	await idle(page);
	expect(await event(page)).toBe(birth);
	await life.getByRole("listitem").last().getByRole("button").click();
	await idle(page);
	expect(await event(page)).toBeGreaterThan(birth);
	await page.keyboard.press("Escape");
	await expect(inspector(page)).toBeHidden();
});

test("the inspector shows the slab's objects as cells, and a click selects one", async ({
	page,
}) => {
	await open(
		page,
		"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&event=16805&cache=kmalloc-cg-512&sel=52",
	);
	const objects = inspector(page).getByRole("group", { name: "Objects" }).getByRole("button");
	await expect(objects).toHaveCount(32);
	await expect(objects.nth(20)).toHaveAccessibleName("object 20: free, on the slab freelist");
	await objects.nth(20).click();
	await idle(page);
	await expect(page).toHaveURL(/sel=52\.20/);
	await expect(inspector(page)).toContainText("object 20free, on the slab freelist");
	// It does not cover the stage.
	const stage = await page.locator("[data-part=stage]").boundingBox();
	const own = await inspector(page).boundingBox();
	expect(own?.x).toBeGreaterThanOrEqual((stage?.x ?? 0) + (stage?.width ?? 0));
});

test(
	"says that an object that is never freed has no free to go to",
	variant(true),
	async ({ page }) => {
		await open(
			page,
			"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=16804&cache=kmalloc-cg-512&sel=31.4",
		);
		await button(page, "Go to its free").click();
		await expect(page.getByText("It is never freed in this trace.")).toBeVisible();
		await button(page, "Go to its next use").click();
		await expect(page.getByText("No event after this one touches it.")).toBeVisible();
		expect(await event(page)).toBe(16_805);
	},
);

test(
	"a panel that opens gets the keyboard focus; Esc closes it and gives the focus back",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=16&sel=1`);
		for (const [name, key] of [
			["Breakpoints", "KeyB"],
			["Marks", "Shift+KeyM"],
		] as const) {
			const panel = page.getByRole("region", { name });
			await button(page, "Next event").focus();
			await page.keyboard.press(key);
			await expect(panel).toBeFocused();
			await page.keyboard.press("Tab");
			await page.keyboard.press("Escape");
			await expect(panel).toBeHidden();
			await expect(button(page, "Next event")).toBeFocused();
		}
		await expect(inspector(page)).toBeVisible();
		await page.keyboard.press("Escape");
		await expect(inspector(page)).toBeHidden();
	},
);

for (const colorScheme of ["light", "dark"] as const) {
	for (const width of colorScheme === "light" ? [1440, 390] : [1440]) {
		test(
			`axe finds no faults in breakpoints and lives: ${colorScheme}, ${width} wide`,
			variant(true),
			async ({ page }) => {
				await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
				await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
				// A phone shows the levels instead, unless it is asked for the map.
				await open(page, `trace=${LESSON}&op=16${width < 1000 ? "&show=map" : ""}`);
				await page
					.locator("[data-part=stage] canvas")
					.click({ position: await placeOnStage(page) });
				await expect(page.getByRole("region", { name: "Lifetime" })).toBeVisible();
				if (width < 1000) await button(page, "More controls").click();
				await button(page, "Breakpoints").click();
				await stopWhen(page, "a slab is made");
				await stopWhen(page, "a CPU waits for a lock");
				await page.keyboard.press("KeyN");
				await idle(page);
				expect(await faults(page)).toEqual([]);
			},
		);
	}
}
