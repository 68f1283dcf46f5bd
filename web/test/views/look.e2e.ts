/**
 * Every view against a picture of how it looked: reference/VIEW-LOOK-WIDTH.png, a third of the size on screen and in
 * few colours. The mean colours of squares of 12 CSS pixels are compared, so smoothing makes no difference but a
 * missing label does. If the fonts are not those of the pictures, lines break elsewhere: then only the stage's canvas
 * is compared, and coarsely.
 *
 * 	UPDATE_LOOK=1 npx playwright test --config=web look	takes the pictures again
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { idle, open, variant, watch } from "../support/page.ts";

const FOLDER = fileURLToPath(new URL("../reference/", import.meta.url));
const FONTS = `${FOLDER}fonts.json`;
const UPDATE = process.env.UPDATE_LOOK === "1";

/** CSS pixels per pixel of a picture; pixels of a picture per side of a square. */
const SHRINK = 3;
const SIDE = 4;
/** How far any of a square's channels has to be off to count as different, out of 255. */
const FAR = 20;
/** The share of all squares that may differ; the same with other fonts. */
const MAY_DIFFER = { alike: 0.0003, elsewhere: 0.06 };
/** An allocation that goes down all levels. */
const POSITION =
	"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512&event=16424&step=11";

test.beforeEach(({ page }) => watch(page));

/** Measures how wide some words are: two machines only agree if their fonts are the same. */
function fontsOf(page: Page): Promise<number[]> {
	return page.evaluate(() => {
		const ctx = document.createElement("canvas").getContext("2d");
		const style = getComputedStyle(document.documentElement);
		return ["sans", "mono"].map((name) => {
			if (!ctx) return 0;
			ctx.font = `400 40px ${style.getPropertyValue(`--font-${name}`)}`;
			return Math.round(ctx.measureText("Slabscope 0123456789 fig AVA").width);
		});
	});
}

