/**
 * Tests "The queues came back" as a reader goes through it: the same burst on two machines, and a question answered by
 * clicking a sheaf.
 */

import { faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON = "tab=learn&lesson=the-queues-came-back";
const beside = (page: Page) => page.locator("[data-beside]");
const machine = (page: Page, name: string) => beside(page).getByRole("region", { name });

test.beforeEach(({ page }) => watch(page));

test("one set of controls replays a burst on Unified and on SLUB 7.2", async ({ page }) => {
	await open(page, `${LESSON}&stop=burst`);
	await beside(page).scrollIntoViewIfNeeded();
	const [unified, slub] = [machine(page, "Unified, 2010"), machine(page, "SLUB, 7.2")];
	await expect(unified.getByRole("img", { name: "Unified, 2010 after event 1" })).toBeVisible();
	await expect(slub.getByRole("img", { name: "SLUB, 7.2 after event 1" })).toBeVisible();
	const next = beside(page).getByRole("button", { name: "Next slow path" });
	await next.focus();
	await page.keyboard.press("Enter");
	await expect(beside(page)).toHaveAttribute("data-event", "5");
	await expect(slub).toContainText("Left the fast path");
	await expect(unified).toContainText(/Fast path, \d+ model cycles/);
	const slider = beside(page).getByRole("slider", { name: "Event of both machines" });
	await slider.fill("128");
	await expect(slub.getByRole("img", { name: "SLUB, 7.2 after event 129" })).toBeVisible();
	await slub.getByText("Every step, and all places").click();
	await expect(slub.getByRole("listitem")).toContainText([
		/empty sheaf/,
		/put its main sheaf with 4 objects into node 0's barn/,
		/main sheaf/,
	]);
	await expect(slub.getByRole("row", { name: /barn/i }).first()).toBeVisible();
	const before = Number(await slub.locator("[data-slow]").textContent());
	await beside(page).getByRole("button", { name: "Play both" }).click();
	await expect(beside(page)).not.toHaveAttribute("data-event", /^(129|13[0-3])$/);
	await beside(page).getByRole("button", { name: "Pause both" }).click();
	expect(Number(await slub.locator("[data-slow]").textContent())).toBeGreaterThan(before);
	await beside(page).getByRole("button", { name: "Previous event" }).click();
	expect(await faults(page, "all", "[data-beside]")).toEqual([]);
});

test(
	"on a phone, both stages are side by side and nothing is wider than the page",
	variant(true),
	async ({ page }) => {
		await page.setViewportSize({ width: 390, height: 844 });
		await open(page, `${LESSON}&stop=burst`);
		await beside(page).scrollIntoViewIfNeeded();
		const boxOf = async (name: string) => {
			const picture = machine(page, name).getByRole("img");
			await expect(picture).toBeVisible();
			const box = await picture.boundingBox();
			if (!box) throw new Error(`${name} has no box`);
			return box;
		};
		const [left, right] = [await boxOf("Unified, 2010"), await boxOf("SLUB, 7.2")];
		expect(right.y).toBe(left.y);
		expect(right.x).toBeGreaterThan(left.x + left.width);
		expect(right.x + right.width).toBeLessThanOrEqual(390);
		expect(await faults(page, "all", "[data-beside]")).toEqual([]);
	},
);

test(
	"a click in the barn answers which slab serves, and a wrong slab gets its reason",
	variant(true),
	async ({ page }) => {
		await open(page, `${LESSON}&stop=barn`);
		const stop = page.locator("[data-stop=barn]");
		await stop.getByRole("button", { name: /^slab 14: / }).click();
		await expect(stop.locator("[data-verdict]")).toContainText(
			"takes the first full sheaf of the barn before it looks at slabs",
		);
		// The first full sheaf of the barn is the last one to the right; its last object is at the top.
		const canvas = page.locator("[data-part=stage] canvas");
		const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
		const said = page.locator("[data-part=pointed]");
		const isNext = async (x: number, y: number) => {
			await page.mouse.move(box.x + x, box.y + y);
			// What is under the pointer is said with the next frame.
			await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(0))));
			return ((await said.allTextContents())[0] ?? "").includes("the barn, taken next");
		};
		let next = { x: 0, y: 0 };
		for (let y = box.height * 0.42; next.x === 0 && y < box.height * 0.55; y += 4)
			for (let x = box.width * 0.5; next.x === 0 && x < box.width * 0.7; x += 20)
				// A click rounds its point: below the edge that was found first.
				if (await isNext(x, y)) next = { x, y: y + 3 };
		await canvas.click({ position: next });
		await idle(page);
		const answered = stop.locator("[data-verdict=right]");
		await expect(answered).toContainText("it took a full sheaf from the barn");
	},
);

test(
	"larger sheaves solve its problem, and an old link opens it",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=lessons&lesson=the-queues-came-back&stop=burst");
		await expect(page).toHaveURL(/tab=learn.*lesson=the-queues-came-back.*stop=burst/);
		await expect(page.getByRole("heading", { name: "The queues came back" })).toBeVisible();
		const problem = page.locator("[data-problem]");
		await problem.scrollIntoViewIfNeeded();
		await problem.getByLabel(/Sheaf capacity|sheaf_capacity/).selectOption("12");
		await problem.getByRole("button", { name: "Check" }).click();
		await expect(problem.locator("[data-judged=solved]")).toBeVisible();
	},
);
