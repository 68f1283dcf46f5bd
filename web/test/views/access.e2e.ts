/**
 * Tests accessibility: axe in every view, theme and width; an allocation stepped through by ear and by keyboard; nothing
 * cut off at any width.
 */
import { readFileSync } from "node:fs";
import {
	button,
	choose,
	closeSheet,
	faults,
	idle,
	listOf,
	more,
	open,
	openSheet,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON_NAMES = (
	JSON.parse(
		readFileSync(new URL("../../src/views/lessons/text/lessons.json", import.meta.url), "utf8"),
	) as {
		readonly name: string;
	}[]
).map(({ name }) => name);
const LESSON = "trace=one-slab-after-another.slabtrace";

test.beforeEach(({ page }) => watch(page));

const status = (page: Page) => page.getByRole("status", { name: "Current step" });

/** Every view. */
async function eachView(page: Page, look: () => Promise<void>): Promise<void> {
	for (const tab of await page.getByRole("tab").all()) {
		await tab.click();
		await idle(page);
		await look();
	}
}

const THEMES = {
	light: { colorScheme: "light", contrast: "no-preference", forcedColors: "none" },
	dark: { colorScheme: "dark", contrast: "no-preference", forcedColors: "none" },
	"high contrast": { colorScheme: "light", contrast: "more", forcedColors: "none" },
	"dark high contrast": { colorScheme: "dark", contrast: "more", forcedColors: "none" },
} as const;

for (const [theme, media] of Object.entries(THEMES)) {
	// Narrow pages have no colours of their own.
	for (const width of theme === "light" || theme === "dark" ? [1440, 390] : [1440]) {
		const isLong = theme !== "light" || width < 1000;
		test(`axe finds no faults: ${theme}, ${width} wide`, variant(isLong), async ({ page }) => {
			test.setTimeout(120_000);
			await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
			await page.emulateMedia({ ...media, reducedMotion: "reduce" });
			await open(page, "op=17600");
			const found: string[] = [];
			const of = theme === "light" ? "all" : "colours";
			await eachView(page, async () => {
				found.push(...(await faults(page, of)));
			});
			expect(found).toEqual([]);
		});
	}
}

test("axe finds no faults under any allocator", variant(true), async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, "op=17600");
	for (const name of await allocators(page)) {
		await choose(page, "Allocator", name);
		await idle(page);
		expect(await faults(page), name).toEqual([]);
	}
});

/** The core's allocators, as the page offers them. */
async function allocators(page: Page): Promise<string[]> {
	const options = (await listOf(page, "Allocator")).locator("option");
	const names = await options.evaluateAll((all) => all.map((o) => (o as HTMLOptionElement).value));
	await closeSheet(page);
	return names;
}

for (const width of [360, 768, 1024, 3840]) {
	test(`nothing overflows to the side: ${width} wide`, variant(width > 360), async ({ page }) => {
		await page.setViewportSize({ width, height: Math.max(740, Math.round(width * 0.56)) });
		await page.emulateMedia({ reducedMotion: "reduce" });
		await open(page, "op=17600");
		await eachView(page, async () => {
			const over = await page.evaluate(
				() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
			);
			expect(over, (await page.getByRole("tab", { selected: true }).textContent()) ?? "").toBe(0);
		});
	});
}

test("nothing in the story covers anything else on a low page", async ({ page }) => {
	await page.setViewportSize({ width: 1200, height: 680 });
	await open(page, "op=16804&step=4");
	const story = page.getByRole("region", { name: "Story" });
	const code = await story.locator("figure ol").boundingBox();
	const counter = await story.getByText("FREE_ADD_PARTIAL").boundingBox();
	expect((code?.y ?? 0) + (code?.height ?? 0)).toBeLessThanOrEqual(counter?.y ?? 0);
	await expect(story.getByText("FREE_ADD_PARTIAL")).toBeInViewport({ ratio: 1 });
});

for (const width of [360, 390, 1440]) {
	test(
		`the transport cuts off no numbers and stays in place: ${width} wide`,
		variant(width !== 360),
		async ({ page }) => {
			await page.setViewportSize({ width, height: 844 });
			await open(page, "op=17600");
			const slider = page.getByRole("slider", { name: "Speed" });
			const place = await slider.boundingBox();
			await slider.fill("1");
			await expect(page.getByText("10,000 /s")).toBeInViewport({ ratio: 1 });
			expect(await slider.boundingBox()).toEqual(place);
			const line = (await page.locator("[data-part=position]").boundingBox()) ?? {
				x: 0,
				y: 0,
				width: 0,
				height: 0,
			};
			for (const part of await page.locator("[data-part=position] > span").all()) {
				const box = await part.boundingBox();
				if (!box || box.y >= line.y + line.height) continue;
				expect(box.x + box.width).toBeLessThanOrEqual(line.x + line.width + 0.5);
			}
			const tab = page.getByRole("tab", { name: "Labs" });
			const before = await tab.evaluate((e) => e.getBoundingClientRect().width);
			await tab.click();
			expect(await tab.evaluate((e) => e.getBoundingClientRect().width)).toBe(before);
		},
	);
}

