/** Tests Reality, the model against a real kernel's run, with its states dropped together with the trace. */
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import {
	address,
	button,
	dropAll,
	faults,
	idle,
	open,
	openSheet,
	sheet,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

/** Five caches of a Linux 6.1 machine with 8 CPUs. */
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

const strip = (page: Page) => page.getByRole("img", { name: /^Agreement with the kernel/ });
const sentence = (page: Page) => page.locator("[data-part=agreement]");

test("dropping a trace with its states checks the run, and the stage starts from the state", async ({
	page,
}) => {
	watch(page);
	await open(page, "trace=two-nodes.slabtrace");
	await dropAll(page, [TRACE, START, STOP]);
	await expect(strip(page)).toHaveAccessibleName(
		"Agreement with the kernel: 100.000 % of all allocations got the recorded slab and index.",
	);
	await idle(page);
	await expect(sentence(page)).toContainText(
		"100.000 % of 1,687 allocations got the recorded slab and index",
	);
	expect(await faults(page, "all", "[data-part=timeline]")).toEqual([]);
	expect(await address(page)).toContain("start=compile-8cpus.start.state.gz");
	await sentence(page).getByRole("button", { name: "Limits of the model" }).click();
	await expect(page.getByRole("dialog", { name: "Limits of the model" })).toBeVisible();
	await page.keyboard.press("Escape");
	// The switch of the machine sheet has the other starts.
	await openSheet(page, "Machine");
	const machine = sheet(page, "Machine");
	await expect(machine).toContainText("Start from kernel state: ");
	await machine.getByRole("button", { name: "Start empty" }).click();
	await expect(machine).toContainText("Start from empty");
	expect(await address(page)).toMatch(/cold=1(?!.*start=)/);
	await button(page, "Start from the state in compile-8cpus.start.state.gz").click();
	await expect(machine).toContainText("Start from kernel state");
	expect(await address(page)).not.toContain("cold=1");
	await page.keyboard.press("Escape");
	// The stage cannot start from a SLAB state; the check can.
	await dropAll(page, [
		["slab.trace", SLAB_TRACE.join("")],
		["slab.start.state", SLAB_START],
	]);
	await expect(sentence(page)).toContainText("100.000 % of 2 allocations");
	await openSheet(page, "Machine");
	await expect(machine).toContainText("slab.start.state does not name every object");
	await expect(page.locator("body")).not.toContainText("no replay can start");
	expect(await address(page)).not.toContain("start=");
});

test(
	"with another start state, the strip and its sentence say how much differs",
	variant(true),
	async ({ page }) => {
		watch(page);
		await open(page, "trace=two-nodes.slabtrace");
		// The same objects are free, but the lists are in another order.
		const text = gunzipSync(START[1])
			.toString()
			.replace(
				/ (free|partial)=(\S+)/g,
				(_, key, list) => ` ${key}=${list.split(",").reverse().join(",")}`,
			);
		await dropAll(page, [TRACE, ["turned.start.state.gz", gzipSync(text)]]);
		await expect(strip(page)).toHaveAccessibleName(/ parts of the run do not fully agree\.$/);
		await expect(sentence(page)).toContainText(/^ ?\d?\d\.\d{3} % of 1,687 allocations/);
		// Another machine is checked too.
		await openSheet(page, "Machine");
		await sheet(page, "Machine").getByRole("button", { name: "Start from the slabs" }).click();
		await idle(page);
		await expect(sentence(page)).toContainText(" of 1,687 allocations");
	},
);
