/** Tests links: the address restores the view, old links still work, newer ones are refused, and Back goes back. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
	address,
	button,
	choose,
	drop,
	event,
	idle,
	importReport,
	listOf,
	open,
	openSheet,
	openSlabinfo,
	placeOnStage,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON = "one-slab-after-another.slabtrace";
const TEXT = readFileSync(
	fileURLToPath(new URL(`../../../traces/${LESSON}`, import.meta.url)),
	"utf8",
);
const canvas = (page: Page) => page.locator("[data-part=stage] canvas");
/**
 * Reads the stage in blocks of a few pixels, each the sum of its colours, so that a shift of a hundredth of a pixel does
 * not show.
 */
const pixels = (page: Page) =>
	canvas(page).evaluate((c: HTMLElement) => {
		const ctx = c instanceof HTMLCanvasElement ? c.getContext("2d") : null;
		const { data } = ctx?.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height) ?? { data: [] };
		const fields: number[] = [];
		for (let i = 0; i < data.length; i++)
			fields[i >> 6] = (fields[i >> 6] ?? 0) + (data[i] ?? 0) / 255;
		return fields;
	});
const unlike = (a: readonly number[], b: readonly number[]) =>
	a.filter((value, i) => Math.abs(value - (b[i] ?? 0)) > 1).length;
const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

test.beforeEach(({ page }) => watch(page));

test("the selection, the zoom and the breakpoints return with the link", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await open(page, `trace=${LESSON}&op=16`);
	await canvas(page).click({ position: await placeOnStage(page) });
	await page.keyboard.press("KeyF");
	await page.keyboard.press("KeyD");
	await idle(page);
	await expect(inspector(page)).toBeVisible();
	await button(page, "Breakpoints").click();
	const breakpoints = page.getByRole("region", { name: "Breakpoints" });
	await breakpoints.getByRole("combobox", { name: "Stop when" }).selectOption("a slab is made");
	await breakpoints.getByRole("button", { name: "Add" }).click();
	await expect(page).toHaveURL(/v=3&.*event=17.*sel=.*zoom=.*break=new-slab/);
	await button(page, "Breakpoints").click();
	await idle(page);
	await page.mouse.move(0, 0);
	const picture = await pixels(page);
	const [url, held] = [await address(page), await inspector(page).textContent()];
	await page.goto("about:blank");
	await page.goto(url);
	await idle(page);
	await expect(inspector(page)).toHaveText(held ?? "?");
	await idle(page);
	expect(await address(page)).toBe(url);
	expect(picture.length).toBeGreaterThan(0);
	expect(unlike(picture, await pixels(page))).toBe(0);
	await button(page, "Breakpoints").click();
	await expect(breakpoints.getByRole("listitem")).toHaveText(/a slab is made/);
});

test(
	"a link from a newer Slabscope is refused in one sentence",
	variant(true),
	async ({ page }) => {
		await open(page, `v=99&trace=${LESSON}&op=5`);
		await expect(page.getByRole("alert")).toContainText("newer Slabscope (version 99)");
		await expect(page).toHaveURL(/v=99&.*op=5$/);
		await button(page, "Next event").click();
		await idle(page);
		expect(await event(page)).toBeGreaterThan(0);
		await expect(page).toHaveURL(/v=3&/);
		await page.goBack();
		await expect(page).toHaveURL(/v=99&.*op=5$/);
		await expect(page.getByRole("alert")).toContainText("newer Slabscope (version 99)");
	},
);

test("parts that this page does not know are reported, and stay in the address and in Share", async ({
	page,
}) => {
	await open(page, `v=3&trace=${LESSON}&event=17&colour=dark%20red&Z=1`);
	await expect(page.getByRole("alert")).toContainText("colour=dark red, Z=1");
	await button(page, "Next event").click();
	await idle(page);
	await expect(page).toHaveURL(/event=18&.*colour=dark\+red&Z=1$/);
	await choose(page, "Allocator", "slab");
	await idle(page);
	await expect(page).toHaveURL(/allocator=slab&colour=dark\+red&Z=1$/);
	await button(page, "Share").click();
	await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(/colour=dark\+red&Z=1$/);
	await expect(page.getByRole("status", { name: "Share" })).toContainText("does not know");
});

test("a link with an event but no cache shows the event's own cache, and the next event is the next one", async ({
	page,
}) => {
	await open(page, "event=100");
	const timeline = page.getByRole("slider", { name: "Timeline" });
	const step = page.getByRole("status", { name: "Current step" });
	await expect(await listOf(page, "Cache")).toHaveValue("vm_area_struct");
	await page.keyboard.press("Escape");
	await expect(step).not.toContainText("in vm_area_struct");
	await expect(timeline).toHaveAttribute("aria-valuenow", "100");
	await page.keyboard.press("ArrowRight");
	await idle(page);
	await expect(timeline).toHaveAttribute("aria-valuenow", "101");
});

