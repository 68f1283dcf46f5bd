/** Tests branches: any position of a trace becomes a playground, and the recorded future is one click away. */
import {
	address,
	button,
	event,
	faults,
	idle,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const TRACE = "linux-6.1-hackbench-4-nodes.ftrace.txt.gz";
const sandbox = (page: Page) => page.getByRole("region", { name: "Playground" });
const status = (page: Page) => page.getByRole("status", { name: "Playground" });
const title = (page: Page) =>
	page.getByRole("region", { name: "Stage" }).getByRole("heading").first();
const story = (page: Page) => page.getByRole("region", { name: "Story" });
const stage = (page: Page) => page.getByRole("table", { name: "Contents of the stage" });
const future = (page: Page, name: string | RegExp) =>
	page.getByRole("group", { name: "Future" }).getByRole("button", { name });

test.beforeEach(async ({ page }) => {
	watch(page);
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, `trace=${TRACE}&event=16424`);
});

async function fork(page: Page): Promise<void> {
	await button(page, "Branch from here").click();
	await expect(sandbox(page)).toBeVisible();
	await idle(page);
}

async function allocate(page: Page, bytes: string, cpu: string): Promise<void> {
	await sandbox(page).getByLabel("Bytes").fill(bytes);
	await sandbox(page).getByLabel("CPU", { exact: true }).selectOption(cpu);
	await sandbox(page).getByRole("button", { name: "Allocate" }).click();
	await idle(page);
}

test("branching at a position opens a playground and keeps both futures", async ({
	page,
	browser,
}) => {
	const here = await stage(page).textContent();
	await fork(page);
	expect(await event(page)).toBe(16_424);
	await expect(page.locator("[data-part=position]").first()).toContainText(
		"event 16,424 of 16,424",
	);
	await expect(stage(page)).toHaveText(here ?? "?");
	// You can also allocate from the trace's named caches.
	await expect(sandbox(page).getByLabel("What", { exact: true })).toContainText("dentry");
	await allocate(page, "512", "3");
	expect(await event(page)).toBe(16_425);
	await expect(title(page)).toHaveText(/CPU 3 takes the next object/);
	await expect(story(page)).not.toContainText("__alloc_skb");
	await expect(status(page)).toContainText("1 action, event 16,425");
	const mine = await stage(page).textContent();
	const url = await address(page);

	await future(page, "Recorded").click();
	await idle(page);
	expect(await event(page)).toBe(16_424);
	await button(page, "Next event").click();
	await idle(page);
	// Only recorded events have a call site.
	await expect(story(page)).toContainText(/[a-z_]+ · CPU \d/);
	await page.keyboard.press("End");
	await idle(page);
	expect(await event(page)).toBeGreaterThan(19_000);

	await future(page, /^Yours, 1 action$/).click();
	await idle(page);
	expect(await event(page)).toBe(16_425);
	await expect(stage(page)).toHaveText(mine ?? "?");

	const other = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
	await other.goto(url);
	await idle(other);
	await expect(stage(other)).toHaveText(mine ?? "?");
	await expect(status(other)).toContainText("1 action, event 16,425");
	await other.context().close();

	await button(page, "Discard the branch").click();
	await idle(page);
	await expect(sandbox(page)).toBeHidden();
	expect(await event(page)).toBe(16_424);
	expect(await address(page)).not.toContain("sandbox=");
	await expect(page.getByRole("alert")).toBeEmpty();
});

test("frees a recorded object, carries out requests, and says why it refuses one", async ({
	page,
}) => {
	await fork(page);
	const objects = sandbox(page).getByLabel("Live object").locator("option");
	expect(await objects.count()).toBeGreaterThan(50);
	await expect(objects.first()).toContainText("event ");
	await sandbox(page)
		.getByRole("button", { name: /^Free on CPU/ })
		.click();
	await idle(page);
	await expect(title(page)).toContainText("CPU 3 puts the object back");
	await sandbox(page).getByText("Flush, shrink, validate").click();
	await sandbox(page).getByLabel("Act on").selectOption("kmalloc-512");
	await button(page, "Flush CPUs").click();
	await idle(page);
	await expect(status(page)).toContainText("2 actions, events 16,425 to 16,426");
	await button(page, "Check every object").click();
	await idle(page);
	await expect(page.getByRole("status", { name: "Refused action" })).toContainText(
		"debugging is off for this cache",
	);
	await expect(status(page)).toContainText("2 actions");
	await button(page, "Undo").click();
	await idle(page);
	await expect(status(page)).toContainText("1 action, event 16,425");
	await expect(page.getByRole("alert")).toBeEmpty();
});

