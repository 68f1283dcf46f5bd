/** Tests each lesson as a visitor reads it: by keyboard from stop to stop, every link followed, every question answered. */
import { readFileSync } from "node:fs";
import {
	address,
	button,
	closeSheet,
	drop,
	event,
	faults,
	idle,
	open,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Locator, type Page, test } from "../support/shared.ts";

interface Card {
	readonly name: string;
	readonly title: string;
}
const LESSONS = JSON.parse(
	readFileSync(new URL("../../src/views/lessons/text/lessons.json", import.meta.url), "utf8"),
) as Card[];

/** A reader's own file. */
const OWN = new URL("../../../traces/bursts-of-buffers.slabtrace", import.meta.url);

/** Together they have every kind of link and question. */
const SHORT_LESSONS = ["the-shape-of-waste"];

const current = (page: Page) => page.locator("[data-stop][aria-current]");

/** "step 3 of 11" of the transport, from 0. */
async function stepOnStage(page: Page): Promise<readonly [number, number]> {
	const words = (await page.locator("[data-part=position]").textContent()) ?? "";
	const [, step = "0", of = "0"] = /step ([\d,]+) of ([\d,]+)/.exec(words) ?? [];
	const number = (text: string) => Number(text.replaceAll(",", ""));
	return [number(step) - 1, number(of)];
}

const again = (question: Locator) => question.getByRole("button", { name: "Ask another like it" });

/** Tries choices from the first one until one is right: wrong ones stay marked, and the others can still be tried. */
async function answerWrongFirst(question: Locator, page: Page): Promise<void> {
	const choices = question.locator("[data-choice]");
	const verdict = question.locator("[data-verdict]");
	const nr = await choices.count();
	for (let i = 0; i < nr; i++) {
		await choices.nth(i).focus();
		await page.keyboard.press("Enter");
		await idle(page);
		if (await again(question).isVisible()) break;
		await expect(verdict).toContainText(/^Not this one\. Try again\./);
		await expect(choices.nth(i)).toHaveAttribute("data-choice", "wrong");
		await expect(question.locator("[data-choice=right]")).toHaveCount(0);
	}
	await expect(verdict).toContainText(/^Right(\.|, at try \d\.)/);
	await expect(question.locator("[data-choice=right]")).toHaveCount(1);
	await verdict.getByText("Why, step by step").click();
	await expect(verdict.locator("li").first()).toBeVisible();
}

/** Finds a stop's questions that wait for an answer; the text below them is not shown yet. */
const waiting = (stop: Locator) => stop.locator("[data-question]:not(:has([data-verdict]))");

async function showAnswers(stop: Locator, page: Page): Promise<void> {
	while ((await waiting(stop).count()) > 0) {
		await waiting(stop).first().getByRole("button", { name: "Show the answer" }).click();
		await idle(page);
	}
}

/** Finds whatever in the stops is below a question that waits for its answer. */
async function belowWaiting(page: Page): Promise<string[]> {
	return page.locator("[data-stop]").evaluateAll((stops) =>
		stops.flatMap((stop) => {
			const below = stop.querySelectorAll(
				"[data-question]:not(:has([data-verdict])) ~ :not([data-gate])",
			);
			return [...below].map((e) => `${stop.id}: ${e.textContent}`);
		}),
	);
}

test.beforeEach(({ page }) => watch(page));

