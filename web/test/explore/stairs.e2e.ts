/** The stairs: the levels of a cache's places, and the path of an event over them. */
import { button, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512";

const levels = (page: Page) =>
	page.getByRole("list", { name: "Stairs: levels from fast to slow" }).getByRole("listitem");
const stops = (page: Page) =>
	page.locator("[data-part=stairs]").getByRole("button", { name: /^Steps? / });
test.beforeEach(({ page }) => watch(page));

/** The name and the place of every stop. */
async function pathOn(page: Page): Promise<string[]> {
	const all = await stops(page).all();
	return Promise.all(
		all.map(async (stop) => {
			const box = await stop.boundingBox();
			return `${await stop.getAttribute("aria-label")} ${box?.x} ${box?.y}`;
		}),
	);
}

test("a slow allocation goes down the stairs, and each of its steps has a stop", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16424&step=11`);
	await expect(levels(page)).toHaveCount(5);
	await expect(levels(page).nth(0)).toContainText("cpu freelist");
	await expect(levels(page).nth(4)).toContainText("page allocator");
	await expect(stops(page)).toHaveCount(13);
	await expect(stops(page).nth(4)).toHaveAccessibleName(/^Step 5, in vain: Zone 0 of the zonelist/);
	await expect(stops(page).nth(10)).toHaveAccessibleName(
		/^Step 11: The page allocator gave 4 pages/,
	);
	const shares = await levels(page)
		.getByText(/^[\d.]+ %$/)
		.allTextContents();
	const sum = shares.reduce((all, share) => all + Math.round(Number.parseFloat(share) * 100), 0);
	expect(sum).toBe(10_000);
	const tops = await Promise.all(
		(await levels(page).all()).map(async (l) => (await l.boundingBox())?.y),
	);
	expect(tops).toEqual(tops.toSorted((a = 0, b = 0) => a - b));
});

test(
	"a stop and its sentence light up together, and a press goes to the step",
	variant(true),
	async ({ page }) => {
		await open(page, `${HACKBENCH}&event=16424&step=11`);
		const story = page.getByRole("region", { name: "Story" });
		const sentence = story.getByRole("button", { name: /^3 CPU 3 looked at node 1/ });
		const plain = await sentence.evaluate((e) => getComputedStyle(e).backgroundColor);
		await stops(page).nth(2).hover();
		await expect(sentence).not.toHaveCSS("background-color", plain);
		const stop = stops(page).nth(2).locator("span");
		await sentence.hover();
		await expect(stop).not.toHaveCSS("box-shadow", "none");
		await page.mouse.move(5, 5);
		await expect(stop).toHaveCSS("box-shadow", "none");
		await stops(page).nth(2).click();
		await expect(story.locator("[aria-current=step]")).toContainText("looked at node 1");
	},
);

test("the path is the same forwards and backwards", variant(true), async ({ page }) => {
	await open(page, `${HACKBENCH}&event=16423&step=1`);
	await button(page, "Next event").click();
	await idle(page);
	const forwards = await pathOn(page);
	expect(forwards.length).toBeGreaterThan(0);
	await open(page, `${HACKBENCH}&event=16426&step=1`);
	await button(page, "Previous event").click();
	await idle(page);
	expect(await pathOn(page)).toEqual(forwards);
});

// engine/worker/stairs.test.ts checks the levels of each; there is no drawing code for one of them.
for (const [name, query, first, nr] of [
	["SLOB", "&event=16424&set.allocator=slob", "pages with room", 2],
	["SLAB", "&event=16424&set.allocator=slab", "array cache", 5],
	["Unified", "&event=16424&set.allocator=unified", "CPU queue", 5],
	["sheaves of Linux 6.18", "&event=2000&preset=linux-6.18", "main sheaf", 5],
	["Linux 7.2", "&event=16424&preset=linux-7.2", "main sheaf", 6],
] as const)
	test(`every allocator has stairs: ${name}`, variant(name !== "SLOB"), async ({ page }) => {
		const trace = HACKBENCH.replace("kmalloc-cg-512", query.includes("6.18") ? "maple_node" : "$&");
		await open(page, `${trace}${query}`);
		await expect(levels(page)).toHaveCount(nr);
		await expect(levels(page).first().getByRole("heading")).toHaveText(first);
	});

test("an event without a cache is on the stairs of the map's cache", async ({ page }) => {
	const first = levels(page).first();
	// NULL is freed. Two other caches of this kernel have sheaves.
	await open(page, "trace=linux-6.18-fork-and-tcp.ftrace.txt.gz&cache=anon_vma_chain&event=1431");
	await expect(first).toContainText("cpu freelist");
	await expect(first).toContainText("slab 0: 63 of 64 free");
	// The cache does not exist yet.
	await open(page, `${HACKBENCH}&event=6129&set.allocator=slab`);
	await expect(first).toContainText("array cache");
	await expect(first).not.toContainText("objects");
});

test("the map alone takes the whole stage", variant(true), async ({ page }) => {
	await open(page, `${HACKBENCH}&event=16424`);
	const canvas = page.locator("[data-part=stage] canvas");
	const before = (await canvas.boundingBox())?.height ?? 0;
	await button(page, "Map only").click();
	await idle(page);
	await expect(levels(page)).toHaveCount(0);
	expect((await canvas.boundingBox())?.height).toBeGreaterThan(before + 200);
	await button(page, "Map only").click();
	await expect(levels(page)).toHaveCount(5);
});

test("focus mode leaves the stairs, one sentence and the buttons", async ({ page }) => {
	await open(page, `${HACKBENCH}&event=16424&step=11`);
	await page.keyboard.press("p");
	await expect(levels(page)).toHaveCount(5);
	await expect(page.getByRole("region", { name: "Story" })).toBeHidden();
	await expect(page.getByRole("slider", { name: "Timeline" })).toBeHidden();
	await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
	await expect(page.getByRole("status", { name: "Current step" })).toBeVisible();
	await button(page, "Next step").click();
	await expect(page.getByRole("status", { name: "Current step" })).toContainText("Slab 141");
	await expect(page).toHaveURL(/[?&]show=stairs(&|$)/);
	await page.keyboard.press("Escape");
	await expect(page.getByRole("region", { name: "Story" })).toBeVisible();
});

test("no words of a level are cut off", async ({ page }) => {
	for (const query of [
		"&event=16424",
		"&event=17601",
		"&event=17995&step=8&preset=linux-7.2&set.nodes=2",
		"&event=17995&step=25&preset=linux-7.2&set.nodes=2",
	]) {
		await open(page, `${HACKBENCH}${query}`);
		const cards = page.locator("[data-part=stairs] ol > li > :first-child");
		const cut = await cards.evaluateAll((all) =>
			all.flatMap((card) => {
				const isCut = (part: Element) => {
					const { bottom } = part.getBoundingClientRect();
					for (let box: Element | null = part; box && card.contains(box); box = box.parentElement)
						if (
							getComputedStyle(box).overflowY === "hidden" &&
							bottom > box.getBoundingClientRect().bottom + 1
						)
							return true;
					return false;
				};
				const words = [...card.querySelectorAll("h3, p, button")];
				return words.filter((w) => w.checkVisibility() && isCut(w)).map((w) => w.textContent);
			}),
		);
		expect(cut).toEqual([]);
	}
});

test("the page allocator's card is of the node that the event takes pages from", async ({
	page,
}) => {
	await open(page, "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&event=4");
	const card = levels(page).last();
	const step = page.getByRole("status", { name: "Current step" });
	// CPU 2 is on node 1, and its request names node 2.
	for (const [press, words, taken] of [
		["Previous step", "made from 8 pages", /^10 of/],
		["Previous step", "gave 8 pages at frame 1048584 on node 2", /^10 of/],
		["Previous step", "node 2's partial list", /^2 of/],
	] as const) {
		await button(page, press).click();
		await idle(page);
		await expect(step).toContainText(words);
		await expect(card).toContainText("node 2");
		await expect(card.getByRole("button", { name: /taken$/ })).toHaveText(taken);
	}
});

test("above five steps a second the stairs have the map's cache, and the map's alone", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16423`);
	const card = levels(page).last();
	// The event is of skbuff_head_cache.
	await expect(card).toContainText("2 pages a slab: 32 objects");
	await page.getByRole("checkbox", { name: "only this cache" }).uncheck();
	await page.getByRole("slider", { name: "Speed" }).fill("0.6");
	await button(page, "Play").click();
	await expect(card).toContainText("4 pages a slab: 32 objects");
	await expect(levels(page).first()).toContainText(/slab \d+: \d+ of 32 free|no slab/);
	await button(page, "Pause").click();
});
