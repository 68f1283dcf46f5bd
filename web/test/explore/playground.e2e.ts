/** Tests the playground by form controls, by mouse and by keys, in the address, and as a file. */
import { readFileSync } from "node:fs";
import {
	address,
	button,
	choose,
	drop,
	event,
	faults,
	idle,
	listOf,
	lookOverStage,
	open,
	placeOnStage,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const sandbox = (page: Page) => page.getByRole("region", { name: "Playground" });
const status = (page: Page) => page.getByRole("status", { name: "Playground" });
const title = (page: Page) =>
	page.getByRole("region", { name: "Stage" }).getByRole("heading").first();
const stage = (page: Page) => page.getByRole("table", { name: "Contents of the stage" });

test.beforeEach(async ({ page }) => {
	watch(page);
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, "trace=sandbox");
});

async function allocate(page: Page, cpu = 0): Promise<void> {
	await sandbox(page).getByLabel("CPU", { exact: true }).selectOption(String(cpu));
	await sandbox(page).getByRole("button", { name: "Allocate" }).click();
	await idle(page);
}

test("objects can be allocated and freed by hand, and every step has its sentence", async ({
	page,
}) => {
	await expect(sandbox(page)).toBeVisible();
	await sandbox(page).getByLabel("Bytes").fill("100");
	await allocate(page, 2);
	expect(await event(page)).toBe(2);
	await expect(title(page)).toHaveText(/CPU 2 is the first to use kmalloc-128/);
	await expect(await listOf(page, "Cache")).toHaveValue("kmalloc-128");
	await sandbox(page).getByLabel("How many").fill("3");
	await allocate(page, 1);
	expect(await event(page)).toBe(5);
	await sandbox(page).getByLabel("Live object").selectOption("1");
	await sandbox(page).getByLabel("CPU", { exact: true }).selectOption("3");
	await sandbox(page).getByRole("button", { name: "Free on CPU 3" }).click();
	await idle(page);
	await expect(title(page)).toHaveText(/CPU 3 puts object 0/);
	await expect(status(page)).toContainText("5 actions");
	await button(page, "Previous step").click();
	await idle(page);
	await expect(page.getByRole("alert")).toBeEmpty();
});

test("a click on a CPU allocates there", async ({ page }) => {
	const canvas = page.locator("[data-part=stage] > canvas");
	const { width = 0 } = (await canvas.boundingBox()) ?? {};
	await canvas.click({ position: { x: width * 0.87, y: 55 } });
	await expect(status(page)).toContainText("1 action,");
	await idle(page);
	await expect(title(page)).toHaveText(/CPU 3 is the first to use kmalloc-192/);
	await expect(sandbox(page).getByLabel("Live object")).toContainText("192 bytes, by CPU 3");
});

test("a starter opens at the top of the stage and offers its actions", async ({ page }) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await open(page, "tab=labs&labs=sandbox");
	const card = page.getByRole("button", { name: /^Four full slabs/ });
	await card.scrollIntoViewIfNeeded();
	await card.click();
	await idle(page);
	await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute("aria-selected", "true");
	expect(await page.evaluate(() => window.scrollY)).toBe(0);
	await expect(stage(page)).toContainText("slab 0");
	await button(page, "Free object 1 on CPU 1").click();
	await idle(page);
	await expect(title(page)).toHaveText(/CPU 1 frees an object of a full slab/);
	await expect(button(page, "Free object 9, in the next slab")).toBeVisible();
	await button(page, "Undo").click();
	await expect(button(page, "Free object 1 on CPU 1")).toBeVisible();
});

test(
	"allocates exactly what the fields say, or nothing, and says why",
	variant(true),
	async ({ page }) => {
		for (const [name, wrong, limit] of [
			["Bytes", "99999999999", "from 1 to 4,194,304"],
			["Bytes", "-5", "from 1 to 4,194,304"],
			["How many", "100000", "from 1 to 64"],
		] as const) {
			const field = sandbox(page).getByLabel(name);
			const right = await field.inputValue();
			await field.fill(wrong);
			await allocate(page);
			await expect(field).toHaveAttribute("aria-invalid", "true");
			await expect(field).toBeFocused();
			await expect(field).toHaveAccessibleDescription(`${name}: expected an integer ${limit}.`);
			await field.fill(right);
			await expect(field).toHaveAttribute("aria-invalid", "false");
		}
		await expect(status(page)).toContainText("You haven't done anything yet");
		await allocate(page);
		await expect(status(page)).toContainText("1 action,");
	},
);

