/** Tests the close-up of an object: its bytes as they are in memory, and any that were overwritten. */

import { drop, faults, idle, open, reload, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

/** Slots of 176 bytes: red zone 8, object 100, red zone 4, free pointer 8, tracks 48, padding 8. */
const DEBUGGED = `slabtrace 1
machine cpus=2 max_order=0
cache c0 size=100 name=watched flags=red_zone,poison,store_user,sanity_checks
a 1 c0 cpu=0
a 2 c0 cpu=0
corrupt write 1 at=99 len=3 value=0x42 cpu=0
f 2 cpu=0
corrupt write 2 at=16 len=2 value=0x43 cpu=1
`;

/** Returns the text that describes the objects in close-up. */
function twin(page: Page, object: number) {
	return page
		.getByRole("table", { name: "Objects in close-up" })
		.getByRole("row", { name: new RegExp(`^object ${object} of slab 0`) });
}

/** Opens the page after a given number of events, with an object of the first slab selected and in close-up. */
async function near(page: Page, events: number, object: number): Promise<void> {
	await page.evaluate((index) => {
		const url = new URL(location.href);
		url.searchParams.delete("zoom");
		url.searchParams.set("sel", `0.${index}`);
		history.replaceState(null, "", url);
	}, object);
	await reload(page);
	await idle(page);
	await page.keyboard.press("Home");
	await idle(page);
	for (let i = 1; i < events; i++) {
		await page.keyboard.press("ArrowRight");
		await idle(page);
	}
	await page.keyboard.press("f");
	await idle(page);
	const nearer = async () => {
		await page.keyboard.press("w");
		await idle(page);
	};
	for (let i = 0; i < 12 && (await twin(page, object).count()) === 0; i++) await nearer();
	// The bytes fade in as the view gets closer.
	await nearer();
}

/** Counts the canvas's pixels that have the colour of a fault. */
function dangerPixels(page: Page): Promise<number> {
	return page.locator("[data-part=stage] canvas").evaluate((element) => {
		const canvas = element as HTMLCanvasElement;
		const hex = getComputedStyle(canvas).getPropertyValue("--danger").trim();
		const wanted = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
		const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
			data: [],
		};
		let count = 0;
		for (let i = 0; i < data.length; i += 4)
			if (wanted.every((value, channel) => data[i + channel] === value)) count++;
		return count;
	});
}

test(
	"bytes that were overwritten are shown as written, and marked",
	variant(true),
	async ({ page }) => {
		watch(page);
		await open(page, "op=1&by=event");
		await drop(page, "damaged.slabtrace", DEBUGGED);
		await page.getByText("damaged.slabtrace, from your disk").waitFor();
		await idle(page);

		await near(page, 2, 0);
		await expect(twin(page, 0)).toContainText("allocated by CPU 0");
		await expect(twin(page, 0)).not.toContainText("overwritten");
		expect(await dangerPixels(page)).toBe(0);

		// Byte 99 belongs to the owner, 100 and 101 to the red zone.
		await near(page, 3, 0);
		await expect(twin(page, 0)).toContainText("bytes 108 to 109 overwritten: hold 42, expected cc");
		expect(await dangerPixels(page)).toBeGreaterThan(50);

		await near(page, 5, 1);
		await expect(twin(page, 1)).toContainText("bytes 24 to 25 overwritten: hold 43, expected 6b");
		expect(await dangerPixels(page)).toBeGreaterThan(50);
		expect(await faults(page)).toEqual([]);
	},
);
