/** Tests the table of call sites: order, filter, verdicts and times. */
import { describe, expect, it } from "vitest";
import { Leak, SITE_COLUMNS } from "#abi";
import type { SiteShown, SitesAnswered } from "../../../engine/query/sites.ts";
import {
	COLUMNS,
	matching,
	nameOf,
	pivotOf,
	shortTime,
	sorted,
	summary,
	tilesOf,
	verdictOf,
} from "./rows.ts";

const NONE = 0xffffffff;
const row = (some: Partial<SiteShown>): SiteShown => ({
	callSite: "",
	cacheName: "",
	cache: NONE,
	cpu: 0xffff,
	node: 0xffff,
	allocations: 1,
	frees: 0,
	liveObjects: 0,
	liveBytes: 0,
	bytesRequested: 0,
	bytesAllocated: 0,
	fragmentation: 0,
	task: "",
	lifetimeTime: [],
	lifetimeEvents: [],
	crossCpuFrees: 0,
	crossNodeFrees: 0,
	lifetimeEventsMin: 0,
	lifetimeEventsMean: 0,
	lifetimeEventsMax: 0,
	lifetimeEventsP50: 0,
	lifetimeEventsP90: 0,
	lifetimeEventsP99: 0,
	leakSuspects: 0,
	firstOp: 0,
	oldestLiveOp: NONE,
	...some,
});

const both = pivotOf("both");
const clock = { ops: 9, isKnown: true, isNs: true, parts: 32 };
const fork = row({ callSite: "fork+0x1", cacheName: "task_struct", liveBytes: 9, firstOp: 4 });
const pipe = row({ callSite: "pipe+0x2", cacheName: "kmalloc-64", liveBytes: 9, firstOp: 2 });
const open = row({
	callSite: "open+0x3",
	cacheName: "kmalloc-64",
	frees: 2,
	lifetimeTime: [1, 3, 2, 5, 5, 5],
});
const sites = (rows: readonly SiteShown[]) => rows.map(({ callSite }) => callSite);

