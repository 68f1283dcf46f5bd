/** Tests the stage's pixels: a position looks the same however it was reached and however close the view. */

import { drop, faults, idle, placeOnStage, pointSaying, reload, variant } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=17600";

/** Returns what is on the canvas, with no pointer over it. */
async function pixels(page: Page): Promise<string> {
	await idle(page);
	return page
		.locator("[data-part=stage] canvas")
		.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL().split(",")[1] ?? "");
}

/** Counts the canvas's pixels that differ from a picture. */
async function unlike(page: Page, picture: string): Promise<number> {
	return page.evaluate(
		async (pictures) => {
			const [a, b] = await Promise.all(
				pictures.map(async (base64) => {
					const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
					const image = await createImageBitmap(new Blob([bytes]));
					const ctx = new OffscreenCanvas(image.width, image.height).getContext("2d");
					ctx?.drawImage(image, 0, 0);
					return ctx?.getImageData(0, 0, image.width, image.height);
				}),
			);
			if (!a || !b || a.width !== b.width || a.height !== b.height) return -1;
			let count = 0;
			// The edge of a translucent shape that is drawn in two parts can be off by one level out of 255.
			const differs = (at: number) => Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0)) > 1;
			for (let i = 0; i < a.data.length; i += 4) {
				if (differs(i) || differs(i + 1) || differs(i + 2)) count++;
			}
			return count;
		},
		[picture, await pixels(page)],
	);
}

/** The stage learns of the window's size a little later than the window. */
function canvasWidth(page: Page): Promise<number> {
	return page
		.locator("[data-part=stage] canvas")
		.evaluate((canvas) => (canvas as HTMLCanvasElement).width);
}

async function press(page: Page, keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
		await idle(page);
	}
}

for (const allocator of ["slub", "slab", "unified", "slob"]) {
	test(
		`${allocator}: one step forward and back gives the same pixels, near and far`,
		variant(allocator !== "slub"),
		async ({ page }) => {
			// What moves leaves a ghost for a while, unless less motion is preferred.
			await page.emulateMedia({ reducedMotion: "reduce" });
			await page.goto(`./?${HACKBENCH}&set.allocator=${allocator}`);
			await idle(page);
			for (const zoom of [[], ["KeyW", "KeyW", "KeyW", "KeyW"], ["KeyW", "KeyW", "KeyW", "KeyW"]]) {
				await press(page, zoom);
				await press(page, ["ArrowRight"]);
				const before = await pixels(page);
				await press(page, ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"]);
				expect(await unlike(page, before)).toBe(0);
				await press(page, ["Shift+ArrowRight"]);
				await press(page, ["Shift+ArrowLeft"]);
				expect(await unlike(page, before)).toBe(0);
			}
		},
	);
}

test(
	"what was drawn piece by piece looks as if it had been drawn at once",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.goto(`./?${HACKBENCH}`);
		await idle(page);
		await press(page, ["ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowRight"]);
		const after = await pixels(page);
		await reload(page);
		expect(await unlike(page, after)).toBe(0);
	},
);

/** Opens a machine with many small slabs, some with holes: enough of them to be drawn as a crowd. */
function manySlabs(): string {
	const lines = ["slabtrace 1", "machine cpus=8 nodes=2", "cache c size=1024 name=many"];
	for (let i = 0; i < 9600; i++) lines.push(`a ${i} c cpu=${i % 8}`);
	for (let i = 0; i < 9600; i += 7) lines.push(`f ${i} cpu=${(i * 5) % 8}`);
	for (let i = 9600; i < 9900; i++) lines.push(`a ${i} c cpu=${i % 8}`);
	return `${lines.join("\n")}\n`;
}

