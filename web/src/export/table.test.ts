/** Tables as files: what spreadsheets and programs read back is what was written. */
import { describe, expect, it } from "vitest";
import { toCsv, toJson } from "./table.ts";

const TABLE = {
	name: "steps",
	columns: ["step", "sentence"],
	rows: [
		[1, 'the "fast" path, once'],
		[2, null],
	],
};

describe("a table", () => {
	it("quotes what has commas or quotes", () => {
		expect(toCsv(TABLE)).toBe('step,sentence\r\n1,"the ""fast"" path, once"\r\n2,\r\n');
	});

	it("is an object a row", () => {
		expect(JSON.parse(toJson(TABLE))).toEqual([
			{ step: 1, sentence: 'the "fast" path, once' },
			{ step: 2, sentence: null },
		]);
	});
});
