/** The first rows of CSV for a person to look at; the core decides what they mean. */

const ROWS = 3;

/** Fields of the rows below the header. A quoted field may hold the separator and doubled quotes. */
export function firstRows(text: string, separator: string): string[][] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
	return lines.slice(1, 1 + ROWS).map((line) => fields(line, separator));
}

function fields(line: string, separator: string): string[] {
	const all: string[] = [];
	let field = "";
	let quoted = false;
	for (const char of line) {
		if (char === '"') {
			quoted = !quoted;
		} else if (char === separator && !quoted) {
			all.push(field.trim());
			field = "";
		} else {
			field += char;
		}
	}
	return [...all, field.trim()];
}
