/** Tests that `npm start` serves this machine alone, unless HOST opens the page to others. */
import { type ChildProcess, spawn } from "node:child_process";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";

const SERVE = fileURLToPath(new URL("../../serve.mjs", import.meta.url));
const PORT = Number(process.env.TEST_PORT ?? 4319) + 1000;

/** An address at which other machines can reach this one. */
const OUTSIDE = Object.values(networkInterfaces())
	.flatMap((list) => list ?? [])
	.find((i) => i.family === "IPv4" && !i.internal)?.address;

let child: ChildProcess | undefined;

test.afterEach(async () => {
	const running = child;
	if (!running || running.exitCode !== null) return;
	await new Promise((ended) => {
		running.once("exit", ended);
		running.kill();
	});
});

/** Starts the server; resolves to what it has printed once it serves or has ended. */
async function served(env: Record<string, string>): Promise<string> {
	const started = spawn(process.execPath, [SERVE], {
		env: { ...process.env, NO_COLOR: "1", ...env },
	});
	child = started;
	let text = "";
	await new Promise<void>((ready) => {
		const hear = (data: Buffer) => {
			text += data;
			if (/machine/.test(text)) ready();
		};
		started.stdout.on("data", hear);
		started.stderr.on("data", hear);
		started.once("exit", () => ready());
	});
	return text;
}

async function answers(host: string): Promise<boolean> {
	return fetch(`http://${host}:${PORT}/`).then(
		(response) => response.ok,
		() => false,
	);
}

test("serves only this machine, and says how to open it to others", async () => {
	expect(await served({ PORT: String(PORT) })).toContain("HOST=0.0.0.0 npm start");
	expect(await answers("localhost")).toBe(true);
	if (OUTSIDE) expect(await answers(OUTSIDE)).toBe(false);
});

test("HOST opens it to the network, and says so", async () => {
	const text = await served({ PORT: String(PORT), HOST: "0.0.0.0" });
	expect(text).toContain("any machine that can reach this one can open the page");
	expect(await answers("127.0.0.1")).toBe(true);
	if (OUTSIDE) expect(await answers(OUTSIDE)).toBe(true);
});

test("an impossible port is refused in one sentence", async () => {
	expect(await served({ PORT: "many" })).toContain('PORT is "many"; expected a number');
});
