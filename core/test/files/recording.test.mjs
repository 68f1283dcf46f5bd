// recording.test.mjs - record.sh with a stand-in for tracefs, and state.drgn.py with a stand-in for drgn: what they leave is read
// by the command.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CORE, json } from "../command/command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-recording-"));
after(() => rmSync(SCRATCH, { recursive: true }));
const TRACES = join(CORE, "..", "traces");

function put(path, text, mode = 0o644) {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, mode);
	return path;
}

const LINE =
	" make-7 [000] ..... 1.000001: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ffff888100000100 name=filp bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false\n";

const HANDED = LINE.replace(
	/kmem_cache_alloc:.*/,
	"probe_kfree_rcu: (f+0x0/0x1) ptr=0xffff888100000100",
);

/** Functions of the stand-in's kernel, and the dynamic events that it takes. */
const FUNCTIONS = `${[
	"kvfree_call_rcu",
	"kmem_cache_prefill_sheaf",
	"kmem_cache_free_bulk",
	"rcu_free_sheaf",
]
	.map((name, i) => `ffffffff8100000${i} T ${name}`)
	.join("\n")}\nffffffff81000009 t kmem_cache_return_sheaf.cold\n`;
const TAKEN = ["probe_kfree_rcu", "probe_prefill_sheaf", "probe_rcu_sheaf_done"];

/** A tracefs whose instances are copies of a template: mkdir there is our own program. */
function standInForTracefs() {
	const [tracefs, bin, template] = ["tracefs", "bin", "template"].map((n) => join(SCRATCH, n));
	rmSync(tracefs, { recursive: true, force: true });
	for (const at of [tracefs, template]) {
		for (const event of [
			"kmalloc",
			"kmem_cache_alloc",
			"kfree",
			"kmem_cache_free",
			"mm_page_alloc",
			"mm_page_free",
		])
			put(join(at, "events", "kmem", event, "enable"), "0\n");
		for (const event of TAKEN) put(join(at, "events", "slabscope", event, "enable"), "0\n");
	}
	put(join(tracefs, "instances", "none"), "");
	put(join(tracefs, "kprobe_events"), "");
	put(join(template, "options", "hash-ptr"), "1\n");
	put(join(template, "trace"), `# tracer: nop\n${LINE}${HANDED}`);
	// Recorders that keep their arguments, run the command after them and leave a trace.
	for (const name of ["trace-cmd", "perf"])
		put(
			join(bin, name),
			`#!/bin/sh\necho "$*" > ${join(SCRATCH, name)}.args\nwhile [ "$1" != sh ]; do [ "$1" != -o ] || echo trace > "$2"; shift; done\n"$@"\n`,
			0o755,
		);
	put(join(template, "per_cpu", "cpu0", "stats"), "entries: 1\noverrun: 0\n");
	put(
		join(bin, "mkdir"),
		`#!/bin/sh\ncase "$*" in */instances/*) cp -r ${template} "$1" ;; *) exec /bin/mkdir "$@" ;; esac\n`,
		0o755,
	);
	put(join(bin, "id"), "#!/bin/sh\necho 0\n", 0o755);
	// Tracing is on while record.sh waits, and the caches are not copied yet.
	put(
		join(bin, "sleep"),
		`#!/bin/sh\n{ echo "$1"; cat ${tracefs}/instances/*/tracing_on; ls */slab-after.txt; } > ${join(SCRATCH, "slept")} 2>/dev/null\n`,
		0o755,
	);
	const kallsyms = put(join(SCRATCH, "kallsyms"), FUNCTIONS);
	return {
		...process.env,
		TRACEFS: tracefs,
		KALLSYMS: kallsyms,
		PATH: `${bin}:${process.env.PATH}`,
	};
}

const recordSh = (...args) =>
	spawnSync("sh", [join(TRACES, "record.sh"), "-b", "64", ...args], {
		encoding: "utf8",
		env: standInForTracefs(),
		cwd: SCRATCH,
	});