test("the first view of a trace without names has the names that its frees give", async ({
	page,
}) => {
	await open(page, "trace=linux-6.1-fork-and-tcp.ftrace.txt.gz&cache=task_struct");
	await expect(page.getByRole("alert")).not.toContainText("has no cache");
	await expect(await listOf(page, "Cache")).toHaveValue("task_struct");
});

test("a long link goes after the #, where no server has to read it, and is restored whole", async ({
	page,
}) => {
	const marks = Array.from({ length: 40 }, (_, i) => `mark=${i + 1}~${"long ".repeat(9)}${i}`);
	const sent: string[] = [];
	page.on("request", (request) => sent.push(request.url()));
	await open(page, `v=3&trace=${LESSON}&event=17&${marks.join("&").replaceAll(" ", "+")}`);
	await expect(page).toHaveURL(/\/#v=3&.*event=17/);
	const url = await address(page);
	await button(page, "Share").click();
	await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(url);
	await expect(page.getByRole("status", { name: "Share" })).toContainText("characters");
	await page.goto("about:blank");
	sent.length = 0;
	await page.goto(url);
	await idle(page);
	expect(await event(page)).toBe(17);
	await expect(page.getByRole("button", { name: /^Go to mark/ })).toHaveCount(40);
	expect(await address(page)).toBe(url);
	for (const one of sent) expect(one.replace(/#.*/, "").length).toBeLessThan(200);
	await openSlabinfo(page);
	await expect(page).toHaveURL(/answer=slabinfo/);
	await page.goBack();
	await expect(page).toHaveURL(url);
});

test("a link longer than any limit says what to do", variant(true), async ({ page }) => {
	await page.goto(`./#v=3&trace=${"x".repeat(70_000)}`);
	await idle(page);
	await expect(page.getByRole("alert")).toContainText("save the trace as a file");
});

test("a hostile link opens the page and shows its text only as text", async ({ page }) => {
	const evil = encodeURIComponent("<img src=x onerror=alert(1)>");
	page.on("dialog", () => {
		throw new Error("the link ran");
	});
	await open(
		page,
		`trace=${evil}&cache=${evil}&mark=1~${evil}&set.__proto__=${evil}&break=${evil}`,
	);
	await expect(page.getByRole("alert")).toContainText("<img src=x");
	await expect(page.locator("img")).toHaveCount(0);
});

test("each fault of a link is reported, and what does not exist is dropped", async ({ page }) => {
	const alert = page.getByRole("alert");
	await open(page, `trace=${LESSON}&op=abc&cache=zzz&sel=9.9&zoom=NaN&preset=foo`);
	for (const part of ["op=abc", "cache zzz", "sel=9.9", "zoom=NaN", "preset `foo`"])
		await expect(alert).toContainText(part);
	await page.goto("about:blank");
	await open(page, `trace=${LESSON}&op=12&preset=foo&set.cpus=abc&set.tint=red&set.nodes=2`);
	for (const part of ["preset `foo`", "cpus: expected a number", "parameter `tint`"])
		await expect(alert).toContainText(part);
	await openSheet(page, "Machine");
	await expect(page.getByRole("textbox", { name: "nodes" }).first()).toHaveValue("2");
	await page.goto("about:blank");
	await open(page, `trace=${LESSON}&op=12&sel=99.3`);
	await expect(alert).toContainText("The link's sel=99.3 is ignored: lesson never has a slab 99");
	await expect(page).not.toHaveURL(/sel=/);
	await page.goto("about:blank");
	await open(page, `trace=${LESSON}&op=12&sel=0.300`);
	await expect(alert).toContainText("slab 0 has 16 objects");
});

test("two files with one name have two addresses, and Back leads from one to the other", async ({
	page,
}) => {
	await open(page, `trace=${LESSON}&op=3`);
	const trace = await importReport(page);
	await drop(page, "mine.slabtrace", TEXT);
	await expect(trace).toContainText("mine.slabtrace");
	await idle(page);
	await expect(page).toHaveURL(/file=/);
	const first = new URL(await address(page)).searchParams.get("file");
	const events = await trace.textContent();
	await drop(page, "mine.slabtrace", `${TEXT}\na x9 c cpu=0\n`);
	await expect(trace).not.toHaveText(events ?? "");
	await idle(page);
	await expect
		.poll(async () => new URL(await address(page)).searchParams.get("file"))
		.not.toBe(first);
	await expect((await listOf(page, "Trace")).locator("option:checked")).toHaveText(
		"mine.slabtrace",
	);
	await page.goBack();
	await expect(trace).toHaveText(events ?? "?");
	await idle(page);
	expect(new URL(await address(page)).searchParams.get("file")).toBe(first);
	await page.goBack();
	await expect(await listOf(page, "Trace")).toHaveValue(LESSON);
	await idle(page);
	expect(await event(page)).toBe(4);
	await page.goForward();
	await expect(trace).toHaveText(events ?? "?");
});

test(
	"a link to a file that is not here waits for it, and then shows its view",
	variant(true),
	async ({ page, browser }) => {
		await open(page, `trace=${LESSON}&op=3`);
		await drop(page, "mine.slabtrace", TEXT);
		await expect(await importReport(page)).toContainText("mine");
		await page.getByRole("slider", { name: "Timeline" }).press("End");
		await button(page, "Previous event").click();
		await idle(page);
		const at = await event(page);
		const url = await address(page);
		const other = await (await browser.newContext()).newPage();
		await other.goto(url);
		await idle(other);
		await expect(other.getByRole("alert")).toContainText(
			"The file mine.slabtrace is not kept in this browser",
		);
		await drop(other, "mine.slabtrace", TEXT);
		await expect(await importReport(other)).toContainText("mine");
		await idle(other);
		expect(await event(other)).toBe(at);
		await other.context().close();
	},
);

test(
	"tabs, machines and traces are steps of the history; positions are not",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=3`);
		await openSlabinfo(page);
		await idle(page);
		await expect(page).toHaveURL(/answer=slabinfo/);
		await button(page, "Next event").click();
		await button(page, "Next event").click();
		await idle(page);
		await choose(page, "Allocator", "slab");
		await idle(page);
		await expect(page).toHaveURL(/allocator=slab/);
		await page.goBack();
		await expect(page).not.toHaveURL(/allocator=slab/);
		await idle(page);
		await expect(await listOf(page, "Allocator")).toHaveValue("slub");
		await expect(page.getByRole("region", { name: "Slabinfo" })).toBeVisible();
		await page.goBack();
		await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute(
			"aria-selected",
			"true",
		);
		await idle(page);
		await page.goForward();
		await page.goForward();
		await expect(await listOf(page, "Allocator")).toHaveValue("slab");
	},
);

/** Each part of a link, and what a visitor does to change it. */
const PARTS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
	["event=17&step=1", (page) => button(page, "Next event").click()],
	["series=live,waste", (page) => button(page, "slow paths").click()],
	["range=5-30", (page) => button(page, "Show all").click()],
	[
		"by=event",
		async (page) => {
			await page.getByRole("combobox").filter({ hasText: "by slow path" }).selectOption("step");
		},
	],
	["caches=all", (page) => page.getByRole("checkbox", { name: /^only/i }).check()],
	["sel=0.3", (page) => page.keyboard.press("Escape")],
	["zoom=2.5,0.4,0.3", (page) => page.keyboard.press("Digit0")],
	["ghost=B", (page) => button(page, "Next event").click()],
	["preset=linux-4.19&set.cpus=8", (page) => button(page, "Next event").click()],
	// Views without the timeline.
	["tab=order-lab&lab.size=192", (page) => page.keyboard.press("ArrowRight")],
	["tab=compare&with=slub%2Cmin_partial%3D0", (page) => button(page, "Next event").click()],
	[
		"tab=experiments&study=sweep&grid.x=max_order%3D0..3",
		(page) => page.keyboard.press("ArrowRight"),
	],
	["tab=lessons&lesson=what-a-slab-is&stop=full", (page) => button(page, "Next event").click()],
	[
		"mark=9~here",
		async (page) => {
			await button(page, "Marks").click();
			await page.getByRole("button", { name: "Remove the mark at event 9" }).click();
		},
	],
	[
		"break=new-slab&break=free-slab~lesson",
		async (page) => {
			await button(page, "Breakpoints").click();
			await page
				.getByRole("button", { name: /^Remove/ })
				.first()
				.click();
		},
	],
];

for (const [i, [part, alter]] of PARTS.entries()) {
	test(`Back and Forward restore ${part}`, variant(i % 9 > 0), async ({ page }) => {
		await page.emulateMedia({ reducedMotion: "reduce" });
		await open(page, `v=3&trace=${LESSON}&event=20&${part}`.replace(/event=20&(?=event)/, ""));
		const first = await address(page);
		if (part.includes("tab=")) await openSlabinfo(page);
		else await choose(page, "Allocator", "slab");
		await idle(page);
		await expect(page).toHaveURL(/allocator=slab|answer=slabinfo/);
		await alter(page);
		await idle(page);
		await expect(page).not.toHaveURL(first);
		const second = await address(page);
		await page.goBack();
		await idle(page);
		await expect(page).toHaveURL(first);
		await page.goForward();
		await idle(page);
		await expect(page).toHaveURL(second);
		await page.goBack();
		await idle(page);
		await expect(page).toHaveURL(first);
	});
}
