/** Tests the timeline: zooming to a part, other series, and marks with names. */

import {
	address,
	button,
	choose,
	closeSheet,
	event,
	faults,
	idle,
	listOf,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const slider = (page: Page) => page.getByRole("slider", { name: "Timeline" });

test.beforeEach(({ page }) => watch(page));

async function dragOver(page: Page, from: number, to: number): Promise<void> {
	const box = await slider(page).boundingBox();
	if (!box) throw new Error("the timeline is not on the page");
	await page.mouse.move(box.x + box.width * from, box.y + 30);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * to, box.y + 30, { steps: 4 });
	await page.mouse.up();
}

test("a part is chosen by dragging, stays in the link, and the whole can be shown again", async ({
	page,
}) => {
	await open(page, "op=100");
	await page.keyboard.down("Shift");
	await dragOver(page, 0.5, 0.75);
	await page.keyboard.up("Shift");
	await expect(page.getByText(/events 10,\d+ to 15,\d+/)).toBeVisible();
	expect(await event(page)).toBe(101);
	await expect(page).toHaveURL(/range=10\d{3}-15?\d+/);
	await dragOver(page, 0.5, 0.5);
	await idle(page);
	expect(Math.abs((await event(page)) - 12_500)).toBeLessThan(20);
	await reload(page);
	await idle(page);
	await expect(page.getByText(/events 10,\d+ to 15,\d+/)).toBeVisible();
	await page.keyboard.press("Shift+KeyW");
	await expect(page).toHaveURL(/range=112\d\d-137\d\d/);
	await page.keyboard.press("Shift+KeyS");
	await button(page, "Zoom to a part").click();
	await dragOver(page, 0.2, 0.4);
	await expect(button(page, "Zoom to a part")).toHaveAttribute("aria-pressed", "false");
	await button(page, "Show all").click();
	await expect(page).not.toHaveURL(/range=/);
});

test(
	"series can be shown and hidden except the last one, and a table says the same",
	variant(true),
	async ({ page }) => {
		await open(page, "op=100");
		const table = page.getByRole("table", { name: "The timeline in numbers" });
		await expect(table).not.toContainText("waste");
		const series = page.getByRole("list", { name: "Series" });
		await series.getByRole("button", { name: "waste" }).click();
		await expect(table).toContainText("waste");
		await expect(table).toContainText("KiB");
		for (const name of ["live objects", "slabs", "slow paths"])
			await series.getByRole("button", { name, exact: true }).click();
		await expect(page).toHaveURL(/series=waste/);
		await series.getByRole("button", { name: "waste" }).click();
		await expect(series.getByRole("button", { name: "waste" })).toHaveAttribute(
			"aria-pressed",
			"true",
		);
		await reload(page);
		await idle(page);
		await expect(table).toContainText("waste");
		await expect(table).not.toContainText("live objects");
	},
);

test("chapters are pins and links that lead to their event and cache, and follow the machine", async ({
	page,
	browser,
}) => {
	await open(page, "op=100&mark=17077");
	const stage = page.locator("[data-part=stage]");
	const before = await stage.boundingBox();
	const strip = page.getByRole("navigation", { name: "Tour" }).getByRole("link");
	const pins = page.getByRole("list", { name: "Tour on the timeline" }).getByRole("link");
	await expect(strip.first()).toBeVisible();
	await idle(page);
	expect(await stage.boundingBox()).toEqual(before);
	const nr = await strip.count();
	expect(nr).toBeGreaterThanOrEqual(4);
	await expect(pins).toHaveCount(nr);
	const lefts = await pins.evaluateAll((all) => all.map((a) => a.getBoundingClientRect().left));
	for (let i = 1; i < nr; i++)
		expect((lefts[i] ?? 0) - (lefts[i - 1] ?? 0)).toBeGreaterThanOrEqual(24);

	const drain = strip.filter({ hasText: "First drain" });
	const link = (await drain.getAttribute("href")) ?? "";
	const to = new URLSearchParams(link.slice(link.indexOf("?")));
	const pin = page.getByRole("link", {
		name: /^Chapter \d, first drain: .* drains some for the first time/,
	});
	await choose(page, "Cache", "dentry");
	await pin.hover();
	await expect(page.getByText("drains some for the first time").last()).toBeVisible();
	await pin.click();
	await idle(page);
	expect(await event(page)).toBe(Number(to.get("event")));
	await expect(await listOf(page, "Cache")).toHaveValue(to.get("cache") ?? "");
	await closeSheet(page);
	await expect(drain).toHaveAttribute("aria-current", "step");
	await page.getByRole("button", { name: /^Go to mark/ }).click();
	await idle(page);
	expect(await event(page)).toBe(17_078);
	await expect(drain).not.toHaveAttribute("aria-current");
	await drain.focus();
	await page.keyboard.press("Enter");
	await idle(page);
	expect(await event(page)).toBe(Number(to.get("event")));

	const other = await (await browser.newContext()).newPage();
	await other.goto(new URL(link, await address(page)).href);
	await idle(other);
	expect(await event(other)).toBe(Number(to.get("event")));
	await expect(await listOf(other, "Cache")).toHaveValue(to.get("cache") ?? "");
	await other.context().close();

	const titles = await strip.allTextContents();
	await choose(page, "Allocator", "slab");
	await idle(page);
	await expect(strip.first()).toBeVisible();
	expect(await strip.allTextContents()).not.toEqual(titles);
	expect(await strip.first().getAttribute("href")).toContain("set.allocator=slab");
});

