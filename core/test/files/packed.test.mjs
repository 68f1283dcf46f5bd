// packed.test.mjs - gzip and zstd at the command: whole, damaged, cut off, in several parts, and much from little.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { COMMAND, json, refuses, run } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function file(name, content) {
	const path = join(SCRATCH, name);
	writeFileSync(path, content);
	return path;
}

// Compresses badly, so half of the packed bytes still unpack to something.
const VARIED = `slabtrace 1
cache c size=64
${Array.from({ length: 3000 }, (_, i) => `a ${Math.imul(i + 1, 2654435761) >>> 0} c cpu=0`).join("\n")}
`;
const noZstd = spawnSync("zstd", ["--version"]).error && "there is no zstd";
const zstd = (input, ...options) =>
	execFileSync("zstd", ["-q", "-c", ...options], { input, maxBuffer: 1 << 28 });
const noXz = spawnSync("xz", ["--version"]).error && "there is no xz";
const xz = (input, ...options) =>
	execFileSync("xz", ["-c", ...options], { input, maxBuffer: 1 << 28 });
const hash = () => json(["replay", file("in.txt", VARIED)]).state_hash;
const halves = [VARIED.slice(0, 20_000), VARIED.slice(20_000)];

describe("packed data is read as the text in it", () => {
	test("gzip, as a file and through a pipe", () => {
		const packed = gzipSync(VARIED);
		assert.equal(json(["replay", file("in.gz", packed)]).state_hash, hash());
		assert.equal(json(["replay", "-"], packed).state_hash, hash());
	});
	test("gzip of several members", () => {
		const packed = Buffer.concat(halves.map((half) => gzipSync(half)));
		assert.equal(json(["replay", file("members.gz", packed)]).state_hash, hash());
	});
	test("zstd, as a file and through a pipe", { skip: noZstd }, () => {
		const packed = zstd(VARIED);
		assert.equal(json(["replay", file("in.zst", packed)]).state_hash, hash());
		assert.equal(json(["replay", "-"], packed).state_hash, hash());
	});
	test("zstd of several frames, the first one empty", { skip: noZstd }, () => {
		const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
		const packed = Buffer.concat([skipped, ...halves.map((half) => zstd(half, "--long=27"))]);
		assert.equal(json(["replay", file("frames.zst", packed)]).state_hash, hash());
		assert.equal(json(["replay", "-"], packed).state_hash, hash());
	});
	test("zip, its first file, as a file and through a pipe", () => {
		const zipped = (files) =>
			Buffer.from(
				zipSync(Object.fromEntries(files.map((name) => [name, new TextEncoder().encode(VARIED)]))),
			);
		const one = zipped(["trace.txt"]);
		assert.equal(json(["replay", file("one.zip", one)]).state_hash, hash());
		assert.equal(json(["replay", "-"], one).state_hash, hash());
		refuses(
			["info", file("two.zip", zipped(["a", "b"])), "-q"],
			1,
			/several files.* were read\.\n$/,
		);
	});
	test("a bundle of the page: its trace, wherever it lies among the other files", () => {
		const part = (text) => new TextEncoder().encode(text);
		const bundle = (files) => Buffer.from(zipSync({ "slabscope.json": part("{}"), ...files }));
		const rest = { "README.txt": part("A case."), "steps.csv": part("event\n1\n") };
		const whole = { "trace.slabtrace": part(VARIED) };
		for (const [i, files] of [
			{ ...whole, ...rest },
			{ ...rest, ...whole },
		].entries()) {
			const path = file(`bundle-${i}.zip`, bundle(files));
			assert.equal(json(["replay", path]).state_hash, hash());
		}
		refuses(["info", file("empty.zip", bundle(rest)), "-q"], 1, /no file/);
	});
	test("xz, by the program xz", { skip: noXz }, () => {
		const packed = xz(VARIED);
		assert.equal(json(["replay", file("in.xz", packed)]).state_hash, hash());
		assert.equal(json(["replay", "-"], packed).state_hash, hash());
		const cut = file("cut.xz", packed.subarray(0, packed.length - 100));
		assert.match(run(["info", cut]).err, /xz cannot unpack it: Unexpected end of input\. The /);
		const without = spawnSync(COMMAND, ["info", file("in.xz", packed)], {
			env: { PATH: SCRATCH },
		});
		assert.match(String(without.stderr), /xz .* is not installed: install xz-utils/);
	});
	test("stops xz that unpacks to far too much", { skip: noXz }, () => {
		const lines = Buffer.concat([Buffer.from(VARIED.slice(0, 999)), Buffer.alloc(40 << 20, "#")]);
		refuses(["info", file("much.xz", xz(lines, "-0")), "-q"], 1, /far more than any trace does/);
	});
	test("needs no other program", { skip: noZstd }, () => {
		for (const [name, packed] of [
			["alone.gz", gzipSync(VARIED)],
			["alone.zst", zstd(VARIED)],
		]) {
			const done = spawnSync(COMMAND, ["info", file(name, packed)], { env: { PATH: SCRATCH } });
			assert.equal(done.status, 0, String(done.stderr));
		}
	});
});

