/** Tests that "Limits of the model" opens from everywhere that names it, without a network and from a disk. */
import { expect, type Page, test } from "@playwright/test";
import { faults, idle, importReport, more, open, variant, watch } from "../support/page.ts";

const TITLE = "Limits of the model";

/** The document docs/fidelity.md, recognised by one of its headings and one of its figures. */
async function expectDocument(page: Page): Promise<void> {
	const dialog = page.getByRole("dialog", { name: TITLE });
	await expect(dialog.getByRole("heading", { name: "Cold start" })).toBeVisible();
	await expect(dialog.getByRole("heading", { name: "Memory policies and cpusets" })).toBeVisible();
	await expect(dialog.getByRole("cell", { name: "607 : 676" })).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(page.getByRole("dialog")).toHaveCount(0);
}

async function chooseCommand(page: Page): Promise<void> {
	await page.keyboard.press("Control+k");
	await expect(page.getByRole("combobox", { name: "Command" })).toBeFocused();
	await page.keyboard.type("limits of");
	await expect(page.getByRole("option", { name: TITLE })).toHaveAttribute("aria-selected", "true");
	await page.keyboard.press("Enter");
}

test.beforeEach(({ page }) => watch(page));

test("opens from the trace panel, the import report and the palette", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace");
	await (await importReport(page)).getByRole("button", { name: TITLE }).click();
	await expectDocument(page);

	await page.keyboard.press("i");
	await page.getByRole("dialog", { name: "Import report" }).getByText(TITLE).click();
	await expectDocument(page);

	await chooseCommand(page);
	await expectDocument(page);
});

test("opens from the help and a lesson", variant(true), async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace");
	await more(page, "Keys");
	await page.getByRole("dialog", { name: "Keys" }).getByRole("button", { name: TITLE }).click();
	await expectDocument(page);

	await open(page, "tab=lessons&lesson=read-your-own-trace&stop=trust");
	await page.locator("[data-stop=trust]").getByRole("button", { name: TITLE }).click();
	await expectDocument(page);
});

test(
	"asks no server for anything else, and has no accessibility faults, on a phone either",
	variant(true),
	async ({ page, baseURL }) => {
		const own = new URL(baseURL ?? "").origin;
		const elsewhere: string[] = [];
		page.on("request", (request) => {
			const { origin, protocol } = new URL(request.url());
			if (origin !== own && protocol.startsWith("http")) elsewhere.push(request.url());
		});
		await page.setViewportSize({ width: 390, height: 844 });
		await open(page, "trace=two-nodes.slabtrace");
		await chooseCommand(page);
		await idle(page);
		const dialog = page.getByRole("dialog", { name: TITLE });
		await expect(dialog.getByRole("heading", { name: "Cold start" })).toBeAttached();
		expect(await dialog.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(0);
		expect(await faults(page)).toEqual([]);
		expect(elsewhere).toEqual([]);
	},
);
