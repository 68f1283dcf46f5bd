/** Copies tables as they are on screen, for an email, a report or a spreadsheet. */
import { type Table, toCsv, toMarkdown, type Value } from "../../base/csv_table.ts";

export const COPY_FORMATS = { Markdown: toMarkdown, CSV: toCsv } as const;
export type CopyFormat = keyof typeof COPY_FORMATS;

/** Matches a number as people write it: 12,345. */
const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;

const textOf = (element: Element | null | undefined) =>
	(element?.textContent ?? "").replaceAll(/\s+/g, " ").trim();

function cellValue(cell: Element): Value {
	const text = textOf(cell);
	return GROUPED.test(text) ? text.replaceAll(",", "") : text;
}

/** The first row names the columns, whether the table has a head or not. */
function read(table: HTMLTableElement): Table {
	const [head, ...rows] = [...table.rows].map((row) => [...row.cells]);
	return {
		name: textOf(table.caption),
		columns: (head ?? []).map(textOf),
		rows: rows.map((cells) => cells.map(cellValue)),
	};
}

/** Leaves out tables that are only there for screen readers. */
export const isShown = (table: Element) => !table.closest(".hidden") && table.checkVisibility();

export function tableText(table: HTMLTableElement, format: CopyFormat): string {
	return COPY_FORMATS[format](read(table));
}

/** Copies all visible tables except those in a dialog. Resolves to a sentence. */
export async function copyTablesOnScreen(format: CopyFormat): Promise<string> {
	const all = [...document.querySelectorAll("table")];
	const tables = all.filter((table) => isShown(table) && !table.closest("dialog"));
	if (tables.length === 0) return "There is no table on screen.";
	return copyText(
		tables.map((table) => tableText(table, format)).join("\n"),
		tables.length === 1 ? `the table as ${format}` : `${tables.length} tables as ${format}`,
	);
}

export async function copyText(text: string, what: string): Promise<string> {
	try {
		await navigator.clipboard.writeText(text);
		return `Copied ${what}.`;
	} catch {
		return "This browser does not allow copying.";
	}
}
