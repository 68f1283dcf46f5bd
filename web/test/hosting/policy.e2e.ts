/** Checks the Content-Security-Policy against what the page does: no view asks another server for anything or breaks the policy. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { serve } from "../support/host.ts";
import { idle, more, open, variant, watch } from "../support/page.ts";

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
		await more(page, "Export");
		const picture = page.getByRole("region", { name: "Pictures" }).getByText("PNG").first();
		if (await picture.isVisible()) {
			const coming = page.waitForEvent("download");
			await picture.click();
			await coming;
		}
		await page.keyboard.press("Escape");
	}
	await more(page, "Keys");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+Shift+P");
	await page.keyboard.press("Escape");
	expect({ foreign, broken }).toEqual({ foreign: [], broken: [] });
});

test("nothing that the policy forbids runs", async ({ page }) => {
	await open(page, "op=5");
	const content = page.locator('meta[http-equiv="Content-Security-Policy"]');
	await expect(content).toHaveAttribute(
		"content",
		/^default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-[\w+/=]+'; worker-src 'self' blob:; style-src 'self' 'sha256-[\w+/=]+'; /,
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

/** A server that anybody may ask, and the paths that were requested. */
async function openServer() {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? "");
		response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("{}");
	});
	await new Promise<void>((ready) => server.listen(0, "localhost", ready));
	const { port } = server.address() as AddressInfo;
	return { asked, url: `http://localhost:${port}/`, close: () => server.close() };
}

test(
	"the policy covers the worker on a host that sends no headers",
	variant(true),
	async ({ page }) => {
		const host = await serve(fileURLToPath(new URL("../../dist", import.meta.url)), "/slabscope/");
		const other = await openServer();
		try {
			await page.goto(`${host.url}?trace=two-nodes.slabtrace&op=5`);
			await idle(page);
			expect(page.workers().length).toBeGreaterThan(0);
			for (const worker of page.workers()) {
				const ask = (url: string) =>
					worker.evaluate(
						(address) =>
							fetch(address).then(
								() => "answered",
								() => "refused",
							),
						url,
					);
				expect(await ask(`${host.url}favicon.svg`)).toBe("answered");
				expect(await ask(other.url)).toBe("refused");
			}
			expect(other.asked).toEqual([]);
		} finally {
			other.close();
			await host.close();
		}
	},
);