for (const allocator of ["slub", "slab"]) {
	test(
		`${allocator}: a crowd that is followed looks as if it had been drawn at once`,
		variant(true),
		async ({ page }) => {
			await page.emulateMedia({ reducedMotion: "reduce" });
			await page.goto(`./?op=5&set.allocator=${allocator}`);
			await idle(page);
			await drop(page, "many.slabtrace", manySlabs());
			await page.getByText("many.slabtrace, from your disk").waitFor();
			await press(page, ["End"]);
			for (const zoom of [[], ["KeyW", "KeyW", "KeyW", "KeyW"]]) {
				await press(page, zoom);
				const end = await pixels(page);
				await press(page, ["ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "ArrowLeft"]);
				if (zoom.length === 0) expect(await unlike(page, end)).toBeGreaterThan(0);
				await press(page, ["End"]);
				expect(await unlike(page, end)).toBe(0);
				// A close view follows the window's size, but does not go back.
				if (zoom.length > 0) continue;
				// Another size and back: then everything is drawn at once.
				const width = await canvasWidth(page);
				await page.setViewportSize({ width: 1300, height: 900 });
				await expect.poll(() => canvasWidth(page)).toBeLessThan(width);
				await idle(page);
				await page.setViewportSize({ width: 1440, height: 900 });
				await expect.poll(() => canvasWidth(page)).toBe(width);
				await idle(page);
				expect(await unlike(page, end)).toBe(0);
			}
		},
	);
}

for (const colorScheme of ["light", "dark"] as const) {
	test(
		`zooming alone leads to the bytes of one object, and the words follow: ${colorScheme}`,
		variant(colorScheme === "dark"),
		async ({ page }) => {
			await page.emulateMedia({ colorScheme });
			await page.goto(`./?${HACKBENCH}&set.freelist_hardened=on`);
			await idle(page);
			await page.locator("[data-part=stage] canvas").click({ position: await placeOnStage(page) });
			await press(page, ["KeyF"]);
			const table = page.getByRole("table", { name: "Objects in close-up" });
			await expect(table).toContainText(/object \d+ of slab \d+/);
			await expect(table).toContainText(/bytes 0 to \d+/);
			expect(await faults(page)).toEqual([]);
			await press(page, ["Digit0"]);
			await expect(table).toBeHidden();
		},
	);
}

/** Counts the canvas's pixels that are neither floor nor the paper in the corner of a card. */
async function coloursInSight(page: Page): Promise<number> {
	return page.locator("[data-part=stage] canvas").evaluate((element) => {
		const canvas = element as HTMLCanvasElement;
		const image = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
		return new Set(new Uint32Array(image?.data.buffer ?? new ArrayBuffer(0))).size;
	});
}

test(
	"zoom and pan keep something in sight: no wheel or link leads to empty paper",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.goto(`./?${HACKBENCH}&zoom=30,0.13,0.74`);
		await idle(page);
		expect(await coloursInSight(page)).toBeGreaterThan(2);
		for (const height of [560, 1200, 700, 900]) {
			await page.setViewportSize({ width: 1440, height });
			await idle(page);
			expect(await coloursInSight(page), `${height} high`).toBeGreaterThan(2);
		}
		const whole = await canvasWidth(page);
		await page.setViewportSize({ width: 1300, height: 900 });
		await expect.poll(() => canvasWidth(page)).toBe(whole - 140);
		await page.setViewportSize({ width: 1440, height: 900 });
		await expect.poll(() => canvasWidth(page)).toBe(whole);
		await idle(page);
		await page.getByRole("button", { name: "Fit" }).click();
		await idle(page);
		// Between the lists of a node and its page allocator there is nothing.
		const canvas = page.locator("[data-part=stage] canvas");
		const { width, height } = (await canvas.boundingBox()) ?? { width: 0, height: 0 };
		await canvas.hover({ position: { x: width * 0.62, y: height * 0.6 } });
		for (let i = 0; i < 14; i++) await page.mouse.wheel(0, -240);
		await idle(page);
		await expect(page.getByRole("button", { name: "Fit" })).toBeVisible();
		expect(await coloursInSight(page)).toBeGreaterThan(2);
		for (let i = 0; i < 40; i++) await page.keyboard.press("a");
		await idle(page);
		expect(await coloursInSight(page)).toBeGreaterThan(2);
		await expect(page.getByText("Nothing is here.")).toBeHidden();
	},
);

test(
	"when all that was in view has gone, the page says so or shows something else",
	variant(true),
	async ({ page }) => {
		await page.goto(`./?${HACKBENCH}`);
		await idle(page);
		// In the longest list, which is empty at the start.
		const canvas = page.locator("[data-part=stage] canvas");
		const { width, height } = (await canvas.boundingBox()) ?? { width: 0, height: 0 };
		await canvas.hover({ position: { x: width * 0.4, y: height * 0.6 } });
		for (let i = 0; i < 10; i++) await page.mouse.wheel(0, -240);
		await idle(page);
		const words = page.getByText("Nothing is here.");
		await expect(words).toBeHidden();
		await page.keyboard.press("Home");
		await idle(page);
		// If the stage has another height at that event, its view turns to the nearest thing.
		await expect
			.poll(async () => (await words.isVisible()) || (await coloursInSight(page)) > 2)
			.toBe(true);
		await page.getByRole("button", { name: "Fit" }).click();
		await expect(words).toBeHidden();
	},
);

test(
	"a tile too small for its objects counts as a slab under the pointer; the card follows a zoom",
	variant(true),
	async ({ page }) => {
		await page.setViewportSize({ width: 1440, height: 928 });
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.goto("./?trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=16804");
		await idle(page);
		const canvas = page.locator("[data-part=stage] canvas");
		const inspector = page.locator("[data-part=pointed]");
		const tile = await placeOnStage(page, "--cell-full");
		await canvas.hover({ position: tile });
		await expect(inspector).toContainText(/Slab #\d+/);
		await expect(inspector).not.toContainText("Object");
		for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -300);
		await expect(inspector).toContainText(/Object \d+/);
		await page.keyboard.press("Digit0");
		await expect(inspector).not.toContainText("Object");
		await canvas.click({ position: tile });
		await idle(page);
		await expect(page).toHaveURL(/sel=\d+(&|$)/);
	},
);

test("at least 30 % of the section's pixels show something at 1440 x 900", async ({ page }) => {
	const trace = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512";
	for (const op of [7000, 12_000, 16_424, 16_805, 19_000]) {
		await page.goto(`./?${trace}&op=${op}`);
		await idle(page);
		expect(await shareShown(page), `event ${op}`).toBeGreaterThanOrEqual(0.3);
	}
});

/** Returns the share of the canvas's pixels that are neither ground nor paper. */
function shareShown(page: Page): Promise<number> {
	return page.locator("[data-part=stage] canvas").evaluate((element) => {
		const canvas = element as HTMLCanvasElement;
		const ctx = canvas.getContext("2d");
		const probe = new OffscreenCanvas(1, 1).getContext("2d");
		if (!ctx || !probe) return 0;
		const style = getComputedStyle(canvas);
		const words = ["--ground", "--paper"].map((token) => {
			probe.fillStyle = style.getPropertyValue(token);
			probe.fillRect(0, 0, 1, 1);
			return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
		});
		const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
		const pixels = new Uint32Array(data.buffer);
		return pixels.filter((word) => !words.includes(word)).length / pixels.length;
	});
}

test(
	"what slides leaves a ghost for a while, and the page is idle meanwhile",
	variant(true),
	async ({ page }) => {
		const query = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512&op=16803";
		const drawn: string[][] = [];
		for (const reducedMotion of ["no-preference", "reduce"] as const) {
			await page.emulateMedia({ reducedMotion });
			await page.goto(`./?${query}`);
			await idle(page);
			// The per-CPU partial list is drained, slab by slab.
			const pictures: string[] = [];
			for (let i = 0; i < 7; i++) {
				await press(page, ["Shift+ArrowRight"]);
				pictures.push(await pixels(page));
			}
			drawn.push(pictures);
		}
		const [withGhosts = [], without = []] = drawn;
		expect(withGhosts.filter((picture, i) => picture !== without[i])).not.toEqual([]);
		expect(await unlike(page, without.at(-1) ?? "")).toBe(0);
	},
);

test(
	"a list of more than 300 slabs is a histogram, whose bars lead to its slabs",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.goto("./?op=5");
		await idle(page);
		const lines = ["slabtrace 1", "machine cpus=1 nodes=1", "cache c size=1024 name=long"];
		for (let i = 0; i < 6400; i++) lines.push(`a ${i} c cpu=0`);
		for (let i = 0; i < 6400; i++) if (i % 8 === 3 || i % 16 === 5) lines.push(`f ${i} cpu=0`);
		await drop(page, "long.slabtrace", `${lines.join("\n")}\n`);
		await page.getByText("long.slabtrace, from your disk").waitFor();
		await press(page, ["Escape", "End"]);
		const twin = page.getByRole("table", { name: "Contents of the stage" });
		await expect(twin).toContainText(/\d+ slabs: \d+ with 1 free object, \d+ with 2 free objects/);
		const inspector = page.getByRole("complementary", { name: "Inspector" });
		const bar = await pointSaying(page, /of \d+ objects free; the list has \d{3} slabs/);
		const far = await pixels(page);
		await page.locator("[data-part=stage] canvas").click({ position: bar });
		await idle(page);
		await expect(inspector).toContainText(/Slab #\d+/);
		await expect(page.getByRole("button", { name: "Fit", exact: true })).toBeVisible();
		await press(page, ["Escape", "Digit0"]);
		await page.mouse.move(5, 5);
		expect(await unlike(page, far)).toBe(0);
		// After going to another event and back, it looks the same.
		await press(page, ["ArrowLeft", "ArrowLeft", "End"]);
		expect(await unlike(page, far)).toBe(0);
	},
);

test(
	"a square says which CPU it is and what it holds, and a click asks why",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await page.goto("./?op=5");
		await idle(page);
		const lines = ["slabtrace 1", "machine cpus=160 nodes=4", "cache c size=512 name=wide"];
		for (let i = 0; i < 600; i++) lines.push(`a ${i} c cpu=${(i * 39) % 160}`);
		await drop(page, "wide.slabtrace", `${lines.join("\n")}\n`);
		await page.getByText("wide.slabtrace, from your disk").waitFor();
		await press(page, ["Escape", "End"]);
		const words = /CPU (?!121\b)(\d+), node \d.*cpu slab slab \d+: \d+ of \d+ allocated/;
		const square = await pointSaying(page, words);
		const said = await page.locator("[data-part=pointed]").textContent();
		const [, cpu] = words.exec(said ?? "") ?? [];
		await expect(page.getByRole("table", { name: "Contents of the stage" })).toContainText(
			new RegExp(`CPU ${cpu}, cpu slab, node \\d`),
		);
		await page.locator("[data-part=stage] canvas").click({ position: square });
		await expect(page.locator("[data-part=why]")).toContainText(`CPU ${cpu}`);
	},
);