for (const { name, title } of LESSONS) {
	const isLong = !SHORT_LESSONS.includes(name);
	test(
		`${title}: every stop by keyboard, every link leads the stage there`,
		variant(isLong),
		async ({ page }) => {
			test.setTimeout(180_000);
			await open(page, `tab=lessons&lesson=${name}`);
			const stops = await page
				.locator("[data-stop]")
				.evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.stop ?? ""));
			for (const [i, stop] of stops.entries()) {
				if (i > 0) await page.keyboard.press("PageDown");
				await idle(page);
				await expect(current(page)).toHaveAttribute("data-stop", stop);
				await expect(page).toHaveURL(new RegExp(`lesson=${name}.*stop=${stop}`));
				// Which stop is current may change as focus scrolls the text.
				const here = page.locator(`[data-stop="${stop}"]`);
				await showAnswers(here, page);
				for (const link of await here.locator("a[data-op]").all()) {
					await link.focus();
					await page.keyboard.press("Enter");
					await idle(page);
					const [op, step] = await link.evaluate((e) => [e.dataset.op, e.dataset.step]);
					expect(await event(page)).toBe(Number(op) + 1);
					const [at, of] = await stepOnStage(page);
					expect(at).toBe(step === undefined ? of - 1 : Number(step));
					await expect(link).toHaveAttribute("aria-current", "true");
				}
			}
			await page.keyboard.press("PageUp");
			await expect(current(page)).toHaveAttribute("data-stop", stops.at(-2) ?? "");
		},
	);

	test(
		`${title}: questions answered rightly, wrongly, and again`,
		variant(isLong),
		async ({ page }) => {
			test.setTimeout(180_000);
			await open(page, `tab=lessons&lesson=${name}`);
			const questions = page.locator("[data-question]");
			let asked = 0;
			for (; asked < (await questions.count()); asked++) {
				expect(await belowWaiting(page)).toEqual([]);
				const question = questions.nth(asked);
				await expect(question.locator("[data-verdict]")).toHaveCount(0);
				await answerWrongFirst(question, page);
			}
			await expect(page.locator("[data-gate]")).toHaveCount(0);
			// The text scrolls to the button first, and what is read there moves the stage.
			await again(questions.first()).scrollIntoViewIfNeeded();
			await idle(page);
			await again(questions.first()).click();
			await idle(page);
			await expect(questions.first().locator("[data-verdict]")).toHaveCount(0);
			await expect(questions.first().locator("[data-choice]").first()).toBeVisible();
			const score = page.locator("[data-score]");
			await expect(score).toContainText(`${asked} questions answered`);
		},
	);
}

test(
	"the text below a question appears with its answer, and stays",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=lessons&lesson=what-a-slab-is&stop=lifo");
		const stop = page.locator("[data-stop=lifo]");
		const below = stop.getByText("Last in, first out is fast.");
		await expect(below).toHaveCount(0);
		await expect(stop.locator("[data-gate]")).toBeVisible();
		await page.emulateMedia({ media: "print" });
		await expect(below).toHaveCount(0);
		await page.emulateMedia({ media: "screen" });
		await stop.getByRole("button", { name: "Show the answer" }).click();
		await expect(below).toBeVisible();
		await again(stop).click();
		await expect(below).toBeVisible();
		await page.getByRole("button", { name: "All lessons" }).click();
		await page.getByRole("button", { name: /What is a slab/ }).click();
		await expect(below).toHaveCount(1);
	},
);

test(
	"an answer can be shown instead, and then does not count as right",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=lessons&lesson=what-a-slab-is&stop=full");
		const question = page.locator("[data-stop=full] [data-question]");
		await question.getByRole("button", { name: /slab 0: CPU 0/ }).click();
		await question.getByRole("button", { name: "Show the answer" }).click();
		await idle(page);
		await expect(question.locator("[data-verdict]")).toContainText(/^The answer is: a new slab\./);
		await expect(question.locator("[data-choice=right]")).toContainText("a new slab");
		expect(await event(page)).toBe(17);
		await expect(page.locator("[data-score]")).toContainText("1 question answered, 0 right");
	},
);

test("the index shows a live stage and the progress of each lesson", async ({ page }) => {
	await open(page, "tab=learn");
	const cards = page.getByRole("region", { name: "Lessons" }).getByRole("listitem");
	await expect(cards).toHaveCount(LESSONS.length);
	for (const card of await cards.all()) {
		await card.scrollIntoViewIfNeeded();
		await expect(card.locator("[data-small-stage]")).toBeVisible();
	}
	await idle(page);
	const first = cards.first();
	await expect(first).toContainText("0 of 8 questions");
	await page.getByRole("button", { name: /What is a slab/ }).click();
	await idle(page);
	const question = page.locator("[data-stop=full] [data-question]");
	await question.getByRole("button", { name: "a new slab" }).click();
	await idle(page);
	await page.getByRole("button", { name: "All lessons" }).click();
	await expect(first).toContainText("1 of 8 questions");
	// The address follows a moment later.
	await expect(page).not.toHaveURL(/lesson=/);
	await reload(page);
	await idle(page);
	await expect(first).toContainText("1 of 8 questions");
});

