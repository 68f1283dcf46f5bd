/** Tests flipped bits in what the browser keeps: the trace opens as it was, or is reported as damaged. */
import { expect, type Page, test } from "@playwright/test";
import { drop, idle, importReport, listOf, open, variant } from "../support/page.ts";

const LESSON = "one-slab-after-another.slabtrace";
const TEXT = `slabtrace 1\ncache c size=64\n${Array.from(
	{ length: 21_000 },
	(_, i) => `a ${i} c cpu=0\n${i % 4 === 0 ? `f ${i} cpu=0\n` : ""}`,
).join("")}`;

/** Flips a bit in the middle of each file with that extension. */
async function damage(page: Page, ending: string): Promise<void> {
	const files = await page.evaluate(async (wanted) => {
		const root = await navigator.storage.getDirectory();
		const folder = await root.getDirectoryHandle("recent");
		let nr = 0;
		for await (const [name, handle] of folder.entries()) {
			if (!name.endsWith(wanted) || !(handle instanceof FileSystemFileHandle)) continue;
			const file = await handle.getFile();
			const at = file.size >> 1;
			const byte = new Uint8Array(await file.slice(at, at + 1).arrayBuffer());
			const writable = await handle.createWritable({ keepExistingData: true });
			await writable.write({ type: "write", position: at, data: byte.map((b) => b ^ 4) });
			await writable.close();
			nr++;
		}
		return nr;
	}, ending);
	expect(files).toBe(1);
}

const picker = (page: Page) => listOf(page, "Trace");
const events = async (page: Page) =>
	(await importReport(page)).locator("dt:text-is('events') + dd").textContent();

async function openKept(page: Page): Promise<void> {
	await open(page, `trace=${LESSON}&op=5`);
	await (await picker(page)).selectOption({ label: "mine.slabtrace" });
	await idle(page);
}

test("a damaged copy is reported, and the file replaces it", variant(true), async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await drop(page, "mine.slabtrace", TEXT);
	await expect((await picker(page)).locator("optgroup[label=Recent]")).toContainText(
		"mine.slabtrace",
	);
	await idle(page);
	const before = await events(page);
	const alert = page.getByRole("alert");

	await openKept(page);
	await expect(alert).toBeEmpty();
	expect(await events(page)).toBe(before);

	await damage(page, ".gz");
	await openKept(page);
	await expect(alert).toContainText("The copy of mine.slabtrace in this browser is damaged");
	await expect(alert).toContainText("Open the file itself again");
	await drop(page, "mine.slabtrace", TEXT);
	await idle(page);
	await expect(alert).toBeEmpty();
	expect(await events(page)).toBe(before);
});
