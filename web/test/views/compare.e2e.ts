/**
 * Tests Compare as an engineer uses it: another allocator beside the stage's, the same event on both, the first divergence of
 * each machine, and curves and numbers in lockstep.
 */

import { address, faults, idle, open, reload, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.beforeEach(async ({ page }) => {
	watch(page);
	await open(page, "trace=two-nodes.slabtrace&op=30");
	await page.getByRole("tab", { name: "Compare" }).click();
	await idle(page);
});

test("two machines show curves, their first divergence, and numbers that follow the stage", async ({
	page,
}) => {
	await expect(region(page, "First divergence")).toContainText("A");
	await expect(region(page, "Numbers").getByRole("row", { name: /^Slabs slabs/ })).toContainText(
		"%",
	);
	await expect(region(page, "Numbers")).toContainText("After event 31");
	await page.getByRole("button", { name: "Last event" }).click();
	await idle(page);
	await expect(region(page, "Numbers")).not.toContainText("After event 31");
	await page.getByRole("combobox", { name: "Allocator of B" }).selectOption("slub");
	await idle(page);
	await expect(region(page, "First divergence")).toContainText(
		"B makes the same decisions as A to the end",
	);
	await expect(region(page, "Numbers")).toContainText("No numbers differ");
	await page.getByRole("textbox", { name: "Settings of B" }).fill("node_search=skip-checked");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(region(page, "First divergence")).toContainText("skipped, since it has just failed");
	await region(page, "First divergence")
		.getByRole("button", { name: /^Go to event/ })
		.click();
	await idle(page);
	await expect(page).toHaveURL(/with=slub%2Cnode_search%3Dskip-checked/);
});

test(
	"compares up to four machines, and says in a sentence why a machine is invalid",
	variant(true),
	async ({ page }) => {
		await page.getByRole("button", { name: "Add a machine" }).click();
		await idle(page);
		await page.getByRole("button", { name: "Add a machine" }).click();
		await idle(page);
		await expect(page.getByRole("button", { name: "Add a machine" })).toHaveCount(0);
		await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(6);
		await page.getByRole("textbox", { name: "Settings of D" }).fill("moon=1");
		await page.keyboard.press("Enter");
		await idle(page);
		await expect(region(page, "Compare")).toContainText("unknown parameter `moon`");
		await page.getByRole("button", { name: "Remove D" }).click();
		await idle(page);
		await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(5);
	},
);

test(
	"leaves out a counter that only one allocator has, and says so",
	variant(true),
	async ({ page }) => {
		const numbers = region(page, "Numbers");
		await expect(numbers).toContainText(/Not shown: \d+ counters that only one/);
		await expect(numbers.getByRole("row", { name: /alloc_fastpath/ })).toHaveCount(0);
		await page.getByRole("checkbox", { name: "Only differences" }).uncheck();
		await expect(numbers.getByRole("row", { name: /alloc_fastpath/ })).toContainText("–");
	},
);

test(
	"an invalid setting leaves the comparison as it was, and more machines differ",
	variant(true),
	async ({ page }) => {
		await page.getByRole("button", { name: "Add a machine" }).click();
		await page.getByRole("button", { name: "Add a machine" }).click();
		await idle(page);
		const allocator = (letter: string) =>
			page.getByRole("combobox", { name: `Allocator of ${letter}` }).inputValue();
		expect(new Set([await allocator("B"), await allocator("C"), await allocator("D")]).size).toBe(
			3,
		);
		await page.getByRole("textbox", { name: "Settings of B" }).fill("moon=1");
		await page.keyboard.press("Enter");
		await idle(page);
		await expect(region(page, "Compare").getByRole("alert")).toContainText(
			"unknown parameter `moon`",
		);
		await expect(region(page, "Numbers").getByRole("columnheader")).toHaveCount(6);
	},
);

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz";
const drawnStage = (page: Page, letter: string) =>
	region(page, "Stages").getByRole("img", { name: `Stage of ${letter}` });

test("shows the same event on two allocators with its costs and its steps by place, and doesn't compare slabs", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16805&tab=compare`);
	const both = region(page, "Stages");
	await expect(
		both.getByRole("heading", { name: "Event 16,805: 337 versus 44 cycles" }),
	).toBeVisible();
	await expect(drawnStage(page, "A")).toBeVisible();
	await expect(drawnStage(page, "B")).toBeVisible();
	await expect(both.getByRole("table", { name: "Stage of B" })).toContainText("slab");
	await expect(both).not.toContainText(/\d+ slabs? (differ|of)/);
	await expect(both).not.toContainText("on the same list");
	const row = (name: string) => both.getByRole("row", { name });
	await expect(row("returns to the alien caches of node 2").getByRole("cell")).toHaveText([
		"–",
		"steps 1–2 · 44 cycles",
	]);
	// One scale: the widths of both bars are in the ratio of the costs.
	const widthOf = async (cycles: number) => {
		const bar = both.getByRole("group", { name: `Where ${cycles} model cycles go` });
		const boxes = await Promise.all(
			(await bar.getByRole("button").all()).map((segment) => segment.boundingBox()),
		);
		return boxes.reduce((sum, box) => sum + (box?.width ?? 0), 0);
	};
	expect((await widthOf(337)) / (await widthOf(44))).toBeCloseTo(337 / 44, 0);
	expect(await faults(page)).toEqual([]);
	await page.getByRole("button", { name: "First event" }).click();
	await idle(page);
	await expect(both.getByRole("heading", { name: "Event 1", exact: true })).toBeVisible();
	await expect(both).toContainText("B doesn't have a cache kmalloc-cg-512 here");
});

test("one click goes to the next event whose cost differs, or to the largest difference", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16424&tab=compare&with=slub,preset=linux-7.2`);
	const both = region(page, "Stages");
	const heading = () => both.getByRole("heading", { level: 3 });
	await expect(heading()).toHaveText(/^Event 16,424: /);
	await both.getByRole("button", { name: "Next difference" }).click();
	await idle(page);
	await expect(heading()).toHaveText(/^Event 16,\d+: [\d,]+ versus [\d,]+ cycles$/);
	await expect(heading()).not.toHaveText(/^Event 16,424: /);
	await both.getByRole("button", { name: "Largest difference" }).click();
	await idle(page);
	const apart = (words: string | null) => {
		const [, mine = "", theirs = ""] = /: ([\d,]+) versus ([\d,]+)/.exec(words ?? "") ?? [];
		return Math.abs(Number(mine.replace(",", "")) - Number(theirs.replace(",", "")));
	};
	expect(apart(await heading().textContent())).toBeGreaterThan(600);
	// An identical machine serves every event at the same cost.
	await open(page, `${HACKBENCH}&event=16424&tab=compare&with=slub`);
	await both.getByRole("button", { name: "Largest difference" }).click();
	await expect(
		page.getByText("A and B take the same number of cycles for every event of"),
	).toBeVisible();
});