test(
	"a wrong answer gets its reason, and a slab on the stage can be the answer",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=learn&lesson=what-a-slab-is&stop=chain");
		const question = page.locator("[data-stop=chain] [data-question]");
		await expect(question).toContainText("Click the slab on the stage");
		await question.getByRole("button", { name: "a new slab" }).click();
		await expect(question.locator("[data-verdict=wrong]")).toContainText(
			"CPU 0 can still reach a free object",
		);
		const canvas = page.locator("[data-part=stage] canvas");
		const box = await canvas.boundingBox();
		if (!box) throw new Error("There is no stage.");
		// CPU 0 is at the top left of the stage: its cpu slab, then its per-CPU partial list.
		const isOpen = async () => (await again(question).count()) === 0;
		for (let y = 0.08; y < 0.4; y += 0.03)
			for (let x = 0.02; x < 0.36 && (await isOpen()); x += 0.02)
				await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
		await idle(page);
		await expect(question.locator("[data-choice=right]")).toContainText("slab 0");
		await expect(question.locator("[data-verdict=right]")).toContainText("Right, at try");
	},
);

test(
	"the stage of a lesson does not show which object is next",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=learn&lesson=what-a-slab-is&stop=chain");
		const stage = page.getByRole("region", { name: "Stage" });
		await expect(stage.getByText("touched", { exact: true })).toBeVisible();
		await expect(stage.getByText("next", { exact: true })).toHaveCount(0);
		const canvas = page.locator("[data-part=stage] canvas");
		const picture = () => canvas.evaluate((e) => (e as HTMLCanvasElement).toDataURL());
		const lesson = await picture();
		await page.getByRole("tab", { name: "Explore" }).click();
		await idle(page);
		await expect(stage.getByText("next", { exact: true })).toBeVisible();
		await page.getByRole("tab", { name: "Learn" }).click();
		await idle(page);
		// The objects that Explore has found are known now, and still not shown.
		await expect.poll(picture).toBe(lesson);
	},
);

test("a problem is judged by the core, says how close an attempt is, and stays solved", async ({
	page,
}) => {
	await open(page, "tab=learn&lesson=what-a-slab-is");
	const problem = page.locator("[data-problem]");
	await problem.scrollIntoViewIfNeeded();
	await idle(page);
	await expect(problem.getByRole("row", { name: /^alloc_slab/ })).toContainText("3");
	// The parameters have the names, meanings and groups of the machine sheet.
	const order = problem.locator("[data-param=min_order]");
	await expect(order).toContainText("Smallest slab order");
	await expect(order).toContainText("Default: 0");
	await expect(problem.getByRole("heading", { name: "Allocator's rules" })).toBeVisible();
	const offered = order.locator("option");
	await expect(offered).toHaveText(["as in the lesson", "0", "1", "2", "3", "4"]);
	const check = problem.getByRole("button", { name: "Check" });
	await check.click();
	await idle(page);
	await expect(problem.locator("[data-judged=open]")).toContainText("Alloc_slab: 1 too many.");
	await problem.getByLabel("min_order").selectOption("4");
	await check.click();
	await idle(page);
	await expect(problem.getByRole("status")).toContainText("min_order");
	await problem.getByLabel("min_order").selectOption("3");
	await check.click();
	await idle(page);
	await expect(problem.locator("[data-judged=solved]")).toContainText("Solved");
	await page.getByRole("button", { name: "All lessons" }).click();
	await expect(page.getByRole("listitem").first()).toContainText("problem solved");
});

test("the reader hands out memory with the first press, and takes it back", async ({ page }) => {
	await open(page, "tab=learn&lesson=what-a-slab-is");
	const toy = page.locator("[data-toy]");
	const before = Number(await toy.getAttribute("data-events"));
	await toy.getByRole("button", { name: "Ask for 240 bytes" }).click();
	await expect(toy).toHaveAttribute("data-events", String(before + 1));
	await expect(toy.getByRole("listitem").first()).toContainText("CPU 0 searches the pages");
	await button(page, "Start again").click();
	await expect(toy).toHaveAttribute("data-events", String(before));
});

