/** Tests Export: every file that the dialog offers is read back. */
import { readFileSync } from "node:fs";
import { button, event, faults, idle, more, open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

test.beforeEach(({ page }) => watch(page));

const dialog = (page: Page) => page.getByRole("dialog", { name: "Export" });

async function download(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
	const coming = page.waitForEvent("download");
	await dialog(page).getByRole("button", { name, exact: true }).click();
	const file = await coming;
	await expect(dialog(page).getByRole("status", { name: "Export" })).toContainText(
		file.suggestedFilename(),
	);
	return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Reads the width of a film's pictures: two bytes after the element's number and its length. */
const widthOf = (webm: Buffer) => webm.readUInt16BE(webm.indexOf(Buffer.from([0xb0, 0x82])) + 2);

/** Reads the width and height of a PNG. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

/** Returns what the browser makes of the SVG: an error, or its texts. */
async function textsOf(page: Page, svg: Buffer): Promise<string[]> {
	return page.evaluate((source) => {
		const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
		if (parsed.querySelector("parsererror")) throw new Error("this is no SVG");
		return [...parsed.querySelectorAll("text")].map((t) => t.textContent ?? "");
	}, svg.toString());
}

test("the key E saves the stage as vectors with text, and as pixels", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=60&step=0");
	const sentence = await page.getByRole("status", { name: "Current step" }).textContent();
	await page.keyboard.press("e");
	const svg = await download(page, "SVG of stage");
	expect(svg.name).toBe("slabscope-two-nodes-event-61-step-1-stage.svg");
	// A first packet that describes the tracks; core/test/command/tracks.test.mjs and wasm/test/tracks.test.ts read them all.
	const tracks = await download(page, "Perfetto of counter tracks");
	expect(tracks.name).toBe("slabscope-two-nodes-event-61-step-1-memory.perfetto-trace");
	expect(tracks.bytes[0]).toBe(0x0a);
	for (const words of ["Slabscope: all caches", "slow paths so far", "lesson"])
		expect(tracks.bytes.includes(words)).toBe(true);
	const texts = await textsOf(page, svg.bytes);
	expect(texts).toContain("CPU 0");
	expect(texts).toContain("Node 1");
	const title = page.getByRole("region", { name: "Stage" }).getByRole("heading").first();
	expect(texts).toContain(await title.textContent());
	// Terms in the sentence are separate texts.
	const plain = (words: string | null) => (words ?? "").replaceAll(/\s+/g, "");
	expect(plain(texts.join(""))).toContain(plain(sentence));
	// The path over the section: every stop has its number.
	const stops = await page
		.locator("[data-path-stop]")
		.evaluateAll((all) => all.map((e) => e.getAttribute("aria-label") ?? ""));
	expect(stops.length).toBeGreaterThan(0);
	for (const stop of stops) expect(texts).toContain(/^Steps? ([\d–]+)/.exec(stop)?.[1]);
	expect(texts.join(" ")).toMatch(/\d+ cycles/);
	// Nothing in it is fetched, and nothing refers to the page's style.
	expect(svg.bytes.toString()).not.toMatch(/<image|<foreignObject|href=|class=|var\(--|url\((?!#)/);
	const png = await download(page, "PNG of stage");
	expect(png.bytes.subarray(0, 4)).toEqual(PNG);
	const box = await page.getByRole("region", { name: "Stage" }).boundingBox();
	expect(sizeOf(png.bytes)[0]).toBe(Math.round(box?.width ?? 0) * 2);
	const line = await download(page, "SVG of timeline");
	expect((await textsOf(page, line.bytes)).join()).toContain("slow paths");
	expect((await download(page, "PNG of timeline")).bytes.subarray(0, 4)).toEqual(PNG);
	const json = await download(page, "JSON of steps");
	expect(json.name).toBe("slabscope-two-nodes-event-61-step-1-steps.json");
	const steps = JSON.parse(json.bytes.toString());
	expect(steps[0]).toMatchObject({ event: 61, step: 1, sentence });
	expect(await faults(page)).toEqual([]);
});

for (const [query, picture, table, column] of [
	["tab=slabinfo", "", "slabinfo", "slab_bytes"],
	["tab=order-lab", "order of all sizes", "orders of all sizes", "size"],
	["tab=compare", "memory in slabs", "compare", "unit"],
	["tab=node-search&op=3213&caches=all", "", "steps", "sentence"],
	["set.allocator=slab", "stage", "places", "place"],
] as const) {
	test(
		`${query}: what it shows can be saved`,
		variant(query !== "tab=compare"),
		async ({ page }) => {
			await open(page, query.includes("op=") ? query : `op=17600&${query}`);
			await idle(page);
			await more(page, "Export");
			const csv = await download(page, `CSV of ${table}`);
			const [head, ...rows] = csv.bytes.toString().trim().split("\r\n");
			expect(head?.split(",")).toContain(column);
			expect(rows.length).toBeGreaterThan(0);
			if (picture === "") return;
			const svg = await download(page, `SVG of ${picture}`);
			expect((await textsOf(page, svg.bytes)).length).toBeGreaterThan(3);
			expect((await download(page, `PNG of ${picture}`)).bytes.length).toBeGreaterThan(2000);
			await page.keyboard.press("Escape");
			await expect(button(page, "More")).toBeFocused();
		},
	);
}

test("steps are recorded as a film that plays, and recording can be cancelled", async ({
	page,
}) => {
	await open(page, "trace=one-slab-after-another.slabtrace&op=10");
	await more(page, "Export");
	const form = dialog(page).getByRole("region", { name: "Film" });
	await form.getByRole("spinbutton", { name: "Next steps" }).fill("5");
	await form.getByRole("spinbutton", { name: "Per second" }).fill("4");
	const film = await download(page, "Record");
	expect(film.name).toBe("slabscope-one-slab-after-another-event-11-5-steps.webm");
	expect(film.bytes.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
	expect(film.bytes.length).toBeGreaterThan(10_000);
	const seconds =
		film.bytes.readFloatBE(film.bytes.indexOf(Buffer.from([0x44, 0x89, 0x84])) + 3) / 1000;
	expect(seconds).toBeGreaterThan(0.5);
	expect(seconds).toBeLessThan(30);
	await form.getByRole("spinbutton", { name: "Next steps" }).fill("400");
	await form.getByRole("button", { name: "Record" }).click();
	await expect(form.getByRole("progressbar", { name: "Recording" })).toBeVisible();
	await form.getByRole("button", { name: "Cancel" }).click();
	await expect(dialog(page).getByRole("status", { name: "Export" })).toContainText("not saved");
});

test("one press saves a clip of the event, with another kernel beside it on request", async ({
	page,
}) => {
	await open(page, "trace=one-slab-after-another.slabtrace&event=11");
	await button(page, "Share").click();
	const part = page.getByRole("dialog", { name: "Share" }).getByRole("region", { name: "Clip" });
	const clip = async () => {
		const coming = page.waitForEvent("download");
		await part.getByRole("button", { name: "Save a clip" }).click();
		const file = await coming;
		return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
	};
	const alone = await clip();
	expect(alone.name).toBe("slabscope-one-slab-after-another-event-11-clip.webm");
	await part.getByRole("combobox", { name: "Kernel beside it" }).selectOption("linux-7.2");
	const beside = await clip();
	expect(beside.name).toBe("slabscope-one-slab-after-another-event-11-clip-with-linux-7.2.webm");
	expect(widthOf(beside.bytes)).toBe(2 * widthOf(alone.bytes));
	// Where it was before.
	await idle(page);
	expect(await event(page)).toBe(11);
});

test("a number of the film can be cleared and typed again", async ({ page }) => {
	await open(page, "trace=one-slab-after-another.slabtrace&op=10");
	await more(page, "Export");
	const form = dialog(page).getByRole("region", { name: "Film" });
	const steps = form.getByRole("spinbutton", { name: "Next steps" });
	await steps.press("End");
	for (const key of ["Backspace", "Backspace"]) await page.keyboard.press(key);
	await expect(steps).toHaveValue("");
	await expect(form).toContainText("Next steps: expected an integer from 1 to 500.");
	await expect(form.getByRole("button", { name: "Record" })).toBeDisabled();
	await page.keyboard.press("8");
	await expect(steps).toHaveValue("8");
	await expect(form).not.toContainText("expected");
	await expect(form.getByRole("button", { name: "Record" })).toBeEnabled();
});

test("tables and citations are copied as text", variant(true), async ({ page, context }) => {
	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
	await open(page, "trace=two-nodes.slabtrace&event=60&answer=sites");
	const table = page.getByRole("region", { name: "Call sites", exact: true }).getByRole("table");
	await table.locator("tbody tr").first().hover();
	await button(page, "Copy as Markdown").click();
	await expect(page.getByText("Copied the table as Markdown.")).toBeVisible();
	expect(await clipboard()).toMatch(
		/^\| [^\n]*allocations[^\n]*\|\n\| --- [^\n]*\n\| [^\n]*lesson/,
	);
	await button(page, "Share").click();
	await button(page, "Copy BibTeX").click();
	await expect(page.getByRole("status", { name: "Share" })).toContainText("Copied the BibTeX");
	expect(await clipboard()).toMatch(
		/^@software\{slabscope-[\s\S]*event=60[\s\S]*event 60\}\n\}\n$/,
	);
});
