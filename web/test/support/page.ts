/** What browser tests do with the page, by role and name, as a visitor would. */

import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

const IDLE_WITHIN_MS = 45_000;

/** Waits until nothing is loading, moving or being worked out. The page says so as soon as it is, instead of being polled. */
export async function idle(page: Page, limitMs = IDLE_WITHIN_MS): Promise<void> {
	const isIdle = await page.evaluate(async (withinMs) => {
		const root = document.documentElement;
		if (root.dataset.idle === "true") return true;
		return new Promise<boolean>((tell) => {
			const timer = setTimeout(() => tell(false), withinMs);
			new MutationObserver((_, observer) => {
				if (root.dataset.idle !== "true") return;
				observer.disconnect();
				clearTimeout(timer);
				tell(true);
			}).observe(root, { attributeFilter: ["data-idle"] });
		});
	}, limitMs);
	expect(isIdle, `the page is idle within ${limitMs / 1000} s`).toBe(true);
}

export async function open(page: Page, query: string): Promise<void> {
	await page.goto(`./?${query}`);
	await idle(page);
}

/** Returns the page's address. It follows what a visitor does once the page is idle. */
export async function address(page: Page): Promise<string> {
	await idle(page);
	return page.url();
}

/** Reloads the page once its address has caught up with what a visitor did. */
export async function reload(page: Page): Promise<void> {
	await idle(page);
	await page.reload();
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

export const event = async (page: Page) =>
	Number(await page.getByRole("slider", { name: "Timeline" }).getAttribute("aria-valuenow"));

/**
 * For a test that has several variants (a theme, a width, an allocator): `npm test` runs one of them, and test:long
 * runs the others too.
 */
export const variant = (isLong: boolean) => (isLong ? { tag: "@long" } : {});

type Dropped = readonly [name: string, content: string | Buffer];

export function drop(page: Page, name: string, text: string | Buffer): Promise<void> {
	return dropAll(page, [[name, text]]);
}

/** Drops several files at once. */
export async function dropAll(page: Page, files: readonly Dropped[]): Promise<void> {
	const encoded = files.map(
		([name, content]) => [name, Buffer.from(content).toString("base64")] as const,
	);
	const transfer = await page.evaluateHandle((all) => {
		const data = new DataTransfer();
		for (const [name, content] of all) {
			const decoded = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
			data.items.add(new File([decoded], name, { lastModified: 1 }));
		}
		return data;
	}, encoded);
	await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
	await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/**
 * A page that throws, or that complains on its console, fails the test. Between tests the shared page shows a bare
 * picture (shared.ts), for which the browser asks the server for favicon.ico, and that answer may come as late as
 * here.
 */
export function watch(page: Page): void {
	page.on("pageerror", (error) => {
		throw error;
	});
	page.on("console", (message) => {
		if (message.type() !== "error" || message.location().url.endsWith("/favicon.ico")) return;
		throw new Error(message.text());
	});
}

/**
 * Returns what axe finds. It checks only colours if another test checks the same page in another theme by all rules, and only
 * one part if another test checks the page around it. A whole page takes a second of processor time.
 */
export async function faults(
	page: Page,
	of: "all" | "colours" = "all",
	within?: string,
): Promise<string[]> {
	// The other mode opens a page for each answer, because of frames; there are none.
	const builder = new AxeBuilder({ page }).setLegacyMode();
	const axe = within === undefined ? builder : builder.include(within);
	const { violations } = await (of === "all" ? axe : axe.withRules("color-contrast")).analyze();
	return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`);
}

type SheetName = "Trace" | "Cache" | "Machine" | "More";

/** The header's sheet that each control is in. */
const SHEETS = {
	Trace: "Trace",
	Cache: "Cache",
	Allocator: "Machine",
	"Kernel preset": "Machine",
} as const;

export const sheet = (page: Page, name: SheetName) =>
	page.getByRole("dialog", { name, exact: true });

/** Opens a sheet of the header; on a narrow page, the menu has those without a chip. */
export async function openSheet(page: Page, name: SheetName): Promise<void> {
	const chip = (of: SheetName) =>
		// The chip ends with its value; the input for files has a name too.
		page.getByRole("banner").getByRole("button", { name: new RegExp(`^${of}\\b(?! file)`) });
	// A file that is being opened opens the sheet of the trace by itself, and a chip closes an open one.
	await expect(async () => {
		if (await sheet(page, name).isVisible()) return;
		if (await chip(name).isVisible()) await chip(name).click();
		else {
			await openSheet(page, "More");
			await sheet(page, "More").getByRole("button", { name }).click();
		}
		await expect(sheet(page, name)).toBeVisible({ timeout: 4000 });
	}).toPass();
}

export async function closeSheet(page: Page): Promise<void> {
	const open = page.locator("[data-sheet]");
	if (await open.isVisible()) await open.getByRole("button", { name: "Close" }).click();
	await expect(open).toHaveCount(0);
}

/** Returns a list in a sheet, which is opened and stays open. */
export async function listOf(page: Page, name: keyof typeof SHEETS): Promise<Locator> {
	await openSheet(page, SHEETS[name]);
	return page.getByRole("combobox", { name, exact: true });
}

/** Chooses from a list of a sheet. */
export async function choose(
	page: Page,
	name: keyof typeof SHEETS,
	value: Parameters<Locator["selectOption"]>[0],
): Promise<void> {
	await (await listOf(page, name)).selectOption(value);
	await closeSheet(page);
}

/** Presses an entry of the menu. */
export async function more(page: Page, entry: string): Promise<void> {
	await openSheet(page, "More");
	await sheet(page, "More").getByRole("button", { name: entry, exact: true }).click();
}

/** Opens the table of all caches. */
export async function openSlabinfo(page: Page): Promise<void> {
	await openSheet(page, "Cache");
	await button(page, "Slabinfo: all caches as a table").click();
}

/** Returns the short import report, in the sheet of the trace. */
export async function importReport(page: Page): Promise<Locator> {
	await openSheet(page, "Trace");
	return page.getByRole("region", { name: "Import report" });
}

/**
 * Finds the first place on the stage's canvas, from the top, with the colour of a token: an allocated object, unless told
 * otherwise. The button that leads into the stage does not cover it, even with the focus.
 */
export async function placeOnStage(
	page: Page,
	token = "--cell-allocated",
): Promise<{ x: number; y: number }> {
	const place = await page.locator("[data-part=stage] canvas").evaluate((element, name) => {
		const canvas = element as HTMLCanvasElement;
		const ctx = canvas.getContext("2d");
		const probe = new OffscreenCanvas(1, 1).getContext("2d");
		if (!ctx || !probe) return null;
		probe.fillStyle = getComputedStyle(canvas).getPropertyValue(name);
		probe.fillRect(0, 0, 1, 1);
		const wanted = new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
		const { width, height } = canvas;
		const pixels = new Uint32Array(ctx.getImageData(0, 0, width, height).data.buffer);
		const has = (x: number, y: number) => pixels[y * width + x] === wanted;
		const scale = canvas.clientWidth / width;
		const around = [-1, 0, 1];
		const [box, entry] = [canvas, document.querySelector("[data-part=walk]")].map((e) =>
			e?.getBoundingClientRect(),
		);
		const isCovered = (x: number, y: number) =>
			box && entry && box.x + x <= entry.right && box.y + y <= entry.bottom;
		for (let y = 1; y < height - 1; y++) {
			for (let x = 1; x < width - 1; x++) {
				if (isCovered(x * scale, y * scale)) continue;
				if (around.every((dy) => around.every((dx) => has(x + dx, y + dy))))
					return { x: (x + 0.5) * scale, y: (y + 0.5) * scale };
			}
		}
		return null;
	}, token);
	expect(place, `something on the stage has the colour ${token}`).not.toBeNull();
	return place ?? { x: 0, y: 0 };
}

/** Moves the pointer over the upper left of the stage, where the first CPUs are, line by line until `isFound`. */
export async function lookOverStage(page: Page, isFound: () => Promise<boolean>): Promise<void> {
	const box = await page.locator("[data-part=stage] canvas").first().boundingBox();
	if (!box) throw new Error("the stage is not on the page");
	for (let y = box.y + 4; y < box.y + box.height / 2; y += 6) {
		for (let x = box.x + box.width / 8; x < box.x + box.width / 2; x += 8) {
			await page.mouse.move(x, y);
			if (await isFound()) return;
		}
	}
	throw new Error("the first CPU has nothing of that kind under the pointer");
}

/** Finds the first point where the stage says what is there, going along rows from the top, or from a share of the height. */
export async function pointSaying(
	page: Page,
	words: RegExp,
	from = 0,
): Promise<{ x: number; y: number }> {
	const canvas = page.locator("[data-part=stage] canvas");
	const line = page.locator("[data-part=pointed]");
	const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
	const isSaidAt = async (x: number, y: number) => {
		await page.mouse.move(box.x + x, box.y + y);
		return (await line.count()) > 0 && words.test((await line.textContent()) ?? "");
	};
	for (let y = 6 + from * box.height; y < box.height; y += 12) {
		for (let x = 8; x < box.width; x += 16) {
			if (!(await isSaidAt(x, y))) continue;
			// The line may have arrived late, from an earlier point; and a click rounds its point.
			await idle(page);
			if (await isSaidAt(x, y + 3)) return { x, y: y + 3 };
		}
	}
	throw new Error(`nothing on the stage says ${words}`);
}
