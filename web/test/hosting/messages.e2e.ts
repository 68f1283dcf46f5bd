/** Tests messages between Slabscope and the page around it: what an allowed page may do, and what no other page can. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Page, test } from "@playwright/test";
import { drop, idle, importReport } from "../support/page.ts";

const TRACE = readFileSync(new URL("../../../traces/two-nodes.slabtrace", import.meta.url), "utf8");

/** A page of another origin, with the element. */
async function otherPage(html: string) {
	const server = createServer((_, response) =>
		response.writeHead(200, { "Content-Type": "text/html" }).end(html),
	);
	await new Promise<void>((ready) => server.listen(0, "localhost", ready));
	const { port } = server.address() as AddressInfo;
	return { url: `http://localhost:${port}/`, close: () => server.close() };
}

type Player = HTMLElement & {
	open(bytes: unknown, name?: string): Promise<unknown>;
	go(event: unknown, step?: unknown): Promise<unknown>;
	state(): Promise<unknown>;
};

/** Returns what the element's function answers, or its refusal. */
const call = (page: Page, name: "open" | "go" | "state", ...args: readonly unknown[]) =>
	page.evaluate(
		async ([name, args]) => {
			const player = document.querySelector("slab-player") as Player;
			const given = args.map((arg) =>
				typeof arg === "string" && name === "open" && arg.includes("\n")
					? new TextEncoder().encode(arg)
					: arg,
			);
			const run = player[name] as (...all: unknown[]) => Promise<unknown>;
			return run.apply(player, given).catch((error: Error) => `refused: ${error.message}`);
		},
		[name, args] as const,
	);

/** Returns the first answer to a message posted by hand, or "silence". */
const post = (page: Page, message: unknown, within = 1500) =>
	page.evaluate(
		([message, within]) =>
			new Promise((resolve) => {
				const frame = document.querySelector("slab-player")?.shadowRoot?.querySelector("iframe");
				window.addEventListener("message", ({ data }) => {
					if (data.type !== "ready") resolve(data);
				});
				setTimeout(() => resolve("silence"), within);
				frame?.contentWindow?.postMessage(message, "*");
			}),
		[message, within] as const,
	);

test("an allowed page opens bytes, goes to events and reads the state; others get no answer", async ({
	page,
	baseURL,
}) => {
	const element = (attributes: string) =>
		`<!doctype html><script src="${baseURL}slab-player.js"></script>
		<slab-player trace="ends-of-slabs.slabtrace" event="3" ${attributes}></slab-player>`;
	const allowed = await otherPage(element("messages"));
	const stranger = await otherPage(element(""));
	try {
		await page.goto(allowed.url);
		expect(await call(page, "state")).toMatchObject({ trace: "ends-of-slabs.slabtrace", event: 3 });
		const opened = await call(page, "open", TRACE, "mine.slabtrace");
		expect(opened).toMatchObject({ trace: "mine.slabtrace" });
		expect(await call(page, "go", 33, 2)).toMatchObject({ event: 33, step: 2 });
		expect(await call(page, "go", 40)).toMatchObject({ trace: "mine.slabtrace", event: 40 });
		expect(await call(page, "go", 1e6)).toMatch(
			/^refused: expected an event from 1 to \d+, found 1000000/,
		);
		expect(await call(page, "open", "not a trace\n", "bad.txt")).toMatch(/^refused: /);

		// Malformed messages: each is refused with its id, and nothing moves.
		for (const bad of [
			{ slabscope: 2, id: 1, type: "state" },
			{ slabscope: 1, id: 2, type: "go", event: "33" },
			{ slabscope: 1, id: 3, type: "go", event: -1 },
			{ slabscope: 1, id: 4, type: "go", event: 1, more: true },
			{ slabscope: 1, id: 5, type: "open", name: "../x", bytes: new ArrayBuffer(1) },
			{ slabscope: 1, id: 6, type: "open", name: "x", bytes: "text" },
			{ slabscope: 1, id: 7, type: "eval" },
		])
			expect(await post(page, bad)).toMatchObject({ slabscope: 1, id: bad.id, type: "refused" });
		expect(await post(page, { type: "state" })).toBe("silence");
		expect(await post(page, "state")).toBe("silence");
		expect(await call(page, "state")).toMatchObject({ trace: "mine.slabtrace", event: 40 });

		// An origin that the link does not allow.
		await page.goto(stranger.url);
		const frame = page.frameLocator("slab-player iframe");
		await expect(frame.locator("[data-part=position]")).toContainText("event 3 of");
		expect(await post(page, { slabscope: 1, id: 1, type: "state" })).toBe("silence");

		// An allowed origin sees nothing of a file that the visitor opens, but may still open one of its own.
		const address = `${baseURL}?trace=ends-of-slabs.slabtrace&allow=${new URL(stranger.url).origin}`;
		const opening = page.waitForEvent("popup");
		await page.evaluate((url) => {
			const other = window.open(url);
			Object.assign(window, {
				ask: (message: object) =>
					new Promise((resolve) => {
						window.addEventListener("message", ({ data }) => resolve(data), { once: true });
						other?.postMessage({ slabscope: 1, id: 1, ...message }, "*");
					}),
			});
		}, address);
		const own = await opening;
		const ask = (message: object) =>
			page.evaluate(
				(sent) => (window as unknown as { ask(m: object): Promise<unknown> }).ask(sent),
				message,
			);
		const give = (name: string, bytes: readonly number[]) =>
			page.evaluate(
				([name, bytes]) =>
					(window as unknown as { ask(m: object): Promise<unknown> }).ask({
						type: "open",
						name,
						bytes: Uint8Array.from(bytes),
					}),
				[name, bytes] as const,
			);
		await idle(own);
		await drop(own, "secret.slabtrace", TRACE);
		await expect
			.poll(async () => ask({ type: "state" }))
			.toMatchObject({
				type: "refused",
				reason: "the trace on screen is one of the visitor's own files",
			});
		expect(await ask({ type: "go", event: 2 })).toMatchObject({ type: "refused" });

		// What it opens does not replace anything that the visitor has kept.
		const keys = () =>
			own.evaluate(async () => {
				const root = await navigator.storage.getDirectory();
				const folder = await root.getDirectoryHandle("recent", { create: true });
				const names: string[] = [];
				for await (const name of folder.keys()) names.push(name);
				return names.sort();
			});
		await expect.poll(async () => (await keys()).length).toBeGreaterThan(0);
		await idle(own);
		const kept = await keys();
		for (let i = 1; i <= 30; i++) {
			const bytes = Uint8Array.from(Buffer.from(`slabtrace 1\nk 1 ${i} cpu=0\n`));
			expect(await give(`theirs-${i}`, [...bytes])).toMatchObject({ type: "done" });
		}
		await expect(await importReport(own)).toContainText(
			`theirs-30 is not kept under Recent: it came from ${new URL(stranger.url).origin}`,
		);
		expect(await keys()).toEqual(kept);
	} finally {
		allowed.close();
		stranger.close();
	}
});
