/** Tests that the page reports the same changes between two traces as the command does, under every alignment. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { compile, type KmemSession } from "#wasm";
import { importFile } from "../import/loader.ts";
import { replay } from "../machine.ts";
import { NO_PACE } from "../pace.ts";
import { ALIGNS, type Change, FIGURES, TABLES, type TwoTraces, twoTraces } from "./two_traces.ts";

const path = (to: string) => fileURLToPath(new URL(`../../../../${to}`, import.meta.url));
const COMMAND = process.env.SLABSCOPE ?? path("core/build/slabscope");
const FILES = ["linux-6.1-fork-and-tcp", "linux-6.18-fork-and-tcp"].map((name) =>
	path(`traces/${name}.ftrace.txt.gz`),
);
const PRESET = "linux-6.1";

let module: WebAssembly.Module;
let answer: TwoTraces;

async function replayed(file: string, more = ""): Promise<KmemSession> {
	const { session } = await importFile(module, new Blob([readFileSync(file), more]), NO_PACE);
	session.preset(PRESET);
	await replay(session, NO_PACE);
	for (const _ of session.indexSlices(0, 1 << 20));
	return session;
}

beforeAll(async () => {
	module = await compile(readFileSync(path("wasm/dist/kmem.wasm")));
	const [a, b] = [await replayed(FILES[0] ?? ""), await replayed(FILES[1] ?? "")];
	answer = await twoTraces(module, a, b, NO_PACE);
});

/** A row in the form that --json prints. */
function asJson(
	{ name, cache, nameInB, kind, figures, first, peak }: Change,
	names: readonly string[],
) {
	const events = ([a, b]: readonly [number, number]) => ({
		a: a < 0 ? null : a,
		b: b < 0 ? null : b,
	});
	const numbers = names.map((figure, f) => {
		const { a, b, change, step } = figures[f] ?? { a: 0, b: 0, change: 0, step: null };
		const largest_step = step && {
			change: step.change,
			a_from_op: step.a[0],
			a_end_op: step.a[1],
			b_from_op: step.b[0],
			b_end_op: step.b[1],
		};
		return [figure, { a, b, change, largest_step }] as const;
	});
	return {
		name,
		...(cache && { cache }),
		...(nameInB && { name_in_b: nameInB }),
		kind,
		...Object.fromEntries(numbers),
		first_op: events(first),
		peak_op: events(peak),
	};
}

describe.skipIf(!existsSync(COMMAND))("two traces", () => {
	it.each(ALIGNS)("aligned by %s match the command's", (align) => {
		const text = execFileSync(
			COMMAND,
			[
				"compare",
				FILES[0],
				"--against",
				FILES[1],
				"--preset",
				PRESET,
				"--align",
				align,
				"--cold",
				"--json",
			].map(String),
			{ encoding: "utf8", maxBuffer: 1 << 28 },
		);
		const command = JSON.parse(text);
		const changes = answer.by[align];
		if (typeof changes === "string") throw new Error(changes);
		for (const table of TABLES) {
			const rows = changes.tables[table].map((row) => asJson(row, FIGURES[table]));
			const withEvents = table === "caches" || table === "sites";
			const plain = rows.map(({ first_op, peak_op, ...row }) => row);
			// The command marks each row with the origin of its figures; the page marks the table.
			const figures = command[table].map(({ from, ...row }: { from?: string }) => row);
			expect(withEvents ? rows : plain, table).toEqual(figures);
		}
		expect(changes.curves.at[1]).toEqual(
			command.curves.map((point: { b_events: number }) => point.b_events),
		);
		for (const [f, figure] of FIGURES.curves.entries())
			expect(changes.curves.figures[f]?.[0]).toEqual(
				command.curves.map((point: Record<string, { a: number }>) => point[figure]?.a),
			);
		expect(answer.extents.map(({ lacksNames }) => lacksNames)).toEqual([
			!command.a.cache_names,
			!command.b.cache_names,
		]);
	});

	it("says which trace is sampled", async () => {
		const lesson = path("traces/two-nodes.slabtrace");
		const [whole, sampled] = [await replayed(lesson), await replayed(lesson, "\n#sampled 8\n")];
		const { extents } = await twoTraces(module, whole, sampled, NO_PACE);
		expect(extents.map(({ sampling }) => sampling)).toEqual([0, 8]);
	});

	it("says why two traces cannot be aligned by time", async () => {
		const timeless = await replayed(path("traces/two-nodes.slabtrace"));
		const { by } = await twoTraces(module, timeless, timeless, NO_PACE);
		expect(by.time).toBe("A has no times: align by event or by share.");
		expect(by.share).toBeTypeOf("object");
	});
});
