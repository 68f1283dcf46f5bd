/**
 * `test` with one page for all tests of a worker, for files that leave nothing behind but storage, listeners and the
 * size of the window. Playwright's own reset between tests takes a third of a second of processor time, because it
 * ends the page's process. Tests that add scripts, permissions or pages keep Playwright's own `test`.
 */
import { test as base, type CDPSession, type Page } from "@playwright/test";

export { expect, type Locator, type Page } from "@playwright/test";

type Shared = { readonly page: Page; readonly cdp: CDPSession };

const EVENTS = ["pageerror", "console", "request", "response", "download", "dialog"] as const;

export const test = base.extend<object, { shared: Shared }>({
	shared: [
		async ({ browser }, use, { project }) => {
			const { baseURL, viewport, serviceWorkers } = project.use;
			const context = await browser.newContext({ baseURL, viewport, serviceWorkers });
			const page = await context.newPage();
			await use({ page, cdp: await context.newCDPSession(page) });
			await context.close();
		},
		{ scope: "worker" },
	],
	context: async ({ shared }, use) => use(shared.page.context()),
	page: async ({ shared: { page, cdp }, baseURL, viewport }, use) => {
		// A small file from the same origin: the previous page ends, its process stays, and whatever it writes at the end
		// is cleared too.
		await page.goto("./favicon.svg");
		await cdp.send("Storage.clearDataForOrigin", {
			origin: new URL(baseURL ?? "").origin,
			storageTypes: "local_storage,indexeddb,cache_storage,file_systems",
		});
		if (viewport) await page.setViewportSize(viewport);
		await page.emulateMedia({
			media: null,
			colorScheme: null,
			contrast: null,
			forcedColors: null,
			reducedMotion: null,
		});
		await page.mouse.move(0, 0);
		await use(page);
		await page.unrouteAll();
		for (const name of EVENTS) page.removeAllListeners(name);
	},
});
