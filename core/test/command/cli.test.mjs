// cli.test.mjs - the native command as a user meets it: help, errors, exit statuses, JSON keys.
// Needs node and the built command only: make -C core && node --test core/test/command/*.test.mjs

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { COMMAND, CORE, json, refuses, rowsOf, run, succeeds } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
const COMMANDS = succeeds(["--help"]).match(/(?<=^ {2})[a-z]+(?= {2,}[a-z])/gm);

after(() => rmSync(SCRATCH, { recursive: true, force: true }));

function file(name, content) {
	const path = join(SCRATCH, name);
	writeFileSync(path, content);
	return path;
}

// Two CPUs: eight objects of 1024 bytes made on one, half of them freed on the other, a kmalloc, a flush.
const SMALL = `slabtrace 1
machine cpus=2 nodes=1 page_size=4096
cache c0 size=1024 name=big
${[1, 2, 3, 4, 5, 6, 7, 8].map((id) => `a obj${id} c0 cpu=0`).join("\n")}
${[1, 2, 3, 4].map((id) => `f obj${id} cpu=1`).join("\n")}
k buffer 100 cpu=1
flush c0
f buffer cpu=1
`;

const FTRACE = `# tracer: nop
#
# entries-in-buffer/entries-written: 4/4   #P:2
#
            bash-1 [000] .....    10.000001: kmalloc: call_site=f+0x1/0x2 ptr=00000000aaaaaaaa bytes_req=100 bytes_alloc=128 gfp_flags=GFP_KERNEL node=-1 accounted=false
            bash-1 [001] .....    10.000002: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=00000000bbbbbbbb name=dentry bytes_req=192 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=false
            bash-1 [000] .....    10.000003: kfree: call_site=f+0x1/0x2 ptr=00000000aaaaaaaa
            bash-1 [001] .....    10.000004: kmem_cache_free: call_site=f+0x1/0x2 ptr=00000000cccccccc name=dentry
`;

describe("sentences", () => {
	const trace = join(CORE, "..", "traces", "two-nodes.slabtrace");

	test("chapters: put a comma after a count of one", () => {
		const text = succeeds([
			"chapters",
			file("one.slabtrace", "slabtrace 1\ncache c0 size=64 name=c\na 1 c0 cpu=0\n"),
		]);
		assert.match(text, /1 allocation, /);
		assert.doesNotMatch(text, / ,/);
	});
	test("why: put the question on a line by itself, with its position after it", () => {
		const text = succeeds(["why", trace, "--at", "50", "--list", "cpu0"]);
		assert.match(text, /^Which objects does CPU 0 hold\? \(after 50 events\)$/m);
	});
	test("end a search that runs out of memory with an error", {
		skip: process.platform !== "linux",
	}, () => {
		const call = [COMMAND, "find", trace, "--when", "new-slab", "--all", "--count", "16777216"];
		const limited = ["-c", 'ulimit -v 150000; exec "$@"', "sh", ...call];
		const done = spawnSync("sh", limited, { encoding: "utf8" });
		assert.equal(done.status, 1);
		assert.match(
			done.stderr,
			/not enough memory for an answer of [\d,]+ bytes: ask for fewer rows/,
		);
		assert.equal(done.stdout, "");
	});
});

describe("help", () => {
	test("prints the version that the package and the citation state for --version", () => {
		const { version } = JSON.parse(readFileSync(join(CORE, "..", "package.json"), "utf8"));
		assert.equal(succeeds(["--version"]), `slabscope ${version}\n`);
		const citation = readFileSync(join(CORE, "..", "CITATION.cff"), "utf8");
		assert.match(citation, new RegExp(`^version: ${version}$`, "m"));
	});
	test("lists every command once, in one of six groups", () => {
		const help = succeeds(["--help"]);
		const groups = help.split(/\n(?=\w[^\n]*:\n {2}\w+ {2})/).slice(1);
		assert.deepEqual(
			groups.map((group) => group.split(/\W/)[0]),
			["Look", "Ask", "Compare", "Choose", "Measure", "Make"],
		);
		assert.equal(new Set(COMMANDS).size, COMMANDS.length);
		const sources = readdirSync(join(CORE, "cli"), { recursive: true });
		const files = sources.map((path) => /cmd_(\w+)\.c$/.exec(path)?.[1]).filter(Boolean);
		assert.deepEqual(COMMANDS.toSorted(), [...files, "bench"].toSorted());
	});
	for (const command of COMMANDS) {
		test(`${command} --help has options and an example`, () => {
			const help = succeeds([command, "--help"]);
			assert.match(help, new RegExp(`^usage: slabscope ${command}`));
			assert.match(help, /\noutput options:\n[\s\S]*--(json|quiet)/);
			assert.match(help, new RegExp(`\nexample:\n  slabscope ${command}`));
			assert.equal(help, succeeds(["help", command]));
		});
	}
});

