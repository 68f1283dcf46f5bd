/** Tests commands by keyboard alone: the palette, the search, going to a position or a thing, and the help. */

import {
	button,
	event,
	faults,
	idle,
	listOf,
	more,
	open,
	openSheet,
	reload,
	variant,
	watch,
} from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

const LESSON = "one-slab-after-another.slabtrace";
const box = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
const options = (page: Page) => page.getByRole("listbox").getByRole("option");

test.beforeEach(({ page }) => watch(page));

async function type(page: Page, key: string, name: string, text: string): Promise<void> {
	await page.keyboard.press(key);
	await expect(box(page, name)).toBeFocused();
	await page.keyboard.type(text);
}

test("a command is found by a few letters, run, and comes first the next time", async ({
	page,
}) => {
	await open(page, `trace=${LESSON}&op=10`);
	await type(page, "Control+Shift+KeyP", "Command", "nxt st");
	await expect(options(page).first()).toContainText("Go to the next step");
	await expect(options(page).first()).toContainText("Shift →");
	await page.keyboard.press("Enter");
	await idle(page);
	expect(await event(page)).toBe(12);
	await page.keyboard.press("Control+Shift+KeyP");
	await expect(options(page).first()).toContainText("Go to the next step");
	await page.keyboard.press("ArrowDown");
	await expect(options(page).nth(1)).toHaveAttribute("aria-selected", "true");
	const active = await box(page, "Command").getAttribute("aria-activedescendant");
	await expect(options(page).nth(1)).toHaveAttribute("id", active ?? "");
	await box(page, "Command").fill("qqqq");
	await expect(page.getByRole("dialog").getByRole("status")).toHaveText("Nothing matches.");
	await page.keyboard.press("Escape");
	await expect(page.getByRole("dialog")).toBeHidden();
});

test(
	"a command with that very name comes before things that sound like it",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=10`);
		await type(page, "Control+Shift+KeyP", "Command", "share");
		await expect(options(page).first()).toContainText("Share: copy the link");
		await page.keyboard.press("Enter");
		await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
		await idle(page);
		await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
		await page.keyboard.press("Escape");
		await expect(page.getByRole("dialog")).toBeHidden();
		// It comes before commands whose names end with that word, and has other names.
		for (const words of ["keys", "keyboard shortcuts"]) {
			await type(page, "Control+Shift+KeyP", "Command", words);
			await expect(options(page).first()).toContainText("Show keys and help");
			await page.keyboard.press("Escape");
		}
		await type(page, "Control+Shift+KeyP", "Command", "show keys");
		await page.keyboard.press("Enter");
		await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
		await idle(page);
		await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
	},
);

for (const wait of [0, 700]) {
	test(
		`what is typed before the palette appears is not lost when it comes after ${wait} ms`,
		variant(wait > 0),
		async ({ page }) => {
			await page.route("**/palette-*.js", async (route) => {
				await new Promise((passed) => setTimeout(passed, wait));
				await route.continue();
			});
			await open(page, `trace=${LESSON}&op=10`);
			await page.keyboard.press("Control+Shift+KeyP");
			await page.keyboard.type("share", { delay: 40 });
			await expect(box(page, "Command")).toHaveValue("share");
			await expect(options(page).first()).toContainText("Share: copy the link");
		},
	);
}

test("a search finds a cache, a parameter, a sample and a view", async ({ page }) => {
	await open(page, "op=17600");
	await type(page, "Slash", "Search", "kmalloc-cg-512");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(await listOf(page, "Cache")).toHaveValue("kmalloc-cg-512");
	await type(page, "Slash", "Search", "sheaf_capacity");
	await page.keyboard.press("Enter");
	await expect(page.getByLabel("sheaf_capacity")).toBeFocused();
	await button(page, "Play").focus();
	await type(page, "Slash", "Search", "order lab");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("region", { name: "Order lab" })).toBeVisible();
	await page.keyboard.press("Digit1");
	for (let i = 0; i < 2; i++) {
		await type(page, "Slash", "Search", "skb_release_data");
		await expect(options(page).first()).toContainText("call site");
		await page.keyboard.press("Enter");
		await idle(page);
		await expect(page.getByText("skb_release_data ·")).toBeVisible();
	}
	await type(page, "Slash", "Search", "one-slab-after");
	await page.keyboard.press("Enter");
	await idle(page);
	await expect(page).toHaveURL(/trace=one-slab/);
});

test("g goes to an event, a step, a time, a slab and an address", async ({ page }) => {
	await open(page, "op=17600");
	const go = async (text: string) => {
		await type(page, "KeyG", "Go to", text);
		await page.keyboard.press("Enter");
		await expect(page.getByRole("dialog")).toBeHidden();
		await idle(page);
	};
	await go("1,234");
	expect(await event(page)).toBe(1234);
	await go("15000/1");
	await expect(page.locator("[data-part=position]")).toContainText("event 15,000");
	await expect(page.locator("[data-part=position]")).toContainText("step 1 of");
	const [, time] =
		/· ([\d.]+ s)/.exec((await page.locator("[data-part=position]").textContent()) ?? "") ?? [];
	await go("17,000");
	await go(time ?? "");
	expect(Math.abs((await event(page)) - 15_000)).toBeLessThan(20);
	await go("17,601");
	await type(page, "Slash", "Search", "slab #");
	await options(page).filter({ hasText: "slab" }).first().click();
	const inspector = page.getByRole("complementary", { name: "Inspector" });
	const name = await inspector.getByRole("heading", { level: 2 }).textContent();
	const at = await inspector.locator("dd").first().textContent();
	await page.keyboard.press("Escape");
	await expect(inspector).toBeHidden();
	await go(at ?? "");
	await expect(inspector.getByRole("heading", { level: 2 })).toHaveText(name ?? "?");
	await go("0x1");
	await expect(page.getByRole("alert")).toContainText("No slab holds the address");
});

test("a slab that has gone is shown where it was made", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=0&caches=all`);
	await type(page, "KeyG", "Go to", "#2");
	await page.keyboard.press("Enter");
	await idle(page);
	expect(await event(page)).toBeGreaterThan(1);
	await expect(page.getByRole("complementary", { name: "Inspector" })).toContainText("Slab #2");
});

