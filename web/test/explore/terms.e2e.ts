/** Tests definitions of kernel terms: by pointer and by keyboard, hoverable, dismissible, and not fetched by the first view. */
import { expect, type Page, test } from "@playwright/test";
import { faults, idle, open, openSheet, variant, watch } from "../support/page.ts";

const LESSON = "tab=lessons&lesson=what-a-slab-is&stop=first";
const tip = (page: Page) => page.getByRole("tooltip");

test.beforeEach(({ page }) => watch(page));

test("a definition appears on hover, can be pointed at, and closes with Escape", async ({
	page,
}) => {
	await open(page, LESSON);
	const word = page.locator("[data-stop=first]").getByRole("button", { name: "fast path" });
	await word.hover();
	await expect(tip(page)).toContainText("without a lock");
	await tip(page).hover();
	await expect(tip(page)).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(tip(page)).toHaveCount(0);
	await expect(page).toHaveURL(/lesson=what-a-slab-is/);

	await word.hover();
	await expect(tip(page)).toBeVisible();
	await page.mouse.move(2, 2);
	await expect(tip(page)).toHaveCount(0);
});

test("a definition appears on focus, and once per paragraph", variant(true), async ({ page }) => {
	await open(page, LESSON);
	const stop = page.locator("[data-stop=first]");
	const word = stop.getByRole("button", { name: "fast path" });
	await expect(word).toHaveCount(1);
	await word.focus();
	await expect(word).toHaveAccessibleDescription(/fast path.*without a lock/);
	const [of, box] = [await word.boundingBox(), await tip(page).boundingBox()];
	expect(box?.x).toBeGreaterThanOrEqual(0);
	expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1440);
	expect(Math.abs((box?.y ?? 0) - (of?.y ?? 0))).toBeLessThan(200);
	expect(await faults(page)).toEqual([]);
	await page.keyboard.press("Tab");
	await expect(tip(page).filter({ hasText: "without a lock" })).toHaveCount(0);
});

test(
	"the sentence of a step and the meaning of a parameter have definitions too",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=two-nodes.slabtrace&event=33&step=1");
		const current = page.getByRole("status", { name: "Current step" });
		await expect(current.getByRole("button")).toHaveCount(0);
		await page.mouse.move(700, 500);
		await expect(current.getByRole("button", { name: "fast path" })).toBeVisible();
		await idle(page);
		await current.getByRole("button", { name: "fast path" }).hover();
		await expect(tip(page)).toContainText("without a lock");
		await openSheet(page, "Machine");
		await expect(page.locator("[data-part=machine] [data-term]").first()).toBeAttached();
	},
);
