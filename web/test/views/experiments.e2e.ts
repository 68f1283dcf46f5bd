/** Tests sweeps and proposals as an engineer uses them: a heat map by keyboard, the replay of a cell, a kernel's counters. */

import {
	button,
	choose,
	event,
	faults,
	idle,
	listOf,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const view = (page: Page) => page.getByRole("region", { name: "Sweep" });
const papers = (page: Page) => page.getByRole("region", { name: "Proposals" });
const cell = (page: Page, name: string) =>
	page.getByRole("button", { name: new RegExp(`^${name}:`) });

async function sweep(page: Page): Promise<void> {
	await button(page, "Run the sweep").click();
	await idle(page);
}

test.beforeEach(async ({ page }) => {
	watch(page);
});

test("a sweep is a table of exact numbers, and a cell opens its replay where the number is highest", async ({
	page,
}) => {
	await open(page, "trace=two-nodes.slabtrace&op=0");
	await page.keyboard.press("2");
	await page.getByRole("button", { name: /^Sweep/ }).click();
	await idle(page);
	// A short trace is swept without a press.
	await expect(cell(page, "max_order 0, cpus 1")).toHaveAccessibleName(/: [\d,]+$/);
	await view(page).getByLabel("Columns: parameter").selectOption("min_order");
	await view(page).getByLabel("Columns: values").fill("0,1,3");
	await view(page).getByLabel("Rows: parameter").selectOption("max_order");
	await view(page).getByLabel("Rows: values").fill("1..3:2");
	await sweep(page);
	await expect(cell(page, "min_order 3, max_order 1")).toHaveAccessibleName(/invalid$/);
	const chosen = cell(page, "min_order 3, max_order 3");
	const bytes = Number(((await chosen.textContent()) ?? "").replace(/\D/g, ""));
	expect(bytes).toBeGreaterThan(0);
	await cell(page, "min_order 0, max_order 1").focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("End");
	await expect(cell(page, "min_order 3, max_order 1")).toBeFocused();
	await expect(view(page)).toContainText("min_order is larger than max_order");
	await page.keyboard.press("ArrowDown");
	await expect(chosen).toBeFocused();
	await expect(view(page)).toContainText("most bytes in slabs");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(page).toHaveURL(/set\.min_order=3.*set\.max_order=3/);
	await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute("aria-selected", "true");
	expect(await event(page)).toBeGreaterThan(1);
	// The results are still there.
	await page.getByRole("tab", { name: "Compare" }).click();
	await expect(chosen).toHaveAccessibleName(/: [\d,]+$/);
	await expect(page).toHaveURL(/tab=compare&compare=sweep.*grid\.x=min_order/);
	await reload(page);
	await idle(page);
	await expect(view(page).getByLabel("Columns: values")).toHaveValue("0,1,3");
});

test("arrow keys stay in the heat map, even at its edges", async ({ page }) => {
	await open(
		page,
		"trace=two-nodes.slabtrace&event=20&tab=experiments&study=sweep&grid.x=allocator=slub,slab&grid.y=none",
	);
	await sweep(page);
	const cells = view(page).getByRole("table").getByRole("button");
	await cells.first().focus();
	for (const key of ["ArrowLeft", "ArrowUp", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"])
		await page.keyboard.press(key);
	await idle(page);
	await expect(cells.last()).toBeFocused();
	await page.keyboard.press("Escape");
	await page.getByRole("tab", { name: "Explore" }).click();
	expect(await event(page)).toBe(20);
});

test(
	"another number of the same sweep needs no second run, and the table can be downloaded",
	variant(true),
	async ({ page }) => {
		await open(
			page,
			"trace=two-nodes.slabtrace&op=0&tab=experiments&study=sweep&grid.x=allocator=slub,slab&grid.y=none",
		);
		await sweep(page);
		// A memory figure has its mark; cycles have none.
		await expect(view(page)).toContainText("most bytes in slabs (known start)");
		await view(page).getByLabel("Number").selectOption("cycles");
		await expect(cell(page, "allocator slab")).toHaveAccessibleName(/: [\d,]+$/);
		await expect(view(page)).not.toContainText("known start");
		await view(page).getByLabel("Number").selectOption("grown");
		await expect(cell(page, "allocator slub")).toHaveAccessibleName(/none$/);
		const [file] = await Promise.all([
			page.waitForEvent("download"),
			button(page, "Download CSV").click(),
		]);
		expect(file.suggestedFilename()).toMatch(/sweep\.csv$/);
	},
);

test("one click sweeps all kernel versions, and a cell puts its preset on the stage", async ({
	page,
}) => {
	await open(page, "trace=two-nodes.slabtrace&tab=compare&compare=sweep");
	await view(page).getByRole("button", { name: "Slow paths by kernel version" }).click();
	await idle(page);
	await expect(view(page).getByRole("button", { name: /^preset / })).toHaveCount(11);
	await expect(cell(page, "preset 7.2")).toHaveAccessibleName(/: [\d,]+$/);
	await cell(page, "preset 4.19").click();
	await idle(page);
	await expect(page).toHaveURL(/preset=linux-4\.19/);
});

test("a workload is a trace like any other, and its keys can be swept", async ({ page }) => {
	const trace = "workload:tcp-rr?transactions=3";
	await open(page, `trace=${encodeURIComponent(trace)}&tab=experiments&study=sweep&op=0`);
	await expect(await listOf(page, "Trace")).toHaveValue(trace);
	await view(page).getByLabel("Columns: parameter").selectOption("threads");
	await view(page).getByLabel("Columns: values").fill("4,8");
	await view(page).getByLabel("Rows: parameter").selectOption("");
	await sweep(page);
	await cell(page, "threads 8").click();
	await idle(page);
	await expect(page).toHaveURL(/tcp-rr.*threads%3D8/);
	await reload(page);
	await idle(page);
	await expect(await listOf(page, "Trace")).toHaveValue(`${trace}&threads=8`);
	await choose(page, "Trace", "workload:netio");
	await idle(page);
	await expect(page).toHaveURL(/trace=workload%3Anetio/);
});

test("says what is wrong with an invalid sweep", variant(true), async ({ page }) => {
	await open(
		page,
		"trace=two-nodes.slabtrace&op=0&tab=experiments&study=sweep&grid.x=min_partial=5..1",
	);
	await expect(view(page).getByRole("alert")).toContainText("`5..1` is not a range");
	await open(page, "trace=workload:moon&tab=experiments");
	await expect(page.getByRole("alert").first()).toContainText("moon");
});

test("shows a kernel's own counters beside the model's", variant(true), async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=0&tab=experiments&study=counters");
	await button(page, "Open one that does").click();
	await idle(page);
	const row = page.getByRole("row", { name: /^free_slowpath/ });
	await expect(row).toContainText("1,459");
	await expect(row).toContainText("1,124");
	await expect(page.getByRole("row", { name: /^cpu_partial_drain/ })).toBeVisible();
	await expect(papers(page)).toContainText("2,192 frees in the trace are of objects");
	await expect(papers(page)).toContainText("4.40 % of the kernel's 4,201 allocations, 4.64 %");
	await expect(papers(page)).toContainText("the kernel took 28 more from its partial lists");
});

test(
	"a proposal opens with its finding and a dot plot; its folded tables can be measured again",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=two-nodes.slabtrace&op=0&tab=experiments&study=001");
		const table = page.getByRole("region", {
			name: "tries per get_any_partial() call",
			exact: true,
		});
		const one = table.getByRole("row", { name: /^One Node, Base/ });
		await expect(page.locator("[data-finding]")).toContainText("On four nodes a search asks 2.98");
		const plot = page.getByRole("table", { name: "Zones that a search looks at" });
		await expect(
			plot.getByRole("img", {
				name: "four nodes, with the patch: the proposal 2.5, Linux 6.1 2.71, ours 2.98",
			}),
		).toBeVisible();
		// The table is folded, and has our figures before anybody measures.
		await expect(one).toBeHidden();
		await page.getByText("Tries per get_any_partial() call").first().click();
		await expect(one).toContainText("3.00");
		await expect(one).toContainText("agrees");
		await expect(papers(page)).toContainText("Our figures were measured earlier");
		await button(page, "Measure again").click();
		await idle(page, 90_000);
		await expect(papers(page)).toContainText("Our figures were measured in this browser");
		await expect(papers(page)).toContainText("of 12 figures agree");
		await table.getByText(/^Why/).click();
		await expect(table).toContainText("the proposal's 2.5 needs");
		// It stays as long as the page is open.
		await page.keyboard.press("1");
		await page.keyboard.press("3");
		await expect(papers(page)).toContainText("Our figures were measured in this browser");
		await button(page, "Watch it on the stage").click();
		await idle(page);
		await expect(page).toHaveURL(/trace=workload%3Akernel-build.*set\.node_search=skip-checked/);
		await expect(page.getByRole("region", { name: "Stage" })).toBeVisible();
	},
);

test(
	"what the 2008 proposal changes is on the stage when you watch it",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=two-nodes.slabtrace&op=0&tab=experiments&study=000");
		await button(page, "Watch it on the stage").click();
		await idle(page);
		await expect(page.getByRole("status", { name: "Current step" })).toContainText(
			/has [5-9] partial slabs, and min_partial is 10: the slab is kept/,
		);
	},
);