test(
	"undo, redo and the address restore what was there",
	variant(true),
	async ({ page, browser }) => {
		await allocate(page);
		await allocate(page);
		const two = await stage(page).textContent();
		await allocate(page, 1);
		const three = await stage(page).textContent();
		await button(page, "Undo").click();
		await idle(page);
		await expect(stage(page)).toHaveText(two ?? "?");
		await button(page, "Play").focus();
		await page.keyboard.press("Control+Shift+KeyZ");
		await expect(stage(page)).toHaveText(three ?? "?");
		await idle(page);
		await expect(page).toHaveURL(/trace=sandbox&sandbox=[\w-]+/);
		const url = await address(page);
		const other = await (await browser.newContext()).newPage();
		await other.goto(url);
		await idle(other);
		await expect(stage(other)).toHaveText(three ?? "?");
		await expect(status(other)).toContainText("3 actions");
		await other.context().close();
	},
);

test("your own cache works on every allocator", variant(true), async ({ page }) => {
	await sandbox(page).getByText("Create a cache", { exact: true }).click();
	await sandbox(page).getByLabel("Name").fill("9lives");
	await button(page, "Add cache").click();
	await expect(page.getByRole("status", { name: "New cache" })).toContainText(
		"a letter, then letters, digits",
	);
	await sandbox(page).getByLabel("Name").fill("lives");
	await sandbox(page).getByLabel("Object size").fill("300");
	await sandbox(page).getByLabel("Alignment").selectOption("64");
	await sandbox(page).getByLabel("With a constructor").check();
	await button(page, "Add cache").click();
	await expect(sandbox(page).getByLabel("What").locator("option")).toHaveCount(2);
	await sandbox(page).getByLabel("What").selectOption("lives");
	await allocate(page);
	await expect(await listOf(page, "Cache")).toHaveValue("lives");
	for (const name of ["slab", "unified", "slob", "slob-segregated", "slub"]) {
		await choose(page, "Allocator", name);
		await idle(page);
		await allocate(page, 1);
		await expect(page.getByRole("alert")).toBeEmpty();
	}
	await expect(status(page)).toContainText("6 actions");
	await sandbox(page).getByText("Flush, shrink, validate").click();
	// SLUB has no clock, SLAB has one.
	await expect(sandbox(page).getByText("Let time pass")).toBeHidden();
	await choose(page, "Allocator", "slab");
	await idle(page);
	await sandbox(page).getByText("Let time pass").click();
	for (const name of [
		"Flush CPUs",
		"Shrink the cache",
		"Let two seconds pass",
		"Run the reaper on CPU 1",
	]) {
		await button(page, name).click();
		await idle(page);
	}
	await expect(status(page)).toContainText("10 actions");
});

test("offers bulk requests, RCU and taking a CPU offline where they have an effect", async ({
	page,
}) => {
	const folded = () => sandbox(page).getByText("Bulk, RCU, offline CPU");
	await sandbox(page).getByText("Create a cache").click();
	await sandbox(page).getByLabel("Name").fill("mine");
	await sandbox(page).getByLabel("Object size").fill("1024");
	await button(page, "Add cache").click();
	await expect(folded()).toBeHidden();
	await open(page, (await address(page)).split("?")[1]?.replace(/^/, "preset=linux-7.2&") ?? "");
	await folded().click();
	await sandbox(page).getByLabel("Objects", { exact: true }).fill("3");
	const requests = [
		["Allocate in bulk", 5],
		["Free after a grace period", 6],
		["End the grace period", 7],
		["Free 2 objects in bulk", 10],
		["Take CPU 0 offline", 11],
	] as const;
	for (const [name, nr] of requests) {
		await button(page, name).click();
		await idle(page);
		expect(await event(page), name).toBe(nr);
	}
	await expect(title(page)).toContainText("CPU 1 flushes CPU 0, which goes offline");
	await expect(status(page)).toContainText("5 actions, events 2 to 11");
	await page.keyboard.press("Control+z");
	await page.keyboard.press("Control+z");
	await idle(page);
	expect(await event(page)).toBe(7);
	await expect(page.getByRole("alert")).toBeEmpty();
});