const probes = () =>
	readFileSync(join(SCRATCH, "tracefs", "kprobe_events"), "utf8")
		.trim()
		.split("\n");

describe("record.sh", () => {
	test("names the trace after the command, and saves the kernel's version and caches beside it", () => {
		const done = recordSh("--", "/bin/echo", "-j8", "a/b c");
		assert.equal(done.status, 0, done.stderr);
		const folder = readdirSync(SCRATCH).find((name) => name.startsWith("slabscope-echo-j8-a-b-c-"));
		assert.ok(folder, readdirSync(SCRATCH).join(" "));
		const left = (name) => join(SCRATCH, folder, name);
		const trace = left("echo-j8-a-b-c.trace.txt.gz");
		const release = spawnSync("uname", ["-r"], { encoding: "utf8" }).stdout.trim();
		assert.ok(gunzipSync(readFileSync(trace)).toString().startsWith(`# os release : ${release}`));
		assert.equal(json(["info", trace]).allocs, 1);
		assert.match(
			readFileSync(left("kernel.txt"), "utf8"),
			/^.+\ncommand: \/bin\/echo -j8 a\/b c\n/,
		);
		if (existsSync("/proc/kallsyms")) assert.ok(existsSync(left("kallsyms.txt.gz")));
		const enabled = readdirSync(join(SCRATCH, "tracefs", "instances"));
		for (const instance of enabled.filter((name) => name !== "none"))
			assert.equal(
				readFileSync(join(SCRATCH, "tracefs", "instances", instance, "tracing_on"), "utf8"),
				"0\n",
			);
	});

	test("adds dynamic events for what no tracepoint shows, lists them, and removes them again", () => {
		const done = recordSh("-o", "dynamic", "--", "true");
		assert.equal(done.status, 0, done.stderr);
		assert.match(
			done.stderr,
			/events are added for kvfree_call_rcu, kmem_cache_prefill_sheaf, rcu_free_sheaf\n/,
		);
		assert.match(
			done.stderr,
			/no kmem_cache_alloc_from_sheaf_noprof, kmem_cache_refill_sheaf, kmem_cache_return_sheaf, kmem_/,
		);
		assert.match(done.stderr, /refuses a dynamic event for kmem_cache_free_bulk: /);
		const lines = probes();
		assert.ok(
			lines.includes("p:slabscope/probe_kfree_rcu kvfree_call_rcu head=$arg1:x64 ptr=$arg2:x64"),
		);
		assert.deepEqual(
			lines.slice(-TAKEN.length),
			TAKEN.map((name) => `-:slabscope/${name}`),
		);
		const trace = join(SCRATCH, "dynamic", "true.trace.txt.gz");
		assert.equal(json(["info", trace]).events_by_kind.probe_kfree_rcu, 1);
		const instance = readdirSync(join(SCRATCH, "tracefs", "instances")).find(
			(name) => name !== "none",
		);
		const on = (event) =>
			readFileSync(
				join(SCRATCH, "tracefs", "instances", instance, "events", event, "enable"),
				"utf8",
			);
		assert.deepEqual(
			[...TAKEN.map((name) => `slabscope/${name}`), "kmem/mm_page_alloc", "kmem/kfree"].map(on),
			Array(5).fill("1\n"),
		);
	});

	test("also removes them after Ctrl-C", () => {
		const done = recordSh("-o", "stopped", "--", "sh", "-c", "kill -INT $PPID");
		assert.equal(done.status, 130, done.stderr);
		assert.equal(probes().at(-1), `-:slabscope/${TAKEN.at(-1)}`);
	});

	test("without the functions, or with hashed pointers, it says so and records the rest", () => {
		const env = { ...standInForTracefs(), KALLSYMS: put(join(SCRATCH, "none"), "") };
		const args = [join(TRACES, "record.sh"), "-b", "64", "-o", "bare", "--", "true"];
		const bare = spawnSync("sh", args, { encoding: "utf8", env, cwd: SCRATCH });
		assert.match(
			bare.stderr,
			/has no kvfree_call_rcu, __kfree_rcu_sheaf, .*: nothing is recorded for them/,
		);
		put(
			join(SCRATCH, "bin", "uname"),
			"#!/bin/sh\n[ $1 = -s ] && echo Linux || echo 6.1.0-18\n",
			0o755,
		);
		const hashed = recordSh("-o", "hashed", "--", "true");
		rmSync(join(SCRATCH, "bin", "uname"));
		assert.match(hashed.stderr, /are not recorded: their addresses match no hashed pointer/);
		assert.deepEqual([bare.status, hashed.status, probes()[0]], [0, 0, ""]);
	});

	test("waits for RCU before the trace ends and the caches are copied", () => {
		const slept = () => readFileSync(join(SCRATCH, "slept"), "utf8").split("\n");
		assert.equal(recordSh("-o", "waits", "--", "true").status, 0);
		const [seconds, isOn, ...copied] = slept();
		assert.deepEqual([seconds, isOn], ["6", "1"]);
		assert.ok(!copied.includes("waits/slab-after.txt"));
		assert.ok(existsSync(join(SCRATCH, "waits", "slab-after.txt")));
		const none = put(join(SCRATCH, "no-functions"), "ffffffff81000000 T other\n");
		const env = { ...standInForTracefs(), KALLSYMS: none };
		const args = [join(TRACES, "record.sh"), "-b", "64", "-o", "short", "--", "true"];
		assert.equal(spawnSync("sh", args, { env, cwd: SCRATCH }).status, 0);
		assert.equal(slept()[0], "1");
		assert.equal(recordSh("-r", "perf", "-o", "by-perf", "--", "true").status, 0);
		assert.equal(slept()[0], "6");
	});

	test("runs trace-cmd and perf with the same events, and ends with the command's status", () => {
		for (const [name, left] of [
			["trace-cmd", "sh-c-exit-7.trace.dat"],
			["perf", "sh-c-exit-7.perf.data"],
		]) {
			const done = recordSh("-r", name, "-o", `by-${name}`, "--", "sh", "-c", "exit 7");
			assert.equal(done.status, 7, done.stderr);
			const args = readFileSync(join(SCRATCH, `${name}.args`), "utf8");
			for (const event of [
				"kmem:kfree",
				"kmem:mm_page_free",
				...TAKEN.map((n) => `slabscope:${n}`),
			])
				assert.ok(args.includes(` -e ${event} `), args);
			assert.deepEqual(
				readdirSync(join(SCRATCH, `by-${name}`)).filter(
					(file) => file === left || file === "status",
				),
				[left],
			);
			assert.equal(probes().at(-1), `-:slabscope/${TAKEN.at(-1)}`);
			assert.match(done.stderr, /slabscope doctor .*--kallsyms/);
		}
	});

	test("ends by suggesting two commands that work", () => {
		const done = recordSh("-o", "a day", "--", "true");
		const commands = done.stderr.match(/(?<=record\.sh: {3})slabscope .*/g);
		assert.equal(commands?.length, 2, done.stderr);
		for (const command of commands) {
			const found = spawnSync(
				"sh",
				["-c", command.replace("slabscope", join(CORE, "build", "slabscope"))],
				{
					encoding: "utf8",
					cwd: SCRATCH,
				},
			);
			assert.equal(found.status, 0, `${command}\n${found.stderr}`);
		}
	});
});

