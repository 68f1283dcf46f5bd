/** Tests the way from a recorded pointer, or from a dmesg report, to the events of its object. */
import { button, drop, event, idle, open, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

test.beforeEach(({ page }) => watch(page));

const OBJECT = "0xffff888003a9d040";
const TRACE = `slabtrace 1
cache c0 size=64 slot=64 name=widget
a 1 c0 cpu=0 t=1000000000 site=make+0x10/0x20 task=init-1 ptr=0xffff888003a9d000
a 2 c0 cpu=1 t=1000001000 site=make+0x10/0x20 task=sh-7 ptr=${OBJECT}
a 3 c0 cpu=1 t=1000002000 site=other+0x4/0x9 task=sh-7 ptr=0xffff888003a9d080
f 2 cpu=0 t=1012000000 site=drop+0x8/0x30 task=rm-9 ptr=${OBJECT}
f 3 cpu=0 t=1013000000 site=drop+0x8/0x30 task=rm-9 ptr=0xffff888003a9d080
`;
const REPORT = `[    1.550000] BUG widget (Tainted: G    B   W  O ): Poison overwritten
[    1.550000] 0xffff888003a9d048-0xffff888003a9d04b @offset=72. First byte 0x41 instead of 0x6b
[    1.550000] Allocated in make+0x10/0x20 [mod] age=53 cpu=1 pid=7
[    1.550000] Freed in drop+0x8/0x30 age=50 cpu=0 pid=9
[    1.550000] Object ${OBJECT} @offset=64 fp=0x0000000000000000
`;

test("a recorded pointer and a dmesg report lead to their events", async ({ page }) => {
	await open(page, "");
	await drop(page, "widget.slabtrace", TRACE);
	await idle(page);
	await page.keyboard.press("Home");
	await page.keyboard.press("g");
	const field = page.getByRole("combobox", { name: "Go to" });
	// arm64 has tags in the top byte.
	await field.fill("f5ff888003a9d040");
	await field.press("Enter");
	await idle(page);
	expect(await event(page)).toBe(2);
	await page.keyboard.press("/");
	const search = page.getByRole("combobox", { name: "Search" });
	await search.fill("0xdeadbeefdeadbee0");
	await search.press("Enter");
	await expect(page.getByText("No event of the trace matches.")).toBeVisible();

	await button(page, "Suggestions").click();
	await button(page, "Look up").click();
	const view = page.getByRole("region", { name: "Look up" });
	await view.getByRole("textbox").fill(REPORT);
	await button(page, "Look it up").click();
	const best = view.getByRole("table", { name: /^Matching objects/ }).locator("tbody tr");
	await expect(best).toContainText(["make+0x10/0x20"]);
	await expect(best.first()).toContainText(OBJECT);
	await button(page, "event 4").first().click();
	await idle(page);
	expect(await event(page)).toBe(4);
});
