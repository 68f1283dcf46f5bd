/** Tests a filter: moves go to events that pass, the stage counts and dims, the link includes it, and Export saves an excerpt. */
import { readFileSync } from "node:fs";
import { address, button, event, idle, open, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

test.beforeEach(({ page }) => watch(page));

test("moves stay on events that pass the filter, and Export saves those", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&event=61");
	await button(page, "More").click();
	await button(page, "Filter: only some events and objects").click();
	const dialog = page.getByRole("dialog", { name: "Filter" });
	await dialog.getByRole("textbox", { name: "CPUs" }).fill("0-x");
	await button(page, "Apply the filter").click();
	await expect(dialog.getByRole("status")).toContainText("expected CPUs such as 0,2 or 4-7");
	await dialog.getByRole("textbox", { name: "CPUs" }).fill("0");
	await button(page, "Apply the filter").click();
	const bar = page.getByRole("region", { name: "Filter" });
	await expect(bar).toContainText("49 of 113 events · 14 of 25 live objects of lesson");
	await expect(page.getByRole("img", { name: /match the filter/ })).toHaveAccessibleName(
		"49 of 113 events on the timeline match the filter",
	);
	await button(page, "Next event").click();
	await idle(page);
	const at = await event(page);
	expect(at).toBeGreaterThan(61);
	expect(await address(page)).toContain("filter.cpu=0");
	await page.keyboard.press("e");
	const coming = page.waitForEvent("download");
	await button(page, "Slabtrace of the trace").click();
	const saved = readFileSync(await (await coming).path(), "utf8");
	expect(saved.split("\n").filter((line) => /^(?:[akf]|flush|shrink) /.test(line)).length).toBe(49);
	await page.keyboard.press("Escape");
	await button(page, "Remove the filter").click();
	await expect(bar).toBeHidden();
});
