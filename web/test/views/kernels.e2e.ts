/** One trace under every kernel, as an engineer reads it: the finding, the dots by pointer and keyboard, the table, the link. */

import { faults, idle, open, reload, variant, watch } from "../support/page.ts";
import { expect, type Locator, type Page, test } from "../support/shared.ts";

const TRACE = "trace=linux-6.18-fork-and-tcp.ftrace.txt.gz";
const view = (page: Page) => page.getByRole("region", { name: "Kernels", exact: true });
const version = (page: Page, name: string) =>
	view(page).getByRole("button", { name: new RegExp(`^Linux ${name.replaceAll(".", "\\.")},`) });

test.beforeEach(({ page }) => watch(page));

test("the finding, the changes against 6.1 as dots, and the same numbers as a table", async ({
	page,
}) => {
	await open(page, `${TRACE}&tab=compare`);
	await page.getByRole("button", { name: "Kernels", exact: true }).click();
	await idle(page);
	await expect(page).toHaveURL(/compare=kernels/);
	await expect(
		view(page).getByRole("heading", { name: "18 years of your workload" }),
	).toBeVisible();
	await expect(view(page).getByRole("status")).toContainText(
		/From Linux 2\.6\.26 to 7\.2, events that left the fast path fell from \d+ to \d+/,
	);
	const table = view(page).getByRole("table");
	await expect(table.getByRole("row")).toHaveCount(12);
	await expect(version(page, "7.2")).toHaveAttribute("aria-pressed", "true");
	const cellsOf = (name: string) =>
		table
			.getByRole("row")
			.filter({ has: page.getByRole("rowheader", { name, exact: true }) })
			.getByRole("cell");
	await version(page, "6.18").focus();
	await expect(version(page, "6.18")).toHaveAttribute("aria-pressed", "true");
	const cells = await cellsOf("6.18").allTextContents();
	const charts = view(page).locator("[data-part=change]");
	await expect(charts).toHaveCount(3);
	await expect(charts.first()).toContainText(`Linux 6.18: ${cells[0]}`);
	await expect(charts.last()).toContainText(`Linux 6.18: ${cells[4]}`);
	await page.keyboard.press("Tab");
	await expect(charts.first()).toContainText("Linux 7.0: ");
	await version(page, "4.19").hover();
	await expect(charts.first()).toContainText("Linux 4.19: ");
	const [of618 = 0, of61 = 1] = await Promise.all(
		["6.18", "6.1"].map(async (name) => {
			return Number((await cellsOf(name).first().textContent())?.replaceAll(",", ""));
		}),
	);
	const less = `−${Math.round(100 - (100 * of618) / of61)}\u00a0%`;
	await expect(version(page, "6.18")).toHaveAccessibleName(
		new RegExp(`fast path ${of618}, ${less} against 6\\.1`),
	);
	await expect(view(page).getByText(less, { exact: true }).first()).toBeVisible();
	// The kernels with sheaves in every cache stand below the mark.
	const topOf = async (of: Locator) => (await of.boundingBox())?.y ?? 0;
	const mark = await topOf(view(page).getByText("sheaves in every cache from 7.0 on"));
	expect(await topOf(version(page, "6.18"))).toBeLessThan(mark);
	expect(await topOf(version(page, "7.0"))).toBeGreaterThan(mark);
	await expect(view(page)).toContainText("means different things in different versions");
	await reload(page);
	await idle(page);
	await expect(cellsOf("6.18")).toHaveText(cells);
	expect(await faults(page)).toEqual([]);
});

test(
	"a kernel goes to the stage with its preset, and back leads to the charts",
	variant(true),
	async ({ page }) => {
		await open(page, `${TRACE}&tab=compare&compare=kernels`);
		await version(page, "4.19").click();
		await view(page).getByRole("button", { name: "Show Linux 4.19 on the stage" }).click();
		await idle(page);
		await expect(page).toHaveURL(/preset=linux-4\.19/);
		await expect(page.getByRole("region", { name: "Stage" })).toBeVisible();
		await page.goBack();
		await idle(page);
		await expect(view(page).getByRole("table").getByRole("row")).toHaveCount(12);
	},
);

test(
	"a long trace waits for the visitor, shows its progress, and can be stopped",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=workload%3Ahackbench%3Fscale%3D4&tab=compare&compare=kernels");
		const begin = view(page).getByRole("button", {
			name: /^Replay [\d,]+ events under 11 kernels$/,
		});
		await begin.click();
		await expect(view(page).getByRole("progressbar", { name: "Replays" })).toBeVisible();
		// The page answers meanwhile.
		await page.getByRole("button", { name: "Sweep", exact: true }).focus();
		await view(page).getByRole("button", { name: "Stop" }).click();
		await idle(page);
		await expect(begin).toBeVisible();
		await expect(view(page).getByRole("status")).toBeEmpty();
	},
);
