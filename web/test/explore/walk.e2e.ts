/** Tests the stage by keyboard, its inspector, and the stage of a phone in landscape. */

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

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=17600";
const tree = (page: Page) => page.getByRole("tree", { name: "Places, slabs and objects" });
const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

test.beforeEach(({ page }) => watch(page));

async function press(page: Page, keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
		await idle(page);
	}
}

/** Gives the stage's button the focus, as if it had been reached with Tab. */
async function enter(page: Page): Promise<void> {
	const entry = button(page, "Walk through the stage by keyboard: Enter");
	await entry.focus();
	await page.keyboard.press("Shift+Tab");
	await expect(entry).not.toBeFocused();
	// A sentence on the way may contain terms.
	for (let i = 0; i < 6 && !(await entry.evaluate((e) => e === document.activeElement)); i++)
		await page.keyboard.press("Tab");
	await expect(entry).toBeFocused();
	await expect(entry).toHaveCSS("opacity", "1");
}

/** Returns the item that a screen reader reads out. */
async function heard(page: Page): Promise<string> {
	const id = await tree(page).getAttribute("aria-activedescendant");
	return page.locator(`[id="${id}"]`).innerText();
}

test("places, slabs and objects can be reached, named, ringed and selected by keyboard", async ({
	page,
}) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, HACKBENCH);
	await enter(page);
	// Before Enter the arrows step through events, as everywhere.
	const before = await event(page);
	await press(page, ["ArrowRight", "ArrowLeft"]);
	expect(await event(page)).toBe(before);
	await press(page, ["Enter"]);
	await expect(tree(page)).toBeFocused();
	expect(await heard(page)).toMatch(/^CPU 0, cpu slab, 1 slab$/);
	await press(page, ["ArrowRight"]);
	expect(await heard(page)).toMatch(/^slab \d+, \d+ of 32 allocated$/);
	await press(page, ["ArrowRight", "ArrowDown", "ArrowDown"]);
	expect(await heard(page)).toMatch(/^object 2, /);
	expect(await event(page)).toBe(before);
	expect(await faults(page)).toEqual([]);
	await press(page, ["Enter"]);
	await expect(inspector(page)).toContainText("object 2");
	await expect(tree(page).getByRole("treeitem", { selected: true })).toContainText("object 2");
	const ring = page.locator("[data-part=ring]");
	const far = await ring.boundingBox();
	await press(page, ["f"]);
	const near = await ring.boundingBox();
	expect(near?.width ?? 0).toBeGreaterThan(4 * (far?.width ?? 0));
	// Zoomed in, what comes next is brought into sight.
	const canvas = await page.locator("[data-part=stage]").boundingBox();
	await press(page, ["End", "ArrowLeft", "ArrowLeft", "End"]);
	const place = await ring.boundingBox();
	if (!canvas || !place) throw new Error("the ring is on the stage");
	expect(place.x).toBeGreaterThanOrEqual(canvas.x - 1);
	expect(place.x + place.width).toBeLessThanOrEqual(canvas.x + canvas.width + 1);
	expect(place.y + place.height).toBeLessThanOrEqual(canvas.y + canvas.height + 1);
	// Steps continue during a walk.
	await press(page, ["Shift+ArrowRight"]);
	await expect(tree(page)).toBeFocused();
	await press(page, ["Escape"]);
	await expect(tree(page)).toBeHidden();
	await expect(button(page, "Walk through the stage by keyboard: Enter")).toBeFocused();
	await press(page, ["Escape"]);
	await expect(inspector(page)).toBeHidden();
});

for (const allocator of ["slab", "slob"]) {
	test(
		`${allocator}: a walk reaches the last object of the last place that has one`,
		variant(allocator === "slob"),
		async ({ page }) => {
			await open(page, `${HACKBENCH}&set.allocator=${allocator}`);
			await enter(page);
			await press(page, ["Enter"]);
			for (let i = 0; i < 30; i++) {
				await page.keyboard.press("ArrowRight");
				if ((await tree(page).getByRole("treeitem").count()) > 1) break;
				await page.keyboard.press("ArrowDown");
			}
			await press(page, ["End"]);
			await expect(page.locator("[data-part=ring]")).toBeVisible();
			await press(page, ["Enter"]);
			await expect(inspector(page)).toBeVisible();
		},
	);
}

test("the inspector closes with its button and with Escape", variant(true), async ({ page }) => {
	await open(page, `${HACKBENCH}&sel=3`);
	await expect(inspector(page)).toBeVisible();
	await button(page, "Close inspector").click();
	await expect(inspector(page)).toBeHidden();
	await expect(page).not.toHaveURL(/sel=/);
	// The line that follows the pointer disappears too, until the pointer reaches something else.
	const canvas = page.locator("[data-part=stage] canvas");
	const line = page.locator("[data-part=pointed]");
	const place = await placeOnStage(page);
	await canvas.hover({ position: place });
	await expect(line).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(line).toBeHidden();
	await canvas.hover({ position: { ...place, x: place.x + 0.5 } });
	await expect(line).toBeHidden();
});

for (const [width, height] of [
	[844, 390],
	[667, 375],
] as const) {
	test(
		`a phone on its side shows the stage and its buttons: ${width} × ${height}`,
		variant(true),
		async ({ page }) => {
			await page.setViewportSize({ width, height });
			await open(page, HACKBENCH);
			const stage = await page.locator("[data-part=stage]").boundingBox();
			const bottom = await page.getByRole("contentinfo").boundingBox();
			if (!stage || !bottom) throw new Error("both are on the page");
			const seen = Math.min(stage.y + stage.height, bottom.y) - stage.y;
			expect(seen).toBeGreaterThanOrEqual(150);
			expect(stage.y + stage.height).toBeLessThanOrEqual(bottom.y + 1);
			const next = await button(page, "Next step").boundingBox();
			expect((next?.y ?? height) + (next?.height ?? 0)).toBeLessThanOrEqual(height);
			expect(await faults(page)).toEqual([]);
		},
	);
}
