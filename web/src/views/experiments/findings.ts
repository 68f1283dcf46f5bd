/**
 * The finding of each proposal in one sentence, and the figures that its dot plots show. Every number comes from the
 * study, so it changes with the measurement. A test checks the words against the figures.
 */
import { type Figure, type Quantity, quantityText } from "#wasm";

/** Whose figure it is. */
export type Source = "proposal" | "real" | "ours";

/** "TABLE; ROW; COLUMN". */
type Key = string;

export interface Finding {
	/** {a} stands for the figure of that name in `numbers`. */
	readonly words: string;
	/** "SOURCE TABLE; ROW; COLUMN" by name. */
	readonly numbers: Readonly<Record<string, string>>;
	/** Figures that the words compare, in ascending order. */
	readonly ascending: readonly (readonly string[])[];
	readonly plots: readonly Plot[];
}

export interface Plot {
	readonly title: string;
	/** Unit of the axis. */
	readonly unit: string;
	readonly rows: readonly PlotRow[];
}

export interface PlotRow {
	readonly label: string;
	readonly of: Key;
	/** Each source's value is shown as a percentage of its own value here: seconds and model cycles can be compared. */
	readonly per?: Key;
}

const TRIES = "tries per get_any_partial() call";
const SYS = "sys time";
const SLABS_4K = "slabs from the page allocator, buffers up to 4 KiB";
const SLABS_1400 = "slabs from the page allocator, buffers up to 1400 bytes";
const TCP = "tcp_rr on localhost";
const FAST = "allocations and frees on the fast path";
const REAL_FAST = "requests on the fast path: 8 CPUs, 4 nodes, 6.1, 15,360 transactions";
const CYCLES = "cycles in the allocator per transaction";
const LOOKED = "how far an allocation searches, one CPU, 160,000 messages";
const BENCH = "hackbench -g 4 -l 10000";
const SIZES_16 = "16 CPUs: sizes up to 64 KiB whose order the rule changes";
const SIZES_160 = "160 CPUs: sizes up to 64 KiB whose order the rule changes";
const WASTE_16 = "16 CPUs: total wastage in slub memory";
const WASTE_160 = "160 CPUs: total wastage in slub memory";
const SEGREGATED = "SLOB with segregated free list";

/** Makes a row that shows one line of a table as a share of a different one. */
const share = (label: string, table: string, of: string, per: string): PlotRow => ({
	label,
	of: `${table}; ${of}`,
	per: `${table}; ${per}`,
});

