/** Tests the visitor's own traces: what the import reports, what is refused, and what the browser keeps. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, type Page, test } from "@playwright/test";
import {
	button,
	drop,
	event,
	faults,
	idle,
	importReport,
	listOf,
	more,
	open,
	openSheet,
	reload,
	variant,
	watch,
} from "../support/page.ts";

const LESSON = "one-slab-after-another.slabtrace";
const TEXT = readFileSync(
	fileURLToPath(new URL(`../../../traces/${LESSON}`, import.meta.url)),
	"utf8",
);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]);

const report = (page: Page) => page.getByRole("dialog", { name: "Import report" });
const recent = (page: Page) => page.getByRole("dialog", { name: "Recent traces" });
const picker = (page: Page) => listOf(page, "Trace");

test.beforeEach(({ page }) => watch(page));

/** A trace with everything in it that a report can mention. */
const GAPS = `# tracer: nop
            cat-1  [000] ..... 10.000001: kmalloc: call_site=a+0x1/0x2 ptr=00000000aaaaaaa1 bytes_req=60 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
            cat-1  [001] ..... 10.000002: kmalloc: call_site=a+0x1/0x2 ptr=00000000aaaaaaa1 bytes_req=60 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
CPU:1 [LOST 12 EVENTS]
            cat-1  [001] ..... 10.000003: kfree: call_site=b+0x1/0x2 ptr=00000000bbbbbbb1
            cat-1  [001] ..... 10.000004: kfree: call_site=b+0x1/0x2 ptr=
            cat-1  [001] ..... 10.500001: kmalloc: call_site=a+0x1/0x2 ptr=00000000aaaaaaa2 bytes_req=60 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
`;

test(
	"a recorded part of a trace opens where there is something to see",
	variant(true),
	async ({ page }) => {
		const sample = "../../../traces/linux-6.1-hackbench-4-nodes.ftrace.txt.gz";
		const packed = readFileSync(fileURLToPath(new URL(sample, import.meta.url)));
		const lines = gunzipSync(packed).toString("latin1").split("\n").slice(0, 600);
		await open(page, `trace=${LESSON}`);
		await drop(page, "part.txt", lines.join("\n"));
		await idle(page);
		expect(await event(page)).toBeGreaterThan(400);
		const rows = page.getByRole("table", { name: "Contents of the stage" }).getByRole("row");
		expect(await rows.filter({ hasText: /\d+ of \d+/ }).count()).toBeGreaterThan(0);
	},
);

test("a sample is replayed as its kernel would, unless a preset is chosen", async ({ page }) => {
	const chip = page.locator("[data-chip=machine]");
	for (const [file, kernel] of [
		["linux-6.18-fork-and-tcp.ftrace.txt.gz", "6.18"],
		["linux-5.10-fork-and-tcp.perf.txt.gz", "5.10"],
		["linux-6.1-fork-and-tcp.ftrace.txt.gz", "6.1"],
	] as const) {
		await open(page, `trace=${file}`);
		await expect(chip).toContainText(`SLUB ${kernel}`);
		await expect(page).not.toHaveURL(/preset=/);
	}
	await open(page, "trace=linux-6.18-fork-and-tcp.ftrace.txt.gz&preset=linux-6.1");
	await expect(chip).toContainText("SLUB 6.1");
	await expect(page).toHaveURL(/preset=linux-6.1(&|$)/);
	const preset = await listOf(page, "Kernel preset");
	await expect(preset.locator("option").first()).toHaveText("the sample's kernel: linux-6.18");
	await preset.selectOption("");
	await idle(page);
	await expect(chip).toContainText("SLUB 6.18");
	await expect(page).not.toHaveURL(/preset=/);
});

test("the import report is complete, and can be opened again", async ({ page }) => {
	await open(page, "op=5");
	await drop(page, "gaps.txt", GAPS);
	await idle(page);
	await more(page, "Import report");
	const dialog = report(page);
	for (const [name, value] of [
		["CPUs", "2"],
		["freed objects from before the trace", "1"],
		["missing frees", "1"],
		["live at the end", "2"],
		["lost events", "12"],
		["skipped lines", "1"],
		["time span", "0.500000 s"],
	] as const) {
		const row = dialog.locator("dl > div").filter({ has: page.locator(`dt:text-is("${name}")`) });
		await expect(row.getByRole("definition")).toHaveText(value);
	}
	const lines = dialog.getByRole("region", { name: "Input that could not be used" });
	await expect(lines.getByRole("row").nth(1)).toContainText("ptr=");
	await expect(lines.getByRole("row").nth(1).getByRole("cell").first()).toHaveText("6");
	const kinds = dialog.getByRole("region", { name: "Events by kind", exact: true });
	await expect(kinds.getByRole("row", { name: /kmalloc/ })).toContainText("3");
	await expect(dialog.getByRole("region", { name: "Assumptions" })).toContainText(
		"1 freed object from before the trace",
	);
	await page.keyboard.press("Escape");
	await expect(dialog).toBeHidden();
	await page.keyboard.press("KeyI");
	await expect(dialog).toBeVisible();
});