test("keys do nothing in fields, and the help can be searched", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=10`);
	await openSheet(page, "Machine");
	await page.getByRole("textbox", { name: "cpus" }).focus();
	await page.keyboard.type("g/?4 ");
	await expect(page.locator("dialog")).toHaveCount(0);
	await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute("aria-selected", "true");
	await page.keyboard.press("Escape");
	await more(page, "Keys");
	await page.getByRole("searchbox", { name: "Search keys and commands" }).fill("breakpoint");
	const help = page.getByRole("dialog", { name: "Keys" });
	await expect(help.getByText("Go back to the previous breakpoint")).toBeVisible();
	await expect(help.getByText("Zoom in")).toBeHidden();
});

for (const colorScheme of ["light", "dark"] as const) {
	test(
		`axe finds no faults in the palette, search, go to and help: ${colorScheme}`,
		variant(true),
		async ({ page }) => {
			await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
			await open(page, "op=17600");
			for (const key of ["Control+Shift+KeyP", "Slash", "KeyG", "Shift+Slash"]) {
				await page.keyboard.press(key);
				await expect(page.getByRole("dialog")).toBeVisible();
				expect(await faults(page, colorScheme === "light" ? "all" : "colours")).toEqual([]);
				await page.keyboard.press("Escape");
				await expect(page.getByRole("dialog")).toBeHidden();
			}
		},
	);
}

test(
	"keys that write a character can be switched off, and stay off",
	variant(true),
	async ({ page }) => {
		await open(page, `trace=${LESSON}&op=10`);
		await page.keyboard.press("Shift+Slash");
		const help = page.getByRole("dialog", { name: "Keys" });
		await help.getByRole("checkbox", { name: /^Single-character keys/ }).uncheck();
		await expect(help.getByText("Compare", { exact: true }).locator("..")).toContainText("off");
		expect(await faults(page)).toEqual([]);
		await page.keyboard.press("Escape");
		for (const key of ["4", "Slash", "g", "Shift+Slash", "w"]) await page.keyboard.press(key);
		await idle(page);
		await expect(page.getByRole("dialog")).toBeHidden();
		await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute(
			"aria-selected",
			"true",
		);
		await expect(button(page, "Fit")).toBeHidden();
		const before = await event(page);
		await page.keyboard.press("ArrowRight");
		await idle(page);
		expect(await event(page)).toBe(before + 1);
		await reload(page);
		await idle(page);
		await page.keyboard.press("4");
		await idle(page);
		await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute(
			"aria-selected",
			"true",
		);
		await type(page, "Control+KeyK", "Command", "single-character");
		await page.keyboard.press("Enter");
		await page.keyboard.press("4");
		await idle(page);
		await expect(page.getByRole("tab", { name: "Labs" })).toHaveAttribute("aria-selected", "true");
	},
);
