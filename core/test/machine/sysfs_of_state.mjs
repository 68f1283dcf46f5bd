// sysfs_of_state.mjs - a dump of every slab of a real kernel (../shared/groundtruth/states) as the files of
// /sys/kernel/slab that this kernel would have shown at the same moment.

import { execFileSync } from "node:child_process";

const listed = (words = "") => words.split(",").filter((word) => word !== "");

/** "total N0=1 N2=4": nodes without a share are left out, as the kernel does. */
function byNode(parts) {
	const total = parts.reduce((n, part) => n + part, 0);
	return [total, ...parts.flatMap((n, i) => (n > 0 ? [`N${i}=${n}`] : []))].join(" ");
}

/** A line of the dump: its letter, the cache, what comes before the first pair, and the pairs. */
function lineOf(text) {
	const [kind, name, ...rest] = text.split(" ");
	const pairs = rest.filter((word) => word.includes("=")).map((word) => word.split("="));
	return { kind, name, at: rest[0], of: Object.fromEntries(pairs) };
}

/** The slabs of a cache by node and by CPU. */
function shares(lines, slabs) {
	const nodes = lines
		.filter(({ kind }) => kind === "N")
		.map(({ of }) => {
			const partial = listed(of.partial).map((address) => slabs.get(address));
			const inPartial = partial.reduce((n, slab) => n + Number(slab.inuse), 0);
			const slots = partial.reduce((n, slab) => n + Number(slab.objects), 0);
			return { ...of, inPartial, free: slots - inPartial, onCpus: 0 };
		});
	const cpus = lines.filter(({ kind }) => kind === "P").map(({ of }) => of);
	for (const { slab, partial } of cpus)
		for (const address of [slab, ...listed(partial)])
			if (slabs.has(address)) nodes[Number(slabs.get(address).nid)].onCpus++;
	return { nodes, cpus };
}

function filesOf({ name, of }, { nodes, cpus }) {
	const all = (share) => byNode(nodes.map((node) => Number(share(node))));
	const parts = cpus.map(({ partial }) => listed(partial).length);
	const amount = (n) => `${Math.floor((n * Number(of.objs)) / 2)}(${n})`;
	const each = parts.flatMap((n, cpu) => (n > 0 ? [`C${cpu}=${amount(n)}`] : []));
	const files = {
		aliases: Number(of.refcount) - 1,
		object_size: of.object_size,
		slab_size: of.size,
		order: of.order,
		objs_per_slab: of.objs,
		min_partial: of.min_partial,
		cpu_partial: of.cpu_partial,
		slabs: all((n) => n.nr_slabs),
		total_objects: all((n) => n.total_objects),
		objects: all((n) => n.total_objects - n.free),
		partial: all((n) => n.nr_partial),
		objects_partial: all((n) => n.inPartial),
		cpu_slabs: all((n) => n.onCpus),
		slabs_cpu_partial: [amount(parts.reduce((a, b) => a + b, 0)), ...each].join(" "),
	};
	return Object.entries(files).map(([key, value]) => `/sys/kernel/slab/${name}/${key}:${value}\n`);
}

function group(lines) {
	const groups = new Map();
	for (const line of lines) {
		const known = groups.get(line.name);
		if (known) known.push(line);
		else groups.set(line.name, [line]);
	}
	return groups;
}

export function sysfsOfState(path) {
	const text = execFileSync("xz", ["-dc", path], { encoding: "utf8", maxBuffer: 1 << 28 });
	const lines = text.split("\n").map(lineOf);
	const ofCache = group(lines);
	return lines
		.filter(({ kind }) => kind === "C")
		.flatMap((cache) => {
			const own = ofCache.get(cache.name);
			const slabs = new Map(own.filter(({ kind }) => kind === "L").map(({ at, of }) => [at, of]));
			return filesOf(cache, shares(own, slabs));
		})
		.join("");
}

if (process.argv[1]?.endsWith("sysfs_of_state.mjs"))
	process.stdout.write(sysfsOfState(process.argv[2]));
