/** Tests a phone: the section with the acting nodes wide, buttons that a thumb can press, and the section in landscape. */
import { button, event, faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const SLOW =
	"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512&event=16424&step=11";
const FINGER = 44;
/**
 * Stops, and parts of the bar of cycles, are points in a picture. The list of steps has each of them at full height.
 */
const POINT = 24;

const canvas = (page: Page) => page.locator("[data-part=stage] canvas");
const stage = (page: Page) => page.getByRole("region", { name: "Stage", exact: true });
const stops = (page: Page) => page.locator("[data-path-stop]");
const cost = (page: Page) => page.getByRole("group", { name: /^Where [\d,]+ model cycles? go$/ });
const bottom = (page: Page) => page.getByRole("contentinfo");

test.beforeEach(({ page }) => watch(page));

async function upright(page: Page, query: string, width = 390, height = 844): Promise<void> {
	await page.setViewportSize({ width, height });
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, query);
}

const sideways = (page: Page, query: string) => upright(page, query, 844, 390);

/** Lists visible controls that are too low for a finger; words within a line of text don't count. */
const lowControls = (page: Page) =>
	page.evaluate(
		([finger, point]) => {
			const all = document.querySelectorAll<HTMLElement>(
				":is(header:has([role=tablist]), footer, [aria-label=Stage]) :is(button, select, input)",
			);
			return [...all].flatMap((e) => {
				const { width, height } = e.getBoundingClientRect();
				const { opacity, display } = getComputedStyle(e);
				const isHidden = width === 0 || height === 0 || opacity === "0";
				// Its label can be pressed too.
				const isWords = display === "inline" || e.matches("[type=checkbox], .hidden, p button");
				const least = e.matches("[data-path-stop], [data-part=cycles] button") ? point : finger;
				const name = e.getAttribute("aria-label") ?? e.textContent;
				return isHidden || isWords || height >= least ? [] : [`${name}: ${height}`];
			});
		},
		[FINGER, POINT] as const,
	);

const overTheSide = (page: Page) =>
	page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Returns the height that the buttons leave free. */
async function floor(page: Page): Promise<number> {
	return (await bottom(page).boundingBox())?.y ?? 0;
}

test("an upright phone shows the event, its path and its cost on the first screen", async ({
	page,
}) => {
	await upright(page, SLOW);
	await expect(
		stage(page).getByRole("heading", { name: /^CPU 3 has none left, gets nothing from 4 nodes/ }),
	).toBeVisible();
	await expect(
		stage(page).getByText("Step 11 of 13 · 654 cycles, 73× the fast path"),
	).toBeVisible();
	const section = await canvas(page).boundingBox();
	expect(section?.height).toBeGreaterThanOrEqual(380);
	await expect(stops(page).first()).toBeVisible();
	for (const stop of await stops(page).all()) await expect(stop).toBeInViewport({ ratio: 1 });
	const bar = await cost(page).boundingBox();
	expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(await floor(page));
	await expect(bottom(page)).toContainText(/The page allocator gave 4 pages .* 400 cycles/);
	// The node that acts is wide enough for two CPUs side by side; the first and the last node are narrow.
	const asked = stops(page).and(page.getByRole("button", { name: /got nothing/ }));
	const lefts = await asked.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().left));
	const [first = 0, second = 0, third = 0, last = 0] = lefts.toSorted((a, b) => a - b);
	expect(second - first).toBeGreaterThan(80);
	expect(third - second).toBeGreaterThan(80);
	expect(last - third).toBeLessThan(60);
});

test(
	"a stop of the path is one press away, and the path follows",
	variant(true),
	async ({ page }) => {
		await upright(page, SLOW);
		await page.getByRole("button", { name: /^Step 7, got nothing: / }).click();
		await idle(page);
		await expect(stage(page).getByText(/^Step 7 of 13/)).toBeVisible();
		await expect(page).toHaveURL(/step=7/);
	},
);

test("a link to a slab, and an old one to the map, show it on the section", async ({ page }) => {
	await upright(page, `${SLOW}&show=map&sel=55.3`);
	await expect(page.getByRole("complementary", { name: "Inspector" })).toContainText("Slab #55");
	await expect(canvas(page)).toBeVisible();
	await expect(stops(page).first()).toBeVisible();
	await expect(page).not.toHaveURL(/show=/);
});

