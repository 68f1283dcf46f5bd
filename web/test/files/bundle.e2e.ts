/** Tests a bundle: saved from Share and dropped on another page, which shows the same event with the same machine. */
import { readFileSync } from "node:fs";
import { address, button, drop, event, idle, open, variant, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

test.beforeEach(({ page }) => watch(page));

const STATE =
	"slabinfo - version: 2.1\n" +
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n" +
	"lesson 20 32 512 16 2 : tunables 0 0 0 : slabdata 2 2 0\n";

test(
	"a bundle opens at its event, with its machine state and notes",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=two-nodes.slabtrace&event=61&set.min_partial=2&mark=30~here");
		await drop(page, "slabinfo.txt", STATE);
		await idle(page);
		const sentence = await page
			.getByRole("region", { name: "Stage" })
			.getByRole("status", { name: "Current step" })
			.textContent();
		const table = await page.getByRole("table", { name: "Contents of the stage" }).textContent();
		await button(page, "Share").click();
		const dialog = page.getByRole("dialog", { name: "Share" });
		await expect(dialog.getByRole("status")).toContainText("the machine state");
		const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
		await dialog.getByRole("textbox", { name: "Notes" }).fill("Why is this slow?");
		const coming = page.waitForEvent("download");
		await button(page, "Save bundle").click();
		const file = await coming;
		await expect(dialog.getByRole("status")).toContainText(file.suggestedFilename());
		await open(page, "trace=bursts-of-buffers.slabtrace");
		await drop(page, file.suggestedFilename(), readFileSync(await file.path()));
		const notice = page.getByRole("status", { name: "Files" });
		await expect(notice).toContainText(
			"All events of two-nodes.slabtrace are open, and you are at event 61",
		);
		await expect(notice).toContainText("Notes: Why is this slow?");
		await idle(page);
		expect(await event(page)).toBe(61);
		await expect(
			page.getByRole("region", { name: "Stage" }).getByRole("status", { name: "Current step" }),
		).toHaveText(sentence ?? "");
		await expect(page.getByRole("table", { name: "Contents of the stage" })).toHaveText(
			table ?? "",
		);
		await expect(page.getByRole("region", { name: "Model and machine" })).toContainText(
			"slabinfo.txt",
		);
		// The link contains the machine state on its own.
		await page.goto(link);
		await idle(page);
		await expect(page.getByRole("region", { name: "Model and machine" })).toContainText(
			"machine state of the link",
		);
	},
);

test("a trace that fits is in the bundle as a whole, and Share says so", async ({ page }) => {
	const lines = Array.from({ length: 60_000 }, (_, i) => `k ${i} 64 cpu=${i % 4}\n`).join("");
	await open(page, "trace=two-nodes.slabtrace");
	await drop(page, "long.slabtrace", `slabtrace 1\nmachine cpus=4\n${lines}`);
	await idle(page);
	await button(page, "Share").click();
	const dialog = page.getByRole("dialog", { name: "Share" });
	const contents = dialog.locator("[data-part=bundle-contents]");
	await expect(contents).toContainText("It contains all 60,000 events, the machine state");
	await expect(contents).not.toContainText("The trace is cut");
	const coming = page.waitForEvent("download");
	await button(page, "Save bundle").click();
	const file = await coming;
	await expect(dialog.getByRole("status")).toContainText("Saved all 60,000 events as");
	await drop(page, file.suggestedFilename(), readFileSync(await file.path()));
	await expect(page.getByRole("status", { name: "Files" })).toContainText(
		"All events of long.slabtrace are open",
	);
});

test(
	"another file with a link's file name is reported; a copy under any name opens",
	variant(true),
	async ({ page }) => {
		const own = "slabtrace 1\nk 1 64 cpu=0\nk 2 64 cpu=0\nf 1 cpu=0\n";
		await open(page, "trace=two-nodes.slabtrace");
		await drop(page, "mine.slabtrace", own);
		await idle(page);
		await page.goto((await address(page)).replace(/event=\d+/, "event=2").replace("mine", "yours"));
		await idle(page);
		await drop(page, "yours.slabtrace", `${own}f 2 cpu=0\n`);
		await expect(page.getByRole("alert")).toContainText(
			"yours.slabtrace is not the file of the link: its content differs",
		);
		await drop(page, "renamed.slabtrace", own);
		await idle(page);
		expect(await event(page)).toBe(2);
	},
);

test("a cut-off bundle is refused in one sentence", variant(true), async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&event=61");
	await drop(page, "case.zip", `PK\u0003\u0004${"0".repeat(26)}slabscope.json and no more`);
	await expect(page.getByRole("alert")).toContainText("This bundle cannot be opened");
	expect(await event(page)).toBe(61);
});
