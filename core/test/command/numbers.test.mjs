// numbers.test.mjs - numbers and ranges on the command line that make no sense: refused before anything is read, with a reason.

import { describe, test } from "node:test";
import { refuses } from "./command.mjs";

/* Whoever reads it first would complain about that instead. */
const NOTHING = "/nowhere/at.all";

describe("ranges of a sweep", () => {
	const AXES = [
		[
			"0..10:-1",
			/`0\.\.10:-1` is not a range: the step after the colon is not a whole number, 1 or more/,
		],
		["0..10:0", /the step after the colon is not a whole number, 1 or more/],
		["0..10:2x", /the step after the colon/],
		["0..10:", /the step after the colon/],
		["10..0", /a range counts upwards/],
		["-5..5", /its ends are whole numbers/],
		["0..-5", /its ends are whole numbers/],
		["0..x", /its ends are whole numbers/],
		["..", /its ends are whole numbers/],
		["1.5..3", /its ends are whole numbers/],
		["0..99999999999999999999999", /its ends are whole numbers of at most 18 digits/],
		[
			"0..999999999999999999",
			/has more than the 512 values .*: 1,000,000,000,000,000,000; give a larger step/,
		],
		["0..512", /has more than the 512 values .*: 513; give a larger step/],
		["0..511,1", /has more than (the )?512 values/],
		["", /a value is missing/],
		["1,,2", /a value is missing/],
	];
	for (const [values, reason] of AXES)
		test(`--x min_partial=${values}`, () => {
			refuses(["sweep", NOTHING, "--x", `min_partial=${values}`], 2, reason);
			refuses(["sweep", NOTHING, "--x", "cpus=1,2", "--y", `min_partial=${values}`], 2, reason);
		});

	test("refuses more cells than a sweep may have", () => {
		const axes = ["--x", "min_partial=0..511", "--y", "cpu_partial=0..511"];
		refuses(["sweep", NOTHING, ...axes], 2, /262,144 cells are more than the 65,536/);
	});
});

describe("options", () => {
	const HUGE = "99999999999999999999999";
	const CALLS = [
		[["bench", "--events", "0"], /--events 0: expected a whole number from 1,000 to 100,000,000/],
		[["bench", "--events", "99999999999"], /--events 99,999,999,999: expected a whole number from/],
		[["bench", "--events", HUGE], /--events 9+: expected a whole number/],
		[["bench", "--live", "0"], /--live 0: expected a whole number from 1 to 4,194,304/],
		[
			["steps", NOTHING, "--event", "1", "--count", "0"],
			/--count 0: expected a whole number from 1/,
		],
		[["steps", NOTHING, "--event", "1", "--count", "-1"], /--count -1: expected a whole number/],
		[["find", NOTHING, "--when", "new-slab", "--count", "0"], /--count 0 finds nothing/],
		[["find", NOTHING, "--when", "new-slab", "--count", "99999999"], /from 0 to 16,777,216/],
		[
			["sweep", NOTHING, "--x", "cpus=1,2", "--jobs", "0"],
			/--jobs 0: expected a whole number from 1/,
		],
		...["0", "-1", "1e9", "nan", "1.5.5", "0.001", "10001", HUGE].flatMap((scale) => [
			[
				["workload", "netio", "--scale", scale, "-o", "/dev/null"],
				/scale: expected a number from 0\.01 to 10000/,
			],
			[["replay", `workload:netio?scale=${scale}`], /scale: expected a number from 0\.01 to 10000/],
			[["reproduce", "--scale", scale], /--scale: expected a number from 0\.01 to 10000/],
		]),
		...["-1", "x", "1.5", "4294967296", HUGE].flatMap((seed) => [
			[
				["workload", "netio", "--seed", seed, "-o", "/dev/null"],
				/seed: expected a number from 0 to 4294967295/,
			],
			[["replay", `workload:netio?seed=${seed}`], /seed: expected a number from 0 to 4294967295/],
		]),
	];
	for (const [args, reason] of CALLS) test(args.join(" "), () => refuses(args, 2, reason));
});
