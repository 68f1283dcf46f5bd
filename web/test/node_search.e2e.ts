/** Node search as a teacher shows it: from search to search, probe by probe, and both rules counted. */

import { button, drop, idle, open, variant, watch } from "./page.ts";
import { expect, type Page, test } from "./shared.ts";

const walk = (page: Page) => page.getByRole("region", { name: "Walk" });
const cost = (page: Page) => page.getByRole("region", { name: "Cost" });
const probes = (page: Page) => walk(page).getByRole("listitem");

test.beforeEach(async ({ page }) => {
	watch(page);
	await open(page, "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=0&tab=node-search");
});

test("a search is found, and watched probe by probe", async ({ page }) => {
	await button(page, "Go to next search").click();
	await idle(page);
	await expect(probes(page).first()).toContainText("own node");
	const all = await probes(page).count();
	expect(all).toBeGreaterThan(6);
	await expect(walk(page).locator("[data-state=to-come]")).not.toHaveCount(0);
	await walk(page).getByText("zone 1", { exact: true }).click();
	await idle(page);
	await expect(walk(page).locator("[data-state=now]")).toContainText("zone 1");
	await expect(walk(page).locator("[data-useless]").first()).toContainText("checked again");
	await page.keyboard.press("Shift+ArrowRight");
	await idle(page);
	await expect(walk(page).locator("[data-state=now]")).toContainText("zone 2");
	await expect(page.getByRole("status", { name: "Current step" })).toContainText("Zone 2");
	await button(page, "Go to previous search").click();
	await idle(page);
});

test("the rule of the 2018 proposal is one switch, and both are counted", async ({ page }) => {
	await button(page, "Count the whole trace both ways").click();
	await idle(page);
	const row = (rule: string) => cost(page).getByRole("row", { name: new RegExp(`^${rule}`) });
	await expect(row("all").getByRole("cell").first()).toHaveText(/^1 : [3-6]\.\d\d$/);
	await expect(row("skip-checked").getByRole("cell").first()).toHaveText(/^1 : [1-3]\.\d\d$/);
	await button(page, "Skip the checked node").click();
	await idle(page);
	await expect(page).toHaveURL(/set\.node_search=skip-checked/);
	await expect(row("skip-checked").getByRole("cell").first()).toHaveText(/^1 : [1-3]\.\d\d$/);
	await button(page, "Go to next search").click();
	await idle(page);
	await expect(walk(page)).toContainText("not checked yet");
	await walk(page).getByText("zone 0", { exact: true }).click();
	await idle(page);
	await expect(walk(page).locator("[data-answer=skipped]").first()).toContainText(
		"its node has just failed",
	);
});

test("where there is nothing to watch yet, the first search is one click away", async ({
	page,
}) => {
	await expect(walk(page)).toContainText(/The first search of this trace is at event [\d,]+\./);
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowUp");
	await button(page, "Watch it").click();
	await expect(walk(page).locator("[data-state=to-come]")).not.toHaveCount(0);
	await expect(button(page, "Pause")).toBeVisible();
	// It plays the search to its end, and no further.
	await expect(walk(page).locator("[data-state=to-come]")).toHaveCount(0);
	await expect(button(page, "Play")).toBeVisible();
	await idle(page);
	await expect(walk(page).locator("[data-state=now]")).not.toHaveAttribute("data-answer", /./);
	await expect(page.getByRole("combobox", { name: "Granularity" })).toHaveValue("step");
});

test("only the zones of the steps that are shown are counted", async ({ page }) => {
	await button(page, "Go to next search").click();
	await idle(page);
	await expect(walk(page)).toContainText("0 zones checked");
	await expect(cost(page)).toContainText("So far: 1 search checked 0 zones");
	for (let zones = 1; zones <= 3; zones++) {
		await page.keyboard.press("Shift+ArrowRight");
		await idle(page);
		const words = zones === 1 ? "1 zone" : `${zones} zones`;
		await expect(walk(page)).toContainText(`${words} checked`);
		await expect(cost(page)).toContainText(`So far: 1 search checked ${words}`);
	}
	await page.keyboard.press("Shift+ArrowLeft");
	await idle(page);
	await expect(cost(page)).toContainText("So far: 1 search checked 2 zones");
});

test("an event without a search says so", variant(true), async ({ page }) => {
	await open(page, "trace=one-slab-after-another.slabtrace&op=3&tab=node-search");
	await expect(walk(page)).toContainText("searched no other node");
	await page.getByRole("combobox", { name: "Allocator" }).selectOption("unified");
	await idle(page);
	await expect(page.getByRole("region", { name: "Node search" })).toContainText("Only SLUB");
});

test(
	"a recording without any search says that too, and offers one that has some",
	variant(true),
	async ({ page }) => {
		await drop(page, "asked.slabtrace", "slabtrace 1\nk 1 64 cpu=0 node=0\nf 1 cpu=0\n");
		await expect(walk(page)).toContainText("No event of this trace does, on this machine.");
		await button(page, "Open a trace with searches").click();
		await expect(walk(page)).toContainText(/The first search of this trace is at event|zone/);
	},
);