test("a refusal stays until it is dismissed, and the page works on", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await drop(page, "picture.png", PNG);
	const alert = page.getByRole("alert");
	await expect(alert).toContainText("picture.png");
	await expect(alert).toContainText("is still open");
	await idle(page);
	await button(page, "Next event").click();
	await idle(page);
	await (await picker(page)).selectOption("two-nodes.slabtrace");
	await idle(page);
	await expect(alert).toContainText("picture.png");
	await alert.getByRole("button", { name: "Dismiss" }).click();
	await expect(alert).not.toContainText("picture.png");
});

test("an opened file is kept: it is listed, returns after a reload, and can be removed", async ({
	page,
}) => {
	await open(page, "op=5");
	await openSheet(page, "More");
	await expect(button(page, "Recent traces")).toBeHidden();
	await drop(page, "mine.slabtrace", TEXT);
	await drop(page, "gaps.txt", GAPS);
	await expect((await picker(page)).locator("optgroup[label=Recent]")).toContainText("gaps.txt");
	await drop(page, "mine.slabtrace", TEXT);
	await expect((await picker(page)).locator("optgroup[label=Recent] option")).toHaveCount(2);
	await button(page, "First event").click();
	await button(page, "Next event").click();
	await idle(page);
	const at = await event(page);
	await expect(page).toHaveURL(/local%3Amine/);
	await reload(page);
	await idle(page);
	expect(await event(page)).toBe(at);
	await expect(await importReport(page)).toContainText("mine.slabtrace");

	await (await picker(page)).selectOption({ label: "gaps.txt" });
	await idle(page);
	await more(page, "Import report");
	await expect(report(page)).toContainText("lost events12");
	await page.keyboard.press("Escape");

	await more(page, "Recent traces");
	await recent(page).getByRole("button", { name: "Remove gaps.txt" }).click();
	await expect(recent(page).getByRole("listitem")).toHaveCount(1);
	await recent(page).getByRole("button", { name: "mine.slabtrace", exact: true }).click();
	await idle(page);
	await expect(await importReport(page)).toContainText("mine.slabtrace");
	await more(page, "Recent traces");
	await button(page, "Remove all").click();
	await expect(recent(page)).toContainText("No traces are kept");
	await reload(page);
	await idle(page);
	await openSheet(page, "More");
	await expect(button(page, "Recent traces")).toBeHidden();
});

test("a file opens even if the browser's storage is full; nothing kept is lost, and one sentence says so", async ({
	page,
	baseURL,
}) => {
	await open(page, "op=5");
	await drop(page, "gaps.txt", GAPS);
	await expect((await picker(page)).locator("optgroup[label=Recent]")).toContainText("gaps.txt");
	await idle(page);
	const client = await page.context().newCDPSession(page);
	const origin = new URL(baseURL ?? "").origin;
	await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1000 });
	await drop(page, "mine.slabtrace", TEXT);
	await idle(page);
	const recording = await importReport(page);
	await expect(recording).toContainText("mine.slabtrace is not kept under Recent");
	await (await picker(page)).selectOption({ label: "gaps.txt" });
	await idle(page);
	await expect(await importReport(page)).toContainText("gaps.txt");
	await more(page, "Recent traces");
	await expect(recent(page).getByRole("listitem")).toHaveCount(1);
	await client.send("Storage.overrideQuotaForOrigin", { origin });
});

test("a large file shows its progress, and can be cancelled", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	const line = "a 1 c cpu=0\nf 1 cpu=0\n";
	await page.evaluate((text) => {
		const data = new DataTransfer();
		const pieces = Array.from({ length: 60 }, () => text.repeat(50_000));
		data.items.add(new File(["slabtrace 1\ncache c size=64\n", ...pieces], "large.slabtrace"));
		document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
	}, line);
	await expect(page.getByText(/Reading .* of .* events/)).toBeVisible();
	await button(page, "Cancel").click();
	await expect(page.getByText(/Reading/)).toBeHidden();
	await idle(page);
	expect(await event(page)).toBe(6);
});

const CSV = `when,proc,what,thing,bytes
1.5,0,malloc,0xffff888000000040,64
1.6,1,malloc,0xffff888000000080,60
1.7,0,free,0xffff888000000040,
`;
const columns = (page: Page) => page.getByRole("dialog", { name: "Columns of the file" });

