/** Tests two tabs of one visitor: neither spoils what the other keeps. */
import { expect, test } from "@playwright/test";
import {
	button,
	drop,
	idle,
	importReport,
	listOf,
	more,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";

const LINES = Array.from({ length: 400 }, (_, i) => `k ${i} ${(i % 90) * 8 + 8} cpu=${i % 4}`);
const TEXT = `slabtrace 1\n${LINES.join("\n")}\n`;

test("one file opened in two tabs at once is kept once, and removed from both", async ({
	page,
	context,
}) => {
	const other = await context.newPage();
	for (const tab of [page, other]) {
		watch(tab);
		await open(tab, "trace=two-nodes.slabtrace&op=3");
	}
	await Promise.all([drop(page, "mine.slabtrace", TEXT), drop(other, "mine.slabtrace", TEXT)]);
	await drop(other, "other.slabtrace", `${TEXT}f 1 cpu=1\n`);
	for (const tab of [page, other]) {
		await expect((await listOf(tab, "Trace")).locator("optgroup[label=Recent] option")).toHaveCount(
			2,
		);
		await idle(tab);
		await more(tab, "Recent traces");
		const list = tab.getByRole("list", { name: "Recent traces" });
		await expect(list.getByRole("listitem")).toHaveCount(2);
		await tab.keyboard.press("Escape");
	}
	await more(page, "Recent traces");
	await button(page, "Remove other.slabtrace").click();
	await page.keyboard.press("Escape");
	await more(other, "Recent traces");
	await expect(
		other.getByRole("list", { name: "Recent traces" }).getByRole("listitem"),
	).toHaveCount(1);
	await button(other, "mine.slabtrace").click();
	await idle(other);
	await expect(await importReport(other)).toContainText("mine.slabtrace");
	await reload(page);
	await idle(page);
	await expect(await importReport(page)).toContainText("mine.slabtrace");
});

test("two tabs keep their marks on two traces", variant(true), async ({ page, context }) => {
	const other = await context.newPage();
	await open(page, "trace=two-nodes.slabtrace&op=3");
	await open(other, "trace=one-slab-after-another.slabtrace&op=4");
	await page.keyboard.press("KeyM");
	await other.keyboard.press("KeyM");
	await page.keyboard.press("End");
	await idle(page);
	await page.keyboard.press("KeyM");
	await open(page, "trace=one-slab-after-another.slabtrace&op=9");
	await expect(page.getByRole("button", { name: /^Go to mark/ })).toHaveCount(1);
	await open(other, "trace=two-nodes.slabtrace&op=9");
	await expect(other.getByRole("button", { name: /^Go to mark/ })).toHaveCount(2);
});
