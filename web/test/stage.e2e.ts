/** The stage's pixels: the same moment looks the same, whichever way it was reached and however near. */
import { createHash } from "node:crypto";
import { expect, type Page, test } from "@playwright/test";
import { faults, idle } from "./page.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=17600";

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

for (const colorScheme of ["light", "dark"] as const) {
	test(`zoom alone leads to the bytes of one object, and the words follow: ${colorScheme}`, async ({
		page,
	}) => {
		await page.emulateMedia({ colorScheme });
		await page.goto(`./?${HACKBENCH}&set.freelist_hardened=on`);
		await idle(page);
		await page.locator(".stage-canvas canvas").click({ position: { x: 60, y: 93 } });
		await press(page, ["KeyF"]);
		const table = page.getByRole("table", { name: "Objects looked at closely" });
		await expect(table).toContainText(/object \d+ of slab \d+/);
		await expect(table).toContainText(/bytes 0 to \d+/);
		expect(await faults(page)).toEqual([]);
		await press(page, ["Digit0"]);
		await expect(table).toBeHidden();
	});
}
