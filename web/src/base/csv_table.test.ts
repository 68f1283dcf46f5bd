/** Tests that spreadsheets and programs read back from a table's file what was written to it. */
import { describe, expect, it } from "vitest";
import { toCsv, toJson, toMarkdown } from "./csv_table.ts";

const TABLE = {
	name: "steps",
	columns: ["step", "sentence"],
	rows: [
		[1, 'the "fast" path, once'],
		[2, null],
	],
};

describe("a table", () => {
	it("quotes cells with commas or quotes", () => {
		expect(toCsv(TABLE)).toBe('step,sentence\r\n1,"the ""fast"" path, once"\r\n2,\r\n');
	});

	it("has no control characters, direction marks or formulas", () => {
		const csv = (value: string | number) =>
			toCsv({ name: "", columns: ["x"], rows: [[value]] }).slice(3, -2);
		expect(csv("a\u001b[31m\u009b\u007f\u202e\n")).toBe("a\\x1b[31m\\u009b\\x7f\\u202e\\x0a");
		expect(csv("=1+1")).toBe(`"'=1+1"`);
		expect(csv('@SUM("a",1)')).toBe(`"'@SUM(""a"",1)"`);
		expect(csv("\t=1")).toBe("\\x09=1");
		for (const plain of ["-", "-17", "+1.5e3", "a=b", "kmalloc-64"]) expect(csv(plain)).toBe(plain);
		expect(csv(-17)).toBe("-17");
	});

	it("is Markdown, whatever its cells contain", () => {
		const rows = [["a|b <i>\n", null]];
		expect(toMarkdown({ name: "", columns: ["x", "y"], rows })).toBe(
			"| x | y |\n| --- | --- |\n| a\\|b \\<i>\\\\x0a |  |\n",
		);
	});

	it("becomes one object per row as JSON", () => {
		expect(JSON.parse(toJson(TABLE))).toEqual([
			{ step: 1, sentence: 'the "fast" path, once' },
			{ step: 2, sentence: null },
		]);
	});
});
