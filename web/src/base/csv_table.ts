/**
 * A table as a file: CSV as RFC 4180 has it, or JSON with an object a row. Numbers are whole and without units. Names come
 * from recordings, which anybody may have written: in CSV they neither act on a terminal nor start a formula.
 */

export type Value = string | number | boolean | null;

export interface Table {
	/** For its heading and for the name of its file. */
	readonly name: string;
	readonly columns: readonly string[];
	readonly rows: readonly (readonly Value[])[];
}

export function toCsv({ columns, rows }: Table): string {
	return [columns, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Controls, marks of direction, separators and tags: the same set as the command's. */
const UNSAFE =
	/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;
/** Where a spreadsheet begins a formula. A sign alone means that there is nothing. */
const FORMULA = /^[=+\-@＝＋－＠]./;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function escaped(char: string): string {
	const code = char.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
	return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

function field(value: Value): string {
	if (typeof value !== "string") return value === null ? "" : String(value);
	const text = value.replace(UNSAFE, escaped);
	const isFormula = FORMULA.test(value) && !NUMBER.test(value);
	const safe = isFormula ? `'${text}` : text;
	return isFormula || /[",]/.test(text) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toJson({ columns, rows }: Table): string {
	const objects = rows.map((row) =>
		Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])),
	);
	return `${JSON.stringify(objects, null, "\t")}\n`;
}
