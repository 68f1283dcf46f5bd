/** Tests that a step about a cache that is not on the stage says so, and leads there. */

import {
	button,
	choose,
	drop,
	faults,
	idle,
	listOf,
	open,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const TWO = `slabtrace 1
machine cpus=2
cache c0 size=64 name=first-cache
cache c1 size=512 name=second-cache
a 1 c0 cpu=0
a 2 c1 cpu=0
f 1 cpu=0
`;

for (const [width, height] of [
	[1440, 900],
	[390, 844],
] as const) {
	test(
		`another cache is named, and shown on request, at ${width} px`,
		variant(true),
		async ({ page }) => {
			watch(page);
			await page.setViewportSize({ width, height });
			await open(page, "op=1");
			await drop(page, "two.slabtrace", TWO);
			await page.getByText("two.slabtrace, from your disk").waitFor();
			await idle(page);
			await choose(page, "Cache", "first-cache");
			if (width < 1000) await button(page, "More controls").click();
			await page.getByRole("checkbox", { name: "only this cache" }).uncheck();
			await page.keyboard.press("Home");
			await idle(page);
			const step = page.getByRole("status", { name: "Current step" });
			const show = button(page, "Show cache second-cache");
			await expect(step).not.toContainText("in ");
			await expect(show).toBeHidden();
			const stage = page.locator("[data-part=stage]");
			const before = await stage.boundingBox();
			await button(page, "Next event").click();
			await idle(page);
			await expect(step).toContainText("in second-cache");
			await expect(page.getByRole("region", { name: "Story" })).toContainText("in second-cache");
			// The stage keeps its cache, dimmed: it has no place on the path of this event.
			const elsewhere = page.locator("[data-part=elsewhere]");
			await expect(elsewhere).toHaveText("This event is of second-cache");
			const contents = page.getByRole("table", { name: "Contents of the stage" });
			await expect(contents).toContainText("1 of 64 allocated");
			await expect(page.locator("[data-path-stop]")).toHaveCount(0);
			// The stage neither switches nor moves by itself.
			await expect(await listOf(page, "Cache")).toHaveValue("first-cache");
			expect(await stage.boundingBox()).toEqual(before);
			expect(await faults(page)).toEqual([]);
			await page.keyboard.press("Escape");
			await show.click();
			await idle(page);
			await expect(await listOf(page, "Cache")).toHaveValue("second-cache");
			await expect(step).not.toContainText("in second-cache");
			await expect(show).toBeHidden();
			await expect(elsewhere).toBeHidden();
			await expect(page.locator("[data-path-stop]").first()).toBeVisible();
		},
	);
}
