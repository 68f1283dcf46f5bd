/** A table as a file: CSV as RFC 4180 has it, or JSON with an object a row. Numbers are whole and without units. */

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

function field(value: Value): string {
	const text = value === null ? "" : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toJson({ columns, rows }: Table): string {
	const objects = rows.map((row) =>
		Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])),
	);
	return `${JSON.stringify(objects, null, "\t")}\n`;
}
