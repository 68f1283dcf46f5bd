/** Tests traces from web addresses: from this server at once, from another one only after the visitor has allowed it. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { button, idle } from "../support/page.ts";

const TRACE = readFileSync(new URL("../../../traces/two-nodes.slabtrace", import.meta.url));

/** Another server: it allows other pages to read /open.slabtrace, and nothing else. */
async function otherServer() {
	const asked: { path: string; cookie: string; referer: string }[] = [];
	const server = createServer(({ url = "", headers }, response) => {
		asked.push({ path: url, cookie: headers.cookie ?? "", referer: headers.referer ?? "" });
		if (url === "/open.slabtrace") response.setHeader("Access-Control-Allow-Origin", "*");
		response.end(TRACE);
	});
	await new Promise<void>((ready) => server.listen(0, "localhost", ready));
	const { port } = server.address() as AddressInfo;
	return { asked, url: `http://localhost:${port}`, close: () => server.close() };
}

test("a link opens a trace from its own server, from another one after consent, and says why it cannot", async ({
	page,
}) => {
	const other = await otherServer();
	const dialog = page.getByRole("dialog", { name: "Open a web address" });
	const opened = page.getByRole("button", { name: /open\.slabtrace/ }).first();
	try {
		// Its own server: a path, at the event of the link.
		await page.goto("./?url=traces%2Ftwo-nodes.slabtrace&event=33");
		await idle(page);
		await expect(page).toHaveURL(/local%3Atwo-nodes\.slabtrace.*url=.*event=33/);
		await expect(dialog).toHaveCount(0);

		// Another server: nothing is requested before the visitor allows it.
		await page.goto(`./?url=${encodeURIComponent(`${other.url}/open.slabtrace`)}&event=40`);
		await expect(dialog).toContainText(`${other.url}/open.slabtrace`);
		await idle(page);
		expect(other.asked).toEqual([]);
		await dialog.getByRole("button", { name: /^Fetch it from/ }).click();
		await expect(dialog).toHaveCount(0);
		await idle(page);
		await expect(opened).toBeVisible();
		await expect(page).toHaveURL(/local%3Aopen\.slabtrace.*url=http.*event=40/);
		expect(other.asked).toEqual([{ path: "/open.slabtrace", cookie: "", referer: "" }]);
		// The page itself still may not ask anybody.
		const direct = await page.evaluate(
			(url) =>
				fetch(url).then(
					() => "answered",
					() => "refused",
				),
			`${other.url}/open.slabtrace`,
		);
		expect(direct).toBe("refused");

		// A server that does not allow it: a sentence, and a way around it.
		await page.goto(`./?url=${encodeURIComponent(`${other.url}/closed.slabtrace`)}`);
		await dialog.getByRole("button", { name: /^Fetch it from/ }).click();
		await expect(dialog.getByRole("status")).toContainText("CORS");
		await expect(dialog.getByRole("link", { name: /Download it instead/ })).toHaveAttribute(
			"href",
			`${other.url}/closed.slabtrace`,
		);
		await page.keyboard.press("Escape");
		await expect(dialog).toHaveCount(0);

		// No other kind of address is fetched.
		await page.goto("./?url=javascript%3Aalert(1)");
		await idle(page);
		await expect(page.getByRole("alert")).toContainText("not an http or https address");
		await button(page, "Dismiss").first().click();
	} finally {
		other.close();
	}
});

/** A server whose answer never ends; it sends as fast as it is read. */
async function endlessServer() {
	const piece = Buffer.alloc(1 << 20, "# nothing\n");
	const did = { sent: 0, isClosed: false };
	const server = createServer(({ url = "" }, response) => {
		const head = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*" };
		response.writeHead(200, url === "/long" ? { ...head, "Content-Length": 2 ** 40 } : head);
		const send = () => {
			do did.sent += piece.length;
			while (response.write(piece));
		};
		response.on("drain", send).on("close", () => {
			did.isClosed = true;
		});
		send();
	});
	await new Promise<void>((ready) => server.listen(0, "localhost", ready));
	const { port } = server.address() as AddressInfo;
	return { did, url: `http://localhost:${port}`, close: () => server.closeAllConnections() };
}

test("a server that never stops, or announces too much, is cut off with a sentence", async ({
	page,
}) => {
	// A browser with little memory: half a gibibyte is enough for the test.
	await page.addInitScript(() => {
		Object.assign(WebAssembly, { Memory: undefined });
	});
	const dialog = page.getByRole("dialog", { name: "Open a web address" });
	for (const [path, most] of [
		["endless", 600 << 20],
		["long", 64 << 20],
	] as const) {
		const other = await endlessServer();
		try {
			await page.goto(`./?url=${encodeURIComponent(`${other.url}/${path}`)}`);
			await dialog.getByRole("button", { name: /^Fetch it from/ }).click();
			await expect(dialog.getByRole("status")).toContainText(
				`${new URL(other.url).host} sends more than 512 MiB, which is too much for this page to hold: download the file and drop it here.`,
			);
			await expect.poll(() => other.did.isClosed).toBe(true);
			expect(other.did.sent).toBeLessThan(most);
		} finally {
			other.close();
		}
	}
});
