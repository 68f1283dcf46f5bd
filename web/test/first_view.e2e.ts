// A first visit: what it fetches, and that what it does without is there as soon as it is asked for.

import { expect, test } from "@playwright/test";

test("the small module shows the recording, and the whole one comes when it is needed", async ({
	page,
}) => {
	// The page asks early for what the worker asks for later: that comes from the cache.
	const modules = new Set<string>();
	page.on("request", (request) => {
		const name = /(kmem[\w-]*?)-[\w-]{8}\.wasm/.exec(request.url())?.[1];
		if (name) modules.add(name);
	});
	await page.goto("./?op=900");
	const status = page.getByRole("status", { name: "Current step" });
	await expect(status).toContainText(/\w/);
	await expect(page.locator("html")).toHaveAttribute("data-idle", "true");
	expect([...modules]).toEqual(["kmem-first"]);

	await page.getByRole("combobox", { name: "Allocator" }).selectOption("slab");
	await expect(page.getByRole("region", { name: "Stage" })).toContainText(
		"8 × 512 bytes in 1 page",
	);
	expect([...modules]).toEqual(["kmem-first", "kmem"]);
	await expect(page).toHaveURL(/op=900/);
});
