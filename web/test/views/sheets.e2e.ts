/** Tests the header: chips that open sheets, the four views and their parts, links to former views; wide and narrow. */
import {
	button,
	choose,
	faults,
	idle,
	listOf,
	more,
	open,
	openSheet,
	openSlabinfo,
	reload,
	sheet,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const TRACE = "trace=two-nodes.slabtrace&op=60";

test.beforeEach(({ page }) => watch(page));

test("a chip opens its sheet; Escape, a click outside and its button close it", async ({
	page,
}) => {
	await open(page, TRACE);
	for (const name of ["Trace", "Cache", "Machine", "More"] as const) {
		const chip = page.getByRole("button", { name: new RegExp(`^${name}\\b(?! file)`) });
		await expect(chip).toHaveAttribute("aria-expanded", "false");
		await expect(chip).toHaveAttribute("aria-haspopup", "dialog");
		await chip.click();
		await expect(sheet(page, name)).toBeFocused();
		await expect(chip).toHaveAttribute("aria-expanded", "true");
		await page.keyboard.press("Escape");
		await expect(sheet(page, name)).toHaveCount(0);
		await expect(chip).toBeFocused();
		await openSheet(page, name);
		await page.getByRole("heading", { name: "Slabscope" }).click();
		await expect(sheet(page, name)).toHaveCount(0);
		await expect(chip).toBeFocused();
		await openSheet(page, name);
		await chip.click();
		await expect(sheet(page, name)).toHaveCount(0);
	}
});

test("chips name the trace, the cache and the machine in use", variant(true), async ({ page }) => {
	await open(page, TRACE);
	const header = page.getByRole("banner");
	await expect(header.getByRole("button", { name: /^Machine SLUB 6\.1 .*2 nodes/ })).toBeVisible();
	await choose(page, "Allocator", "slab");
	await idle(page);
	await expect(header.getByRole("button", { name: /^Machine SLAB/ })).toBeVisible();
	await choose(page, "Trace", "one-slab-after-another.slabtrace");
	await idle(page);
	await expect(header.getByRole("button", { name: "Cache lesson" })).toBeVisible();
	await expect(await listOf(page, "Cache")).toHaveValue("lesson");
	await expect(sheet(page, "Cache")).toContainText("4 × 1.00 KiB in 1 page");
});

test("a parameter has a name, a key, a version, and its effect on this trace", async ({ page }) => {
	await open(page, TRACE);
	await openSheet(page, "Machine");
	const machine = sheet(page, "Machine");
	const field = machine.locator("[data-param=node_search]");
	await expect(field).toContainText("Search of other nodes");
	await expect(field).toContainText("node_search");
	await expect(field).toContainText("2018 proposal");
	await expect(field).toContainText("Default: all; since Linux 2.6.22");
	await button(page, "Measure Search of other nodes on this trace").click();
	const effect = machine.getByRole("status", { name: "Effect of Search of other nodes" });
	await expect(effect.getByRole("row", { name: /^skip-checked/ })).toContainText("same");
	await expect(effect.getByRole("row", { name: /^all/ })).toContainText(/\d/);
	await machine.getByText("Debugging", { exact: true }).click();
	await expect(machine.getByRole("combobox", { name: /red_zone/ })).toHaveValue("off");
	await machine.getByText("Costs", { exact: true }).click();
	await machine.getByRole("textbox", { name: "Find a cost" }).fill("pages_alloc");
	const cost = machine.getByRole("textbox", { name: /cost\.PAGES_ALLOC$/ });
	await cost.fill("1000");
	await cost.press("Enter");
	await expect(page).toHaveURL(/set\.cost\.PAGES_ALLOC=1000/);
	await reload(page);
	await idle(page);
	await openSheet(page, "Machine");
	await machine.getByText("Costs", { exact: true }).click();
	await expect(machine.locator('[data-param="cost.PAGES_ALLOC"] input')).toHaveValue("1000");
});

test("the table of all caches covers the view while the trace plays on below it", async ({
	page,
}) => {
	await open(page, TRACE);
	await openSlabinfo(page);
	const table = page.getByRole("region", { name: "Slabinfo" });
	await expect(table).toBeVisible();
	await expect(page).toHaveURL(/answer=slabinfo/);
	const before = await table.getByRole("heading").textContent();
	await button(page, "Next event").click();
	await expect(table.getByRole("heading")).not.toHaveText(before ?? "");
	await page.keyboard.press("Escape");
	await expect(table).toHaveCount(0);
	await expect(page).not.toHaveURL(/answer/);
});

for (const [query, region] of [
	["tab=node-search", "Stage"],
	["tab=order-lab", "Order lab"],
	["tab=lessons", "Lessons"],
	["tab=experiments", "Proposals"],
	["tab=experiments&study=sweep", "Sweep"],
	["tab=slabinfo", "Slabinfo"],
	["tab=labs&labs=sandbox", "Playground lab"],
] as const)
	test(
		`a link to a former view leads to where it is now: ${query}`,
		variant(query !== "tab=slabinfo" && query !== "tab=order-lab"),
		async ({ page }) => {
			await open(page, `${TRACE}&${query}`);
			await expect(page.getByRole("region", { name: region, exact: true })).toBeVisible();
			await expect(page.getByRole("alert")).toBeEmpty();
			await expect(page).toHaveURL(/event=61/);
		},
	);

test(
	"on a phone the views are a bar of 44 px below the transport",
	variant(true),
	async ({ page }) => {
		await page.setViewportSize({ width: 390, height: 844 });
		await open(page, TRACE);
		const bar = await page.getByRole("tablist", { name: "Views" }).boundingBox();
		expect(bar).toMatchObject({ x: 0, width: 390, height: 44, y: 800 });
		const play = await button(page, "Play").boundingBox();
		expect((play?.y ?? 0) + (play?.height ?? 0)).toBeLessThanOrEqual(800);
		// What a chip is for is not on the screen, but in its name.
		for (const name of [/^Trace Lesson: two/, /^Cache lesson$/])
			await expect(page.getByRole("banner").getByRole("button", { name })).toBeVisible();
		await choose(page, "Allocator", "slab");
		await idle(page);
		await expect(page).toHaveURL(/allocator=slab/);
		await more(page, "Share");
		await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
	},
);

for (const width of [390, 1440])
	for (const colorScheme of ["light", "dark"] as const)
		test(
			`axe finds no faults in the sheets: ${width} wide, ${colorScheme}`,
			variant(width !== 1440 || colorScheme !== "light"),
			async ({ page }) => {
				await page.setViewportSize({ width, height: 844 });
				await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
				await open(page, TRACE);
				for (const name of ["Trace", "Cache", "Machine", "More"] as const) {
					await openSheet(page, name);
					await idle(page);
					expect(await faults(page, "all", "[data-sheet]"), name).toEqual([]);
					await page.keyboard.press("Escape");
				}
				await openSlabinfo(page);
				await idle(page);
				expect(await faults(page), "Slabinfo").toEqual([]);
			},
		);