test(
	"the curves belong to the cache on the stage, in front of all caches",
	variant(true),
	async ({ page }) => {
		await open(page, "op=16804&cache=kmalloc-cg-512");
		const table = page.getByRole("table", { name: "The timeline in numbers" });
		await expect(table).toContainText("kmalloc-cg-512");
		const most = await table.getByRole("row").last().textContent();
		await choose(page, "Cache", "skbuff_head_cache");
		await expect(table).toContainText("skbuff_head_cache");
		expect(await table.getByRole("row").last().textContent()).not.toBe(most);
	},
);

test("the crosshair shows the stage's numbers at that event, and stays within the page", async ({
	page,
}) => {
	await open(page, "op=100&cache=kmalloc-cg-512");
	const crosshair = page.locator("[data-part=crosshair]");
	const box = await slider(page).boundingBox();
	if (!box) throw new Error("the timeline is not on the page");
	const point = async (share: number) => {
		await page.mouse.move(box.x + (box.width - 1) * share, box.y + 12);
		await expect(crosshair).toContainText(/live · \d+ slabs · \d+ partial/);
	};
	for (const [share, number] of [
		[0.0005, /^event \d\d? /],
		[0.9995, /^event 19,9\d\d /],
	] as const) {
		await point(share);
		await expect(crosshair).toHaveText(number);
		const label = await crosshair.locator("div").last().boundingBox();
		expect(label?.x).toBeGreaterThanOrEqual(0);
		expect((label?.x ?? 0) + (label?.width ?? 0)).toBeLessThanOrEqual(1440);
	}
	await point(0.84);
	// The previous point's label stays until the engine has answered.
	const words = /event (16,[78]\d\d) .* partial(.+)/;
	await expect(crosshair).toHaveText(words);
	const [, number = "", sentence = ""] = words.exec((await crosshair.textContent()) ?? "") ?? [];
	await page.mouse.down();
	await page.mouse.up();
	await page.mouse.move(10, 400);
	await expect(crosshair).toHaveCount(0);
	await idle(page);
	expect(await event(page)).toBe(Number(number.replaceAll(",", "")));
	const [cpu = ""] = /CPU \d/.exec(sentence) ?? [];
	expect(cpu).not.toBe("");
	await expect(
		page.getByRole("region", { name: "Stage" }).getByRole("heading").first(),
	).toContainText(cpu);
	// With the keyboard, it is at the position.
	await slider(page).focus();
	await page.keyboard.press("ArrowRight");
	await idle(page);
	await expect(crosshair).toContainText(`event ${(await event(page)).toLocaleString("en")}`);
});

