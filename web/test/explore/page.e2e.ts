/** Uses the page as a visitor does, by role and name: look, play, step, drag, change the machine, open files. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
	address,
	button,
	choose,
	closeSheet,
	drop,
	event,
	idle,
	importReport,
	listOf,
	lookOverStage,
	more,
	open,
	openSheet,
	openSlabinfo,
	placeOnStage,
	reload,
	sheet,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON = "one-slab-after-another.slabtrace";
const SAMPLE = fileURLToPath(new URL(`../../../traces/${LESSON}`, import.meta.url));

const step = (page: Page) => page.getByRole("status", { name: "Current step" });
const place = (page: Page) => page.locator("[data-part=position]");
test.beforeEach(({ page }) => watch(page));

test("a press that leads nowhere says why", async ({ page }) => {
	await open(page, "trace=one-slab-after-another.slabtrace&op=0&step=0");
	const said = page.getByRole("status", { name: "Message" });
	await button(page, "Previous event").click();
	await expect(said).toHaveText("This is the beginning of the trace.");
	await button(page, "Last event").click();
	await idle(page);
	await page.keyboard.press("ArrowRight");
	await expect(said).toHaveText("This is the end of the trace.");
	await page.keyboard.press("ArrowUp");
	await expect(said).toContainText("per second.");
	await page.keyboard.press("f");
	await expect(said).toContainText("Nothing is selected");
});

test("a first visit opens on a slab, and a press plays", async ({ page }) => {
	await page.goto("./");
	const trace = page.getByRole("banner").getByRole("button", { name: /^Trace\b(?! file)/ });
	await expect(trace).toContainText("Linux 6.1");
	await button(page, "Watch two more pops").click();
	await expect(button(page, "Pause")).toBeVisible();
	const chapter = page.getByRole("navigation", { name: "Tour" }).locator("[aria-current]");
	await expect(chapter).toContainText(/CPU \d+ allocates/);
	await expect(page.getByRole("region", { name: "Stage" }).getByRole("heading").first()).toHaveText(
		/^CPU \d+ allocates 3 objects/,
	);
	const before = await step(page).textContent();
	await expect(step(page)).not.toHaveText(before ?? "");
	await button(page, "Pause").click();
	await idle(page);
	await expect(page.getByRole("region", { name: "Stage" })).toBeVisible();
	await expect(page.getByRole("region", { name: "Story" })).toBeVisible();
});

test(
	"what a first visit plays pauses as soon as another view opens",
	variant(true),
	async ({ page }) => {
		await page.goto("./");
		await button(page, "Play").click();
		await expect(button(page, "Pause")).toBeVisible();
		await page.getByRole("tab", { name: "Compare" }).click();
		await expect(button(page, "Play")).toBeVisible();
	},
);

test("a visitor who asked for less motion gets a still page", variant(true), async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await page.goto("./");
	await idle(page);
	await expect(button(page, "Play")).toBeVisible();
});

test("a sample can be chosen, played, and stepped in both directions", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=0");
	await choose(page, "Trace", LESSON);
	await idle(page);
	await expect(page).toHaveURL(/trace=one-slab/);
	await button(page, "First event").click();
	await idle(page);
	expect(await event(page)).toBe(1);
	await button(page, "Play").click();
	await expect(place(page)).not.toContainText("step 1 of");
	await button(page, "Pause").click();
	await idle(page);

	const sentences: (string | null)[] = [];
	for (let i = 0; i < 6; i++) {
		sentences.push(await step(page).textContent());
		await button(page, "Next step").click();
		await idle(page);
	}
	for (let i = 5; i >= 0; i--) {
		await button(page, "Previous step").click();
		await idle(page);
		await expect(step(page)).toHaveText(sentences[i] ?? "");
	}
	const at = await event(page);
	await button(page, "Next event").click();
	await idle(page);
	expect(await event(page)).toBe(at + 1);
	await button(page, "Last event").click();
	await idle(page);
	await button(page, "Previous event").click();
	await idle(page);
});

test("a step forward and one back draw the same picture", variant(true), async ({ page }) => {
	await open(page, "op=17600");
	const drawn = () =>
		page
			.locator("[data-part=stage] canvas")
			.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
	const before = await drawn();
	await button(page, "Next event").click();
	await idle(page);
	expect(await drawn()).not.toBe(before);
	await button(page, "Previous event").click();
	await idle(page);
	// The ghost of a slab that slid back stays for a while.
	await expect.poll(async () => (await drawn()) === before).toBe(true);
});

test("the stage follows when the timeline is dragged", async ({ page }) => {
	await open(page, "op=100");
	const timeline = page.getByRole("slider", { name: "Timeline" });
	const box = await timeline.boundingBox();
	if (!box) throw new Error("the timeline is not on the page");
	await page.mouse.move(box.x + 10, box.y + 20);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 8 });
	const middle = await event(page);
	await page.mouse.move(box.x + box.width * 0.75, box.y + 20, { steps: 8 });
	await page.mouse.up();
	await idle(page);
	expect(middle).toBeGreaterThan(100);
	expect(Math.abs((await event(page)) / 20_000 - 0.75)).toBeLessThan(0.01);
	await timeline.press("Home");
	await idle(page);
	expect(await event(page)).toBe(1);
});

test("text follows while the trace plays fast, and shows the event where it stops", async ({
	page,
}) => {
	await open(page, "op=5");
	const title = page.getByRole("region", { name: "Stage" }).getByRole("heading").first();
	const story = page.getByRole("region", { name: "Story" });
	const picture = () =>
		page
			.locator("[data-part=stage] canvas")
			.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
	const position = page.locator('[data-part="position"]');
	await page.getByLabel("Speed").fill("0.6");
	const [drawn, told] = [await picture(), await story.textContent()];
	await button(page, "Play").click();
	await expect(position).not.toContainText("event 6 ");
	await expect.poll(async () => (await picture()) !== drawn).toBe(true);
	await expect(story).not.toHaveText(told ?? "");
	await button(page, "Pause").click();
	await idle(page);
	expect(await event(page)).toBeGreaterThan(6);
	await expect(story).toContainText(`event ${(await event(page)).toLocaleString("en")}`);
	await expect(position).toContainText(`event ${(await event(page)).toLocaleString("en")} `);
	const share = await page.locator('[data-part="playhead"]').evaluate((line) => {
		return Number.parseFloat(line.style.transform.replace("translateX(", "")) / 100;
	});
	expect(Math.abs(share * 19_999 - ((await event(page)) - 1))).toBeLessThan(2);
	// A page that opens there says the same.
	const said = await title.textContent();
	await reload(page);
	await expect(title).toHaveText(said ?? "");
});

test("changing min_partial_rule replays at once and keeps the position", async ({ page }) => {
	await open(page, "op=19000");
	await openSheet(page, "Machine");
	await page.getByRole("combobox", { name: "min_partial_rule" }).selectOption("rfc-2008");
	await idle(page);
	expect(await event(page)).toBe(19_001);
	await expect(page).toHaveURL(/set\.min_partial_rule=rfc-2008/);
	await openSlabinfo(page);
	const row = page.getByRole("row", { name: /kmalloc-cg-512/ });
	await expect(row.getByRole("cell").nth(10)).toHaveText("9");
	await choose(page, "Kernel preset", "linux-2.6.26");
	await idle(page);
	await page.goBack();
	await idle(page);
	await expect(page).not.toHaveURL(/linux-2\.6\.26/);
});

test("an impossible value is refused in one sentence", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await openSheet(page, "Machine");
	const cpus = page.locator("[data-param=cpus] input");
	await cpus.fill("many");
	await cpus.press("Enter");
	await expect(page.getByRole("alert").filter({ hasText: "cpus" })).toBeVisible();
	await closeSheet(page);
	await idle(page);
	await button(page, "Next event").click();
	await idle(page);
	expect(await event(page)).toBeGreaterThan(6);
});

test(
	"a sample opens on its own machine, and Reset returns to it",
	variant(true),
	async ({ page }) => {
		await open(page, "trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&op=100");
		await openSheet(page, "Machine");
		const nodes = page.getByRole("textbox", { name: "nodes" }).first();
		await expect(nodes).toHaveValue("4");
		await expect(button(page, "Reset")).toBeHidden();
		await expect(page).not.toHaveURL(/set\./);
		await nodes.fill("2");
		await nodes.press("Enter");
		await expect(page).toHaveURL(/set\.nodes=2/);
		await button(page, "Reset").click();
		await expect(nodes).toHaveValue("4");
		await expect(page).not.toHaveURL(/set\./);
		await expect(button(page, "Reset")).toBeHidden();
	},
);

for (const [query, words] of [
	["cache=zzz", "no cache zzz"],
	["op=99999999", "past the end"],
	["op=abc", "op=abc"],
	["by=mile", "by=mile"],
	["set.cpus=abc", "cpus"],
	["set.colour=red", "colour"],
	["preset=linux-0.1", "linux-0.1"],
	["trace=gone.txt&op=3", "no trace gone.txt"],
] as const) {
	test(
		`a link with ${query} is reported, and the page still opens`,
		variant(!/^set.cpus/.test(query)),
		async ({ page }) => {
			await open(page, query);
			await expect(page.getByRole("alert")).toContainText(words);
			await button(page, "Next event").click();
			await idle(page);
			expect(await event(page)).toBeGreaterThan(0);
		},
	);
}

test(
	"Play starts over at the end, and continues after a step back at the start",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=2&caches=all`);
		await button(page, "Last event").click();
		await idle(page);
		await button(page, "Play").click();
		await expect.poll(() => event(page)).toBeLessThan(10);
		await expect(button(page, "Pause")).toBeVisible();
		await button(page, "First event").click();
		await idle(page);
		await button(page, "Previous event").click();
		await idle(page);
		await button(page, "Play").click();
		await expect(place(page)).not.toContainText("step 1 of");
		await expect(button(page, "Pause")).toBeVisible();
	},
);

test("a zoomed stage can be fitted again", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=16`);
	await expect(button(page, "Fit")).toBeHidden();
	await page.keyboard.press("Equal");
	await button(page, "Fit").click();
	await expect(button(page, "Fit")).toBeHidden();
});

test("a reload restores the view exactly", async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=60&step=0&set.cpu_partial_lists=off");
	const [url, sentence, where] = [
		await address(page),
		await step(page).textContent(),
		await place(page).textContent(),
	];
	await reload(page);
	await idle(page);
	expect(await address(page)).toBe(url);
	await expect(step(page)).toHaveText(sentence ?? "");
	await expect(place(page)).toHaveText(where ?? "");
});

test("a file can be dropped or chosen", async ({ page }) => {
	await open(page, "op=5");
	await drop(page, "mine.slabtrace", readFileSync(SAMPLE));
	await expect(await importReport(page)).toContainText("mine.slabtrace");
	await idle(page);
	await page.getByLabel("Trace file").setInputFiles(SAMPLE);
	await expect(await importReport(page)).toContainText(LESSON);
	await idle(page);
	expect(await event(page)).toBeGreaterThan(0);
});

test(
	"a damaged file is refused in one sentence, and the page stays usable",
	variant(true),
	async ({ page }) => {
		await open(page, "op=5");
		await drop(
			page,
			"picture.png",
			Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]),
		);
		const alert = page.getByRole("alert");
		await expect(alert).toContainText("picture.png");
		await drop(page, "cut.gz", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]));
		await expect(alert).toContainText("cut.gz");
		await drop(page, "empty.txt", "");
		await expect(alert).toContainText("empty.txt");
		await button(page, "Next event").click();
		await idle(page);
		expect(await event(page)).toBeGreaterThan(6);
	},
);

test("lines that cannot be used are listed with line, column and reason", async ({ page }) => {
	await open(page, "op=5");
	const text = readFileSync(SAMPLE, "utf8").replace("a 5 c cpu=0", "a 5 nonsense=\na 5 c cpu=0");
	await drop(page, "damaged.slabtrace", text);
	const report = await importReport(page);
	await expect(report).toContainText("1 line could not be used");
	await expect(report).toContainText(/line \d+, column \d+/);
});

test("keys move by the unit beside Play, and the help lists them", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=0&step=0`);
	const play = button(page, "Play");
	await expect(play).toHaveText("by step");
	await page.keyboard.press("ArrowRight");
	await expect(place(page)).toContainText("event 1 of 79 · step 2 of 11");
	await page.getByRole("combobox", { name: "Granularity" }).selectOption("event");
	await expect(play).toHaveText("by event");
	await page.keyboard.press("ArrowRight");
	await expect(place(page)).toContainText("event 2 of 79");
	await page.keyboard.press("Shift+ArrowLeft");
	await expect(place(page)).toContainText("event 1 of 79 · step 11 of 11");
	await page.keyboard.press("ArrowLeft");
	await idle(page);
	await page.keyboard.press("Shift+Slash");
	const help = page.getByRole("dialog", { name: "Keys" });
	await expect(help).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(help).toBeHidden();
	await more(page, "Keys");
	await expect(help).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(button(page, "More")).toBeFocused();
	// With the mouse, Space is meant for the trace; after Tab, for the button.
	await page.keyboard.press("Space");
	await expect(button(page, "Pause")).toBeVisible();
	await page.keyboard.press("Space");
	await expect(help).toBeHidden();
	await page.keyboard.press("Tab");
	await page.keyboard.press("Shift+Tab");
	await page.keyboard.press("Space");
	await expect(sheet(page, "More")).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(sheet(page, "More")).toBeHidden();
	await page.getByRole("slider", { name: "Speed" }).focus();
	await page.keyboard.press("Space");
	await expect(button(page, "Pause")).toBeVisible();
	await page.keyboard.press("Space");
	await page.keyboard.press("Digit4");
	await expect(page.getByRole("region", { name: "Order lab" })).toBeVisible();
});

test("clicking a slab shows its facts", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=16`);
	await page.locator("[data-part=stage] canvas").click({ position: await placeOnStage(page) });
	await expect(page.getByRole("complementary", { name: "Inspector" })).toContainText(/0x[0-9a-f]+/);
});

test(
	"a step under the pointer stands out less than the current one",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=16`);
		const steps = page.getByRole("region", { name: "Story" }).getByRole("list").getByRole("button");
		const colour = (which: string) =>
			steps
				.and(page.locator(which))
				.first()
				.evaluate((e) => getComputedStyle(e).backgroundColor);
		const now = await colour("[aria-current=step]");
		await steps.and(page.locator(":not([aria-current])")).first().hover();
		expect(await colour(":hover")).not.toBe(now);
	},
);

/** The core's allocators, as the page offers them. */
async function allocators(page: Page): Promise<string[]> {
	const options = (await listOf(page, "Allocator")).locator("option");
	const names = await options.evaluateAll((all) => all.map((o) => (o as HTMLOptionElement).value));
	await closeSheet(page);
	return names;
}