export const FINDINGS: Readonly<Record<string, Finding>> = {
	"000": {
		words:
			"With min_partial set by size, the node takes {a} % fewer slabs from the page allocator, and {b} % fewer on a real Linux 6.1.",
		numbers: {
			a: `ours ${SLABS_4K}; static to dynamic; fall`,
			b: `real ${SLABS_4K}; static to dynamic; fall`,
		},
		ascending: [
			[`ours ${SLABS_4K}; SLUB; dynamic`, `ours ${SLABS_4K}; SLUB; static`],
			[`real ${SLABS_4K}; SLUB; dynamic`, `real ${SLABS_4K}; SLUB; static`],
		],
		plots: [
			{
				title: "With min_partial set by size, relative to a constant one",
				unit: "%",
				rows: [
					share("slabs, buffers up to 4 KiB", SLABS_4K, "SLUB; dynamic", "SLUB; static"),
					share("slabs, buffers up to 1400 bytes", SLABS_1400, "SLUB; dynamic", "SLUB; static"),
					share("sys time, average", SYS, "SLUB (dynamic); avg", "SLUB; avg"),
					share("real time, average", "real time", "SLUB (dynamic); avg", "SLUB; avg"),
				],
			},
		],
	},
	"001": {
		words:
			"On four nodes, a search asks {a} times instead of {b}; the proposal counted {c} instead of {d}.",
		numbers: {
			a: `ours ${TRIES}; Four Nodes; Patched`,
			b: `ours ${TRIES}; Four Nodes; Base`,
			c: `proposal ${TRIES}; Four Nodes; Patched`,
			d: `proposal ${TRIES}; Four Nodes; Base`,
		},
		ascending: [
			[`ours ${TRIES}; Four Nodes; Patched`, `ours ${TRIES}; Four Nodes; Base`],
			[`proposal ${TRIES}; Four Nodes; Patched`, `proposal ${TRIES}; Four Nodes; Base`],
		],
		plots: [
			{
				title: "Zones that a search looks at",
				unit: "",
				rows: [
					{ label: "one node, before the patch", of: `${TRIES}; One Node; Base` },
					{ label: "one node, with the patch", of: `${TRIES}; One Node; Patched` },
					{ label: "four nodes, before the patch", of: `${TRIES}; Four Nodes; Base` },
					{ label: "four nodes, with the patch", of: `${TRIES}; Four Nodes; Patched` },
				],
			},
		],
	},
	"002": {
		words:
			"At 192 threads, a transaction takes {c} model cycles with unified queues and {d} with SLUB: {a} % and {b} % of requests stay on the fast path.",
		numbers: {
			a: `ours ${FAST}; 192 threads; unified`,
			b: `ours ${FAST}; 192 threads; slub`,
			c: `ours ${CYCLES}; 192 threads; unified`,
			d: `ours ${CYCLES}; 192 threads; slub`,
		},
		ascending: [
			[`ours ${FAST}; 192 threads; slub`, `ours ${FAST}; 192 threads; unified`],
			[`ours ${CYCLES}; 192 threads; unified`, `ours ${CYCLES}; 192 threads; slub`],
		],
		plots: [
			{
				title: "Transactions with unified queues, relative to SLUB",
				unit: "%",
				rows: ["64", "192", "320", "512", "768"].map((nr) =>
					share(`${nr} threads`, TCP, `${nr} threads; unified`, `${nr} threads; slub`),
				),
			},
			{
				title: "Requests on the fast path, 64 threads on 8 CPUs",
				unit: "%",
				rows: ["slub", "slab"].flatMap((allocator) =>
					["allocations", "frees"].map((what) => ({
						label: `${allocator.toUpperCase()}, ${what}`,
						of: `${REAL_FAST}; 64 threads, ${allocator}; ${what}`,
					})),
				),
			},
		],
	},
	"003": {
		words:
			"With a list for each size class, an allocation looks at {a} page instead of {b}, and memory grows by {c} %.",
		numbers: {
			a: `ours ${LOOKED}; pages looked at; ${SEGREGATED}`,
			b: `ours ${LOOKED}; pages looked at; current SLOB`,
			c: `ours memory usage; increase; ${SEGREGATED}`,
		},
		ascending: [
			[
				`ours ${LOOKED}; pages looked at; ${SEGREGATED}`,
				`ours ${LOOKED}; pages looked at; current SLOB`,
			],
			[`ours memory usage; Slab; current SLOB`, `ours memory usage; Slab; ${SEGREGATED}`],
		],
		plots: [
			{
				title: "With size classes, relative to the current SLOB",
				unit: "%",
				rows: [
					share("memory after boot", "memory usage", `Slab; ${SEGREGATED}`, "Slab; current SLOB"),
					share("time of hackbench", BENCH, `Time, s; ${SEGREGATED}`, "Time, s; current SLOB"),
					share(
						"pages that an allocation looks at",
						LOOKED,
						`pages looked at; ${SEGREGATED}`,
						"pages looked at; current SLOB",
					),
					share(
						"free blocks that it looks at",
						LOOKED,
						`free blocks looked at; ${SEGREGATED}`,
						"free blocks looked at; current SLOB",
					),
				],
			},
		],
	},
	"004": {
		words:
			"On 16 CPUs the rule changes the order of {a} sizes and lowers their tail waste from {b} % of a slab to {c} %; on 160 CPUs it changes {d}.",
		numbers: {
			a: `ours ${SIZES_16}; of 8,192 sizes; changed`,
			b: `ours ${SIZES_16}; tail waste, % of the slab; Normal`,
			c: `ours ${SIZES_16}; tail waste, % of the slab; With Patch`,
			d: `ours ${SIZES_160}; of 8,192 sizes; changed`,
		},
		ascending: [
			[
				`ours ${SIZES_16}; tail waste, % of the slab; With Patch`,
				`ours ${SIZES_16}; tail waste, % of the slab; Normal`,
			],
		],
		plots: [
			{
				title: "Memory with the rule, relative to the memory without it",
				unit: "%",
				rows: [WASTE_16, WASTE_160].flatMap((table) =>
					["Boot", "Hackbench"].map((run) =>
						share(
							`${table.slice(0, table.indexOf(":"))}, waste after ${run.toLowerCase()}`,
							table,
							`With Patch; After ${run}`,
							`Normal; After ${run}`,
						),
					),
				),
			},
			{
				title: "Sizes up to 64 KiB whose order changes",
				unit: "sizes",
				rows: [
					{ label: "16 CPUs", of: `${SIZES_16}; of 8,192 sizes; changed` },
					{ label: "160 CPUs", of: `${SIZES_160}; of 8,192 sizes; changed` },
				],
			},
		],
	},
};

function figureOf(figures: readonly Figure[], key: Key): Figure {
	const [table, row, column] = key.split("; ");
	const found = figures.find((f) => f.table === table && f.row === row && f.column === column);
	if (!found) throw new Error(`The proposal has no figure ${key}.`);
	return found;
}

function quantityOf(figure: Figure, source: Source): Quantity | undefined {
	return source === "proposal" ? figure.seed : source === "real" ? figure.real : figure.ours;
}

const numberOf = ({ value, decimals }: Quantity) => value / 10 ** decimals;

/** Finds a figure by "SOURCE KEY"; undefined if that source has none. */
export function valueOfName(figures: readonly Figure[], name: string): number | undefined {
	const quantity = quantityByName(figures, name);
	return quantity && numberOf(quantity);
}

function quantityByName(figures: readonly Figure[], name: string): Quantity | undefined {
	const [, source, key = ""] = /^(proposal|real|ours) (.*)$/.exec(name) ?? [];
	return quantityOf(figureOf(figures, key), source as Source);
}

/** Writes the finding with its numbers; "" until all its figures are measured. */
export function findingOf(figures: readonly Figure[], { words, numbers }: Finding): string {
	let isWhole = true;
	const text = words.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
		const quantity = quantityByName(figures, numbers[name] ?? name);
		isWhole &&= quantity !== undefined;
		return quantity ? quantityText(quantity) : "";
	});
	return isWhole ? text : "";
}

/** Returns the value of a row of a plot; undefined if that source has none. */
export function plotted(
	figures: readonly Figure[],
	{ of, per }: PlotRow,
	source: Source,
): number | undefined {
	const quantity = quantityOf(figureOf(figures, of), source);
	if (!quantity || per === undefined) return quantity && numberOf(quantity);
	const base = quantityOf(figureOf(figures, per), source);
	return base && base.value !== 0 ? (100 * numberOf(quantity)) / numberOf(base) : undefined;
}