test(
	"a position can be marked, named and returned to, and its mark is kept and is in the link",
	variant(true),
	async ({ page, browser }) => {
		await open(page, "op=5000");
		await page.keyboard.press("KeyM");
		await expect(page.getByRole("status", { name: "Message" })).toHaveText("Marked event 5,001.");
		await page.keyboard.press("Shift+KeyM");
		const marks = page.getByRole("region", { name: "Marks" });
		const name = marks.getByRole("textbox", { name: "Name of the mark at event 5,001" });
		await name.fill("the burst & its end~");
		await name.press("Enter");
		await marks.getByRole("button", { name: "Close" }).click();
		await page.keyboard.press("End");
		await idle(page);
		await page.keyboard.press("KeyM");
		await page.getByRole("button", { name: "Go to mark: the burst & its end~" }).click();
		await idle(page);
		expect(await event(page)).toBe(5001);
		const url = await address(page);
		await open(page, "op=7");
		await expect(page.getByRole("button", { name: /^Go to mark/ })).toHaveCount(2);
		const other = await (await browser.newContext()).newPage();
		await other.goto(url);
		await idle(other);
		await expect(
			other.getByRole("button", { name: "Go to mark: the burst & its end~" }),
		).toBeVisible();
		await other.context().close();
		await button(page, "Marks").click();
		await marks.getByRole("button", { name: "Remove the mark at event 5,001" }).click();
		await expect(page.getByRole("button", { name: /^Go to mark/ })).toHaveCount(1);
		await page.keyboard.press("End");
		await idle(page);
		await page.keyboard.press("KeyM");
		await expect(page.getByRole("button", { name: /^Go to mark/ })).toHaveCount(0);
	},
);

test(
	"a link's marks are shown alone, and your own stay hidden until you ask for them",
	variant(true),
	async ({ page }) => {
		const marks = page.getByRole("button", { name: /^Go to mark/ });
		await open(page, "op=7");
		await page.keyboard.press("KeyM");
		await open(page, "op=9&mark=5000~theirs");
		await expect(marks).toHaveCount(1);
		await page.keyboard.press("KeyM");
		await expect(marks).toHaveCount(2);
		await button(page, "Marks").click();
		const list = page.getByRole("region", { name: "Marks" });
		await expect(list).toContainText("1 mark came with the link. 1 of your own is hidden.");
		await open(page, "op=11");
		await expect(marks).toHaveCount(2);
		await expect(page.getByRole("button", { name: "Go to mark: theirs" })).toHaveCount(0);
		await open(page, "op=9&mark=5000~theirs");
		await button(page, "Marks").click();
		await list.getByRole("button", { name: "Show my marks" }).click();
		await expect(page.getByRole("button", { name: "Go to mark: theirs" })).toHaveCount(0);
		await expect(page).not.toHaveURL(/theirs/);
		await open(page, "op=9&mark=5000~theirs");
		await button(page, "Marks").click();
		await list.getByRole("button", { name: "Keep the link's marks too" }).click();
		await open(page, "op=12");
		await expect(marks).toHaveCount(3);
	},
);

for (const colorScheme of ["light", "dark"] as const) {
	test(
		`axe finds no faults in marks or a part of the timeline: ${colorScheme}`,
		variant(true),
		async ({ page }) => {
			await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
			await open(page, "op=5000&range=2000-9000&mark=5000~here&mark=8000&series=live,waste");
			await button(page, "Marks").click();
			await expect(page.getByRole("region", { name: "Marks" })).toBeVisible();
			expect(await faults(page)).toEqual([]);
		},
	);
}

test("only the main button moves; a right click opens the browser's menu", async ({ page }) => {
	await open(page, "event=101");
	const box = await slider(page).boundingBox();
	if (!box) throw new Error("the timeline is not on the page");
	const y = box.y + 30;
	for (const button of ["right", "middle"] as const) {
		await page.mouse.click(box.x + box.width * 0.7, y, { button });
		await idle(page);
		expect(await event(page)).toBe(101);
	}
	// Dragging with the right button does not seek either, and the main button still does.
	await page.mouse.move(box.x + box.width * 0.7, y);
	await page.mouse.down({ button: "right" });
	await page.mouse.move(box.x + box.width * 0.8, y, { steps: 3 });
	await page.mouse.up({ button: "right" });
	await idle(page);
	expect(await event(page)).toBe(101);
	await page.mouse.click(box.x + box.width * 0.7, y);
	await idle(page);
	expect(await event(page)).toBeGreaterThan(13_000);
});
