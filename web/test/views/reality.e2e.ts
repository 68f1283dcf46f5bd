/** Reality: the model against a real kernel's run, whose states are dropped with the trace. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { dropAll, event, faults, idle, open, variant, watch } from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

/** Five caches of a Linux 6.1 on 8 CPUs. */
const file = (kind: string) =>
	[
		`compile-8cpus.${kind}.gz`,
		readFileSync(new URL(`../../../core/test/reality/compile-8cpus.${kind}.gz`, import.meta.url)),
	] as const;
const [TRACE, START, STOP] = [file("trace"), file("start.state"), file("stop.state")];

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
	expect(await faults(page, "all", "[aria-label='Reality']")).toEqual([]);
});

test(
	"another start state: divergences are described from both sides, and lead to the stage",
	variant(true),
	async ({ page }) => {
		watch(page);
		await open(page, "trace=two-nodes.slabtrace&tab=compare&compare=reality");
		await expect(view(page)).toContainText("needs the state that the kernel’s slabs had");
		const wrong = STOP[1];
		const { gunzipSync, gzipSync } = await import("node:zlib");
		const text = gunzipSync(wrong)
			.toString()
			.replace(/^V (\d+) stop/m, "V $1 start");
		await dropAll(page, [TRACE, ["late.start.state.gz", gzipSync(text)]]);
		await expect(result(page)).toContainText("of 1,687 allocations");
		await expect(result(page)).toContainText("need the stop state too");
		const card = view(page).getByRole("region", { name: "Divergence" });
		const first = await card.getByRole("heading").textContent();
		await expect(card).toContainText(/object \d+ of slab 0xffff888/);
		await card.getByRole("button", { name: "Next divergence" }).click();
		await expect(card.getByRole("heading")).not.toHaveText(first ?? "");
		await card.getByRole("button", { name: "First divergence" }).click();
		await expect(card.getByRole("heading")).toHaveText(first ?? "");
		const wanted = Number(/event ([\d,]+)/.exec(first ?? "")?.[1]?.replaceAll(",", ""));
		await card.getByRole("button", { name: /of the kernel on the stage/ }).click();
		await idle(page);
		expect(await event(page)).toBe(wanted);
	},
);