const PYTHON = "python3";
const hasPython = spawnSync(PYTHON, ["--version"]).status === 0;

/** The few functions of drgn that the script calls, over plain Python objects. */
const DRGN = {
	"__init__.py":
		"class FaultError(Exception):\n    pass\ndef cast(type, value):\n    return value\n",
	"helpers/__init__.py": "",
	"helpers/linux/__init__.py": "",
	"helpers/linux/cpumask.py": "def for_each_online_cpu(prog):\n    return [0, 1]\n",
	"helpers/linux/nodemask.py": "def for_each_online_node(prog):\n    return [0, 1]\n",
	"helpers/linux/percpu.py": "def per_cpu_ptr(base, cpu):\n    return base[cpu]\n",
	"helpers/linux/mm.py": `from drgn import FaultError
def page_to_nid(page):
    return page.nid
def page_to_virt(page):
    return page.at
def for_each_page(prog):
    return prog.pages
def PageSlab(page):
    if page is None:
        raise FaultError()
    return True
def compound_head(page):
    return page
def compound_order(page):
    return 0
`,
	"helpers/linux/list.py": "def list_for_each_entry(type, head, member):\n    return list(head)\n",
};

const KERNEL = `
from types import SimpleNamespace as S
class Head(list):
    def address_of_(self):
        return self
def slab(nid, inuse, next=None):
    return S(nid=nid, inuse=inuse, objects=16, next=next)
def node(slabs, partial):
    return S(nr_slabs=S(counter=slabs), total_objects=S(counter=slabs * 16), nr_partial=len(partial), partial=Head(partial))
cpus = [S(slab=slab(0, 16), partial=slab(0, 10, slab(1, 4))), S(slab=None, partial=None)]
cache = S(name=S(string_=lambda: b"filp"), refcount=3, object_size=256, size=256, align=64, oo=S(x=16), min_partial=5,
          cpu_partial=24, node=[node(9, [slab(0, 9), slab(0, 3)]), node(2, [])], cpu_slab=cpus)
prog = {"slab_caches": Head([cache])}
exec(compile(open(SCRIPT).read(), SCRIPT, "exec"), {"__name__": "__main__", "prog": prog})
`;

