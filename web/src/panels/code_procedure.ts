/** A short program in our own words, a line for each decision: what code.ts lights. */

export interface CodeLine {
	readonly text: string;
	/** Step kinds and thresholds that happen on this line. */
	readonly on: readonly string[];
}

export interface Procedure {
	/** Kernel functions that this tells of; the first names it. */
	readonly names: readonly string[];
	readonly lines: readonly CodeLine[];
}

/** Kernel functions, then lines: `text @ KIND KIND`. */
export function procedure(names: string, ...lines: string[]): Procedure {
	return {
		names: names.split(" "),
		lines: lines.map((line) => {
			const [text = "", on = ""] = line.split(" @ ");
			return { text: text.trimEnd(), on: on.split(" ").filter((k) => k !== "") };
		}),
	};
}
