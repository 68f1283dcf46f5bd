/** Tests the Why card: opened by a click, by keyboard, by the search and by a link; its facts, its links, and the way back. */

import { button, event, faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const AT = "v=3&trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&event=16805&cache=kmalloc-cg-512";
const card = (page: Page) => page.locator("[data-part=why]");

test.beforeEach(({ page }) => watch(page));

/** Finds a place on the stage: the keyboard walk puts its ring around it. */
async function boxOf(page: Page, name: RegExp) {
	await button(page, "Walk through the stage by keyboard: Enter").focus();
	await page.keyboard.press("Enter");
	const tree = page.getByRole("tree", { name: "Places, slabs and objects" });
	await expect(tree).toBeFocused();
	await page.keyboard.press("Home");
	for (let i = 0; i < 64; i++) {
		const text = (await tree.getByRole("treeitem").last().textContent()) ?? "";
		if (name.test(text)) break;
		await page.keyboard.press("ArrowDown");
	}
	const box = await page.locator("[data-part=ring]").boundingBox();
	await page.keyboard.press("Escape");
	if (!box) throw new Error("the place is on the stage");
	return box;
}

test("a click on a list of 56 slabs says who put them there, and when", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, AT);
	const list = await boxOf(page, /^node 1, partial list/);
	// The list's name and its count are above it.
	await page.mouse.click(list.x + 24, list.y - 3);
	await idle(page);
	await expect(card(page)).toContainText("Why are 56 slabs here?");
	await expect(card(page)).toContainText("All 56 slabs were put here by CPU 4 of node 2");
	await expect(card(page)).toContainText("14 drains since event 16,631");
	await expect(card(page)).toContainText("Nothing has been taken from here since event 16,342");
	await expect(card(page)).toContainText("95 % of their objects are in use");
	await expect(page).toHaveURL(/why=1%2Fpartial/);
	await expect(card(page)).toBeFocused();
	expect(await faults(page)).toEqual([]);
	await page.keyboard.press("Escape");
	await expect(card(page)).toHaveCount(0);
	await idle(page);
	await expect(page).not.toHaveURL(/why=/);
	// Asked with the mouse, so no keyboard focus box appears.
	await expect(page.locator("body")).toBeFocused();
});

test("the card's links go to the drains, and to the node's next object", async ({ page }) => {
	await open(page, `${AT}&why=1/partial`);
	await button(page, "Show the 14 drains").click();
	await expect(page.getByRole("list", { name: "Drains" }).getByRole("button")).toHaveCount(14);
	await button(page, "Next object of node 1 →").click();
	await idle(page);
	const next = page.getByRole("list", { name: "Next objects" });
	await expect(next).toContainText("CPU 3 → slab 141, object 4 · 9 cycles");
	await expect(next.getByRole("listitem")).toHaveCount(2);
	await button(page, "Go to event 16,631").click();
	await idle(page);
	expect(await event(page)).toBe(16_631);
	await expect(card(page)).toContainText("after event 16,631");
	await expect(card(page)).toContainText("Why are 4 slabs here?");
});

test("one setting can be tried and undone", variant(true), async ({ page }) => {
	await open(page, `${AT}&why=1/partial`);
	await button(page, "What if cpu_partial = 0?").click();
	await idle(page);
	await expect(page).toHaveURL(/set\.cpu_partial=0/);
	// One slab at a time, instead of four: the list is as long.
	await expect(card(page)).toContainText("56 drains");
	await page.getByRole("button", { name: /^Back to cpu_partial = / }).click();
	await idle(page);
	await expect(page).not.toHaveURL(/set\.cpu_partial/);
	await expect(card(page)).toContainText("14 drains");
});

test(
	"the card opens from the keyboard walk, and the focus returns",
	variant(true),
	async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await open(page, AT);
		const entry = button(page, "Walk through the stage by keyboard: Enter");
		await entry.focus();
		await page.keyboard.press("Enter");
		await expect(page.getByRole("tree")).toBeFocused();
		await page.keyboard.press("Enter");
		await idle(page);
		await expect(card(page)).toBeFocused();
		await expect(card(page)).toContainText(/Why is 1 slab here\?/);
		await button(page, "Close why").click();
		await expect(card(page)).toHaveCount(0);
		await expect(entry).toBeFocused();
	},
);

