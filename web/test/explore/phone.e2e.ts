/** A phone: the stairs as a list, the machine in small, buttons that a thumb can press; and a stage on its side. */
import { button, event, faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const SLOW =
	"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512&event=16424&step=11";
const FINGER = 44;

const canvas = (page: Page) => page.locator("[data-part=stage] canvas");
const stage = (page: Page) => page.getByRole("region", { name: "Stage", exact: true });
const levels = (page: Page) =>
	page.getByRole("list", { name: "Stairs: levels from fast to slow" }).getByRole("listitem");
const bottom = (page: Page) => page.getByRole("contentinfo");

test.beforeEach(({ page }) => watch(page));

async function upright(page: Page, query: string, width = 390, height = 844): Promise<void> {
	await page.setViewportSize({ width, height });
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, query);
}

const sideways = (page: Page, query: string) => upright(page, query, 844, 390);

/** Visible controls that are lower than a finger needs; words within a line of text are not among them. */
const lowControls = (page: Page) =>
	page.evaluate((least) => {
		const all = document.querySelectorAll<HTMLElement>(
			":is(header:has([role=tablist]), footer, [aria-label=Stage]) :is(button, select, input)",
		);
		return [...all].flatMap((e) => {
			const { width, height } = e.getBoundingClientRect();
			const { opacity, display } = getComputedStyle(e);
			const isHidden = width === 0 || height === 0 || opacity === "0";
			// Its label can be pressed too.
			const isWords = display === "inline" || e.matches("[type=checkbox], .hidden, p button");
			const name = e.getAttribute("aria-label") ?? e.textContent;
			return isHidden || isWords || height >= least ? [] : [`${name}: ${height}`];
		});
	}, FINGER);

const overTheSide = (page: Page) =>
	page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The height that the buttons leave. */
async function floor(page: Page): Promise<number> {
	return (await bottom(page).boundingBox())?.y ?? 0;
}

test("an upright phone shows the event, its cost and all stairs on the first screen", async ({
	page,
}) => {
	await upright(page, SLOW);
	await expect(
		page.getByRole("heading", { name: /^CPU 3 asks for 512 bytes/ }).first(),
	).toBeVisible();
	await expect(
		stage(page).getByText("Step 11 of 13 · 654 cycles, 73× the fast path"),
	).toBeVisible();
	await expect(levels(page)).toHaveCount(5);
	const rows = await Promise.all((await levels(page).all()).map((row) => row.boundingBox()));
	const end = await floor(page);
	for (const row of rows) {
		expect(row?.height).toBe(62);
		expect((row?.y ?? end) + 62).toBeLessThanOrEqual(end);
	}
	const lefts = rows.map((row) => row?.x ?? 0);
	expect(lefts).toEqual([...new Set(lefts)].toSorted((a, b) => a - b));
	await expect(levels(page).nth(4)).toContainText("653 cycles");
	await expect(bottom(page)).toContainText(/The page allocator gave 4 pages .* 400 cycles/);
	await expect(canvas(page)).toBeHidden();
});

test(
	"a stop of the list is a press away, and the path follows",
	variant(true),
	async ({ page }) => {
		await upright(page, SLOW);
		const stop = page.getByRole("button", { name: /^Step 3, in vain: / });
		await stop.click();
		await idle(page);
		await expect(stage(page).getByText(/^Step 3 of 13/)).toBeVisible();
		await expect(page).toHaveURL(/step=3/);
	},
);

test("a node of the strip opens the map, and a button brings the stairs back", async ({ page }) => {
	await upright(page, SLOW);
	await button(page, "Show the map: N1 81 slabs").click();
	await idle(page);
	await expect(page).toHaveURL(/show=map/);
	await expect(levels(page)).toHaveCount(0);
	const map = await canvas(page).boundingBox();
	expect(map?.height).toBeGreaterThanOrEqual(300);
	expect((map?.y ?? 0) + (map?.height ?? 0)).toBeLessThanOrEqual(await floor(page));
	await button(page, "Stairs").click();
	await expect(levels(page)).toHaveCount(5);
	await expect(canvas(page)).toBeHidden();
	// A link to a slab shows it.
	await upright(page, `${SLOW}&sel=55.3`);
	await expect(page.getByRole("complementary", { name: "Inspector" })).toContainText("Slab #55");
	await expect(canvas(page)).toBeVisible();
	await button(page, "Stairs").click();
	await expect(levels(page)).toHaveCount(5);
});

test("the row of buttons plays, and another button brings the rest", async ({ page }) => {
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

for (const [name, show] of [
	["the stairs", ""],
	["the map", "&show=map"],
] as const)
	for (const [width, height] of [
		[390, 844],
		[360, 740],
		[844, 390],
	] as const)
		test(
			`controls fit a finger and the page: ${name} at ${width} × ${height}`,
			variant(show === "" ? width !== 390 : width !== 844),
			async ({ page }) => {
				await upright(page, `${SLOW}${show}`, width, height);
				await button(page, "More controls").click();
				expect(await lowControls(page)).toEqual([]);
				expect(await overTheSide(page)).toBe(0);
			},
		);

test(
	"nothing of the stage moves when its figures arrive, or another event",
	variant(true),
	async ({ page }) => {
		await upright(page, SLOW);
		const rows = () => levels(page).first().boundingBox();
		const before = await rows();
		await button(page, "More controls").click();
		await button(page, "Next event").click();
		await idle(page);
		expect(await rows()).toEqual(before);
	},
);

test("the buttons do not cover what has the focus", variant(true), async ({ page }) => {
	await upright(page, SLOW);
	const steps = page.getByRole("region", { name: "Story" }).getByRole("button", { name: /^2 / });
	await steps.first().focus();
	const box = await steps.first().boundingBox();
	expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(await floor(page));
});

test(
	"a phone on its side shows the map, its legend and one row of buttons",
	variant(true),
	async ({ page }) => {
		await sideways(page, SLOW);
		const map = await canvas(page).boundingBox();
		const end = await floor(page);
		expect(map?.height).toBeGreaterThanOrEqual(150);
		expect((map?.y ?? 0) + (map?.height ?? 0)).toBeLessThanOrEqual(end + 1);
		for (const words of ["A allocated", "touched"])
			await expect(
				stage(page)
					.getByRole("listitem")
					.filter({ hasText: new RegExp(`^\\s*${words}$`) }),
			).toBeInViewport({ ratio: 1 });
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

test("a phone on its side shows the stairs at a press", variant(true), async ({ page }) => {
	await sideways(page, SLOW);
	await button(page, "Stairs").click();
	await idle(page);
	const end = await floor(page);
	for (const level of await levels(page).all()) {
		const box = await level.boundingBox();
		expect((box?.y ?? end) + (box?.height ?? 0)).toBeLessThanOrEqual(end);
		await expect(level.getByText(/ cycles$/).first()).toBeInViewport({ ratio: 1 });
	}
	await button(page, "Leave focus mode").click();
	await expect(canvas(page)).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const)
	for (const [width, height] of [
		[390, 844],
		[844, 390],
	] as const)
		test(
			`axe finds nothing on a phone: ${width} × ${height}, ${colorScheme}`,
			variant(colorScheme !== "light" || width !== 390),
			async ({ page }) => {
				await page.emulateMedia({ colorScheme });
				await upright(page, SLOW, width, height);
				await button(page, "More controls").click();
				expect(await faults(page)).toEqual([]);
			},
		);

test("a short view leaves the transport at the lower edge", variant(true), async ({ page }) => {
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
