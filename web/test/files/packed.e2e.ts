/**
 * Tests the visitor's own packed traces: large ones are read whole, and small ones that unpack to a great
 * deal stay within limits.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { button, idle, importReport, open, variant, watch } from "../support/page.ts";

const LESSON = "one-slab-after-another.slabtrace";
const hasZstd = !spawnSync("zstd", ["--version"]).error;

let folder = "";
test.beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "slabscope-packed-"));
});
test.afterAll(() => rmSync(folder, { recursive: true }));
test.beforeEach(({ page }) => watch(page));

function zstd(input: Buffer, ...options: string[]): Buffer {
	return execFileSync("zstd", ["-q", "-c", ...options], { input, maxBuffer: 1 << 28 });
}

/** Writes lines with this many objects, each between comments that barely shrink when they are packed. */
function recording(objects: number, commentBytes: number): Buffer {
	let x = 1;
	const noise = Buffer.alloc((commentBytes * 3) >> 2);
	const comment = () => {
		for (let i = 0; i < noise.length; i++) {
			x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
			noise[i] = x >>> 24;
		}
		return `# ${noise.toString("base64")}\n`;
	};
	const lines = Array.from(
		{ length: objects },
		(_, i) => `${comment()}a ${i} c cpu=0\n${i % 3 === 0 ? `f ${i} cpu=0\n` : ""}`,
	);
	return Buffer.from(`slabtrace 1\ncache c size=64\n${lines.join("")}`);
}

async function openFile(page: Page, name: string, bytes: Buffer): Promise<void> {
	const path = join(folder, name);
	writeFileSync(path, bytes);
	await page.getByLabel("Trace file").setInputFiles(path);
}

async function eventsOf(page: Page, name: string): Promise<string> {
	const report = await importReport(page);
	// However long a gigabyte takes: the test as a whole has a limit.
	await expect(report).toContainText(`${name}, from your disk`, { timeout: 0 });
	await idle(page);
	await expect(page.getByRole("alert")).toBeEmpty();
	return (await report.locator("dt:text-is('events') + dd").textContent()) ?? "";
}

test(
	"a .zst or .gz of many megabytes has all the events of the unpacked file",
	variant(true),
	async ({ page }) => {
		test.skip(!hasZstd, "there is no zstd");
		test.slow();
		const text = recording(23_000, 1024);
		const halves = [text.subarray(0, 9 << 20), text.subarray(9 << 20)] as const;
		await open(page, `trace=${LESSON}&op=5`);
		await openFile(page, "plain.slabtrace", text);
		const events = await eventsOf(page, "plain.slabtrace");
		const files = {
			// Read on another thread, whose buffers go back to it: from 16 MiB on.
			"one.zst": zstd(text, "-1"),
			"frames.zst": Buffer.concat([zstd(halves[0], "-1"), zstd(halves[1], "-1", "--no-check")]),
			"long.zst": zstd(text, "-1", "--long=27", `--stream-size=${text.length}`),
			"members.gz": Buffer.concat(halves.map((half) => gzipSync(half, { level: 1 }))),
		};
		for (const [name, bytes] of Object.entries(files)) {
			expect(bytes.length, name).toBeGreaterThan(16 << 20);
			await openFile(page, name, bytes);
			expect(await eventsOf(page, name), name).toBe(events);
		}
	},
);

/** Makes a few kilobytes that unpack to a trace of two events followed by `times` × 32 MiB of comments. */
function bomb(times: number): Buffer {
	const begin = zstd(Buffer.from("slabtrace 1\ncache c size=64\na 1 c cpu=0\nf 1 cpu=0\n"));
	const comments = Buffer.alloc(32 << 20, "# nothing\n");
	return Buffer.concat([begin, ...new Array<Buffer>(times).fill(zstd(comments, "-19"))]);
}

/** Returns the most memory that any of the browser's processes has had, in bytes; 0 if the system does not say. */
async function mostMemory(browser: Browser): Promise<number> {
	const client = await browser.newBrowserCDPSession();
	const { processInfo } = await client.send("SystemInfo.getProcessInfo");
	await client.detach();
	const peaks = processInfo.map(({ id }) => {
		try {
			const status = readFileSync(`/proc/${id}/status`, "utf8");
			return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
		} catch {
			return 0;
		}
	});
	return Math.max(...peaks);
}

test(
	"a small file that unpacks to a gigabyte opens in bounded memory",
	variant(true),
	async ({ page, browser }) => {
		test.skip(!hasZstd, "there is no zstd");
		test.slow();
		await open(page, `trace=${LESSON}&op=5`);
		const before = await mostMemory(browser);
		const file = bomb(32);
		expect(file.length).toBeLessThan(200_000);
		await openFile(page, "bomb.zst", file);
		await expect(page.getByText(/Reading .* of .*/)).toBeVisible();
		expect(await eventsOf(page, "bomb.zst")).toBe("2");
		expect((await mostMemory(browser)) - before).toBeLessThan(300 << 20);
	},
);

test(
	"a small file that never stops unpacking can be cancelled",
	variant(true),
	async ({ page }) => {
		test.skip(!hasZstd, "there is no zstd");
		await open(page, `trace=${LESSON}&op=5`);
		await openFile(page, "bomb.zst", bomb(2000));
		await expect(page.getByText(/Reading .* of .*/)).toBeVisible();
		await button(page, "Cancel").click();
		await expect(page.getByText(/Reading/)).toBeHidden();
		await idle(page);
		await expect(page.getByRole("alert")).toBeEmpty();
	},
);

test("a window that is too large is refused with its size and a way out", async ({ page }) => {
	await open(page, `trace=${LESSON}&op=5`);
	await openFile(page, "window.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]));
	const alert = page.getByRole("alert");
	await expect(alert).toContainText("needs a window of 2048 MiB");
	await expect(alert).toContainText("zstd -d --long=31");
	await expect(alert).toContainText("is still open");
});
