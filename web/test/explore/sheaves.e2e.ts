/** Tests SLUB in Linux 7.x: sheaves and barn on the stage, their refill and flush step by step, and the offer of 7.2. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	button,
	closeSheet,
	drop,
	faults,
	idle,
	importReport,
	open,
	openSheet,
	pointSaying,
	sheet,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&preset=linux-7.2&set.nodes=2";

const place = (page: Page, name: string) =>
	page
		.getByRole("table", { name: "Contents of the stage" })
		.getByRole("row")
		.filter({ hasText: name });

test.beforeEach(({ page }) => watch(page));

/** One CPU takes 13 objects of 1024 bytes; a slab has 8 and a sheaf 12. */
const FIRST_13 = [
	"slabtrace 1",
	"machine cpus=1 nodes=1 preset=linux-7.2",
	"cache c size=1024 name=worked",
	...Array.from({ length: 13 }, (_, i) => `a ${i} c cpu=0`),
].join("\n");

test("a trace for 7.2 fills a sheaf from slabs, step by step, and swaps it", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, "trace=two-nodes.slabtrace");
	await drop(page, "worked.slabtrace", FIRST_13);
	await idle(page);
	await closeSheet(page);
	await expect(page.locator("[data-chip=machine]")).toContainText("SLUB 7.2");
	const levels = page.getByRole("list", { name: "Levels from fast to slow" }).getByRole("listitem");
	await expect(levels.nth(0)).toContainText("main sheaf");
	await expect(levels.nth(1)).toContainText("spare sheaf");
	await expect(levels.nth(2)).toContainText("barn");
	await expect(levels.last()).toContainText("page allocator");
	await expect(place(page, "CPU 0, spare sheaf")).toHaveCount(0);
	const story = page.getByRole("region", { name: "Story" });
	await story.getByRole("button", { name: /Slab 0 gave 8 objects/ }).click();
	await idle(page);
	await expect(place(page, "CPU 0, spare sheaf")).toContainText("8 of 12, next:");
	await expect(place(page, "CPU 0, main sheaf")).toHaveCount(0);
	await story.getByRole("button", { name: /Slab 1 gave 4 objects/ }).click();
	await idle(page);
	await expect(place(page, "CPU 0, spare sheaf")).toContainText("12 of 12, next:");
	await story.getByRole("button", { name: /took object 3 of slab 1 from its main sheaf/ }).click();
	await idle(page);
	await expect(place(page, "CPU 0, main sheaf")).toContainText("11 of 12, next:");
	await expect(place(page, "CPU 0, spare sheaf")).toHaveCount(0);
	await expect(place(page, "CPU 0, main sheaf")).toContainText("next: object 2 of slab 1");
	await expect(
		story.getByRole("region", { name: "Next object of worked" }).getByRole("listitem").first(),
	).toHaveText(/CPU 0.*slab 1, object 2.*main sheaf.*9/);
	expect(await faults(page)).toEqual([]);
});

test(
	"a flush empties the spare sheaf group by group, because the barn is full",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await open(page, `${HACKBENCH}&event=17995&step=8&cache=kmalloc-cg-512`);
		await expect(place(page, "CPU 2, spare sheaf")).toContainText("19 of 28, next:");
		await expect(place(page, "node 0, full sheaves in the barn")).toContainText(
			"10 of 10 sheaves of 28 objects",
		);
		await button(page, "Next step").click();
		await idle(page);
		await expect(place(page, "CPU 2, spare sheaf")).toContainText("17 of 28, next:");
		const barn = await pointSaying(page, /Node 0, full sheaves in the barn/, 0.3);
		await page.locator("[data-part=stage] canvas").click({ position: barn });
		await idle(page);
		const card = page.locator("[data-part=why]");
		await expect(card).toContainText("Why are 280 objects in 10 sheaves here?");
		await expect(card).toContainText("Only shrinking empties the barn");
		expect(await faults(page)).toEqual([]);
	},
);

test(
	"a trace that does not name its kernel is offered the newest preset",
	variant(true),
	async ({ page }) => {
		const lines = Array.from(
			{ length: 3 },
			(_, i) =>
				`            cat-1  [000] ..... 10.00000${i}: kmem_cache_alloc: call_site=a+0x1/0x2 ptr=00000000aaaaaaa${i} name=filp bytes_req=176 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=false`,
		);
		await open(page, "trace=two-nodes.slabtrace");
		await drop(page, "unnamed.txt", `# tracer: nop\n${lines.join("\n")}\n`);
		await idle(page);
		const report = await importReport(page);
		await expect(report).toContainText(
			"The file does not name its kernel. Was it recorded on 7.x?",
		);
		await report.getByRole("button", { name: "Replay as Linux 7.2" }).click();
		await idle(page);
		await expect(report).not.toContainText("recorded on 7.x?");
		await closeSheet(page);
		await expect(page.locator("[data-chip=machine]")).toContainText("SLUB 7.2");
		await openSheet(page, "Machine");
		const preset = sheet(page, "Machine").getByRole("combobox", { name: "Kernel preset" });
		await expect(preset).toHaveValue("linux-7.2");
		await expect(preset.getByRole("option", { name: "linux-7.0" })).toHaveCount(1);
	},
);

const RECORDED = join(
	process.env.SLABSCOPE_SHARED ?? "../shared",
	"traces/debian-7.2.12/perf.data.gz",
);

test("a trace that names its kernel opens as that kernel", async ({ page }) => {
	test.skip(!existsSync(RECORDED), "there are no recordings of 7.2 beside the checkout");
	await open(page, "trace=two-nodes.slabtrace");
	await drop(page, "perf.data.gz", readFileSync(RECORDED));
	await idle(page);
	await expect(page.locator("[data-chip=machine]")).toContainText("SLUB 7.2");
	const report = await importReport(page);
	await expect(report).toContainText("Recorded on Linux 7.2.12");
	await expect(report).not.toContainText("recorded on 7.x?");
	expect(await faults(page)).toEqual([]);
});