test("a prefilled sheaf serves its caller until it is returned", { tag: "@long" }, async ({
	page,
}) => {
	await sandbox(page).getByText("Create a cache").click();
	await button(page, "Add cache").click();
	await expect(sandbox(page).getByText("Prefilled sheaves")).toBeHidden();
	await open(page, (await address(page)).split("?")[1]?.replace(/^/, "preset=linux-7.2&") ?? "");
	await sandbox(page).getByText("Prefilled sheaves").click();
	await expect(button(page, "Return sheaf 0")).toBeDisabled();
	const requests = [
		["Prefill sheaf 0", "prefills sheaf 0 of mine, to hold at least 8 objects"],
		["Take an object from sheaf 0", "from its prefilled sheaf"],
		["Refill sheaf 0", "refills sheaf 0 of mine"],
		["Return sheaf 0", "returns sheaf 0 of mine"],
	] as const;
	for (const [i, [name, sentence]] of requests.entries()) {
		await button(page, name).click();
		await idle(page);
		expect(await event(page), name).toBe(i + 2);
		await expect(title(page)).toContainText(sentence);
	}
	await expect(button(page, "Take an object from sheaf 0")).toBeDisabled();
	await expect(status(page)).toContainText("4 actions");
	await expect(page.getByRole("alert")).toBeEmpty();
});

test(
	"an object is dragged onto a CPU, and a click on it frees it",
	variant(true),
	async ({ page }) => {
		const tile = await page.locator("[data-part=tile]").boundingBox();
		if (!tile) throw new Error("there is nothing to drag");
		await page.mouse.move(tile.x + 20, tile.y + 10);
		await page.mouse.down();
		const dragged = page.locator("[data-part=dragged]");
		await lookOverStage(
			page,
			async () => (await dragged.textContent())?.includes("on CPU 0") ?? false,
		);
		await page.mouse.up();
		await idle(page);
		expect(await event(page)).toBe(2);
		await expect(status(page)).toContainText("1 action,");
		await sandbox(page).getByLabel("Free an object by clicking it").check();
		await sandbox(page).getByLabel("CPU", { exact: true }).selectOption("1");
		await page.locator("[data-part=stage] canvas").click({ position: await placeOnStage(page) });
		await expect(status(page)).toContainText("2 actions");
		await idle(page);
		await expect(title(page)).toHaveText(/CPU 1 puts/);
	},
);

test(
	"saves itself as a trace that opens and compares like any other",
	variant(true),
	async ({ page }) => {
		await sandbox(page).getByLabel("How many").fill("40");
		await allocate(page);
		const saved = page.waitForEvent("download");
		await button(page, "Save as trace").click();
		const download = await saved;
		expect(download.suggestedFilename()).toMatch(/^slabscope-sandbox.*\.slabtrace$/);
		const text = readFileSync(await download.path(), "utf8");
		expect(text).toContain("slabtrace 1");
		const before = await stage(page).textContent();
		await drop(page, "saved.slabtrace", text);
		await expect(sandbox(page)).toBeHidden();
		await idle(page);
		await page.keyboard.press("End");
		await idle(page);
		await expect(stage(page)).toHaveText(before ?? "?");
		await choose(page, "Trace", "sandbox");
		await idle(page);
		await expect(status(page)).toContainText("40 actions");
		await page.getByRole("tab", { name: "Compare" }).click();
		await expect(page.getByRole("tabpanel", { name: "Compare" })).toContainText("model cycles");
	},
);

test("reports a broken playground in a link", variant(true), async ({ page }) => {
	await page.goto("about:blank");
	await open(page, "trace=sandbox&sandbox=AAAA");
	await expect(page.getByRole("alert")).toContainText("cannot be read");
	await allocate(page);
	expect(await event(page)).toBe(2);
});

for (const colorScheme of ["light", "dark"] as const) {
	test(`axe finds nothing in the playground: ${colorScheme}`, variant(true), async ({ page }) => {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		await allocate(page);
		for (const part of await sandbox(page).locator("summary").all()) await part.click();
		expect(await faults(page)).toEqual([]);
	});
}
