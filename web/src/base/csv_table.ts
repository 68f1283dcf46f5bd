/**
 * A table as a file: CSV by RFC 4180, or JSON with an object per row. Numbers are integers without units. Names come
 * from traces, which anybody may have written, so in CSV they cannot act on a terminal or start a formula.
 */

export type Value = string | number | boolean | null;

export interface Table {
	/** Names the heading and the file. */
	readonly name: string;
	readonly columns: readonly string[];
	readonly rows: readonly (readonly Value[])[];
}

export function toCsv({ columns, rows }: Table): string {
	return [columns, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Writes a table for text that is rendered later: names cannot end a cell or start a tag. */
export function toMarkdown({ columns, rows }: Table): string {
	const line = (cells: readonly Value[]) => `| ${cells.map(cell).join(" | ")} |\n`;
	return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("");
}

function cell(value: Value): string {
	return String(value ?? "")
		.replace(UNSAFE, escaped)
		.replaceAll(/[|<\\]/g, "\\$&");
}

/** Matches controls, direction marks, separators and tags: the same set as in the command. */
const UNSAFE =
	/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;
/** The characters that start a formula in a spreadsheet. A sign alone stands for a missing value. */
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

/** Makes a table whose columns are data: the names of columns with their values. */
export function tableOf<Row>(
	name: string,
	columns: Readonly<Record<string, (row: Row) => Value>>,
	rows: readonly Row[],
): Table {
	const values = Object.values(columns);
	return {
		name,
		columns: Object.keys(columns),
		rows: rows.map((row) => values.map((of) => of(row))),
	};
}
