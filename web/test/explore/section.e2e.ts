/** Tests the section: the levels of a cache as rows, the nodes as columns, and the path of an event through them. */
import { button, idle, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const HACKBENCH = "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512";

const levels = (page: Page) =>
	page.getByRole("list", { name: "Levels from fast to slow" }).getByRole("listitem");
const stops = (page: Page) => page.locator("[data-path-stop]");
const place = (page: Page, name: string) =>
	page.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("cell");
test.beforeEach(({ page }) => watch(page));

/** Returns the name of every stop, and where it is. */
async function pathOn(page: Page): Promise<string[]> {
	const all = await stops(page).all();
	return Promise.all(
		all.map(async (stop) => {
			const box = await stop.boundingBox();
			return `${await stop.getAttribute("aria-label")} ${box?.x} ${box?.y}`;
		}),
	);
}

/** Reads the steps of each stop from names like "Steps 3–6, got nothing". */
async function stepsOf(page: Page): Promise<string[]> {
	const names = await stops(page).evaluateAll((all) => all.map((s) => s.ariaLabel ?? ""));
	return names.map((name) => /^Steps? ([\d–, …]+)/.exec(name)?.[1]?.replace(/, $/, "") ?? "");
}

test("a slow allocation goes down and sideways, and each of its steps has a stop", async ({
	page,
}) => {
	await open(page, `${HACKBENCH}&event=16424&step=11`);
	await expect(levels(page).first()).toContainText("cpu freelist: 9 cycles, 94.07 %");
	await expect(levels(page).last()).toContainText("page allocator: 653 cycles");
	const shares = (await levels(page).allTextContents()).map(
		(words) => /([\d.]+) %$/.exec(words)?.[1],
	);
	const sum = shares.reduce((all, share) => all + Math.round(Number(share ?? 0) * 100), 0);
	expect(sum).toBe(10_000);
	const all = (await stepsOf(page)).join(", ");
	for (const step of [1, 2, 3, 7, 8, 10, 11, 13]) expect(all).toMatch(new RegExp(`\\b${step}\\b`));
	await expect(page.getByRole("button", { name: /^Steps? 7, got nothing: Zone/ })).toHaveCount(1);
	// Four nodes are asked, side by side; the page allocator is below them and the CPU above.
	const boxes = await stops(page).evaluateAll((stops) =>
		stops.map((s) => ({
			name: s.ariaLabel ?? "",
			...JSON.parse(JSON.stringify(s.getBoundingClientRect())),
		})),
	);
	const asked = boxes.filter(({ name }) => name.includes("got nothing"));
	expect(new Set(asked.map(({ top }) => Math.round(top))).size).toBe(1);
	expect(new Set(asked.map(({ left }) => Math.round(left / 150))).size).toBe(4);
	const pages = boxes.find(({ name }) => name.includes("11"));
	expect(pages?.top).toBeGreaterThan((asked[0]?.top ?? 0) + 100);
});

test(
	"a stop and its sentence light up together, and a press goes to the step",
	variant(true),
	async ({ page }) => {
		await open(page, `${HACKBENCH}&event=16424&step=11`);
		const story = page.getByRole("region", { name: "Story" });
		const stop = page.getByRole("button", { name: /^Steps? 7, got nothing/ });
		await stop.hover();
		await expect(stop).not.toHaveCSS("box-shadow", "none");
		await page.mouse.move(5, 5);
		await expect(stop).toHaveCSS("box-shadow", "none");
		await stop.click();
		await expect(story.locator("[aria-current=step]")).toContainText("Zone 2 of the zonelist");
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

// engine/worker/levels.test.ts checks the levels of each; there is no drawing code for one of them.
for (const [name, query, first] of [
	["SLOB", "&event=16424&set.allocator=slob", "pages with room"],
	["SLAB", "&event=16424&set.allocator=slab", "array cache"],
	["Unified", "&event=16424&set.allocator=unified", "CPU queue"],
	["sheaves of Linux 6.18", "&event=2000&preset=linux-6.18", "main sheaf"],
	["Linux 7.2", "&event=16424&preset=linux-7.2", "main sheaf"],
] as const)
	test(`every allocator has a section: ${name}`, variant(name !== "SLOB"), async ({ page }) => {
		const trace = HACKBENCH.replace("kmalloc-cg-512", query.includes("6.18") ? "maple_node" : "$&");
		await open(page, `${trace}${query}`);
		await expect(levels(page).first()).toContainText(first);
		await expect(levels(page).last()).toContainText("page allocator");
		await expect(stops(page).first()).toBeVisible();
	});

test("an event without a cache shows the levels of the stage's cache", async ({ page }) => {
	// NULL is freed. Two other caches of this kernel have sheaves.
	await open(page, "trace=linux-6.18-fork-and-tcp.ftrace.txt.gz&cache=anon_vma_chain&event=1431");
	await expect(levels(page).first()).toContainText("cpu freelist");
	await expect(place(page, "CPU 0, cpu slab")).toContainText("1 of 64 allocated");
	// The cache does not exist yet.
	await open(page, `${HACKBENCH}&event=6129&set.allocator=slab`);
	await expect(levels(page).first()).toContainText("array cache");
});

test("focus mode leaves only the stage, one sentence and the buttons", async ({ page }) => {
	await open(page, `${HACKBENCH}&event=16424&step=11`);
	await page.keyboard.press("p");
	await expect(stops(page).first()).toBeVisible();
	await expect(page.getByRole("region", { name: "Story" })).toBeHidden();
	await expect(page.getByRole("slider", { name: "Timeline" })).toBeHidden();
	await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
	await expect(page.getByRole("status", { name: "Current step" })).toBeVisible();
	await button(page, "Next step").click();
	await expect(page.getByRole("status", { name: "Current step" })).toContainText("Slab 141");
	await expect(page).toHaveURL(/[?&]show=focus(&|$)/);
	await page.keyboard.press("Escape");
	await expect(page.getByRole("region", { name: "Story" })).toBeVisible();
	// Older links use another word for it.
	await open(page, `${HACKBENCH}&event=16424&show=stairs`);
	await expect(page.getByRole("region", { name: "Story" })).toBeHidden();
});

test("the fast path is a sliver on the scale where the slow path fills the bar", async ({
	page,
}) => {
	const share = async (event: number) => {
		await open(page, `${HACKBENCH}&event=${event}`);
		const bar = page.getByRole("group", { name: /^Where [\d,]+ model cycles go$/ });
		const width = (await bar.boundingBox())?.width ?? 1;
		const parts = await bar
			.getByRole("button")
			.evaluateAll((all) => all.reduce((sum, part) => sum + part.getBoundingClientRect().width, 0));
		return parts / width;
	};
	expect(await share(16424)).toBeGreaterThan(0.9);
	expect(await share(16425)).toBeLessThan(0.1);
});

test("the legend says what the path's lines and stops mean, and the bar what a free pays for", async ({
	page,
}) => {
	const stage = page.getByRole("region", { name: "Stage" });
	const legend = stage.getByRole("listitem");
	await open(page, `${HACKBENCH}&event=16424&step=11`);
	for (const words of ["done", "no result (yet)", "search", "object"])
		await expect(legend.filter({ hasText: words }).last()).toBeVisible();
	await open(page, `${HACKBENCH}&event=16805`);
	await expect(legend.getByText("search", { exact: true })).toHaveCount(0);
	await expect(legend.getByText("slab", { exact: true })).toBeVisible();
	const parts = stage.getByRole("group", { name: "Where 337 model cycles go" }).getByRole("button");
	await expect(parts.first()).toHaveText("free into a full slab 230");
	await expect(
		parts.and(
			page.getByRole("button", { name: /^Steps 5 to 8, 4 slabs to node partial list: 84 of 337/ }),
		),
	).toHaveText("4 slabs 84");
});

test("every frame has its contents while events pass quickly", async ({ page }) => {
	await open(page, `${HACKBENCH}&event=16423`);
	await page.getByRole("slider", { name: "Speed" }).fill("0.6");
	await button(page, "Play").click();
	const blank = await page.evaluate(async () => {
		const canvas = document.querySelector<HTMLCanvasElement>("[data-part=stage] canvas");
		let blank = 0;
		for (let i = 0; i < 40; i++) {
			await new Promise(requestAnimationFrame);
			const ctx = canvas?.getContext("2d");
			const { width = 0, height = 0 } = canvas ?? {};
			const { data } = ctx?.getImageData(0, 0, width, height) ?? { data: [] };
			let blue = 0;
			// Pixels of allocated objects and of slabs.
			for (let at = 0; at < data.length; at += 4 * 17)
				if ((data[at + 2] ?? 0) > (data[at] ?? 0) + 60) blue++;
			if (blue < 50) blank++;
		}
		return blank;
	});
	await button(page, "Pause").click();
	expect(blank).toBe(0);
});