test("a slider shows what the core makes of its value", async ({ page }) => {
	await open(page, "tab=learn&lesson=when-memory-breaks");
	const slider = page.locator("[data-stop=overrun] [data-slider]");
	const reports = slider.locator("[data-figure-name=reports] dd");
	await expect(reports).toHaveText("0");
	await slider.getByLabel("debugging").check();
	await expect(reports).toHaveText("1");
	await expect(slider.getByRole("listitem").first()).toContainText("Right Redzone overwritten");
	await slider.getByRole("slider", { name: "offset" }).press("Home");
	await expect(slider.getByRole("listitem").first()).toContainText("Left Redzone overwritten");
});

test("words light their part of the stage, and the part lights them", async ({ page }) => {
	await open(page, "tab=learn&lesson=what-a-slab-is&stop=fast");
	const words = page.locator("[data-stop=fast] [data-part-words='slab 0']");
	const ring = page.locator("[data-part=why-subject]");
	await words.hover();
	await expect(ring).toBeVisible();
	const box = await ring.boundingBox();
	if (!box) throw new Error("The ring has no box.");
	await page.mouse.move(box.x + box.width / 4, box.y + box.height / 4);
	await expect(ring).toHaveCount(0);
	await expect(words).toHaveAttribute("data-lit", "true");
	await page.mouse.move(0, 0);
	await expect(words).toHaveAttribute("data-lit", "false");
});

test("a link leads to a single question and opens it, also for a projector", async ({ page }) => {
	await open(page, "tab=learn&lesson=what-a-slab-is&stop=empty&q=2&show=focus");
	const question = page.locator("[data-stop=empty] [data-question='2']");
	await expect(question).toBeInViewport();
	await expect(question).toContainText("min_partial=2");
	await expect(page.getByRole("banner")).toBeHidden();
	await expect(page.getByRole("slider", { name: "Timeline" })).toBeHidden();
	await page.keyboard.press("Escape");
	await expect(page.getByRole("banner")).toBeVisible();
});

test("the list leads to a lesson, and the address leads back to its stop", async ({ page }) => {
	await open(page, "trace=one-slab-after-another.slabtrace&op=3");
	await page.keyboard.press("3");
	await idle(page);
	await page.getByRole("button", { name: /What is a slab/ }).click();
	await idle(page);
	await expect(page.getByRole("region", { name: "Stage" })).toBeVisible();
	expect(await event(page)).toBe(8);
	for (let stops = 0; stops < 5; stops++) await page.keyboard.press("PageDown");
	await idle(page);
	await reload(page);
	await idle(page);
	await expect(current(page)).toHaveAttribute("data-stop", "full");
	expect(await event(page)).toBe(16);
	await expect(current(page)).toBeInViewport();
});

test(
	"a stop far down keeps its place while the text above it loads",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=lessons&lesson=keep-some-empty&stop=surprise");
		await expect(page.locator("[data-question] [data-choice]").first()).toBeAttached();
		await idle(page);
		await expect(current(page)).toHaveAttribute("data-stop", "surprise");
		await expect(current(page).getByRole("heading")).toBeInViewport();
		expect(await event(page)).toBe(128);
		await page.getByRole("article").hover();
		await page.mouse.wheel(0, -3000);
		await expect(current(page)).not.toHaveAttribute("data-stop", "surprise");
	},
);

test("a passage plays and stops at its end", variant(true), async ({ page }) => {
	await open(page, "tab=lessons&lesson=what-a-slab-is&stop=fast");
	await page.getByRole("slider", { name: "Speed" }).fill("0.6");
	await page.getByRole("button", { name: "Play events 2 to 16" }).click();
	await expect(button(page, "Pause")).toBeVisible();
	await expect(button(page, "Play")).toBeVisible({ timeout: 30_000 });
	await idle(page);
	expect(await event(page)).toBe(16);
});

