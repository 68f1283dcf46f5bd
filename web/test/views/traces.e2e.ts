/** Tests two traces: a file dropped on Compare becomes the second one, and tables, curves and events say what changed. */
import { readFileSync } from "node:fs";
import { drop, event, faults, idle, open, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const OTHER = new URL("../../../traces/two-nodes.slabtrace", import.meta.url);

test("dropping a second trace on Compare shows what changed, by any alignment, and the events that explain it", async ({
	page,
}) => {
	watch(page);
	await open(page, "trace=bursts-of-buffers.slabtrace&tab=compare");
	await drop(page, "after.slabtrace", readFileSync(OTHER));
	const view = page.getByRole("region", { name: "Two traces", exact: true });
	await expect(view.getByRole("heading", { name: "after.slabtrace" })).toBeVisible();
	await idle(page);
	const caches = view.getByRole("region", { name: "Caches", exact: true });
	await expect(caches).toContainText(/appeared.*vanished/);
	await expect(caches.getByRole("row", { name: /appeared/ }).first()).toContainText("first use");
	const sites = view.getByRole("region", { name: "Call sites", exact: true });
	await sites.getByRole("button", { name: "A", exact: true }).click();
	await expect(sites.getByRole("columnheader", { name: /^A/ })).toHaveAttribute(
		"aria-sort",
		"descending",
	);
	await expect(sites.getByRole("row", { name: /first use/ }).first()).toBeVisible();
	await expect(view.getByRole("img", { name: /^bytes in slabs of A and B/ })).toBeVisible();
	const align = view.getByRole("combobox", { name: "Align events by" });
	await align.selectOption("event");
	await expect(view).toContainText("Curves, aligned by event number");
	await align.selectOption("time");
	await expect(view.getByRole("alert")).toContainText(/has no times: align by event or by share/);
	await align.selectOption("share");
	expect(await faults(page, "all", "[aria-label='Two traces']")).toEqual([]);
	const link = caches.getByRole("button", { name: /^Open B at event/ }).first();
	const wanted = Number(/event (\d+)/.exec((await link.getAttribute("aria-label")) ?? "")?.[1]);
	await link.click();
	await idle(page);
	await expect(page.getByRole("region", { name: "Stage", exact: true })).toBeVisible();
	expect(await event(page)).toBe(wanted);
	await expect(page).toHaveURL(/against=bursts-of-buffers/);
});