test("two kernels of one allocator: counts slabs on the same list and marks common steps", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16805&tab=compare&with=slub,preset=linux-7.2`);
	const both = region(page, "Stages");
	await expect(both).toContainText(/\d+ of \d+ slabs are on the same list in both/);
	await expect(both).toContainText("Dark ring: on one list only");
	await expect(both.getByRole("heading", { name: /SLUB 7\.2/ })).toBeVisible();
	const stop = both.getByRole("group", { name: "Where 337 model cycles go" }).getByRole("button");
	await stop.first().click();
	await idle(page);
	await expect(page).toHaveURL(/step=1(&|$)/);
});

test(
	"the choices of Compare survive a reload and travel in a link",
	variant(true),
	async ({ page, browser }) => {
		await page.getByRole("button", { name: "Add a machine" }).click();
		await idle(page);
		const chosen = (of: Page) => of.getByRole("combobox", { name: "Compare A with" });
		const only = (of: Page) => of.getByRole("checkbox", { name: "Only differences" });
		await chosen(page).selectOption("2");
		await only(page).uncheck();
		await idle(page);
		await expect(page).toHaveURL(/compare\.other=C&compare\.numbers=all/);
		const shown = async (of: Page) => {
			await expect(chosen(of)).toHaveValue("2");
			await expect(only(of)).not.toBeChecked();
			await expect(of.getByRole("img", { name: "Stage of C" })).toBeVisible();
		};
		await reload(page);
		await idle(page);
		await shown(page);
		const other = await (await browser.newContext()).newPage();
		await other.goto(await address(page));
		await idle(other);
		await shown(other);
		await other.context().close();
		await page.getByRole("button", { name: "Remove C" }).click();
		await idle(page);
		await expect(page).not.toHaveURL(/compare\.other/);
	},
);

test(
	"shows the first divergence of each machine, with a link to its step",
	variant(true),
	async ({ page }) => {
		await page.getByRole("combobox", { name: "Allocator of B" }).selectOption("slub");
		await idle(page);
		await page.getByRole("textbox", { name: "Settings of B" }).fill("node_search=skip-checked");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Add a machine" }).click();
		await idle(page);
		const items = region(page, "First divergence").getByRole("listitem");
		await expect(items).toHaveCount(2);
		await expect(items.first()).toContainText(/event \d+, step \d+/);
		const reason = await items.first().locator("p").nth(1).textContent();
		const go = items
			.first()
			.getByRole("button", { name: /^Go to event .*, where B differs first$/ });
		await go.focus();
		await page.keyboard.press("Enter");
		await idle(page);
		await expect(page.getByRole("status", { name: "Current step" })).toContainText(
			reason?.replace(/^A\s*/, "").trim() ?? "",
		);
	},
);

test("a chart for each metric, with one crosshair, and a table of the same numbers", async ({
	page,
}) => {
	const curves = region(page, "Curves");
	await expect(curves.getByRole("img")).toHaveCount(6);
	await expect(curves).toContainText("at the position, event 31");
	const memory = curves.getByRole("img", { name: /^Memory in slabs of 2 machines, up to .* KiB$/ });
	const table = curves.getByRole("table", { name: "Memory in slabs, KiB" });
	await expect(table.getByRole("row", { name: /^B/ })).toContainText("near event");
	const row = region(page, "Numbers")
		.getByRole("row", { name: /slab_bytes / })
		.first();
	await page.getByRole("checkbox", { name: "Only differences" }).uncheck();
	const a = await table.getByRole("row", { name: /^A/ }).getByRole("cell").first().textContent();
	await expect(row).toContainText(a ?? "no number");
	await memory.scrollIntoViewIfNeeded();
	await memory.hover({ position: { x: 20, y: 40 } });
	await expect(curves).toContainText("under the pointer, event");
	const box = await memory.boundingBox();
	if (!box) throw new Error("the chart has no box");
	await page.mouse.click(box.x + box.width - 3, box.y + 40);
	await idle(page);
	await page.mouse.move(5, 5);
	await expect(curves).not.toContainText("at the position, event 31");
});

test(
	"a machine on another trace gets curves by share of each trace, two stages and no divergence",
	variant(true),
	async ({ page }) => {
		await page
			.getByRole("combobox", { name: "Trace of B" })
			.selectOption("one-slab-after-another.slabtrace");
		await idle(page);
		await expect(page).toHaveURL(/with=slab%2Ctrace%3Done-slab-after-another/);
		await expect(region(page, "First divergence")).toContainText("B replays another trace");
		await expect(region(page, "Curves")).toContainText("the same share of each");
		const stages = region(page, "Stages");
		await expect(stages.getByRole("img", { name: "Stage of B" })).toBeVisible();
		await expect(
			stages.getByRole("heading", { name: /^Event 31: \d+ cycles; event \d+ of B: \d+$/ }),
		).toBeVisible();
		await expect(stages).toContainText(/B replays another trace, where event \d+ is: CPU/);
		await expect(page.getByRole("textbox", { name: "Settings of B" })).toHaveValue("");
		expect(await faults(page)).toEqual([]);
		await reload(page);
		await expect(page.getByRole("combobox", { name: "Trace of B" })).toHaveValue(
			"one-slab-after-another.slabtrace",
		);
	},
);

test(
	"on a phone, stages are below each other, nothing is wider than the page, and the keyboard reaches everything",
	variant(true),
	async ({ page }) => {
		await page.setViewportSize({ width: 390, height: 844 });
		await idle(page);
		const stages = region(page, "Stages");
		const boxOf = async (letter: string) => {
			const box = await stages.getByRole("img", { name: `Stage of ${letter}` }).boundingBox();
			if (!box) throw new Error(`the stage of ${letter} has no box`);
			return box;
		};
		const [a, b] = [await boxOf("A"), await boxOf("B")];
		expect(b.y).toBeGreaterThan(a.y + a.height);
		for (const { x, width } of [a, b]) expect(x + width).toBeLessThanOrEqual(390);
		await expect(stages.getByRole("table", { name: /^Steps of the event/ })).toBeVisible();
		const isWider = () => (document.scrollingElement?.scrollWidth ?? 0) > window.innerWidth;
		expect(await page.evaluate(isWider)).toBe(false);
		expect(await faults(page)).toEqual([]);
	},
);

test("tables for screen readers don't make the page scroll", variant(true), async ({ page }) => {
	const scrolls = () =>
		[document.scrollingElement, document.body, document.querySelector("main")].filter(
			(element) => element && element.scrollHeight > element.clientHeight + 1,
		).length;
	await expect(region(page, "Curves")).toBeVisible();
	expect(await page.evaluate(scrolls)).toBe(0);
});

const stages = (page: Page) => region(page, "Compare").locator("canvas[role=img]");

/** Returns what each stage shows, as text. */
const drawn = (page: Page) =>
	stages(page).evaluateAll((all) => all.map((one) => (one as HTMLCanvasElement).toDataURL()));

test("stages take on the colours of the chosen theme at once", async ({ page }) => {
	await expect(stages(page)).not.toHaveCount(0);
	const light = await drawn(page);
	await page.emulateMedia({ colorScheme: "dark" });
	await idle(page);
	const switched = await drawn(page);
	expect(switched).not.toEqual(light);
	await reload(page);
	await idle(page);
	await expect(stages(page)).not.toHaveCount(0);
	expect(await drawn(page)).toEqual(switched);
});
