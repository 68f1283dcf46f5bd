// core.mjs - compares the module with the native command, and with a parser in JavaScript.
//
// npm run bench [TRACE] default: two million events with about 100,000 live objects, generated here
//
// Numbered rows are those of the budget. The page's rows come from page.mjs, in Chromium, and are left out without it.
//
// Computers are noisy, so what counts is the median ratio of interleaved pairs: native, wasm, native, wasm … The first
// pair warms up and is dropped. Each row has its target beside it, if any.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { benchPage } from "./page.mjs";

const TOP = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const NR_PAIRS = 9;
const CHUNK_BYTES = 1 << 20;
/** The part of the text that the page reads. */
const PAGE_BYTES = 200e6;
const EVENTS = 2_000_000;
const LIVE = 100_000;

/** Random allocations and frees on four CPUs, the same in every run. */
function syntheticText() {
	const sizes = [8, 16, 32, 64, 96, 128, 192, 256, 512, 1024];
	const live = [];
	let state = 1;
	let next = 0xffff888000000000n;
	const random = (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
	const line = (i, what) =>
		`     bench-1234    [00${random(4)}] ..... ${100 + Math.floor(i / 1e6)}.${String(i % 1e6).padStart(6, "0")}: ${what}\n`;
	const lines = Array.from({ length: EVENTS }, (_, i) => {
		if (random(2 * LIVE) < live.length) {
			const k = random(live.length);
			const ptr = live[k];
			live[k] = live[live.length - 1];
			live.pop();
			return line(i, `kfree: call_site=do_exit+0x12/0x340 ptr=${ptr}`);
		}
		const ptr = next.toString(16);
		next += 64n;
		live.push(ptr);
		const size = sizes[random(sizes.length)];
		return line(
			i,
			`kmalloc: call_site=copy_process+0x2a1/0x1b40 ptr=${ptr} bytes_req=${size} bytes_alloc=${size} gfp_flags=GFP_KERNEL node=-1 accounted=false`,
		);
	});
	return Buffer.from(lines.join(""));
}

/** What a page without the module would do: a regular expression for each line, and its fields as numbers. */
function parseByRegex(bytes) {
	const alloc =
		/^\s*(.+)-(\d+)\s+\[(\d+)\]\s+\S*\s*(\d+)\.(\d+): (kmalloc|kmem_cache_alloc): call_site=(\S+) ptr=(\S+)(?: name=(\S+))? bytes_req=(\d+) bytes_alloc=(\d+) gfp_flags=(\S+)(?: node=(-?\d+))?/;
	const free =
		/^\s*(.+)-(\d+)\s+\[(\d+)\]\s+\S*\s*(\d+)\.(\d+): (kfree|kmem_cache_free): call_site=(\S+) ptr=(\S+)/;
	const events = [];
	for (const line of bytes.toString("latin1").split("\n")) {
		const match = alloc.exec(line) ?? free.exec(line);
		if (match) {
			events.push({
				cpu: Number(match[3]),
				us: Number(match[4]) * 1e6 + Number(match[5]),
				kind: match[6],
				ptr: match[8],
				size: Number(match[10] ?? match[11] ?? 0),
			});
		}
	}
	return events.length;
}

function seconds(work) {
	const begin = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(begin);
	return (user + system) / 1e6;
}

function median(numbers) {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

/** A row: figure, ratio, and its limit, if any. */
function print(what, figure, ratio, sense, limit) {
	const met = sense === "<=" ? ratio <= limit : ratio >= limit;
	const verdict = limit === undefined ? "" : `${sense} ${limit}: ${met ? "met" : "missed"}`;
	console.log(
		`${what.padEnd(38)} ${figure.padStart(10)} ${ratio.toFixed(2).padStart(8)}   ${verdict}`,
	);
}

function measureWasm(session, bytes) {
	const chunks = [];
	for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
		chunks.push(bytes.subarray(from, from + CHUNK_BYTES));
	}
	const parsing = seconds(() => session.readOnly(chunks));
	const importing = seconds(() => {
		session.importBegin();
		for (const chunk of chunks) {
			session.importChunk(chunk);
		}
		session.importEnd();
	});
	const imported = session.memoryBytes / session.nrOps;
	session.build();
	const built = session.memoryBytes / session.nrOps;
	const once = (record) => {
		session.seek(0);
		return seconds(() => session.run(session.nrOps, record));
	};
	const replay = (record) => median(Array.from({ length: NR_PAIRS }, () => once(record)));
	return {
		parse: bytes.length / parsing / 1e6,
		import: bytes.length / importing / 1e6,
		plain: session.nrOps / replay(false),
		record: session.nrOps / replay(true),
		imported,
		built,
	};
}

function measureNative(file) {
	const text = execFileSync(join(TOP, "core/build/slabscope"), ["bench", file, "--json"]);
	const { parse_mb_s, import_mb_s, replay_events_s, steps_s } = JSON.parse(text);
	return { parse: parse_mb_s, import: import_mb_s, plain: replay_events_s, record: steps_s };
}

async function main() {
	const { module } = await runnerImport(join(TOP, "wasm/src/node.ts"));
	const scratch = mkdtempSync(join(tmpdir(), "slabscope-bench-"));
	const given = process.argv[2];
	const pieces = [];
	if (given) {
		for await (const piece of module.readTrace(given)) {
			pieces.push(piece);
		}
	} else {
		pieces.push(syntheticText());
	}
	const bytes = Buffer.concat(pieces);
	const file = join(scratch, "trace");
	writeFileSync(file, bytes);
	try {
		await compare(module, bytes, file);
		const end = bytes.lastIndexOf(10, PAGE_BYTES) + 1;
		await benchPage(scratch, bytes.subarray(0, end), print);
	} finally {
		rmSync(scratch, { recursive: true });
	}
}

async function compare(module, bytes, file) {
	const session = await module.openSession();
	const [first, ...pairs] = Array.from({ length: NR_PAIRS + 1 }, () => ({
		native: measureNative(file),
		wasm: measureWasm(session, bytes),
	}));
	// Last, because its garbage is collected by threads whose time would count with what comes after.
	const regex = bytes.length / seconds(() => parseByRegex(bytes)) / 1e6;
	const row = (what, unit, ratio, figure, limit) =>
		print(
			what,
			`${median(pairs.map(figure)).toFixed(0)} ${unit}`,
			median(pairs.map(ratio)),
			">=",
			limit,
		);
	console.log(
		`${(bytes.length / 1e6).toFixed(1)} MB, ${session.nrOps} events, ${session.memoryBytes / 1e6} MB of memory\n`,
	);
	console.log("                                        wasm    ratio   budget");
	row(
		"replay, wasm / native",
		"Mop/s",
		(p) => p.wasm.plain / p.native.plain,
		(p) => p.wasm.plain / 1e6,
		0.8,
	);
	row(
		"replay with steps, wasm / native",
		"Mop/s",
		(p) => p.wasm.record / p.native.record,
		(p) => p.wasm.record / 1e6,
		0.8,
	);
	row(
		"parse, wasm / native",
		"MB/s",
		(p) => p.wasm.parse / p.native.parse,
		(p) => p.wasm.parse,
		0.65,
	);
	row(
		"parse, wasm / JavaScript regex",
		"MB/s",
		(p) => p.wasm.parse / regex,
		(p) => p.wasm.parse,
		12,
	);
	row(
		"import, wasm / native",
		"MB/s",
		(p) => p.wasm.import / p.native.import,
		(p) => p.wasm.import,
	);
	// As it was before the memory had grown for later pairs.
	const memory = (bytes) => `${bytes.toFixed(1)} MB`;
	print(
		"14 memory of a million events",
		memory(first.wasm.imported),
		first.wasm.imported,
		"<=",
		24,
	);
	const whole = first.wasm.built;
	print("14 with machine and keyframes", memory(whole), whole, "<=", 24 + 25.6);
}

await main();