describe("rows of call sites", () => {
	it("have the command's columns, in the same order and with the same words", () => {
		expect(COLUMNS.map(({ name }) => name)).toEqual(SITE_COLUMNS.map(({ name }) => name));
		for (const { name, title, show } of COLUMNS) {
			expect(title.length, name).toBeGreaterThan(0);
			expect(typeof show(open, clock), name).toBe("string");
		}
	});

	it("are sorted by a column, then as the command sorts them", () => {
		const rows = [open, fork, pipe];
		const by = (name: string, up: boolean) => sites(sorted(rows, both, { by: name, up }, clock));
		expect(by("live bytes", false)).toEqual(["pipe+0x2", "fork+0x1", "open+0x3"]);
		expect(by("live bytes", true)).toEqual(["open+0x3", "pipe+0x2", "fork+0x1"]);
		expect(by("name", true)).toEqual(["fork+0x1", "open+0x3", "pipe+0x2"]);
		expect(by("mean lifetime", true)).toEqual(["pipe+0x2", "fork+0x1", "open+0x3"]);
		const cpus = [10, 9, 1].map((cpu) => row({ cpu }));
		const order = sorted(cpus, pivotOf("cpu"), { by: "name", up: true }, clock);
		expect(order.map(({ cpu }) => cpu)).toEqual([1, 9, 10]);
	});

	it("match each word of the filter in the call site or the cache", () => {
		const rows = [open, fork, pipe];
		expect(matching(rows, both, " ")).toBe(rows);
		expect(sites(matching(rows, both, "KMALLOC pi"))).toEqual(["pipe+0x2"]);
		expect(matching(rows, both, "fork kmalloc")).toEqual([]);
		expect(sites(matching([row({})], both, "unknown"))).toEqual([""]);
	});

	it("say their verdict in words, naming suspects only where there are some", () => {
		const caches = [Leak.LEAK_SUSPECT, Leak.LEAK_UNSEEN].map((leak) => ({
			name: "",
			leak,
			liveObjects: 3,
			why: "",
		}));
		const answer: SitesAnswered = {
			rows: [],
			caches,
			ops: 9,
			timeIsKnown: true,
			lifetimeParts: 32,
			isGuess: false,
		};
		const verdict = (some: Partial<SiteShown>) => verdictOf(row(some), answer);
		expect(verdict({ cache: 0 })).toBe("nothing left");
		expect(verdict({ cache: 0, liveObjects: 3, leakSuspects: 1 })).toBe("1 leak suspect");
		expect(verdict({ cache: 0, liveObjects: 3 })).toBe("in use");
		expect(verdict({ cache: 1, liveObjects: 3 })).toBe("frees not recorded");
		expect(verdict({ liveObjects: 3 })).toBe("no leak suspects");
	});

	it("give the age of the oldest live object in events, up to the end of the trace", () => {
		const column = COLUMNS.find(({ name }) => name === "oldest live");
		expect(column?.show(row({ oldestLiveOp: 2 }), clock)).toBe("7 events old");
		expect(column?.show(row({}), clock)).toBe("–");
	});

	it("are summed up in a sentence", () => {
		expect(summary([fork], 2, both)).toBe(
			"1 of 2 rows by call site and cache: 1 allocation; 0 objects (9 bytes) live at the end; no leak suspects.",
		);
	});

	it("give lifetimes by the trace's clock, and percentiles where they are known", () => {
		const shown = (name: string, some: object, freed = open) =>
			COLUMNS.find((column) => column.name === name)?.show(freed, { ...clock, ...some });
		expect(shown("p90 lifetime", {})).toBe("5 ns");
		expect(shown("p90 lifetime", { parts: 0 })).toBe("–");
		expect(shown("longest lifetime", { parts: 0, isNs: false })).toBe("5 ticks");
		expect(shown("median lifetime", {}, fork)).toBe("–");
	});

	it("are named after their task when grouped by task", () => {
		const names = ["sh-42", ""].map((task) => nameOf(row({ task }), pivotOf("task")));
		expect(names).toEqual(["sh-42", "(unknown task)"]);
	});

	it("show times with three digits", () => {
		expect([0, 999, 999.6, 5_896_412, 2.5e9, 4e12].map(shortTime)).toEqual([
			"0 ns",
			"999 ns",
			"1 µs",
			"5.9 ms",
			"2.5 s",
			"4,000 s",
		]);
	});
});

describe("a treemap of call sites", () => {
	const size = { width: 400, height: 200 };
	const sized = (n: number) =>
		row({ callSite: `site ${n}`, cacheName: `cache ${n % 7}`, liveBytes: n * n });
	const area = (tiles: readonly { width: number; height: number }[]) =>
		tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0);

	it("has a tile for each row above 0, in proportion to its number and within its bounds", () => {
		const rows = [0, 1, 2, 3, 10].map(sized);
		const tiles = tilesOf(rows, ({ liveBytes }) => liveBytes, { width: 1000, height: 400 });
		expect(tiles.map(({ value }) => value)).toEqual([100, 9, 4, 1]);
		const [largest] = tiles;
		expect((largest?.width ?? 0) * (largest?.height ?? 0)).toBeGreaterThan(
			0.8 * (100 / 114) * 1000 * 400,
		);
		expect(area(tiles)).toBeLessThanOrEqual(1000 * 400);
		for (const { x, y, width, height } of tiles) {
			expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0);
			expect(x + width).toBeLessThanOrEqual(1000.001);
			expect(y + height).toBeLessThanOrEqual(400.001);
		}
		expect(tilesOf([sized(0)], ({ liveBytes }) => liveBytes, size)).toEqual([]);
	});

	it("puts rows too small for a name in one tile", () => {
		const rows = Array.from({ length: 100 }, (_, i) => sized(i + 1));
		const tiles = tilesOf(rows, ({ liveBytes }) => liveBytes, size);
		const rest = tiles.find((tile) => tile.row === undefined);
		expect(rest?.nr).toBe(100 - (tiles.length - 1));
		expect(rest?.nr).toBeGreaterThan(50);
		for (const tile of tiles) expect(tile.width * tile.height).toBeGreaterThan(1500);
		expect(tiles.reduce((sum, { value }) => sum + value, 0)).toBe(
			rows.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
		);
	});
});
