/** Tests several files at once, and text from the clipboard. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import {
	address,
	button,
	choose,
	closeSheet,
	drop,
	dropAll,
	faults,
	idle,
	importReport,
	listOf,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";

const LESSON = "one-slab-after-another.slabtrace";
const text = (name: string) =>
	readFileSync(fileURLToPath(new URL(`../../../traces/${name}`, import.meta.url)), "utf8");
const ONE = text(LESSON);
const TWO = text("two-nodes.slabtrace");
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]);
const STATE = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
lesson               100    105   1024   32    8 : tunables    0    0    0 : slabdata      7      7      0
`;

const files = (page: Page) => page.getByRole("status", { name: "Files" });

test.beforeEach(({ page }) => watch(page));

test("text that is dragged into a field stays in the field", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&event=20&tab=compare");
	const field = page.getByRole("textbox", { name: "Settings of B" });
	await page.evaluate(() => {
		const words = document.createElement("p");
		words.id = "words";
		words.textContent = "min_partial=7";
		words.style.cssText = "position:fixed;left:8px;top:120px;z-index:999;background:#fff";
		document.body.append(words);
	});
	const words = page.locator("#words");
	await words.selectText();
	await words.dragTo(field);
	await expect(field).toHaveValue("min_partial=7");
});

test("the first of two traces opens, and the second is kept and offered", async ({ page }) => {
	await open(page, "op=5");
	await dropAll(page, [
		["first.slabtrace", ONE],
		["second.slabtrace", TWO],
	]);
	await expect(files(page)).toContainText(
		"first.slabtrace is open. second.slabtrace is kept under Recent.",
	);
	await idle(page);
	await expect(await importReport(page)).toContainText("first.slabtrace");
	const recent = (await listOf(page, "Trace")).locator("optgroup[label=Recent]");
	await expect(recent.getByRole("option")).toHaveCount(2);
	await closeSheet(page);
	expect(await faults(page)).toEqual([]);
	await button(page, "Open second.slabtrace").click();
	await idle(page);
	await expect(await importReport(page)).toContainText("second.slabtrace");
	await expect(files(page)).toBeEmpty();
});

for (const [order, first] of [
	["a trace and a table of caches", "trace"],
	["a table of caches and a trace", "table"],
] as const) {
	test(
		`with ${order}, the table is shown with the trace`,
		variant(first === "table"),
		async ({ page }) => {
			await open(page, "op=5");
			const both = [
				["mine.slabtrace", ONE],
				["slabinfo.txt", STATE],
			] as const;
			await dropAll(page, first === "trace" ? both : both.toReversed());
			await expect(files(page)).toContainText("mine.slabtrace is open.");
			await expect(files(page)).toContainText("slabinfo.txt is shown with the trace");
			await idle(page);
			const bar = page.getByRole("region", { name: "Model and machine" });
			await expect(bar).toContainText("slabinfo.txt");
			await expect(page.getByRole("row", { name: /lesson/ })).toContainText(
				"on the real machine 100",
			);
			await button(page, "Dismiss").click();
			await expect(files(page)).toBeEmpty();
		},
	);
}

test(
	"among several files, the one that is not a trace is named, and the trace opens",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=5`);
		await dropAll(page, [
			["picture.png", PNG],
			["mine.slabtrace", TWO],
			["another.png", PNG],
		]);
		await expect(files(page)).toContainText("picture.png was not opened: This is a PNG image");
		await expect(files(page)).toContainText("mine.slabtrace is open.");
		await expect(files(page)).toContainText(
			"another.png is not kept under Recent: This is a PNG image",
		);
		await expect(await importReport(page)).toContainText("mine.slabtrace");
	},
);

test("the reason why a file was not opened is shown in front of everything", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await drop(page, "mine.slabtrace", TWO);
	await expect(await importReport(page)).toContainText("mine.slabtrace");
	await drop(page, "picture.png", PNG);
	const why = page.getByRole("alert").getByText(/^picture.png: This is a PNG image/);
	await expect(why).toBeVisible();
	// The topmost element there is the sentence itself.
	const isInFront = await why.evaluate((e) => {
		const { left, top, width, height } = e.getBoundingClientRect();
		return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
	});
	expect(isInFront).toBe(true);
});

test("a kernel's symbols name the call sites of the trace dropped with them", async ({ page }) => {
	const call = (time: number, event: string) => `x-1 [000] ..... 1.00000${time}: ${event}\n`;
	const size = "bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL";
	await open(page, "op=5");
	await dropAll(page, [
		["kallsyms.txt", "ffffffff81000100 T first\nffffffff81000300 T _etext\n"],
		[
			"addresses.txt",
			call(1, `kmalloc: call_site=ffffffff81000110 ptr=ffff888000001000 ${size}`) +
				call(2, "kfree: call_site=ffffffff81000210 ptr=ffff888000001000"),
		],
	]);
	await expect(files(page)).toContainText(
		"addresses.txt is open. kallsyms.txt named the trace's call sites: 2 addresses.",
	);
	await idle(page);
	await button(page, "Suggestions").click();
	await button(page, "Call sites").click();
	const sites = page.getByRole("region", { name: "Call sites", exact: true });
	await expect(sites.getByRole("table")).toContainText("first+0x10/0x200");
});

/** Pastes as a visitor does: by the keys, from the clipboard. */
async function paste(page: Page, clipboard: string): Promise<void> {
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.evaluate((words) => navigator.clipboard.writeText(words), clipboard);
	await page.keyboard.press("ControlOrMeta+KeyV");
}

