// proposals.test.mjs - what must be exact in `slabscope reproduce` 001 and 004: tries on one node, the order rule, and that runs
// between which the rule changes nothing come to the same.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { json, rowsOf, run, SHARED } from "../command/command.mjs";

/** A whole run takes ten seconds; `npm test` has a tenth of it, in core/test/golden/seeds.txt. */
const LONG = { skip: !process.env.LONG && "npm run test:long runs it" };

const REPEATS = join(SHARED, "groundtruth", "slub_repeats_summary.csv");

function figures(seed) {
	const { rows } = json(["reproduce", seed]).seeds[0];
	return (table, row, column) =>
		rows.find((r) => r.table.includes(table) && r.row === row && r.column === column) ??
		assert.fail(`${table}, ${row}, ${column}`);
}

describe("slabscope reproduce", () => {
	test("001: one node makes three tries before and none after; four nodes come near the real kernel", () => {
		const of = figures("001");
		const tries = (row, column) => of("tries per get_any_partial() call", row, column);
		assert.equal(tries("One Node", "Base").ours, 3);
		assert.equal(tries("One Node", "Patched").ours, 0);
		assert.equal(tries("One Node", "Improvement").ours, -100);
		for (const column of ["Base", "Patched"]) {
			const row = tries("Four Nodes", column);
			assert.ok(Math.abs(row.ours - row.real) / row.real < 0.11);
			assert.equal(row.agrees, row.ours >= row.real_least && row.ours <= row.real_most, row.why);
			assert.match(row.rule, /^Agrees between the least and the most/);
		}
		assert.match(tries("Four Nodes", "Patched").why, /the proposal's 2\.5 needs/);
		assert.match(of("make -j8", "One Node", "Base").ours_unit, /model cycles/);
	});

	test(
		"004: the rule is exact; at 160 CPUs it changes no orders, so memory and time stay the same",
		LONG,
		() => {
			const of = figures("004");
			for (const [cpus, changed] of [
				[160, 0],
				[16, 69],
			]) {
				for (const column of ["changed", "to a larger order"]) {
					const row = of(`${cpus} CPUs: sizes`, "of 8,192 sizes", column);
					assert.equal(row.ours, changed);
					assert.equal(row.real, changed);
					assert.equal(row.agrees, true);
				}
			}
			for (const table of ["160 CPUs: total wastage", "160 CPUs: total slub memory"]) {
				for (const column of ["After Boot", "After Hackbench"]) {
					const amounts = ["Normal", "With Patch"].map((row) => of(table, row, column).ours);
					assert.ok(amounts[0] > 0);
					assert.equal(amounts[0], amounts[1]);
					const fall = of(table, "Reduced by", column);
					assert.equal(fall.ours, 0);
					assert.equal(fall.agrees, false);
					assert.match(fall.why, /changes the order of no size at all/);
				}
			}
			const [normal, patched] = ["Normal", "With Patch"].map(
				(column) => of("160 CPUs: hackbench", "48 groups", column).ours,
			);
			assert.equal(normal, patched);
			assert.ok(of("160 CPUs: hackbench", "296 groups", "Normal").ours > normal);
		},
	);

	// The factors of proposals.def, from the table that it names.
	test("the real kernel's counters differ between boots by as much as the rules say", {
		skip: !existsSync(REPEATS),
	}, () => {
		const repeats = rowsOf(readFileSync(REPEATS, "utf8")).filter(({ min }) => Number(min) >= 100);
		const ratios = (config) =>
			repeats
				.filter((row) => row.config === config)
				.map(({ min, max }) => Number(max) / Number(min))
				.sort((a, b) => a - b);
		for (const [config, factor] of [
			["1n1c", "1.18"],
			["1n2c", "2.34"],
			["4n8c", "1.75"],
		]) {
			const all = ratios(config);
			assert.equal(all[Math.floor(0.95 * all.length)].toFixed(2), factor, config);
		}
		const { rows } = json(["reproduce", "003"]).seeds[0];
		assert.ok(rows.some(({ rule }) => rule.includes("within a factor of 1.18")));
	});

	test("--scale runs part of the work, or says what it accepts", () => {
		const rows = json(["reproduce", "001", "--scale", "0.1"]).seeds[0].rows;
		assert.equal(rows[0].ours, 3);
		assert.ok(rows.find(({ kind }) => kind === "time").ours < 1);
		assert.equal(run(["reproduce", "001", "--scale", "0.125"]).status, 2);
	});

	test("004: --set applies to every run", () => {
		const rows = json(["reproduce", "004", "--scale", "0.1", "--set", "order_rule=rfc-2023"])
			.seeds[0].rows;
		const fall = rows.filter(({ row }) => row === "Reduced by");
		assert.ok(fall.length === 8 && fall.every(({ ours }) => ours === 0));
	});
});
