/** Compare as an engineer uses it: another allocator beside the stage's, where they part, and the numbers in step. */

import { faults, idle, open, variant, watch } from "./page.ts";
import { expect, type Page, test } from "./shared.ts";

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.beforeEach(async ({ page }) => {
	watch(page);
	await open(page, "trace=two-nodes.slabtrace&op=30");
	await page.getByRole("tab", { name: "Compare" }).click();
	await idle(page);
});

test("two machines: curves, where they part, and numbers that follow the stage", async ({
	page,
}) => {
	await expect(region(page, "First divergence")).toContainText("A");
	await expect(region(page, "Numbers").getByRole("row", { name: /^slabs/ })).toContainText("%");
	await expect(region(page, "Numbers")).toContainText("After event 31");
	await page.getByRole("button", { name: "Last event" }).click();
	await idle(page);
	await expect(region(page, "Numbers")).not.toContainText("After event 31");
	await page.getByRole("combobox", { name: "Allocator of B" }).selectOption("slub");
	await idle(page);
	await expect(region(page, "First divergence")).toContainText("all machines decide alike");
	await expect(region(page, "Numbers")).toContainText("No number differs");
	await page.getByRole("textbox", { name: "Settings of B" }).fill("node_search=skip-checked");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(region(page, "First divergence")).toContainText("skipped, it has just failed");
	await region(page, "First divergence")
		.getByRole("button", { name: /^Go to event/ })
		.click();
	await idle(page);
	await expect(page).toHaveURL(/with=slub%2Cnode_search%3Dskip-checked/);
});

test("up to four machines; one that cannot be is said in a sentence", async ({ page }) => {
	await page.getByRole("button", { name: "Add a machine" }).click();
	await idle(page);
	await page.getByRole("button", { name: "Add a machine" }).click();
	await idle(page);
	await expect(page.getByRole("button", { name: "Add a machine" })).toHaveCount(0);
	await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(4);
	await page.getByRole("textbox", { name: "Settings of D" }).fill("moon=1");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(region(page, "Compare")).toContainText("unknown parameter `moon`");
	await page.getByRole("button", { name: "Remove D" }).click();
	await idle(page);
	await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(3);
});

test(
	"a counter that only one of the allocators has is left out, and told",
	variant(true),
	async ({ page }) => {
		const numbers = region(page, "Numbers");
		await expect(numbers).toContainText(/Not shown: \d+ counters that only one/);
		await expect(numbers.getByRole("row", { name: /^alloc_fastpath/ })).toHaveCount(0);
		await page.getByRole("checkbox", { name: "only differences" }).uncheck();
		await expect(numbers.getByRole("row", { name: /^alloc_fastpath/ })).toContainText("–");
	},
);

test("another machine over the stage: marks with a legend, and the same in words", async ({
	page,
}) => {
	await page.getByRole("button", { name: "Show B on the stage" }).click();
	await idle(page);
	await expect(page.getByRole("combobox", { name: "Ghosts" })).toHaveValue("1");
	const stage = region(page, "Stage");
	await expect(stage.getByText("not on B", { exact: true })).toBeVisible();
	await expect(stage.getByRole("table", { name: "Differences on B" })).toContainText("on B");
	expect(await faults(page)).toEqual([]);
	await expect(page).toHaveURL(/ghost=B/);
	await page.reload();
	await expect(page.getByRole("combobox", { name: "Ghosts" })).toHaveValue("1");
	await page.getByRole("combobox", { name: "Ghosts" }).selectOption("none");
	await idle(page);
	await expect(stage.getByText("not on B", { exact: true })).toHaveCount(0);
});

test("a setting that cannot be leaves what was shown, and further machines differ", async ({
	page,
}) => {
	await page.getByRole("button", { name: "Add a machine" }).click();
	await page.getByRole("button", { name: "Add a machine" }).click();
	await idle(page);
	const allocator = (letter: string) =>
		page.getByRole("combobox", { name: `Allocator of ${letter}` }).inputValue();
	expect(new Set([await allocator("B"), await allocator("C"), await allocator("D")]).size).toBe(3);
	await page.getByRole("textbox", { name: "Settings of B" }).fill("moon=1");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(region(page, "Compare").getByRole("alert")).toContainText(
		"unknown parameter `moon`",
	);
	await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(4);
});