for (const width of [360, 390]) {
	// Slow, because each lesson loads: in `npm test` the narrowest page of every view represents them.
	test(`no lesson overflows to the side: ${width} wide`, variant(true), async ({ page }) => {
		await page.setViewportSize({ width, height: 844 });
		await page.emulateMedia({ reducedMotion: "reduce" });
		for (const name of LESSON_NAMES) {
			await open(page, `tab=lessons&lesson=${name}`);
			await expect(page.locator("[data-question] [data-choice]").first()).toBeAttached();
			await expect(
				page.locator("[data-tables]").or(page.locator("[data-switch]")).first(),
			).toBeAttached();
			const over = await page.evaluate(
				() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
			);
			expect(over, name).toBe(0);
		}
	});
}

test("what a figure adds up to is in sight on a phone", variant(true), async ({ page }) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await open(page, "trace=two-nodes.slabtrace&op=0&tab=experiments&study=001");
	await expect(page.locator("[data-finding]")).toBeInViewport({ ratio: 1 });
	await expect(page.locator("[data-plot] svg[role=img]").first()).toBeInViewport({ ratio: 1 });
	for (const table of await page.locator("details:has(table) > summary").all()) await table.click();
	await expect(page.locator("[data-agrees=true]").first()).toBeVisible();
	for (const table of await page.getByRole("region", { name: /, scrollable$/ }).all())
		expect(await table.evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
});

test("the look follows the choice, the request for contrast, and the system's colours", async ({
	page,
}) => {
	await open(page, `${LESSON}&op=10`);
	const root = page.locator("html");
	await expect(root).toHaveAttribute("data-theme", "light");
	await page.emulateMedia({ colorScheme: "dark" });
	await expect(root).toHaveAttribute("data-theme", "dark");
	await page.emulateMedia({ colorScheme: "dark", contrast: "more" });
	await expect(root).toHaveAttribute("data-theme", "contrast-dark");
	await page.emulateMedia({ colorScheme: "light", contrast: null, forcedColors: "active" });
	await expect(root).toHaveAttribute("data-theme", "contrast-light");
	await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
	for (const name of ["system", "light", "dark"]) await more(page, `Theme: ${name}`);
	await expect(root).toHaveAttribute("data-theme", "contrast-light");
	await reload(page);
	await openSheet(page, "More");
	await expect(button(page, "Theme: high contrast")).toBeVisible();
	await expect(root).toHaveAttribute("data-theme", "contrast-light");
});

test("an allocation can be followed without eyes and without a mouse", async ({ page }) => {
	await open(page, `${LESSON}&op=4&step=0`);
	await page.keyboard.press("Tab");
	await expect(button(page, "Skip to the step buttons")).toBeFocused();
	await page.keyboard.press("Enter");
	await expect(button(page, "Next step")).toBeFocused();
	const heard: string[] = [];
	await page.exposeFunction("hear", (text: string) => heard.push(text));
	await page.evaluate(() => {
		const region = document.querySelector('[role="status"][aria-label="Current step"]');
		if (region?.getAttribute("aria-live") !== "polite") throw new Error("it is not live");
		const tell = (window as unknown as { hear: (text: string) => void }).hear;
		new MutationObserver(() => tell(region.textContent ?? "")).observe(region, {
			childList: true,
			subtree: true,
			characterData: true,
		});
	});
	const shown: (string | null)[] = [];
	for (let i = 0; i < 6; i++) {
		await page.keyboard.press("Enter");
		await idle(page);
		shown.push(await status(page).textContent());
	}
	expect(heard).toEqual(shown);
	const places = page.getByRole("table", { name: "Contents of the stage" });
	await expect(places.getByRole("row", { name: /CPU 0, cpu slab/ })).toContainText(/allocated/);
	await expect(page.getByRole("region", { name: "Story" }).getByRole("heading")).not.toBeEmpty();
	const now = page.getByRole("region", { name: "Story" }).locator('[aria-current="step"]');
	await expect(now).toContainText(shown.at(-1) ?? "?");
});

test("playing is not read aloud; where it stops is", async ({ page }) => {
	await open(page, `${LESSON}&op=4`);
	await page.keyboard.press("Space");
	await expect(status(page)).toHaveAttribute("aria-live", "off");
	await page.keyboard.press("Space");
	await expect(status(page)).toHaveAttribute("aria-live", "polite");
});
