/** Tests the order lab as an engineer uses it: a size, two rules, and where they differ. */

import { choose, drop, idle, open, reload, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const lab = (page: Page) => page.getByRole("region", { name: "Order lab" });
const why = (page: Page) => page.getByRole("region", { name: "Why" });
const all = (page: Page) => page.getByRole("region", { name: "All sizes" });

test.beforeEach(async ({ page }) => {
	watch(page);
	await open(page, "trace=one-slab-after-another.slabtrace&op=0");
	await page.keyboard.press("4");
	await expect(page.getByRole("tab", { name: "Labs" })).toHaveAttribute("aria-selected", "true");
});

test("opens where the rules differ, without the timeline", async ({ page }) => {
	await expect(all(page)).toContainText(/differ for [\d,]+ of [\d,]+ sizes/);
	await expect(lab(page).getByLabel("Page size")).toHaveValue("65536");
	const orders = await why(page).locator("[data-verdict] strong").allTextContents();
	expect(new Set(orders).size).toBe(2);
	await expect(page.locator('[data-part="timeline"]')).toBeHidden();
});

test("a size gets its order, with every try and its numbers", async ({ page }) => {
	await lab(page).getByLabel("Page size").selectOption("4096");
	await lab(page).getByLabel("CPUs").fill("2");
	await lab(page).getByLabel("Slot size in bytes").fill("11008");
	await lab(page).getByLabel("Compare with").selectOption("linux-2.6.26");
	await idle(page);
	await expect(why(page)).toContainText("Order 2: 4 pages, 1 object of 11,008 bytes");
	await expect(why(page)).toContainText("Tail waste: 5,376 bytes");
	const taken = why(page)
		.getByRole("row", { name: /taken$/ })
		.filter({ hasText: "1/" });
	await expect(taken.first()).toContainText("5,376");
	await expect(page).toHaveURL(/tab=labs.*lab\.size=11008/);
	await reload(page);
	await idle(page);
	await expect(why(page)).toContainText("11,008 bytes");
});

test("the 2023 proposal's rule changes no sizes at 160 CPUs and 69 at 16", async ({ page }) => {
	await lab(page).getByLabel("Page size").selectOption("65536");
	await lab(page).getByLabel("CPUs").fill("160");
	await idle(page);
	await expect(all(page)).toContainText("choose the same order for all 8,192 sizes");
	await expect(all(page).getByRole("button", { name: "Next difference" })).toBeDisabled();
	await lab(page).getByLabel("CPUs").fill("16");
	await idle(page);
	await expect(all(page)).toContainText("differ for 69 of 8,192 sizes");
	const before = await lab(page).getByLabel("Slot size in bytes").inputValue();
	await all(page).getByRole("button", { name: "Next difference" }).click();
	await idle(page);
	await expect(lab(page).getByLabel("Slot size in bytes")).not.toHaveValue(before);
	const orders = await why(page).locator("[data-verdict] strong").allTextContents();
	expect(new Set(orders).size).toBe(2);
});

test(
	"where two rules choose the same orders, one click shows page sizes where they differ",
	variant(true),
	async ({ page }) => {
		await lab(page).getByLabel("Page size").selectOption("4096");
		await expect(all(page)).toContainText("choose the same order for all 1,024 sizes");
		await all(page).getByRole("button", { name: "Show these sizes" }).click();
		await idle(page);
		await expect(all(page)).toContainText(/differ for [\d,]+ of [\d,]+ sizes/);
		const orders = await why(page).locator("[data-verdict] strong").allTextContents();
		expect(new Set(orders).size).toBe(2);
		await lab(page).getByLabel("CPUs").fill("160");
		await lab(page).getByLabel("Page size").selectOption("65536");
		await expect(all(page)).toContainText("choose the same orders with every page size");
	},
);

test(
	"pointing at the chart shows exact numbers, and a click chooses the size",
	variant(true),
	async ({ page }) => {
		const chart = all(page).getByRole("img");
		const box = await chart.boundingBox();
		if (!box) throw new Error("there is no chart");
		const at = { x: box.width * 0.8, y: 60 };
		await chart.hover({ position: at });
		const size = await all(page).locator("[data-size]").textContent();
		await chart.click({ position: at });
		await idle(page);
		const chosen = Number((size ?? "").replace(/\D/g, ""));
		await expect(lab(page).getByLabel("Slot size in bytes")).toHaveValue(String(chosen));
	},
);

test("an allocator without orders says so", variant(true), async ({ page }) => {
	await choose(page, "Allocator", "slob");
	await idle(page);
	await expect(lab(page)).toContainText("SLOB doesn't choose orders");
});

const SLABINFO = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
big                 7000   7700   4232    7    8 : tunables    0    0    0 : slabdata   1100   1100      0
dentry              2100   2121    192   21    1 : tunables    0    0    0 : slabdata    101    101      0
`;

test("dropping a machine's slabinfo shows its caches under both rules at once", async ({
	page,
}) => {
	const machine = page.getByRole("region", { name: "Your machine", exact: true });
	await expect(machine).toContainText("/proc/slabinfo");
	await lab(page).getByLabel("Page size").selectOption("65536");
	await lab(page).getByLabel("CPUs").fill("2");
	await drop(page, "slabinfo.txt", SLABINFO);
	await idle(page);
	// By the mainline rule, 15 objects fill a page of 64 KiB; by the proposal's, 61 fill four.
	const big = machine.getByRole("row", { name: /^big/ });
	await expect(big).toHaveText(/4,232.*7,000.*3.*0.*2.*467.*460/);
	await expect(machine.getByRole("row", { name: /^64.*KiB/ })).toContainText("1 of 2");
	await expect(machine.getByRole("row", { name: /^4.*KiB/ })).toContainText("0 of 2");
});