test.afterEach(({ context }) => context.clearPermissions());

test("a trace pasted as text opens, anywhere outside fields", async ({ page }) => {
	await open(page, "op=5");
	await paste(page, ONE);
	await expect(await importReport(page)).toContainText("pasted text, from your disk");
	await idle(page);
	await expect(page.getByRole("alert")).toBeEmpty();
});

test(
	"pasted text without a trace is refused, and the sentence says what was expected",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=5`);
		await paste(page, "Dear all, please find the trace attached.");
		const alert = page.getByRole("alert");
		await expect(alert).toContainText("pasted text: No line of this looks like a trace");
		await expect(alert).toContainText("is still open");
	},
);

test(
	"a pasted file opens; text pasted into a field stays there",
	variant(true),
	async ({ page }) => {
		await open(page, "op=5");
		await page.evaluate((content) => {
			const clipboardData = new DataTransfer();
			clipboardData.items.add(new File([content], "copied.slabtrace"));
			document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
		}, TWO);
		await expect(await importReport(page)).toContainText("copied.slabtrace");
		await idle(page);
		await choose(page, "Trace", { label: "Paste a trace …" });
		const dialog = page.getByRole("dialog", { name: "Paste a trace" });
		const field = dialog.getByRole("textbox", { name: "Text of the trace" });
		await expect(dialog.getByRole("button", { name: "Open this text" })).toBeDisabled();
		expect(await faults(page)).toEqual([]);
		await paste(page, ONE);
		await expect(field).toHaveValue(ONE);
		// The dialog covers the header, so its sheet cannot be opened.
		await expect(page.locator('[data-chip="trace"]')).toContainText("copied.slabtrace");
		await dialog.getByRole("button", { name: "Open this text" }).click();
		await expect(await importReport(page)).toContainText("pasted text");
		await expect(dialog).toBeHidden();
	},
);

test("a replay starts from a machine's slabs on request", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await dropAll(page, [["slabinfo.txt", STATE]]);
	await idle(page);
	const bar = page.getByRole("region", { name: "Model and machine" });
	const box = bar.getByRole("checkbox", { name: "Start from the machine's slabs" });
	// Seven slabs of 32 objects: the lesson has slabs of 16.
	await box.check();
	await expect(bar).toContainText("Start from slabinfo: 1 cache starts with 13 slabs");
	await box.uncheck();
	await expect(bar).not.toContainText("Start from slabinfo");
});

test("a file's own pointers show which slabs its replay starts from", { tag: "@long" }, async ({
	page,
}) => {
	const line = (i: number, what: string, index: number) =>
		`task-1 [000] ..... 1.00000${i}: kmem_cache_${what}: call_site=f+0x1/0x2 ptr=ffff88810000${(0x1000 + index * 256).toString(16)}` +
		`${what === "free" ? "" : " bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false"} name=filp\n`;
	await open(page, "op=5");
	const lines = [line(1, "free", 9), line(2, "alloc", 5), line(3, "alloc", 2)];
	await dropAll(page, [["pointers.txt", lines.join("")]]);
	const report = await importReport(page);
	await expect(report).toContainText("1 slab of 1 cache inferred from the trace's pointers");
	await report.getByRole("button", { name: "Start empty" }).click();
	await expect(report).toContainText("Start from empty");
	expect(await address(page)).toContain("cold=1");
	await reload(page);
	const again = await importReport(page);
	await again.getByRole("button", { name: "Start from the slabs" }).click();
	await expect(again).toContainText("1 slab of 1 cache inferred");
	expect(await address(page)).not.toContain("cold=1");
	// Compared machines share one start.
	await page.keyboard.press("Escape");
	await page.getByRole("tab", { name: "Compare" }).click();
	const compare = page.getByRole("region", { name: "Compare", exact: true });
	await expect(compare).toContainText(
		"A starts with slabs from before the trace and B starts empty",
	);
	await compare.getByRole("button", { name: "Start all of them empty" }).click();
	await expect(compare).not.toContainText("starts empty");
	expect(await address(page)).toContain("cold=1");
});
