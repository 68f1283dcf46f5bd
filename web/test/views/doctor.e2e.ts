/** Answers about memory in the drawer: the parts that add up to the pages, and the changes that would help. */
import { button, event, faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const TRACE = "trace=two-nodes.slabtrace&op=60";

test.beforeEach(({ page }) => watch(page));

const number = (text: string | null) => Number((text ?? "").replaceAll(",", ""));

test("memory adds up to the pages, three clicks away", async ({ page }) => {
	await open(page, TRACE);
	await button(page, "Doctor").click();
	await button(page, "Where memory goes").click();
	const view = page.getByRole("region", { name: "Where memory goes" });
	const rows = view.getByRole("table", { name: /Parts of the pages/ }).getByRole("row");
	await expect(rows.last()).toContainText("pages in use");
	const bytes = (await rows.locator("td:nth-child(3)").allTextContents()).map(number);
	const pages = bytes.pop();
	expect(pages).toBeGreaterThan(0);
	expect(bytes.reduce((a, b) => a + b, 0)).toBe(pages);
	const frees = view.getByRole("table", { name: /objects by the CPU/ });
	await expect(frees).toBeVisible();
	const cells = (await frees.locator("td").allTextContents()).map(number);
	expect(cells.reduce((a, b) => a + b, 0)).toBe(55);
	await expect(view).toContainText("The trace frees 55 of 55 allocated objects");
	const toPeak = button(page, "Go to the peak");
	await toPeak.click();
	await expect(view.getByRole("status")).toContainText("This is the peak");
	await expect(toPeak).toBeFocused();
	expect(await event(page)).toBe(41);
	expect(await faults(page)).toEqual([]);
});

test("a change that would help is applied to the machine", variant(true), async ({ page }) => {
	await open(page, `${TRACE}&answer=doctor`);
	const view = page.getByRole("region", { name: "What would help" });
	// A short trace is measured without a press.
	await expect(view.getByRole("button", { name: "Measure again" })).toBeVisible();
	const apply = view.getByRole("button", { name: /^Apply / }).first();
	const change = (await apply.getAttribute("aria-label"))?.slice("Apply ".length) ?? "";
	await apply.click();
	await idle(page);
	await expect(page).toHaveURL(new RegExp(change.replace("=", "(=|%3D)")));
	await expect(view.getByRole("status")).toContainText("measure again");
	await expect(apply).toBeDisabled();
	expect(await faults(page)).toEqual([]);
});
