/** Why figures of an experiment agree or not: the rules and the reasons. */
import type { Figure } from "#wasm";

/** The rules by which figures agree; none before a measurement. */
export function rulesOf(figures: readonly Figure[]): string[] {
	return [...new Set(figures.map(({ rule }) => rule))].filter((rule) => rule !== "");
}

export interface Reason {
	/** Names of the figures. */
	readonly of: string;
	readonly why: string;
}

/** Each reason once, with its figures. */
export function reasonsOf(figures: readonly Figure[]): Reason[] {
	const reasons = new Map<string, string[]>();
	for (const { row, column, why } of figures) {
		if (why === "") continue;
		const names = reasons.get(why) ?? [];
		names.push(`${row}, ${column}`);
		reasons.set(why, names);
	}
	return [...reasons].map(([why, names]) => ({
		of: names.length > 3 ? `${names[0]} and ${names.length - 1} more` : names.join("; "),
		why,
	}));
}