/** One cache of a kernel with hardened freelists: a cpu slab, a per-CPU partial list, a node partial list, a full slab. */
const EXACT = `
import sys
from types import SimpleNamespace as S
SECRET, BASE = 0x1234567890ABCDEF, 0xFFFF888100000000
class Head(list):
    def address_of_(self):
        return self
class Cache(S):
    def __int__(self):
        return 0xFFFF888101000000
class Prog(dict):
    pages, memory = [None], {}
    def read_u64(self, at):
        return self.memory[at]
prog, cache = Prog(), Cache(name=S(string_=lambda: b"filp"), size=256, object_size=232, offset=128, random=SECRET, flags=0,
    oo=S(x=16), min=S(x=16), min_partial=5, cpu_partial=24, cpu_partial_slabs=3, random_seq=[256 * i for i in range(16)])
def chain(base, indices):
    at = [base + 256 * i for i in indices] + [0]
    for here, there in zip(at, at[1:]):
        swab = int.from_bytes((here + 128).to_bytes(8, "little"), "big")
        prog.memory[here + 128] = there ^ SECRET ^ swab
    return at[0]
def slab(nr, free, cpu_free=(), frozen=0, next=None):
    at = BASE + 4096 * nr
    made = S(nid=0, at=at, objects=16, inuse=16 - len(free), frozen=frozen, freelist=chain(at, free), slab_cache=cache, next=next)
    prog.pages.append(made)
    return made, chain(at, cpu_free)
mine, head = slab(0, [7, 3], cpu_free=[5, 6], frozen=1)
cache.cpu_slab = [S(slab=mine, freelist=head, partial=slab(1, [2], frozen=1)[0], stat=range(26)), S(slab=None, freelist=0, partial=None, stat=[0] * 26)]
cache.node = [S(partial=Head([slab(2, [9, 8, 15])[0]])), S(partial=Head())]
slab(3, [])
prog["slab_caches"], prog["init_uts_ns"] = Head([cache]), S(name=S(release=S(string_=lambda: b"6.1.0")))
sys.argv = ["state.drgn.py", "--slabs"]
exec(compile(open(SCRIPT).read(), SCRIPT, "exec"), {"__name__": "__main__", "prog": prog})
`;