test("columns with unknown names are asked about, and the answer is remembered", async ({
	page,
}) => {
	await open(page, `trace=${LESSON}&op=5`);
	await drop(page, "mine.csv", CSV);
	const dialog = columns(page);
	await expect(dialog).toContainText("Still missing");
	await expect(dialog.getByRole("listitem").first()).toContainText("1.5, 1.6, 1.7");
	await expect(dialog.getByRole("button", { name: "Open with these columns" })).toBeDisabled();
	await page.keyboard.press("Escape");
	await expect(page.getByRole("alert")).toContainText("mine.csv: This CSV file");

	await drop(page, "mine.csv", CSV);
	for (const [column, tells] of [
		["when", "when it happened"],
		["proc", "on which CPU"],
		["what", "what happened: an allocation or a free"],
		["thing", "the object's address"],
	] as const) {
		const select = dialog.getByRole("combobox", { name: `Column ${column} holds` });
		await select.selectOption({ label: tells });
	}
	await dialog.getByRole("button", { name: "Open with these columns" }).press("Enter");
	await idle(page);
	const recording = await importReport(page);
	await expect(recording).toContainText("events3");
	await expect(page.getByRole("alert")).not.toContainText("mine.csv");

	await drop(page, "another.csv", CSV.replace("1.5,0", "1.4,0"));
	await expect(recording).toContainText("another.csv");
	await idle(page);
	await more(page, "Import report");
	await button(page, "Change its columns").click();
	const proc = dialog.getByRole("combobox", { name: "Column proc holds" });
	await expect(proc).toHaveValue("cpu");
	await proc.selectOption({ label: "not read" });
	await dialog.getByRole("button", { name: "Open with these columns" }).click();
	await idle(page);
	await more(page, "Import report");
	await expect(report(page).locator("dl > div").filter({ hasText: "CPUs" })).toContainText("1");
});

const STATE = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
lesson               100    105   1024   32    8 : tunables    0    0    0 : slabdata      7      7      0
nothing-here          10     21    192   21    1 : tunables    0    0    0 : slabdata      1      1      0
`;

test("a machine's slabinfo is shown beside the model's", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=40`);
	await drop(page, "slabinfo.txt", STATE);
	await idle(page);
	const bar = page.getByRole("region", { name: "Model and machine" });
	await expect(bar).toContainText("1 of its 2 caches is");
	const row = page.getByRole("row", { name: /lesson/ });
	await expect(row).toContainText("on the real machine 100");
	await expect(row).toContainText("on the real machine 32");
	expect(await faults(page)).toEqual([]);
	await bar.getByRole("checkbox", { name: "Use the machine's cache parameters" }).check();
	await idle(page);
	expect(await event(page)).toBe(41);
	await bar.getByRole("button", { name: "Remove" }).click();
	await idle(page);
	await expect(bar).toBeHidden();
	await expect(row).not.toContainText("on the real machine");
});

test("a snapshot names the caches of a kernel that records no names, and what is on the stage keeps it", async ({
	page,
}) => {
	await open(page, "trace=linux-5.10-fork-and-tcp.perf.txt.gz&op=40&cache=size-1088");
	await expect(page).toHaveURL(/cache=size-1088/);
	await drop(
		page,
		"slabinfo.txt",
		STATE.replace("lesson    ", "mm_struct ").replace("1024", "1088"),
	);
	await idle(page);
	await expect(page).toHaveURL(/cache=mm_struct/);
	await expect(page.getByRole("row", { name: /mm_struct/ })).toContainText(
		"on the real machine 100",
	);
	expect(await event(page)).toBe(41);
	const bar = page.getByRole("region", { name: "Model and machine" });
	await bar.getByRole("button", { name: "Remove" }).click();
	await idle(page);
	await expect(page).toHaveURL(/cache=size-1088/);
});

for (const colorScheme of ["light", "dark"] as const) {
	for (const width of colorScheme === "light" ? [1440, 390] : [1440]) {
		test(
			`axe finds no faults in panels about files: ${colorScheme}, ${width} wide`,
			variant(true),
			async ({ page }) => {
				const of = colorScheme === "light" ? "all" : "colours";
				await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
				await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
				await open(page, `trace=${LESSON}&op=5`);
				await drop(page, "gaps.txt", GAPS);
				await expect(button(page, "Recent traces")).toBeVisible();
				await drop(page, "picture.png", PNG);
				await expect(page.getByRole("alert")).toContainText("picture.png");
				await idle(page);
				expect(await faults(page, of)).toEqual([]);
				await drop(page, "mine.csv", CSV);
				await expect(columns(page)).toBeVisible();
				expect(await faults(page, of)).toEqual([]);
				await page.keyboard.press("Escape");
				for (const name of ["Import report", "Recent traces"]) {
					await more(page, name);
					await expect(page.getByRole("dialog", { name })).toBeVisible();
					expect(await faults(page, of)).toEqual([]);
					await page.keyboard.press("Escape");
				}
			},
		);
	}
}
