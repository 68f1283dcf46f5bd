/** Tests answers about memory in the drawer: the parts that add up to the pages, and the changes that would help. */
import { readFileSync } from "node:fs";
import {
	button,
	closeSheet,
	dropAll,
	event,
	faults,
	idle,
	open,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const TRACE = "trace=two-nodes.slabtrace&op=60";

test.beforeEach(({ page }) => watch(page));

const number = (text: string | null) => Number((text ?? "").replaceAll(",", ""));

test("three clicks show where memory goes, and it adds up to the pages", async ({ page }) => {
	await open(page, TRACE);
	await button(page, "Suggestions").click();
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

test("bars extend to the left for savings and to the right for costs", async ({ page }) => {
	await open(page, `${TRACE}&answer=doctor`);
	const view = page.getByRole("region", { name: "Suggestions" });
	await expect(view.getByRole("button", { name: "Measure again" })).toBeVisible();
	const bars = await view.locator("td[data-label] > :has(i)").evaluateAll((all) =>
		all.map((one) => {
			const bar = one.querySelector("i")?.getBoundingClientRect() ?? new DOMRect();
			const { left, width } = one.getBoundingClientRect();
			return [one.textContent?.[0], bar.left + bar.width / 2 < left + width / 2 ? "−" : "+"];
		}),
	);
	expect(new Set(bars.map(([sign]) => sign))).toEqual(new Set(["−", "+"]));
	for (const [sign, side] of bars) expect(side).toBe(sign);
});

test("a suggested change can be applied to the machine", variant(true), async ({ page }) => {
	await open(page, `${TRACE}&answer=doctor`);
	const view = page.getByRole("region", { name: "Suggestions" });
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

/** Five caches of a Linux 6.1 machine, whose pointers suggest slabs from before the trace. */
const RECORDED = readFileSync(
	new URL("../../../core/test/reality/compile-8cpus.trace.gz", import.meta.url),
);
const STATE = readFileSync(
	new URL("../../../core/test/reality/compile-8cpus.start.state.gz", import.meta.url),
);

test("every memory figure says where it comes from, and the first suggestion is never a guess", async ({
	page,
}) => {
	await open(page, `${TRACE}&answer=memory`);
	const memory = page.getByRole("region", { name: "Where memory goes" });
	const help = page.getByRole("region", { name: "Suggestions" });
	const marks = () => memory.getByRole("table", { name: /Parts/ }).locator("td:nth-child(4)");
	const legend = page.getByRole("list", { name: "Series" });
	// A lesson's trace contains its own start.
	await expect(marks().first()).toHaveText("measured");
	await expect(marks().last()).toHaveText("known start");
	await expect(legend).toContainText("measured");
	await expect(legend).toContainText("known start");
	// A trace recorded on a kernel does not.
	await dropAll(page, [["compile-8cpus.trace.gz", RECORDED]]);
	await idle(page);
	await expect(marks().last()).toHaveText("guess");
	await expect(memory.getByRole("row", { name: /in use before the trace began/ })).toBeVisible();
	const text = (await memory.innerText()).replaceAll(/\s+/g, " ");
	expect(text.search(/\(measured\)/)).toBeLessThan(text.search(/guess/));
	await closeSheet(page);
	await button(page, "Suggestions").first().click();
	await expect(help).toContainText(/The trace requests at most .* \(measured\)/);
	await expect(help).toContainText(
		/All start from empty, because \S+=\S+ cannot start from all the slabs/,
	);
	await expect(help.getByRole("columnheader", { name: "peak memory" })).toContainText("(guess)");
	// The mark has its definition.
	await help.getByRole("button", { name: "guess" }).first().hover();
	await expect(page.getByRole("tooltip")).toContainText("nobody knows");
	// The kernel's own state makes it known.
	await dropAll(page, [["compile-8cpus.start.state.gz", STATE]]);
	await idle(page);
	await page.getByRole("tab", { name: "Explore" }).click();
	await expect(legend).toContainText("known start");
	expect(await faults(page)).toEqual([]);
});