test("every allocator replays the trace at once, and keeps what is on screen", async ({ page }) => {
	await open(page, "op=17600&cache=kmalloc-cg-512");
	const sentence = await step(page).textContent();
	const sentences = new Set<string | null>();
	for (const name of (await allocators(page)).toReversed()) {
		await choose(page, "Allocator", name);
		await idle(page);
		expect(await event(page)).toBe(17_601);
		await expect(page.getByRole("alert")).toBeHidden();
		await expect(page.getByRole("table", { name: "Contents of the stage" })).toBeAttached();
		sentences.add(await step(page).textContent());
		await expect(page).toHaveURL(new RegExp(name === "slub" ? "event=17601" : `allocator=${name}`));
	}
	expect(sentences.size).toBeGreaterThan(2);
	await expect(step(page)).toHaveText(sentence ?? "");
});

test(
	"a cache that one allocator does not have returns with the next",
	variant(true),
	async ({ page }) => {
		await open(page, "op=17600&cache=kmalloc-cg-512");
		for (const name of ["slob", "slab"]) {
			await choose(page, "Allocator", name);
			await idle(page);
			const cache = name === "slob" ? "slob" : "kmalloc-cg-512";
			await expect(await listOf(page, "Cache")).toHaveValue(cache);
		}
	},
);

