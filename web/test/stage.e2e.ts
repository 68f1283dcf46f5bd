/** The stage's pixels: the same moment looks the same, whichever way it was reached and however near. */
import { createHash } from "node:crypto";
import { expect, type Page, test } from "@playwright/test";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=17600";

async function idle(page: Page): Promise<void> {
	await expect(page.locator("html")).toHaveAttribute("data-idle", "true");
}

/** What is on the canvas, with no pointer over it. */
async function pixels(page: Page): Promise<string> {
	await idle(page);
	const picture = await page
		.locator(".stage-canvas canvas")
		.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
	return createHash("sha256").update(picture).digest("hex");
}

async function press(page: Page, keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
		await idle(page);
	}
}

for (const allocator of ["slub", "slab", "unified", "slob"]) {
	test(`${allocator}: forward and back again gives the same pixels, far and near`, async ({
		page,
	}) => {
		await page.goto(`./?${HACKBENCH}&set.allocator=${allocator}`);
		await idle(page);
		for (const zoom of [[], ["KeyW", "KeyW", "KeyW", "KeyW"], ["KeyW", "KeyW", "KeyW", "KeyW"]]) {
			await press(page, zoom);
			await press(page, ["ArrowRight"]);
			const before = await pixels(page);
			await press(page, ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"]);
			expect(await pixels(page)).toBe(before);
			await press(page, ["Shift+ArrowRight"]);
			await press(page, ["Shift+ArrowLeft"]);
			expect(await pixels(page)).toBe(before);
		}
	});
}

test("what was drawn piece by piece looks as if it was drawn at once", async ({ page }) => {
	await page.goto(`./?${HACKBENCH}`);
	await idle(page);
	await press(page, ["ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowRight"]);
	const after = await pixels(page);
	await page.reload();
	expect(await pixels(page)).toBe(after);
});