interface Area {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** Returns a picture reduced in size and colours, as a PNG in base64. */
function small(page: Page, png: Buffer): Promise<string> {
	return page.evaluate(
		async ([base64, shrink]) => {
			const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
			const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
			const canvas = document.createElement("canvas");
			canvas.width = Math.floor(image.width / shrink);
			canvas.height = Math.floor(image.height / shrink);
			const ctx = canvas.getContext("2d");
			if (!ctx) throw new Error("no canvas");
			ctx.imageSmoothingQuality = "high";
			ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
			const pixels = ctx.getImageData(0, 0, canvas.width, canvas.height);
			pixels.data.forEach((v, i) => {
				pixels.data[i] = i % 4 === 3 ? 255 : Math.min(255, Math.round(v / 17) * 17);
			});
			ctx.putImageData(pixels, 0, 0);
			return canvas.toDataURL("image/png").slice("data:image/png;base64,".length);
		},
		[png.toString("base64"), SHRINK] as const,
	);
}

/** Returns the share of squares in an area of the page whose mean colours are far from each other. */
function difference(page: Page, a: string, b: string, area: Area): Promise<number> {
	return page.evaluate(
		async ([pictures, where, shrink, side, far]) => {
			const load = async (base64: string) => {
				const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
				const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
				const ctx = new OffscreenCanvas(image.width, image.height).getContext("2d");
				if (!ctx) throw new Error("no canvas");
				ctx.drawImage(image, 0, 0);
				return ctx.getImageData(0, 0, image.width, image.height);
			};
			const [one, two] = await Promise.all(pictures.map(load));
			if (!one || !two || one.width !== two.width || one.height !== two.height) return 1;
			const mean = ({ data, width }: ImageData, x0: number, y0: number, channel: number) => {
				let sum = 0;
				for (let y = y0; y < y0 + side; y++)
					for (let x = x0; x < x0 + side; x++) sum += data[(y * width + x) * 4 + channel] ?? 0;
				return sum / (side * side);
			};
			let squares = 0;
			let differ = 0;
			const [right, bottom] = [where.x + where.width, where.y + where.height].map(
				(v) => v / shrink,
			);
			for (let y = Math.ceil(where.y / shrink); y + side <= (bottom ?? 0); y += side) {
				for (let x = Math.ceil(where.x / shrink); x + side <= (right ?? 0); x += side) {
					squares++;
					const apart = [0, 1, 2].some(
						(channel) => Math.abs(mean(one, x, y, channel) - mean(two, x, y, channel)) > far,
					);
					if (apart) differ++;
				}
			}
			return squares === 0 ? 0 : differ / squares;
		},
		[[a, b], area, SHRINK, SIDE, FAR] as const,
	);
}

const LOOKS = {
	light: { colorScheme: "light", contrast: "no-preference" },
	dark: { colorScheme: "dark", contrast: "no-preference" },
} as const;

for (const [look, media] of Object.entries(LOOKS)) {
	for (const [width, height] of [
		[1440, 900],
		[390, 844],
	] as const) {
		test(
			`every view looks as before: ${look}, ${width} wide`,
			variant(look === "dark" || width < 1000),
			async ({ page }, info) => {
				test.setTimeout(120_000);
				await page.setViewportSize({ width, height });
				await page.emulateMedia({ ...media, reducedMotion: "reduce" });
				await open(page, POSITION);
				const fonts = `[${(await fontsOf(page)).join(", ")}]`;
				const alike = !UPDATE && existsSync(FONTS) && readFileSync(FONTS, "utf8").trim() === fonts;
				if (UPDATE) {
					mkdirSync(FOLDER, { recursive: true });
					writeFileSync(FONTS, `${fonts}\n`);
				}
				const changed: string[] = [];
				for (const tab of await page.getByRole("tab").all()) {
					await tab.click();
					await idle(page);
					await page.mouse.move(0, 0);
					const view = ((await tab.textContent()) ?? "").toLowerCase().replaceAll(" ", "-");
					const file = `${FOLDER}${view}-${look}-${width}.png`;
					const now = await small(page, await page.screenshot());
					if (UPDATE) {
						writeFileSync(file, Buffer.from(now, "base64"));
						continue;
					}
					const canvas = page.locator("[data-part=stage] canvas");
					const area = alike ? { x: 0, y: 0, width, height } : await boxOf(canvas);
					if (!area) continue;
					const then = existsSync(file) ? readFileSync(file).toString("base64") : "";
					const share = then === "" ? 1 : await difference(page, then, now, area);
					if (share <= (alike ? MAY_DIFFER.alike : MAY_DIFFER.elsewhere)) continue;
					changed.push(`${view}: ${(100 * share).toFixed(2)}% of its squares`);
					await info.attach(`${view} now`, {
						body: Buffer.from(now, "base64"),
						contentType: "image/png",
					});
				}
				expect(changed).toEqual([]);
			},
		);
	}
}

async function boxOf(canvas: ReturnType<Page["locator"]>): Promise<Area | null> {
	return (await canvas.count()) === 1 && (await canvas.isVisible()) ? canvas.boundingBox() : null;
}

test("a missing label counts as a difference", async ({ page }) => {
	await page.setViewportSize({ width: 1440, height: 900 });
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, POSITION);
	const area = { x: 0, y: 0, width: 1440, height: 900 };
	const before = await small(page, await page.screenshot());
	const again = await small(page, await page.screenshot());
	expect(await difference(page, before, again, area)).toBe(0);
	const canvas = await page.locator("[data-part=stage] canvas").boundingBox();
	// The name of the first node, over its column.
	await page.evaluate((box) => {
		const cover = document.createElement("div");
		const { x = 0, y = 0 } = box ?? {};
		cover.style.cssText = `position:fixed;z-index:99;background:#fff;left:${x + 172}px;top:${y + 2}px;width:62px;height:22px`;
		document.body.append(cover);
	}, canvas);
	const without = await small(page, await page.screenshot());
	expect(await difference(page, before, without, area)).toBeGreaterThan(MAY_DIFFER.alike);
});
