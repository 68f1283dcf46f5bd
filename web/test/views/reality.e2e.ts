/** Reality: the model against a real kernel's run, whose states are dropped with the trace. */
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import {
	address,
	button,
	dropAll,
	event,
	faults,
	idle,
	open,
	openSheet,
	sheet,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

/** Five caches of a Linux 6.1 on 8 CPUs. */
const file = (kind: string) =>
	[
		`compile-8cpus.${kind}.gz`,
		readFileSync(new URL(`../../../core/test/reality/compile-8cpus.${kind}.gz`, import.meta.url)),
	] as const;
const [TRACE, START, STOP] = [file("trace"), file("start.state"), file("stop.state")];

/** A cache of SLAB with two slabs, and three frees, which two allocations take back. */
const SLAB_TRACE = [
	...["ffff888100002400", "ffff888100002800", "ffff888100001000"].map(
		(ptr) => `kmem_cache_free: call_site=f+0x1/0x2 ptr=${ptr} name=thing`,
	),
	...["ffff888100001000", "ffff888100002800"].map(
		(ptr) =>
			`kmem_cache_alloc: call_site=f+0x1/0x2 ptr=${ptr} bytes_req=1024 bytes_alloc=1024 ` +
			"gfp_flags=GFP_KERNEL node=-1 accounted=false name=thing",
	),
].map((words, i) => `cat-1 [000] ..... ${i}.000001: ${words}\n`);
const SLAB_START = `V 1 start
C thing size=1024 object_size=1024 order=0 num=4 limit=4 batchcount=2 shared=0
T thing allochit=0 allocmiss=0 freehit=0 freemiss=0 grown=2
P thing 0 avail=1 limit=4 batchcount=2 touched=1 entries=ffff888100001800
N thing 0 free_limit=8 free_touched=0 shared_limit=-1 alien= partial=ffff888100001000 empty=
L thing ffff888100001000 nid=0 order=0 objects=4 inuse=3
L thing ffff888100002000 nid=0 order=0 objects=4 inuse=4
E complete
`;

const view = (page: Page) => page.getByRole("region", { name: "Reality", exact: true });
const result = (page: Page) => view(page).getByRole("region", { name: "Result of the check" });

test("a trace and its states are dropped: every allocation agrees, and the wrong models do not", async ({
	page,
}) => {
	watch(page);
	await open(page, "trace=two-nodes.slabtrace");
	await dropAll(page, [TRACE, START, STOP]);
	await expect(result(page)).toContainText("100.000 % of 1,687 allocations");
	await idle(page);
	await expect(result(page)).toContainText(/Stop lists, slab for slab(\d+) of \1/);
	const controls = view(page).getByRole("region", { name: "Negative controls" });
	await expect(controls).toContainText("All of them agree less often than the model.");
	await expect(controls.getByRole("row", { name: /cpu_partial_slabs \+ 1/ })).toContainText(
		/\d\.\d{3} %/,
	);
	await expect(view(page).getByRole("img", { name: /agree in full/ })).toBeVisible();
	await expect(
		page.getByRole("img", { name: /^Agreement with the kernel: 100.000 % of all allocations/ }),
	).toBeVisible();
	// The run is checked again, and nothing has to move.
	await view(page).getByRole("checkbox", { name: "Infer the order of events" }).check();
	await expect(result(page)).toContainText("In recorded order: 100.000 %. No event had to move.");
	expect(await faults(page, "all", "[aria-label='Reality']")).toEqual([]);
	await expect(view(page)).toContainText("On the stage: Start from kernel state: ");
	expect(await address(page)).toContain("start=compile-8cpus.start.state.gz");
	// The switch of the machine sheet has the other starts.
	await openSheet(page, "Machine");
	const machine = sheet(page, "Machine");
	await machine.getByRole("button", { name: "Begin empty" }).click();
	await expect(machine).toContainText("Start from empty");
	expect(await address(page)).toMatch(/cold=1(?!.*start=)/);
	await button(page, "Begin with the state in compile-8cpus.start.state.gz").click();
	await expect(machine).toContainText("Start from kernel state");
	expect(await address(page)).not.toContain("cold=1");
	// The stage cannot begin with a state of SLAB; the check can.
	await dropAll(page, [
		["slab.trace", SLAB_TRACE.join("")],
		["slab.start.state", SLAB_START],
	]);
	await expect(result(page)).toContainText("100.000 % of 2 allocations");
	await expect(view(page)).toContainText("The state is of SLAB and does not name every object");
	await expect(controls.getByRole("row", { name: /batchcount \+ 1/ })).toBeVisible();
	await expect(page.locator("body")).not.toContainText("no replay can begin");
	expect(await address(page)).not.toContain("start=");
});

test(
	"another start state: divergences are described from both sides, and lead to the stage",
	variant(true),
	async ({ page }) => {
		watch(page);
		await open(page, "trace=two-nodes.slabtrace&tab=compare&compare=reality");
		await expect(view(page)).toContainText("needs the state that the kernel’s slabs had");
		// The same objects are free, but the lists have another order.
		const text = gunzipSync(START[1])
			.toString()
			.replace(
				/ (free|partial)=(\S+)/g,
				(_, key, list) => ` ${key}=${list.split(",").reverse().join(",")}`,
			);
		await dropAll(page, [TRACE, ["turned.start.state.gz", gzipSync(text)]]);
		await expect(result(page)).toContainText("of 1,687 allocations");
		await expect(result(page)).toContainText("need the stop state too");
		const card = view(page).getByRole("region", { name: "Divergence" });
		const first = await card.getByRole("heading").textContent();
		await expect(
			page.getByRole("img", { name: /^Agreement with the kernel/ }),
		).toHaveAccessibleName(/ parts of the run do not agree in full\.$/);
		await expect(card).toContainText(/object \d+ of slab 0xffff888/);
		await card.getByRole("button", { name: "Next divergence" }).click();
		await expect(card.getByRole("heading")).not.toHaveText(first ?? "");
		await card.getByRole("button", { name: "First divergence" }).click();
		await expect(card.getByRole("heading")).toHaveText(first ?? "");
		const wanted = Number(/event ([\d,]+)/.exec(first ?? "")?.[1]?.replaceAll(",", ""));
		// A check that is cancelled leaves a button for the next one.
		await view(page).getByRole("checkbox", { name: "Infer the order of events" }).check();
		await button(page, "Cancel").click();
		await button(page, "Check the run").click();
		await expect(result(page)).toContainText("In recorded order");
		await card.getByRole("button", { name: "First divergence" }).click();
		// The stage begins with the state again, whatever it began with before.
		await openSheet(page, "Machine");
		await sheet(page, "Machine").getByRole("button", { name: "Begin with the slabs" }).click();
		await expect(view(page)).toContainText("The replay on the stage does not begin with it.");
		await page.keyboard.press("Escape");
		await card.getByRole("button", { name: /of the kernel on the stage/ }).click();
		await idle(page);
		expect(await event(page)).toBe(wanted);
		expect(await address(page)).toContain("start=turned.start.state.gz");
	},
);

test("the order of events is inferred: the event whose line came late is listed, and leads to the stage", {
	tag: "@long",
}, async ({ page }) => {
	watch(page);
	const lines = gunzipSync(TRACE[1]).toString().trim().split("\n");
	const head = lines.findIndex((line) => !line.startsWith("#"));
	const [from, to] = [head + 2936, head + 2975];
	const time = (line = "") => / \d+\.\d+: /.exec(line)?.[0] ?? "";
	const [late = ""] = lines.splice(from, 1);
	lines.splice(to, 0, late.replace(time(late), time(lines[to - 1])));
	await open(page, "trace=two-nodes.slabtrace");
	await dropAll(page, [["late.txt", `${lines.join("\n")}\n`], START]);
	await expect(result(page)).toContainText("of 1,687 allocations");
	await view(page).getByRole("checkbox", { name: "Infer the order of events" }).check();
	await expect(result(page)).toContainText(/100\.000 % .* 1 event of [\d,]+ moved\./);
	const row = view(page)
		.getByRole("region", { name: "Moved events", exact: true })
		.getByRole("row", { name: /pid/ });
	await expect(row).toContainText("before event");
	const link = row.getByRole("button");
	const wanted = Number((await link.textContent())?.replaceAll(",", ""));
	await link.click();
	await idle(page);
	expect(await event(page)).toBe(wanted);
});
