/** Tests call sites in the drawer: figures, order, filter, and how a row leads to its event. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { Profile } from "pprof-format";
import { address, button, drop, event, faults, idle, open, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

const SAMPLE = "linux-6.18-fork-and-tcp.ftrace.txt.gz";
const TRACES = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "traces");
const EVENT =
	/^ *(.+?) +\[\d+\].*?: (kmem_cache_alloc|kmalloc|kmem_cache_free|kfree): call_site=(\S+)(?: \[\w+\])? ptr=(\S+)/gm;

test.beforeEach(({ page }) => watch(page));

const number = (text: string) => Number(text.replaceAll(",", ""));
const sum = (texts: readonly string[]) => texts.map(number).reduce((a, b) => a + b, 0);

/** Counts from the trace's text the call site of each event, and what is left at the end. */
function counted() {
	const text = gunzipSync(readFileSync(join(TRACES, SAMPLE))).toString();
	const live = new Set<string>();
	const sites: string[] = [];
	const kinds: string[] = [];
	const tasks = new Set<string>();
	const allocations = new Map<string, number>();
	for (const [, task = "", kind = "", site = "", pointer = ""] of text.matchAll(EVENT)) {
		// Memory that is allocated again without a recorded free: the import inserts the free before it.
		if (live.has(pointer) && !kind.endsWith("free")) {
			sites.push("");
			kinds.push("free");
		}
		sites.push(site);
		kinds.push(kind);
		if (kind.endsWith("free")) live.delete(pointer);
		else {
			live.add(pointer);
			tasks.add(task);
			allocations.set(site, (allocations.get(site) ?? 0) + 1);
		}
	}
	return { live: live.size, sites, kinds, allocations, tasks: tasks.size };
}

test("the figures of call sites add up to the trace's, and lead to their events", async ({
	page,
}) => {
	const { live, sites, allocations, tasks } = counted();
	const most = [...allocations].reduce((a, b) => (b[1] > a[1] ? b : a));
	await open(page, `trace=${SAMPLE}&event=100`);
	await button(page, "Suggestions").click();
	await button(page, "Call sites").click();
	const view = page.getByRole("region", { name: "Call sites", exact: true });
	const rows = view.getByRole("table").locator("tbody tr");
	await expect(rows.first()).toBeVisible();
	const column = async (name: string) => {
		const heads = await view.getByRole("columnheader").allTextContents();
		return rows.locator(`> :nth-child(${heads.indexOf(name) + 1})`).allTextContents();
	};
	expect(live).toBe(258);
	expect(sum(await column("live objects"))).toBe(live);
	// No column is out of sight.
	const table = page.getByRole("region", { name: "Table of call sites" });
	for (const group of ["lifetimes and frees", "memory"]) {
		await view.getByLabel("Columns").selectOption(group);
		expect(await table.evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
	}
	await expect(view.getByRole("figure", { name: "Treemap of live bytes" })).toBeVisible();
	const all = [...allocations.values()].reduce((a, b) => a + b, 0);
	expect(sum(await column("allocations"))).toBe(all);
	await view.getByLabel("Group by").selectOption("task");
	await expect(view.getByRole("status")).toContainText(`${tasks} rows by task:`);
	expect(sum(await column("allocations"))).toBe(all);
	await view.getByLabel("Group by").selectOption("call site");
	await expect(view.getByRole("status")).toContainText("rows by call site:");
	await view.getByRole("button", { name: "allocations", exact: true }).click();
	await expect(view.getByRole("columnheader", { name: "allocations" })).toHaveAttribute(
		"aria-sort",
		"descending",
	);
	const [site, nr] = most;
	await expect(rows.first().getByRole("rowheader")).toHaveText(site);
	expect((await column("allocations")).map(number)).toEqual(
		[...allocations.values()].sort((a, b) => b - a),
	);
	await view.getByLabel("Filter").fill(site);
	await expect(rows).toHaveCount(1);
	expect(number((await column("allocations"))[0] ?? "")).toBe(nr);
	await rows.getByRole("button", { name: site }).click();
	await idle(page);
	expect(await address(page)).toContain("sites.by=site&sites.filter=");
	expect(await event(page)).toBe(sites.indexOf(site, 100) + 1);
	expect(await faults(page, "all", '[data-part="drawer"]')).toEqual([]);
});

test("call sites of a part cover only the events that the timeline shows", async ({ page }) => {
	await open(page, `trace=${SAMPLE}&event=101&answer=sites&range=101-300&sites.colour=age`);
	const view = page.getByRole("region", { name: "Call sites", exact: true });
	const allocations = counted()
		.kinds.slice(100, 300)
		.filter((kind) => !kind.endsWith("free"));
	await expect(view.getByRole("heading")).toHaveText("Call sites of events 101 to 300");
	await expect(view.getByRole("status")).toContainText(`: ${allocations.length} allocations;`);
	const map = view.getByRole("figure", { name: "Treemap of live bytes" });
	await expect(map).toContainText("live since the first event");
	await view.getByLabel("Colour by").selectOption("cache");
	const largest = view.getByRole("table").locator("tbody tr").first();
	await expect(map.locator("figcaption")).toContainText(
		(await largest.locator("td").first().textContent()) ?? "no cache",
	);
	await view.getByRole("button", { name: "Count the whole trace" }).click();
	await expect(view.getByRole("heading")).toHaveText("Call sites of the whole trace");
	expect(await address(page)).not.toContain("range=");
	expect(await faults(page, "all", '[data-part="drawer"]')).toEqual([]);
});

const slabinfo = (objects: number, slabs: number) =>
	`slabinfo - version: 2.1\nkmalloc-512 ${objects} ${slabs * 8} 512 8 1 : tunables 0 0 0 : slabdata ${slabs} ${slabs} 0\n`;

test("a profile has the table's figures, and a machine's growth is shown beside the model's", async ({
	page,
}) => {
	const { allocations } = counted();
	await open(page, `trace=${SAMPLE}&event=100&answer=sites`);
	const coming = page.waitForEvent("download");
	await page.getByRole("button", { name: "Download pprof" }).click();
	const profile = Profile.decode(gunzipSync(readFileSync(await (await coming).path())));
	const bySite = new Map<number, number>();
	for (const { locationId, value } of profile.sample) {
		const site = Number(locationId[0]);
		bySite.set(site, (bySite.get(site) ?? 0) + Number(value[0]));
	}
	expect([...bySite.values()].sort((a, b) => a - b)).toEqual(
		[...allocations.values()].sort((a, b) => a - b),
	);
	await drop(page, "before.txt.gz", gzipSync(slabinfo(40, 5)));
	const start = page.getByRole("checkbox", { name: "Start from the machine's slabs" });
	await start.check();
	await idle(page);
	await button(page, "Compare it with a state from after the trace").click();
	await drop(page, "after.txt", slabinfo(100, 14));
	await expect(start).toBeChecked();
	const growth = page.getByRole("region", { name: "Table of growth" });
	const row = growth.getByRole("row", { name: /^kmalloc-512/ });
	await expect(row).toContainText("60");
	await expect(row).toContainText("9");
	await expect(row).toContainText("The model started with 3 slabs, the machine with 5.");
	expect(await faults(page)).toEqual([]);
});
