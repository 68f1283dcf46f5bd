/** Tests the limits of a view: at most two thousand SVG nodes, and as many elements in total, whatever is opened. */

import {
	closeSheet,
	drop,
	idle,
	open,
	openSheet,
	openSlabinfo,
	variant,
	watch,
} from "../support/page.ts";
import { expect, test } from "../support/shared.ts";

/** Each view, and each of its parts. */
const VIEWS = [
	["Explore"],
	["Compare", "Compare"],
	["Compare", "Sweep"],
	["Learn", "Lessons"],
	["Learn", "Proposals"],
	["Labs", "Order lab"],
	["Labs", "Playground"],
] as const;
const NODES_MOST = 2000;

/** Many CPUs, nodes, caches, slabs, and one event with very many steps. */
function large(): string {
	const lines = ["slabtrace 1", "machine cpus=64 nodes=8"];
	for (let c = 0; c < 60; c++) lines.push(`cache c${c} size=${64 + c * 64} name=cache-${c}`);
	for (let i = 0; i < 30_000; i++) lines.push(`a ${i} c${i % 60} cpu=${i % 64}`);
	for (let i = 0; i < 30_000; i += 2) lines.push(`f ${i} cpu=${(i * 7) % 64}`);
	return `${lines.join("\n")}\n`;
}

test(
	"no view has more than two thousand nodes, in its SVG or in total",
	variant(true),
	async ({ page }) => {
		watch(page);
		await open(page, "op=5");
		await drop(page, "large.slabtrace", large());
		await page.getByText("large.slabtrace, from your disk").waitFor();
		await page.getByRole("button", { name: "Last event" }).click();
		await closeSheet(page);
		const count = async (name: string) => {
			await idle(page);
			const nr = await page.evaluate(() => ({
				svg: document.querySelectorAll("svg, svg *").length,
				all: document.querySelectorAll("body *").length,
			}));
			expect.soft(nr.svg, `SVG nodes in ${name}`).toBeLessThanOrEqual(NODES_MOST);
			expect.soft(nr.all, `elements in ${name}`).toBeLessThanOrEqual(NODES_MOST);
		};
		for (const [name, part] of VIEWS) {
			await page.getByRole("tab", { name, exact: true }).click();
			const view = page.getByRole("tabpanel", { name, exact: true });
			if (part) await view.getByRole("button", { name: part, exact: true }).click();
			await expect(view.getByRole("region").or(view.getByRole("table")).first()).toBeVisible();
			await count(`${name} ${part ?? ""}`);
		}
		for (const name of ["Trace", "Cache", "Machine", "More"] as const) {
			await openSheet(page, name);
			await count(`the sheet ${name}`);
		}
		await openSlabinfo(page);
		await count("the table of caches");
	},
);