test("a next object that cannot be found is reported in one sentence with one full stop", async ({
	page,
}) => {
	await open(page, `${AT}&why=cpu4/slab`);
	// The worker answers as it does when its module fails.
	await page.evaluate(() => {
		const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (this: Worker, message: unknown, more: unknown) {
			const { id, path } = message as { id?: string; path?: readonly string[] };
			if (path?.at(-1) !== "nextObjects") return Reflect.apply(post, this, [message, more]);
			const error = { kind: "error", name: "Error", message: "No trace is open." };
			const data = { id, type: "HANDLER", name: "throw", value: { error } };
			this.dispatchEvent(new MessageEvent("message", { data }));
		};
	});
	await button(page, "Next object of CPU 4 →").click();
	await expect(card(page).getByRole("alert")).toHaveText(
		"The next object was not found: No trace is open.",
	);
});

test(
	"a link may ask about anything, and a hostile one asks about nothing",
	variant(true),
	async ({ page }) => {
		await open(page, `${AT}&why=cpu4`);
		await expect(card(page)).toContainText("Which objects does CPU 4 hold?");
		await open(page, `${AT}&why=1/pages`);
		await expect(card(page)).toContainText("kmalloc-cg-512: 332 pages in 83 slabs");
		await open(page, `${AT}&why=cpu99`);
		await expect(card(page)).toContainText("There is nothing to explain at cpu99");
		await open(page, `${AT}&why=${encodeURIComponent("1/<img src=x>")}`);
		await expect(card(page)).toHaveCount(0);
		await expect(page.getByRole("alert")).toContainText("why=");
	},
);

test("the card is in the column beside the stage, with a line to its list", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, `${AT}&why=1/partial`);
	const stage = await page.locator("[data-part=stage]").boundingBox();
	const own = await card(page).boundingBox();
	if (!stage || !own) throw new Error("both are on the page");
	expect(own.x).toBeGreaterThanOrEqual(stage.x + stage.width);
	for (const one of await card(page).getByRole("button").all())
		expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(24);
	const subject = await page.locator("[data-part=why-subject]").boundingBox();
	const line = await page.locator("[data-part=why-line] path").boundingBox();
	if (!subject || !line) throw new Error("its list is on the stage");
	// The box of a line has its stroke around it.
	expect(Math.abs(line.x - subject.x - subject.width)).toBeLessThan(4);
	expect(Math.abs(line.x + line.width - own.x)).toBeLessThan(4);
	expect(line.y).toBeGreaterThanOrEqual(subject.y);
	await page.keyboard.press("Escape");
	await expect(page.locator("[data-part=why-line]")).toHaveCount(0);
});

test("what can be asked about on the stage shows it under the pointer", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, AT);
	const list = await boxOf(page, /^node 1, partial list/);
	await page.mouse.move(list.x + 24, list.y - 3);
	await expect(page.locator("[data-part=pointed]")).toHaveText("Why? Node 1, partial list");
	await expect(page.locator("[data-part=stage] canvas")).toHaveCSS("cursor", "pointer");
	await page.mouse.move(list.x + 4, list.y + 8);
	await expect(page.locator("[data-part=pointed]")).toHaveText(
		/^Slab #\d+ · \d+ of 32 allocated · node 1, partial list$/,
	);
});

test("on a phone the card is above the buttons", variant(true), async ({ page }) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await open(page, `${AT}&why=1/partial`);
	// You scroll to whatever does not fit.
	const box = await page.locator("[data-part=dock]").boundingBox();
	const play = await button(page, "Play").boundingBox();
	expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(play?.y ?? 0);
	expect(box?.width).toBe(390);
	for (const one of await card(page).getByRole("button").all())
		expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(44);
	expect(await faults(page)).toEqual([]);
});

test("the history of a slab shows where it moved from and to", variant(true), async ({ page }) => {
	await open(page, `${AT}&sel=52`);
	const lifetime = page.getByRole("region", { name: "Lifetime" });
	await expect(lifetime).toContainText("CPU 4's per-CPU partial list → node 1's partial list");
});