test("a measurement can be cancelled", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=0&tab=experiments&study=002");
	await button(page, "Measure again").click();
	await expect(page.getByRole("progressbar", { name: "Measuring" })).toBeVisible();
	await button(page, "Cancel").click();
	await idle(page);
	await expect(button(page, "Measure again")).toBeVisible();
	await expect(papers(page)).toContainText("Our figures were measured earlier");
});

for (const [width, height] of [
	[1440, 900],
	[390, 844],
] as const)
	for (const colorScheme of width > 1000 ? (["light", "dark"] as const) : (["light"] as const))
		test(`axe finds no faults: ${width} wide, ${colorScheme}`, variant(true), async ({ page }) => {
			test.setTimeout(120_000);
			const of = colorScheme === "light" ? "all" : "colours";
			await page.setViewportSize({ width, height });
			await page.emulateMedia({ colorScheme });
			await open(
				page,
				"trace=two-nodes.slabtrace&op=0&tab=experiments&study=sweep&grid.x=min_partial=0..4:2",
			);
			await sweep(page);
			expect(await faults(page, of)).toEqual([]);
			await page.getByRole("tab", { name: "Learn" }).click();
			await button(page, "Proposals").click();
			await page.getByRole("button", { name: /^The shape of waste/ }).click();
			if (width > 1000 && colorScheme === "light") await button(page, "Measure again").click();
			await idle(page, 90_000);
			expect(await faults(page, of)).toEqual([]);
			await page.getByRole("button", { name: /^Kernel/ }).click();
			await button(page, "Open one that does").click();
			await idle(page);
			expect(await faults(page, of)).toEqual([]);
		});
