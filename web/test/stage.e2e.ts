/** The stage's pixels: the same moment looks the same, whichever way it was reached and however near. */
import { createHash } from "node:crypto";
import { expect, type Page, test } from "@playwright/test";
import { drop, faults, idle } from "./page.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=17600";

/** What is on the canvas, with no pointer over it. */
async function pixels(page: Page): Promise<string> {
	await idle(page);
	const picture = await page
		.locator(".stage-canvas canvas")
		.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
	return createHash("sha256").update(picture).digest("hex");
}

/** Keeps the picture in the page; says how many pixels differ from the one kept before, in more than the rounding of corners. */
function differing(page: Page): Promise<number> {
	return page.locator(".stage-canvas canvas").evaluate((canvas) => {
		const { width, height } = canvas as HTMLCanvasElement;
		const now = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height);
		const kept = window as { before?: Uint8ClampedArray | undefined };
		const old = kept.before;
		kept.before = now?.data;
		if (!now || !old) return -1;
		const far = (i: number) => Math.abs((old[i] ?? 0) - (now.data[i] ?? 0)) > 8;
		return now.data.reduce(
			(n, _, i) => n + Number(i % 4 === 3 && (far(i - 3) || far(i - 2) || far(i - 1))),
			0,
		);
	});
}

/** The stage learns of the window's size a little later than the window. */
function canvasWidth(page: Page): Promise<number> {
	return page
		.locator(".stage-canvas canvas")
		.evaluate((canvas) => (canvas as HTMLCanvasElement).width);
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
			await expect.poll(() => pixels(page)).toBe(before);
			await press(page, ["Shift+ArrowRight"]);
			await press(page, ["Shift+ArrowLeft"]);
			await expect.poll(() => pixels(page)).toBe(before);
		}
	});
}

test("what was drawn piece by piece looks as if it was drawn at once", async ({ page }) => {
	await page.goto(`./?${HACKBENCH}`);
	await idle(page);
	await press(page, ["ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowRight"]);
	const after = await pixels(page);
	await page.reload();
	await expect.poll(() => pixels(page)).toBe(after);
});

/** A machine of many small slabs, some with holes: so many that they are drawn as a crowd. */
function manySlabs(): string {
	const lines = ["slabtrace 1", "machine cpus=8 nodes=2", "cache c size=1024 name=many"];
	for (let i = 0; i < 9600; i++) lines.push(`a ${i} c cpu=${i % 8}`);
	for (let i = 0; i < 9600; i += 7) lines.push(`f ${i} cpu=${(i * 5) % 8}`);
	for (let i = 9600; i < 9900; i++) lines.push(`a ${i} c cpu=${i % 8}`);
	return `${lines.join("\n")}\n`;
}

for (const allocator of ["slub", "slab"]) {
	test(`${allocator}: a crowd that is followed looks as if it was drawn at once`, async ({
		page,
	}) => {
		await page.goto(`./?op=5&set.allocator=${allocator}`);
		await idle(page);
		await drop(page, "many.slabtrace", manySlabs());
		await page.getByText("many.slabtrace, from your disk").waitFor();
		await press(page, ["End"]);
		for (const zoom of [[], ["KeyW", "KeyW", "KeyW", "KeyW"]]) {
			await press(page, zoom);
			await differing(page);
			await press(page, ["ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "ArrowLeft"]);
			const moved = await differing(page);
			if (zoom.length === 0) expect(moved).toBeGreaterThan(0);
			await press(page, ["End"]);
			expect(await differing(page)).toBe(moved);
			// Another size, and back: then all is drawn at once.
			const width = await canvasWidth(page);
			await page.setViewportSize({ width: 1300, height: 900 });
			await expect.poll(() => canvasWidth(page)).toBeLessThan(width);
			await idle(page);
			await page.setViewportSize({ width: 1440, height: 900 });
			await expect.poll(() => canvasWidth(page)).toBe(width);
			await idle(page);
			expect(await differing(page)).toBe(0);
		}
	});
}

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