test(
	"Compare shows both futures of a branch, which diverge at the branch",
	variant(true),
	async ({ page, browser }) => {
		await fork(page);
		await allocate(page, "512", "3");
		await button(page, "Compare both futures").click();
		await idle(page);
		const part = (of: Page, name: string) => of.getByRole("region", { name, exact: true });
		const look = async (of: Page) => {
			await expect(of.getByRole("combobox", { name: "Trace of B" })).toHaveValue("future:recorded");
			const text = (await part(of, "First divergence").textContent()) ?? "";
			const at = Number(/event ([\d,]+), step/.exec(text)?.[1]?.replaceAll(",", ""));
			expect(at).toBe(16_425);
			await expect(part(of, "First divergence")).toContainText("CPU 3 asks for 512 bytes");
			await of.getByRole("combobox", { name: "Stages at once" }).selectOption("beside");
			await idle(of);
			await expect(of.getByRole("img", { name: "Stage of B" })).toBeVisible();
		};
		await look(page);
		expect(await faults(page)).toEqual([]);
		await expect(page).toHaveURL(/compare\.stages=beside/);
		const other = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
		await other.goto(await address(page));
		await idle(other);
		await look(other);
		await other.context().close();

		// The recorded future on the stage, and the fork beside it.
		await page.getByRole("tab", { name: "Explore" }).click();
		await future(page, "Recorded").click();
		await idle(page);
		await button(page, "Compare both futures").click();
		await idle(page);
		await expect(page.getByRole("combobox", { name: "Trace of B" })).toHaveValue("future:yours");
		await expect(part(page, "First divergence")).toContainText("event 16,425");
		await expect(page).toHaveURL(/future=recorded.*tab=compare/);
		await reload(page);
		await idle(page);
		await expect(part(page, "Compare")).toContainText("It replays the recorded future");
		await button(page, "Last event").click();
		await idle(page);
		await expect(part(page, "Stages")).toContainText("the future of B ends after event 16,425");
		await expect(page.getByRole("alert")).toBeEmpty();
	},
);

test(
	"a long branch stops showing progress once it is done, and has a limit",
	variant(true),
	async ({ page }) => {
		// SLOB searches long lists: its replay takes longer than the quiet time before progress shows.
		const long = encodeURIComponent("workload:netio?seed=1&scale=32");
		await page.goto("about:blank");
		await open(page, `trace=${long}&set.allocator=slob&event=2000000`);
		await fork(page);
		await expect(page.getByRole("progressbar")).toHaveCount(0);
		await expect(status(page)).toContainText("You haven't done anything yet");
		await page.goto("about:blank");
		await open(page, `trace=${long}&event=2000001`);
		await button(page, "Branch from here").click();
		await expect(page.getByRole("alert")).toContainText(
			"it must start by event 2,000,000: go to an earlier event",
		);
		await expect(sandbox(page)).toBeHidden();
	},
);

test("refuses a broken branch in a link with a sentence", variant(true), async ({ page }) => {
	await page.goto("about:blank");
	await open(page, `trace=${TRACE}&sandbox=AAAA`);
	await expect(page.getByRole("alert")).toContainText("cannot be read");
	await expect(sandbox(page)).toBeHidden();
});

test("each action plays its steps", variant(true), async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "no-preference" });
	await fork(page);
	await sandbox(page).getByLabel("Bytes").fill("8192");
	await sandbox(page).getByRole("button", { name: "Allocate" }).click();
	await expect(button(page, "Pause")).toBeVisible();
	await expect(button(page, "Play")).toBeVisible();
	await idle(page);
	expect(await event(page)).toBe(16_425);
	await expect(page).not.toHaveURL(/[?&]step=/);
});

for (const colorScheme of ["light", "dark"] as const) {
	test(`axe finds nothing in a branch: ${colorScheme}`, variant(true), async ({ page }) => {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		await fork(page);
		await allocate(page, "512", "3");
		for (const part of await sandbox(page).locator("summary").all()) await part.click();
		expect(await faults(page)).toEqual([]);
	});
}