test("the row of buttons plays, and one button shows the others", async ({ page }) => {
	await upright(page, SLOW);
	await expect(button(page, "First event")).toBeHidden();
	const at = await event(page);
	await button(page, "Next step").click();
	await idle(page);
	await expect(stage(page).getByText(/^Step 12 of 13/)).toBeVisible();
	await button(page, "Play").click();
	await expect.poll(() => event(page)).toBeGreaterThan(at);
	await button(page, "Pause").click();
	await button(page, "More controls").click();
	await page.getByRole("combobox", { name: "Granularity" }).selectOption("event");
	await button(page, "First event").click();
	await idle(page);
	expect(await event(page)).toBeLessThan(at);
	await button(page, "More controls").click();
	await expect(button(page, "First event")).toBeHidden();
});

for (const [width, height] of [
	[390, 844],
	[360, 740],
	[844, 390],
] as const)
	test(
		`controls fit a finger and the page at ${width} × ${height}`,
		variant(width === 360),
		async ({ page }) => {
			await upright(page, SLOW, width, height);
			await button(page, "More controls").click();
			expect(await lowControls(page)).toEqual([]);
			expect(await overTheSide(page)).toBe(0);
		},
	);

test(
	"nothing on the stage moves when its figures arrive, or another event",
	variant(true),
	async ({ page }) => {
		await upright(page, SLOW);
		const parts = () =>
			Promise.all([canvas(page), page.locator("[data-part=cycles]")].map((e) => e.boundingBox()));
		const before = await parts();
		await button(page, "More controls").click();
		await button(page, "Next event").click();
		await idle(page);
		expect(await parts()).toEqual(before);
	},
);

test("the buttons never cover what has the focus", variant(true), async ({ page }) => {
	await upright(page, SLOW);
	const steps = page.getByRole("region", { name: "Story" }).getByRole("button", { name: /^2 / });
	await steps.first().focus();
	const box = await steps.first().boundingBox();
	expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(await floor(page));
});

test(
	"a phone on its side shows the section with all nodes and one row of buttons",
	variant(true),
	async ({ page }) => {
		await sideways(page, SLOW);
		const section = await canvas(page).boundingBox();
		const end = await floor(page);
		expect(section?.height).toBeGreaterThanOrEqual(200);
		expect((section?.y ?? 0) + (section?.height ?? 0)).toBeLessThanOrEqual(end + 1);
		const asked = await stops(page)
			.and(page.getByRole("button", { name: /got nothing/ }))
			.all();
		expect(asked.length).toBe(4);
		const boxes = await Promise.all(asked.map((stop) => stop.boundingBox()));
		const lefts = boxes.map((box) => box?.x ?? 0).toSorted((a, b) => a - b);
		for (const [i, left] of lefts.entries())
			if (i > 0) expect(left - (lefts[i - 1] ?? left)).toBeGreaterThan(120);
		for (const stop of await stops(page).all()) {
			const box = await stop.boundingBox();
			expect((box?.y ?? end) + (box?.height ?? 0)).toBeLessThanOrEqual(end);
		}
		await expect(page.getByRole("slider", { name: "Speed" })).toBeInViewport({ ratio: 1 });
		const tops = await Promise.all(
			["Previous step", "Play", "Next step", "More controls"].map(
				async (name) => (await button(page, name).boundingBox())?.y,
			),
		);
		expect(new Set(tops).size).toBe(1);
	},
);

test(
	"a phone on its side has a lesson's text beside the stage",
	variant(true),
	async ({ page }) => {
		await sideways(page, "tab=learn&lesson=what-a-slab-is&stop=full");
		const heading = page.getByRole("heading", { name: "A slab fills up" });
		const [text, map] = [await heading.boundingBox(), await canvas(page).boundingBox()];
		expect(text?.y).toBeLessThan(60);
		expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(map?.x ?? 0);
		expect((map?.y ?? 0) + (map?.height ?? 0)).toBeLessThanOrEqual(await floor(page));
	},
);

for (const colorScheme of ["light", "dark"] as const)
	for (const [width, height] of [
		[390, 844],
		[844, 390],
	] as const)
		test(
			`axe finds no faults on a phone: ${width} × ${height}, ${colorScheme}`,
			variant(colorScheme !== "light" || width !== 390),
			async ({ page }) => {
				await page.emulateMedia({ colorScheme });
				await upright(page, SLOW, width, height);
				await button(page, "More controls").click();
				expect(await faults(page)).toEqual([]);
			},
		);

test("a low window leaves the transport at its lower edge", variant(true), async ({ page }) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await open(page, "tab=compare&compare=traces");
	const play = await page.getByRole("button", { name: "Play", exact: true }).boundingBox();
	if (!play) throw new Error("there is no transport");
	expect(play.y + play.height).toBeGreaterThan(844 - 44 - 20);
	expect(play.y + play.height).toBeLessThanOrEqual(844 - 44);
	// A view that does not follow the position has the room to itself.
	await open(page, "tab=labs&labs=sandbox");
	await expect(bottom(page)).toBeHidden();
});