describe("state.drgn.py", { skip: !hasPython }, () => {
	test("writes the caches of a kernel as sysfs does, and a replay starts from them", () => {
		for (const [name, text] of Object.entries(DRGN)) put(join(SCRATCH, "drgn", name), text);
		const script = `SCRIPT = ${JSON.stringify(join(TRACES, "state.drgn.py"))}\n${KERNEL}`;
		const env = { ...process.env, PYTHONPATH: SCRATCH, PYTHONDONTWRITEBYTECODE: "1" };
		const done = spawnSync(PYTHON, ["-c", script], { encoding: "utf8", env });
		assert.equal(done.status, 0, done.stderr);
		const value = (key) => done.stdout.match(new RegExp(`/filp/${key}:(.*)`))?.[1];
		assert.equal(value("slabs"), "11 N0=9 N1=2");
		assert.equal(value("objects"), "156 N0=124 N1=32");
		assert.equal(value("objects_partial"), "12 N0=12");
		assert.equal(value("cpu_slabs"), "3 N0=2 N1=1");
		assert.equal(value("slabs_cpu_partial"), "18(2) C0=18(2)");
		assert.equal(value("aliases"), "2");
		const state = put(join(SCRATCH, "state.txt"), done.stdout);
		const trace = "slabtrace 1\nmachine cpus=2 nodes=2\ncache f size=256 name=filp\na 1 f cpu=0\n";
		const path = put(join(SCRATCH, "one.slabtrace"), trace);
		const { kernel, slabs } = json(["replay", path, "--warm", state]);
		assert.match(kernel.start, /1 cache starts with 11 slabs/);
		assert.equal(slabs, 11);
	});

	test("writes every slab with its decoded freelist, and a replay starts from exactly these", () => {
		for (const [name, text] of Object.entries(DRGN)) put(join(SCRATCH, "drgn", name), text);
		const script = `SCRIPT = ${JSON.stringify(join(TRACES, "state.drgn.py"))}\n${EXACT}`;
		const env = { ...process.env, PYTHONPATH: SCRATCH, PYTHONDONTWRITEBYTECODE: "1" };
		const done = spawnSync(PYTHON, ["-c", script], { encoding: "utf8", env });
		assert.equal(done.status, 0, done.stderr);
		const freelists = (letter) =>
			[...done.stdout.matchAll(new RegExp(`^${letter} filp .* free=(\\S*)`, "gm"))].map(
				([, free]) => free,
			);
		assert.match(done.stdout, /^V 1 start\nC filp size=256 [\s\S]*\nE complete\n$/);
		assert.deepEqual(freelists("L"), ["7,3", "2", "9,8,15", ""]);
		assert.deepEqual(freelists("P"), ["5,6", ""]);
		const state = put(join(SCRATCH, "start.state"), done.stdout);
		const at = (ptr) => LINE.replace("ffff888100000100", ptr);
		const free = LINE.replace(
			/kmem_cache_alloc:.*/,
			"kmem_cache_free: call_site=f ptr=ffff888100003400 name=filp",
		);
		const lines = ["ffff888100000500", "ffff888100000600", "ffff888100000700"].map(at);
		const trace = put(
			join(SCRATCH, "exact.txt"),
			[...lines, free, at("ffff888100000300")].join(""),
		);
		const found = json(["check", trace, "--start", state]);
		assert.deepEqual([found.allocations, found.right], [4, 4]);
		const { kernel, slabs } = json(["replay", trace, "--start", state]);
		assert.match(
			kernel.start,
			/1 cache starts with 4 slabs, .* 56 objects in use.*; the trace frees 1 of these objects/,
		);
		assert.equal(slabs, 4);
	});
});
