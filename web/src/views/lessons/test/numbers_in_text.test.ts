/** Tests that numbers in prose are found where they are claims, not where they are names, and tests what number words mean. */
import { describe, expect, it } from "vitest";
import { meaningOf, means, numbersIn } from "./numbers_in_text.ts";

const words = (text: string) => numbersIn(text).map((n) => n.words);

describe("numbers in prose", () => {
	it("are found in digits and in words", () => {
		expect(words("It has 4,096 bytes in three zones, 2.71 a search.")).toEqual([
			"4,096",
			"three",
			"2.71",
		]);
		expect(words("Half of them; a hundred and sixty CPUs")).toEqual(["Half", "hundred", "sixty"]);
	});

	it("are not names, dates and versions", () => {
		expect(words("CPU 3 on node 1 frees slab 12 under Linux 6.18")).toEqual([]);
		expect(words("since 2.6.23, in 2007, on 4 August 2008; a power of two")).toEqual([]);
		expect(words("nodes 0 and 1; page 4")).toEqual([]);
	});

	it("count if they only look like versions", () => {
		expect(words("it is 3.2 times faster")).toEqual(["3.2"]);
	});

	it("have a meaning", () => {
		expect(meaningOf("a hundred and sixty")).toBe(160);
		expect(meaningOf("two fifths")).toBeCloseTo(0.4);
		expect(meaningOf("Fifteen")).toBe(15);
		expect(meaningOf("64 KiB")).toBe(65536);
	});

	it("stand for a value, or do not", () => {
		expect(means("three", 3)).toBe(true);
		expect(means("three", 4)).toBe(false);
		expect(means("eighth", 8)).toBe(true);
		expect(means("nine times", 9.13)).toBe(true);
		expect(means("Almost a third fewer", 0.7)).toBe(true);
		expect(means("Almost a third fewer", 0.6)).toBe(false);
		expect(means("13 per cent more", 1.131)).toBe(true);
		expect(means("some thirty", 29.49)).toBe(true);
		expect(means("some thirty", 45)).toBe(false);
	});
});