describe("packed data that is cut off or damaged", () => {
	test("gzip that was cut off: shows what came before the cut, and says why there is no more", () => {
		const cut = file("cut.gz", gzipSync(VARIED).subarray(0, -3000));
		const sentence = /cut\.gz: The gzip data are cut off\. The ([\d,]+) bytes of text before that/;
		for (const command of ["info", "replay"]) {
			refuses([command, cut], 1, sentence);
			const done = run([command, cut, "--json"]);
			const report = JSON.parse(done.out);
			assert.equal(report.damaged, true);
			assert.equal(report.bytes, Number(sentence.exec(done.err)[1].replaceAll(",", "")));
			assert.ok(report.allocs > 0 && report.allocs < 3000, report.allocs);
			assert.equal(report.truncated, true);
			assert.equal(report.skipped_lines, 0, "half a line is not taken for a line");
		}
		assert.match(run(["info", cut]).out, /bytes \(unpacked\), /);
	});
	test("gzip that was cut off in its header", () => {
		const cut = gzipSync(VARIED).subarray(0, 15);
		refuses(["info", file("cut15.gz", cut)], 1, /cut off\. The 0 bytes .*copy the file again/);
	});
	test("a trace converted from a file that is cut off says so", () => {
		const out = join(SCRATCH, "cut.slabtrace");
		const packed = gzipSync(VARIED);
		const done = run(["convert", "-", "-o", out], packed.subarray(0, packed.length / 2));
		assert.equal(done.status, 1);
		assert.match(readFileSync(out, "utf8"), /\n#end \d+ cut\n$/);
		const { truncated, skipped_lines: skipped } = json(["info", out]);
		assert.deepEqual([truncated, skipped], [true, 0]);
	});

	test("gzip that is damaged, through a pipe", () => {
		const damaged = gzipSync(VARIED);
		damaged.fill(0xff, 60, 90);
		refuses(["info", "-"], 1, /^slabscope: -: The gzip data are damaged/, damaged);
		const checksum = gzipSync(VARIED);
		checksum.fill(0, checksum.length - 8, checksum.length - 4);
		refuses(["replay", "-"], 1, /the checksum of a member does not match/, checksum);
	});
	test("zstd whose checksum does not match", { skip: noZstd }, () => {
		const packed = zstd(VARIED, "--check");
		packed[packed.length - 1] ^= 1;
		refuses(["replay", file("sum.zst", packed)], 1, /the checksum of a frame does not match/);
	});
	test("a window that is too large is refused, not reported as damage", () => {
		const packed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]);
		refuses(
			["info", file("window.zst", packed)],
			1,
			/window\.zst: This zstd file needs a window of 2048 MiB.*zstd -d --long=31 FILE\.$/m,
		);
	});
});

/** The most memory that a process and its child have used, in bytes, as seen while they run. */
function watchMemory(pid) {
	let most = 0;
	const look = () => {
		try {
			const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
			for (const one of [pid, ...children.filter((child) => child !== "")]) {
				const status = readFileSync(`/proc/${one}/status`, "utf8");
				most = Math.max(most, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
			}
		} catch {
			// It has ended.
		}
	};
	const timer = setInterval(look, 20);
	return () => {
		clearInterval(timer);
		return most;
	};
}

const noProc = !existsSync("/proc/self/status") && "there is no /proc";

const STATE =
	"slabinfo - version: 2.1\n" +
	"# name <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n" +
	"c 100 128 64 64 1 : tunables 0 0 0 : slabdata 2 2 0\n";

describe("a packed snapshot is read like a plain one", () => {
	const ask = (option, path, more = []) =>
		json(["replay", file("in.txt", VARIED), `--${option}`, path, ...more]);
	const plain = file("slabinfo", STATE);
	const packings = { gz: [gzipSync], zst: [zstd, noZstd], xz: [xz, noXz] };
	packings.zip = [(text) => zipSync({ slabinfo: new TextEncoder().encode(text) })];
	for (const [ending, [pack, skip]] of Object.entries(packings))
		test(ending, { skip }, () => {
			const path = file(`slabinfo.${ending}`, pack(STATE));
			for (const option of ["warm", "cache-params", "machine-state"])
				assert.deepEqual(ask(option, path), ask(option, plain), option);
			const after = ["--machine-state", plain];
			assert.deepEqual(ask("before", path, after), ask("before", plain, after));
			assert.equal(ask("machine-state", path).packed, false, "the trace is not packed");
		});
	test("a packed snapshot that is cut off is refused", () => {
		const cut = file("cut.gz", gzipSync(STATE.repeat(9)).subarray(0, 100));
		const call = ["replay", file("in.txt", VARIED), "--warm", cut];
		refuses(call, 1, /cut\.gz: The gzip data are cut off\. Copy the file again\.\n$/);
	});
	test("a packed snapshot that unpacks to far too much is refused in little memory", {
		skip: noZstd,
	}, () => {
		const piece = zstd(Buffer.alloc(32 << 20, "# nothing\n"));
		const path = file("bomb.zst", Buffer.concat(Array(9).fill(piece)));
		refuses(["replay", file("in.txt", VARIED), "--warm", path], 1, /larger than 256 MiB: give /);
	});
});

test("a small file that unpacks to half a gigabyte needs only a few megabytes", {
	skip: noZstd || noProc,
}, async () => {
	const begin = zstd("slabtrace 1\ncache c size=64\na 1 c cpu=0\nf 1 cpu=0\n");
	const comments = zstd(Buffer.alloc(32 << 20, "# nothing\n"));
	const path = file("bomb.zst", Buffer.concat([begin, ...Array(16).fill(comments)]));
	const child = spawn(COMMAND, ["info", "--json", path]);
	const memory = watchMemory(child.pid);
	let out = "";
	child.stdout.on("data", (piece) => {
		out += piece;
	});
	const [status] = await once(child, "close");
	assert.equal(status, 0);
	const report = JSON.parse(out);
	assert.equal(report.events, 2);
	assert.ok(report.bytes >= 2 ** 29, report.bytes);
	const most = memory();
	assert.ok(most > 0 && most < 64 << 20, `${most} bytes`);
});