describe("bad calls: exit status 2 and one sentence", () => {
	const path = file("small.slabtrace", SMALL);
	const cases = [
		[[], /expected a command: run `slabscope --help` for a list/],
		[["reply", path], /unknown command `reply`: did you mean replay\?/],
		[["frobnicate"], /unknown command `frobnicate`: run `slabscope --help` for a list/],
		[["place"], /did you mean placements\?/],
		[["replay"], /replay needs a trace/],
		[
			["replay", path, "--frobnicate"],
			/no option --frobnicate: run `slabscope replay --help` for a list/,
		],
		[
			["replay", path, "--min_partial_rule", "rfc-2008"],
			/no option --min_partial_rule: .*--set min_partial_rule=rfc-2008/,
		],
		[["replay", path, "--min-objects=4"], /--set min_objects=4$/m],
		[
			["info", path, "--min_partial", "3"],
			/info has no option --min_partial, because it replays nothing: run `slabscope info --help/,
		],
		[["lookup", path, "--nodes", "2"], /no option --nodes, because it replays nothing/],
		[["merge", path, "--preset=linux-6.1"], /because it replays nothing: run `slabscope merge/],
		[
			["replay", path, "--set", "frobnicate=3"],
			/unknown parameter `frobnicate`: run `slabscope params` for a list/,
		],
		[["replay", path, path], /`[^`]+` is too many/],
		[["replay", path, "--cpu", "2"], /no option --cpu: did you mean --cpus\?/],
		[["replay", path, "--cpus"], /--cpus needs a value/],
		[
			["replay", path, "--cpus", "many"],
			/--cpus: expected a number in 1\.\.4096, or automatic; found `many`/,
		],
		[["replay", path, "--set", "min_partial"], /--set needs KEY=VALUE/],
		[
			["replay", path, "--set", "min_partal=3"],
			/unknown parameter `min_partal`: did you mean min_partial\?/,
		],
		[
			["replay", path, "--set", "node_search=none"],
			/node_search: expected all, skip-checked; found `none`/,
		],
		[["replay", path, "--preset", "linux-9"], /unknown preset `linux-9`: expected linux-2\.6\.26/],
		[["replay", path, "--preset"], /--preset needs a value: linux-2\.6\.26, linux-2\.6\.36, /],
		[["params", "--preset", ""], /--preset needs a value: linux-2\.6\.26, linux-2\.6\.36, /],
		[["replay", path, "--allocator", "slqb"], /allocator: expected slub, .*; found `slqb`/],
		[["replay", path, "--set", "cpu_node=0,0,0"], /cpu_node: expected 2 entries.*; found 3/],
		[["steps", path], /expected --event N, counted from 1/],
		[["steps", path, "--op", "99"], /--op 99 is past the end/],
		[["steps", path, "--op", "-1"], /--op -1: expected a whole number, 0 or more/],
		[
			["steps", path, "--op", "99999999999999999999999"],
			/--op 9+: expected a whole number, 0 or more/,
		],
		[["replay", path, "--json", "--csv"], /--json and --csv exclude each other: give only one/],
		[["state", path, "--at", "99"], /--at 99 is past the end/],
		[["state", path, "--cache", "bigg"], /no cache `bigg` .* did you mean big\?$/m],
		[["state", path, "--cache", "zebra"], /no cache `zebra` .* run `slabscope replay` for a list/],
		[["state", path, "--at", "0", "--step", "99"], /--step 99: /],
		[["state", path, "--at", "0", "--step", "0"], /--step 0: numbers start from 1/],
		[["order"], /--size BYTES, --all or --machine FILE/],
		[["order", "--size", "0"], /--size must be/],
		[["order", "--size", "64", "--allocator", "slob"], /does not choose orders/],
		[["order", "--all", "--to", "4"], /--to must be/],
		[["convert", path, "--to", "xml"], /--to: expected slabtrace or ftrace, found `xml`/],
	];
	for (const [args, sentence] of cases) {
		test(args.map((word) => (word === path ? "TRACE" : word)).join(" ") || "nothing", () => {
			refuses(args, 2, sentence);
		});
	}
});

describe("bad input: exit status 1 and where", () => {
	test("a file that does not exist", () => {
		refuses(["info", join(SCRATCH, "absent")], 1, /^slabscope: .*absent: cannot be opened: /);
	});
	test("a directory", () => refuses(["info", SCRATCH], 1, /is a directory/));
	test("an empty file", () => refuses(["info", file("empty", "")], 1, /^slabscope: .*empty: /));
	test("a file that is not a trace", () =>
		refuses(["replay", file("prose", "Dear all,\n\nhello.\n")], 1, /prose: /));
	test("a recording without events", () => {
		const header = file("header.txt", "# tracer: nop\n#\n");
		for (const command of ["info", "replay", "convert"]) {
			refuses(
				[command, header],
				1,
				/header\.txt: No allocations or frees .* Were tracing and the kmem events on/,
			);
		}
	});
	test("a recording without a readable line", () => {
		const [line] = FTRACE.split("\n").filter((text) => text.includes("kmalloc:"));
		const text = `# tracer: nop\n${line.replace("ptr=00000000aaaaaaaa", "ptr=zz")}\n`;
		refuses(
			["replay", "-"],
			1,
			/^slabscope: -:2:\d+: .*The first problem: expected ptr=<pointer>, found "zz"/,
			text,
		);
	});
	test("a slabtrace without events is not an error", () => {
		assert.equal(json(["replay", "-"], "slabtrace 1\nmachine cpus=2\n").ops, 0);
		refuses(["replay", "-"], 1, /^slabscope: -:2:1: .*The first problem: /, "slabtrace 1\nflub\n");
	});
	test("a picture", () =>
		refuses(["info", file("p.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR")], 1, /p\.png: /));
	test("a wrong line of a slabtrace", () => {
		refuses(["replay", file("wrong", `${SMALL}a x c9 cpu=0\n`)], 1, /^slabscope: .*wrong:19:\d+: /);
	});
	test("a number out of range", () => {
		refuses(
			["replay", "-"],
			1,
			/^slabscope: -:3:\d+: /,
			"slabtrace 1\ncache c0 size=64\na 1 c0 cpu=70000\n",
		);
	});
	test("an impossible machine", () => {
		const text = "slabtrace 1\nmachine cpus=2 nodes=2 cpu_node=0,5\ncache c size=8\na 1 c cpu=0\n";
		refuses(["replay", "-"], 1, /^slabscope: -: cpu_node puts CPU 1 on node 5/, text);
	});
	test("lines longer than one read, the last without a line feed", () => {
		const text = `${FTRACE}# ${"x".repeat(3 << 20)}\n${FTRACE.trimEnd()}`;
		assert.equal(json(["info", "-"], text).events, 8);
		assert.equal(json(["info", "-"], gzipSync(text)).events, 8);
	});
	test("a line of 1 MB", () => {
		const done = run(["info", "-", "--json"], `${FTRACE}${"x".repeat(1 << 20)}\n${FTRACE}`);
		assert.equal(done.status, 0, done.err);
		assert.equal(JSON.parse(done.out).first_problem.line, 9);
		assert.equal(JSON.parse(done.out).events, 8);
	});
});