test("a switch shows both figures and changes the stage", variant(true), async ({ page }) => {
	await open(page, "tab=lessons&lesson=what-a-slab-is&stop=switch");
	const flip = page.locator("[data-switch]");
	await expect(flip.getByRole("row", { name: /cpu_partial_alloc/ })).toContainText(/\d/);
	await flip.getByRole("button", { name: "off" }).click();
	await idle(page);
	await expect(flip.getByRole("button", { name: "off" })).toHaveAttribute("aria-pressed", "true");
	await expect(page).toHaveURL(/set\.cpu_partial_lists=off/);
});

test(
	"an experiment is measured in this browser, beside the proposal's figures",
	variant(true),
	async ({ page }) => {
		test.setTimeout(180_000);
		await open(page, "tab=lessons&lesson=small-machines&stop=measured");
		const memory = page.getByRole("table", { name: /^memory usage/ });
		await expect(memory).toContainText("7,936");
		await expect(memory.locator("td strong").first()).toBeVisible();
		await expect(memory.locator("[data-agrees]").first()).toBeVisible();
		const again = page.getByRole("button", { name: "Measure it again in this browser" });
		await again.first().click();
		await expect(page.getByRole("progressbar", { name: "Measuring" }).first()).toBeVisible();
		await idle(page, 120_000);
		await expect(again).toHaveCount(0);
		await expect(memory.locator("[data-agrees]").first()).toBeVisible();
	},
);

test(
	"a sheet has the questions of its proposal, and the answers on a separate page",
	variant(true),
	async ({ page }) => {
		await open(page, "tab=lessons&lesson=what-a-slab-is&sheet=3");
		const questions = page.locator("[data-questions] > li");
		const answers = page.locator("[data-key] li");
		await expect(answers).toHaveCount(await questions.count());
		const all = page.locator("[data-questions]");
		const text = await all.textContent();
		await page.getByLabel("Variant").fill("4");
		await expect(all).not.toHaveText(text ?? "");
		const key = page.locator("[data-key]");
		await expect(key).toBeHidden();
		await page.getByRole("button", { name: "Show the answers" }).click();
		await expect(key).toBeVisible();
		await page.getByRole("button", { name: "Hide the answers" }).click();
		await expect(key).toBeHidden();
		await page.emulateMedia({ media: "print" });
		await expect(key).toBeVisible();
		await expect(key).toHaveCSS("break-before", "page");
		await expect(page.getByRole("banner")).toBeHidden();
	},
);

for (const scheme of ["light", "dark"] as const) {
	test(
		`axe finds no faults in a lesson, the list and a sheet, ${scheme}`,
		variant(true),
		async ({ page }) => {
			await page.emulateMedia({ colorScheme: scheme });
			for (const query of [
				"tab=lessons",
				"tab=lessons&lesson=what-a-slab-is",
				"tab=lessons&lesson=what-a-slab-is&sheet=2",
			]) {
				await open(page, query);
				expect(await faults(page)).toEqual([]);
			}
		},
	);
}

test("a lesson about the reader's own trace asks about the file that is dropped on it", async ({
	page,
}) => {
	await open(page, "tab=learn&lesson=read-your-own-trace&stop=slow");
	await expect(current(page)).toContainText("vm_area_struct");
	await drop(page, "mine.slabtrace", readFileSync(OWN, "utf8"));
	await expect(page.locator("[data-yours]")).toContainText("about your file, mine.slabtrace");
	await idle(page);
	await closeSheet(page);
	const slow = page.locator("[data-stop=slow]");
	await expect(slow).not.toContainText("vm_area_struct");
	await expect(slow.locator("[data-question]")).toContainText("buffer");
	await slow.getByRole("button", { name: "Show the answer" }).click();
	await expect(slow.locator("[data-verdict]")).toContainText("The answer is");
	const whatIf = page.locator("[data-stop=what-if]");
	await whatIf.scrollIntoViewIfNeeded();
	await expect(whatIf.getByRole("row", { name: /alloc_pcs/ })).toContainText(/\d/);
	await idle(page);
	expect(await address(page)).toContain("mine.slabtrace");
	await page.getByRole("button", { name: "Read it with the sample instead" }).click();
	await idle(page);
	await expect(page.locator("[data-yours]")).toHaveCount(0);
	await expect(slow).toContainText("vm_area_struct");
});
