// progress.test.mjs - long work on a terminal: it draws how far it is, and Ctrl-C ends all of it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { COMMAND } from "./command.mjs";

const folder = mkdtempSync(join(tmpdir(), "slabscope-progress-"));
after(() => rmSync(folder, { recursive: true }));

/** 600,000 events: to replay them 240 times takes longer than the time after which progress is drawn. */
const TRACE = join(folder, "long.slabtrace");
const lines = ["slabtrace 1", "machine cpus=64 nodes=8", "cache c0 size=64 name=c"];
for (let i = 0; i < 300_000; i++) {
	lines.push(`a o${i} c0 cpu=${i % 64}`, "expire");
}
writeFileSync(TRACE, `${lines.join("\n")}\n`);

const SWEEP = ["sweep", TRACE, "--x", "min_partial=0..239", "--y", "cpu_partial=0..239"];

/** As a shell names the status of a process that SIGINT ends. */
const INTERRUPTED = 128 + 2;
const PROGRESS = /\r<clear>(sweeping|replaying|placing) \d+ %/;
const CTRL_C = "\u0003";

/** Work that Ctrl-C did not end would go on for hours. */
const linux = { skip: process.platform !== "linux", timeout: 300_000 };

/** Types Ctrl-C once progress is seen. */
function interruptedOnTerminal(call, signal) {
	return new Promise((resolve, reject) => {
		const terminal = spawn("script", ["-qec", `exec ${call}`, "/dev/null"], { signal });
		let drawn = "";
		terminal.stdout.on("data", (data) => {
			const before = drawn;
			drawn += data.toString().replaceAll("\u001b[K", "<clear>");
			if (PROGRESS.test(drawn) && !PROGRESS.test(before)) terminal.stdin.write(CTRL_C);
		});
		terminal.on("error", reject);
		terminal.on("close", (status) => resolve({ status, drawn }));
	});
}

const childrenOf = (pid) =>
	readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);

/** It has ended if it is there only until someone asks for its status. */
function isAtWork(pid) {
	try {
		return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return false;
	}
}

describe("long work", () => {
	for (const call of [
		`${SWEEP.join(" ")} --jobs 1`,
		`${SWEEP.join(" ")} --jobs 2`,
		`doctor ${TRACE} --jobs 1`,
		`doctor ${TRACE} --jobs 2`,
		`placements ${TRACE} --state >/dev/null`,
	]) {
		test(
			`draws its progress and ends at Ctrl-C: ${call.replace(TRACE, "TRACE")}`,
			linux,
			async ({ signal }) => {
				const { status, drawn } = await interruptedOnTerminal(`${COMMAND} ${call}`, signal);
				assert.equal(status, INTERRUPTED, drawn);
			},
		);
	}
	test("ends with the first of its processes", linux, async () => {
		const first = spawn(COMMAND, [...SWEEP, "--jobs", "3"], { stdio: "ignore" });
		const ended = new Promise((resolve) => {
			first.on("close", (_, signal) => resolve(signal));
		});
		let others = [];
		while (others.length < 3) {
			await setTimeout(10);
			others = childrenOf(first.pid);
		}
		first.kill("SIGINT");
		assert.equal(await ended, "SIGINT");
		for (let i = 0; i < 1000 && others.some(isAtWork); i++) await setTimeout(10);
		const left = others.filter(isAtWork);
		for (const pid of left) process.kill(Number(pid));
		assert.deepEqual(left, []);
	});
});
