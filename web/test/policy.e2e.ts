/** What the page may do, held against what it does: no view asks another server for anything or breaks the policy. */
import { expect, test } from "@playwright/test";
import { button, idle, open, watch } from "./page.ts";

test("no view asks another server or breaks the policy", async ({ page, baseURL }) => {
	watch(page);
	const foreign: string[] = [];
	const broken: string[] = [];
	await page.exposeFunction("brokenBy", (what: string) => broken.push(what));
	await page.addInitScript(() => {
		const tell = (window as unknown as { brokenBy: (what: string) => void }).brokenBy;
		document.addEventListener("securitypolicyviolation", (e) =>
			tell(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`),
		);
	});
	page.on("request", (request) => {
		const url = request.url();
		if (!url.startsWith(baseURL ?? "") && !url.startsWith("blob:")) foreign.push(url);
	});
	await open(page, "op=17600");
	for (const tab of await page.getByRole("tab").all()) {
		await tab.click();
		await idle(page);
		await button(page, "Export").click();
		const picture = page.getByRole("region", { name: "Pictures" }).getByText("PNG").first();
		if (await picture.isVisible()) {
			const coming = page.waitForEvent("download");
			await picture.click();
			await coming;
		}
		await page.keyboard.press("Escape");
	}
	await button(page, "Keys").click();
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+Shift+P");
	await page.keyboard.press("Escape");
	expect({ foreign, broken }).toEqual({ foreign: [], broken: [] });
});

test("what the policy forbids does not run", async ({ page }) => {
	await open(page, "op=5");
	const content = page.locator('meta[http-equiv="Content-Security-Policy"]');
	await expect(content).toHaveAttribute(
		"content",
		/^default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; /,
	);
	const ran = await page.evaluate(async () => {
		const script = document.createElement("script");
		script.textContent = "window.ran = true";
		document.body.append(script);
		const asked = await fetch("https://example.org/").then(
			() => "answered",
			() => "refused",
		);
		return { script: "ran" in window, asked };
	});
	expect(ran).toEqual({ script: false, asked: "refused" });
});