describe("JSON and CSV", () => {
	const small = file("keys.slabtrace", SMALL);
	const ftrace = file("keys.txt", FTRACE);
	const infoKeys = [
		"format events events_by_kind allocs frees orphan_frees live_at_end lost skipped_lines first_problem",
		"cpus caches time_first time_last",
	];

	function hasKeys(object, keys) {
		for (const key of keys.join(" ").split(" ")) {
			assert.ok(key in object, key);
		}
	}

	test("info", () => {
		const info = json(["info", ftrace]);
		hasKeys(info, infoKeys);
		assert.equal(info.events, 4);
		assert.deepEqual(info.events_by_kind, {
			kmalloc: 1,
			kmem_cache_alloc: 1,
			kfree: 1,
			kmem_cache_free: 1,
		});
		assert.equal(info.orphan_frees, 1);
		assert.equal(info.live_at_end, 1);
		assert.equal(info.first_problem, null);
		assert.equal(info.time_first, 10000001000);
		hasKeys(info.caches[0], ["name size allocs frees"]);
	});
	test("replay", () => {
		const replay = json(["replay", small]);
		hasKeys(replay, [
			...infoKeys,
			"ops state_hash pages_in_use pages_peak slab_bytes requested_bytes waste cycles lock_wait_cycles totals",
		]);
		assert.match(replay.state_hash, /^[0-9a-f]{16}$/);
		assert.equal(replay.ops, 15);
		hasKeys(replay.waste, ["rounding tail free_objects"]);
		hasKeys(replay.caches[0], [
			"name object_size size align order objects_per_slab slabs slabs_peak objects total_objects partial",
			"cpu_slabs min_partial cpu_partial counters",
		]);
		assert.equal(Object.keys(replay.caches[0].counters).length, 26);
		assert.equal(replay.totals.alloc_slab, 2);
		const { rounding, tail, free_objects: free } = replay.waste;
		assert.equal(replay.slab_bytes, replay.requested_bytes + rounding + tail + free);
	});
	test("replay names the preset in full, even if you leave out linux-", () => {
		assert.equal(json(["replay", small]).preset, null);
		assert.equal(json(["replay", small, "--preset", "6.7"]).preset, "linux-6.7");
		assert.match(
			succeeds(["replay", small, "--preset", "linux-4.19"]),
			/^ {2}preset linux-4\.19$/m,
		);
	});
	test("info warns if events ask for more nodes than the machine has", () => {
		const asks = file("nodes.txt", FTRACE.replace("node=-1", "node=2"));
		assert.match(
			succeeds(["info", asks]),
			/^ {2}2 CPUs, asks for nodes 0 to 2, 0\.000003 s\n {2}the simulated machine has 1 node, the recorded one had at least 3: .*--nodes/m,
		);
		const enough = succeeds(["replay", asks, "--nodes", "3"]);
		assert.match(enough, /asks for nodes 0 to 2, [\d.]+ s\n\n/);
		assert.match(succeeds(["info", ftrace]), /^ {2}2 CPUs, 0\.000003 s$/m);
	});
	test("replay warns if the machine has fewer CPUs than the recording", () => {
		assert.match(
			succeeds(["replay", ftrace, "--cpus", "1"]),
			/^ {2}the simulated machine has 1 CPU for all of them; replay with --cpus 2 to have each$/m,
		);
		assert.doesNotMatch(succeeds(["replay", ftrace, "--cpus", "4"]), /for all of them/);
	});
	test("a slabtrace without times has no seconds", () => {
		assert.match(succeeds(["info", small]), /^ {2}2 CPUs$/m);
	});
	test("uses the singular for one", () => {
		const one = "slabtrace 1\nmachine cpus=1\ncache c size=4096\na x c cpu=0\na x d cpu=0\n";
		const info = succeeds(["info", "-"], one);
		assert.match(info, /^ {2}1 CPU$/m);
		assert.match(info, /^1 line with problems:$/m);
		assert.match(succeeds(["state", small, "--at", "1"]), /^after 1 event;[\s\S]*, 1 slab, /);
	});
	test("a cache with frees only has no size", () => {
		const only = FTRACE.split("\n").filter((line) => !line.includes("kmem_cache_alloc:"));
		const info = succeeds(["info", "-"], only.join("\n"));
		assert.match(info, /^ {2}dentry +- +0 +1$/m);
		assert.match(info, /^ {2}-: only frees/m);
	});
	test("info and replay give a kmalloc cache the same name, and state reports its bytes", () => {
		const sizes = FTRACE.replace(
			"bytes_req=100 bytes_alloc=128",
			"bytes_req=4000 bytes_alloc=4096",
		);
		const path = file("sizes.txt", sizes);
		for (const gfp of ["GFP_KERNEL", "GFP_KERNEL|__GFP_ACCOUNT", "GFP_DMA"]) {
			const text = sizes.replace("GFP_KERNEL", gfp);
			const names = (command) => json([command, "-"], text).caches.map((cache) => cache.name);
			const kmalloc = (command) => names(command).filter((name) => name.includes("kmalloc"));
			assert.match(kmalloc("info")[0], /4k$/);
			assert.deepEqual(kmalloc("info"), kmalloc("replay"));
		}
		assert.equal(
			succeeds(["state", path, "--cache", "kmalloc-4096"]),
			succeeds(["state", path, "--cache", "kmalloc-4k"]),
		);
	});
	test("replay --csv has a row for each cache", () => {
		const rows = rowsOf(succeeds(["replay", small, "--csv"]));
		assert.deepEqual(
			rows.map((row) => row.name),
			["big", "kmalloc-128"],
		);
	});
	test("steps", () => {
		const steps = json(["steps", small, "--op", "1", "--count", "2"]);
		assert.deepEqual(
			steps.map(({ op, step, kind }) => [op, step, kind]),
			[
				[1, 0, "ALLOC_FASTPATH"],
				[2, 0, "ALLOC_FASTPATH"],
			],
		);
		hasKeys(steps[0], ["op step kind cpu sentence args cycles"]);
		assert.equal(steps[0].args.index, 1);
	});
	test("state", () => {
		const state = json(["state", small, "--at", "3"]);
		hasKeys(state, ["places slabs cells state_hash"]);
		assert.equal(state.cells.length, 16);
		assert.equal(state.cells.filter((cell) => cell === 1).length, 3);
		// Objects in a barn are of a kind of their own.
		const burst = [..."abcdefgh"].map((id) => `a ${id} c0 cpu=0`);
		const frees = burst.map((line) => line.replace(/^a (.) c0/, "f $1"));
		const head = ["slabtrace 1", "machine preset=linux-7.2 sheaf_capacity=2", "cache c0 size=1024"];
		const barn = json(["state", "-"], [...head, ...burst, ...frees, ""].join("\n"));
		const kinds = new Set(barn.cells.map((cell) => barn.cell_kinds[cell]));
		assert.deepEqual([...kinds].sort(), ["free_cpu", "free_shared"]);
		const inside = json(["state", small, "--at", "3", "--step", "1"]);
		assert.equal(inside.step, 1);
	});
	test("state at the end has the same hash as replay", () => {
		assert.equal(json(["state", small]).state_hash, json(["replay", small]).state_hash);
	});
	test("placements --help says where steps and slabs start to count", () => {
		assert.match(
			succeeds(["placements", "--help"]),
			/step +the number of the event, from 1[\s\S]*in its own cache/,
		);
	});
	test("placements", () => {
		const rows = rowsOf(succeeds(["placements", small]));
		assert.equal(rows.length, 15);
		assert.deepEqual(rows[0], {
			step: "1",
			op: "alloc",
			id: "obj1",
			cpu: "0",
			node: "-1",
			slab: "0",
			index: "0",
			events: "ALLOC_SLOWPATH+ALLOC_SLAB",
		});
		assert.equal(rows[8].id, "obj1");
		assert.equal(rows[13].op, "flush");
		assert.equal(rows[14].id, "buffer");
	});
	test("placements --json says the same", () => {
		const rows = rowsOf(succeeds(["placements", small]));
		const objects = json(["placements", small]);
		assert.deepEqual(
			objects.map((row) => [row.id, row.events.join("+")]),
			rows.map((row) => [row.id, row.events]),
		);
	});
	test("order --size", () => {
		const order = json(["order", "--size", "11008", "--cpus", "2"]);
		assert.deepEqual(
			[order.order, order.objects, order.waste, order.rule],
			[2, 1, 5376, "mainline"],
		);
		assert.deepEqual(order.tries.at(-1), {
			min_objects: 1,
			fraction: 1,
			order: 2,
			remainder: 5376,
			accepted: true,
		});
		assert.equal(json(["order", "--size", "11008", "--cpus", "2", "--rule", "linux-6.7"]).order, 3);
		assert.equal(
			json(["order", "--size", "11008", "--cpus", "2", "--preset", "linux-6.12"]).order,
			3,
		);
		assert.equal(json(["order", "--size", "1024", "--cpus", "2", "--max-order", "0"]).order, 0);
		assert.equal(json(["order", "--size", "1024", "--min-objects", "4"]).order, 0);
	});
	test("order --all", () => {
		const out = succeeds(["order", "--all"]);
		assert.match(
			out,
			/^size,order,objects,waste_bytes,min_partial,cpu_partial_objects,cpu_partial_slabs,sheaf_capacity\n8,0,512,/,
		);
		assert.equal(rowsOf(out).length, 1024);
		assert.equal(json(["order", "--all", "--to", "64"]).length, 8);
	});
	test("params", () => {
		const params = json(["params"]);
		hasKeys(params[0], ["key allocators values default since meaning"]);
		const sheet = (key) => {
			const { name, group, since } = params.find((param) => param.key === key);
			return [name, group, since];
		};
		assert.deepEqual(sheet("allocator"), ["Allocator", "allocator", ""]);
		assert.deepEqual(sheet("cpus"), ["CPUs", "topology", ""]);
		assert.deepEqual(sheet("node_search").slice(0, 2), ["Search of other nodes", "proposals"]);
		assert.deepEqual(sheet("red_zone").slice(0, 2), ["Red zones", "debugging"]);
		assert.match(sheet("min_partial")[2], /^\d+\.\d+/);
		assert.deepEqual(sheet("cost.LOCK"), ["Lock", "costs", ""]);
		assert.deepEqual(sheet("cost.ALLOC_FASTPATH"), ["Alloc fastpath", "costs", ""]);
		for (const { key, name, group } of params)
			assert.ok(name !== "" && group !== "", `${key} has a name and a group`);
		assert.deepEqual(params.find((param) => param.key === "node_search").values, [
			"all",
			"skip-checked",
		]);
		assert.equal(
			json(["params", "--preset", "linux-2.6.26"]).find((param) => param.key === "order_rule")
				.value,
			"linux-2.6.26",
		);
		assert.ok(json(["params", "--presets"]).some((preset) => preset.name === "linux-5.14"));
	});
	test("escapes names in JSON", () => {
		const odd = file("odd", Buffer.from(SMALL.replace("name=big", 'name=a"b\\\xff'), "latin1"));
		assert.equal(json(["replay", odd]).caches[0].name, 'a"b\\\ufffd');
	});
	test("bench", () => {
		hasKeys(json(["bench", ftrace]), [
			"import_mb_s import_events_s replay_events_s steps_s seek_ms_p50 seek_ms_p99 seek_ms_max bytes_per_event",
		]);
	});
});

describe("what goes in and comes out", () => {
	const hash = () => json(["replay", file("in.txt", FTRACE)]).state_hash;

	test("reads standard input", () =>
		assert.equal(json(["replay", "-"], FTRACE).state_hash, hash()));
	test("reads a converted slabtrace back to the same events", () => {
		const out = join(SCRATCH, "out.slabtrace");
		const counts = json(["convert", file("in3.txt", FTRACE), "-o", out]);
		assert.equal(counts.ops, 4);
		const again = json(["replay", out]);
		assert.equal(again.state_hash, hash());
		assert.equal(succeeds(["convert", out]), readFileSync(out, "utf8"));
	});
	test("converts to ftrace and back", () => {
		const out = join(SCRATCH, "out.txt");
		succeeds(["convert", file("in4.txt", FTRACE), "--to", "ftrace", "-o", out]);
		assert.equal(json(["replay", out]).state_hash, hash());
	});
	test("prefers the command line to the machine line", () => {
		const path = file("wins.slabtrace", SMALL);
		assert.match(json(["replay", path]).machine, /cpus=2 /);
		assert.match(json(["replay", path, "--cpus", "4", "--nodes", "2"]).machine, /cpus=4 nodes=2 /);
	});
});