test("pointing at an object in an array cache shows its facts", variant(true), async ({ page }) => {
	await open(page, "trace=two-nodes.slabtrace&op=60&set.allocator=slab");
	const line = page.locator("[data-part=pointed]");
	await lookOverStage(page, async () =>
		/cached in CPU 0, array cache/.test((await line.allTextContents()).join()),
	);
	await expect(line).toContainText(/Object \d+/);
});

test("the story says what an event costs, where its cycles go and where the next object will be", async ({
	page,
}) => {
	await open(page, "op=16423");
	await page.mouse.move(10, 10);
	const story = page.getByRole("region", { name: "Story" });
	await expect(story).toContainText("654 model cycles · 73×");
	// The figure is read out with its step.
	await expect(story.getByRole("button", { name: /gave 4 pages.* 400 cycles$/ })).toBeVisible();
	const stage = page.getByRole("region", { name: "Stage" });
	const bar = stage.getByRole("group", { name: "Where 654 model cycles go" });
	await expect(bar.getByRole("button")).toHaveCount(8);
	const zones = bar.getByRole("button", {
		name: /^Steps 5 to 10: 72 of 654 model cycles, 11\s%\. Zone /,
	});
	// Six steps of one kind share a row, which can be opened.
	const group = story.getByRole("button", {
		name: /^5–10 .*6 zones asked, none could spare a slab/,
	});
	await expect(group).toContainText("node 1 twice · 2 · 3 · 0 twice");
	await group.click();
	// A pointer on a row lights it up, too.
	await page.mouse.move(10, 10);
	const step = story.getByRole("button", { name: /^6 .*Zone 1 of the zonelist/ });
	const plain = await step.evaluate((e) => getComputedStyle(e).backgroundColor);
	await zones.hover();
	await expect(step).not.toHaveCSS("background-color", plain);
	await expect(step).toBeInViewport();
	await page.mouse.move(10, 10);
	await expect(step).toHaveCSS("background-color", plain);
	await zones.focus();
	await expect(step).not.toHaveCSS("background-color", plain);
	await zones.click();
	await expect(story.locator("[aria-current=step]")).toContainText("Zone 0 of the zonelist");
	// In the middle of the event, the next object of its CPU is the event's own.
	const next = story.getByRole("region", { name: "Next object of kmalloc-cg-512" });
	await expect(next.getByRole("listitem").first()).toHaveText(
		/CPU 3.*next event.*slab 141, object 0.*page allocator.*654 cycles/,
	);
	await expect(next).toContainText("5 other CPUs: 9 to 634 cycles, 1 has one ready");
});

test("a list of steps does not move under the pointer", async ({ page }) => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await page.setViewportSize({ width: 1440, height: 700 });
	await open(page, "op=16423");
	const story = page.getByRole("region", { name: "Story" });
	const list = story.locator("ol:has([aria-current=step])").first();
	await list.evaluate((e) => e.scrollTo(0, 0));
	expect(await list.evaluate((e) => e.scrollHeight > e.clientHeight)).toBe(true);
	const lowest = await list.evaluate((e) => {
		const { bottom } = e.getBoundingClientRect();
		return [...e.children].findLastIndex((item) => item.getBoundingClientRect().bottom <= bottom);
	});
	const step = list.locator("> li").nth(lowest).getByRole("button").first();
	await step.hover();
	await expect(step).toHaveClass(/lit/);
	await idle(page);
	expect(await list.evaluate((e) => e.scrollTop)).toBe(0);
	await step.click();
	await idle(page);
	await expect(step).toHaveAttribute("aria-current", "step");
	expect(await list.evaluate((e) => e.scrollTop)).toBe(0);
});
