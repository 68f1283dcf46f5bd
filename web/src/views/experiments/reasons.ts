/** Why figures of an experiment agree or not: by which rules, and for which reasons. */
import type { Figure } from "#wasm";

/** By which figures agree; none before anything has been measured. */
export function rulesOf(figures: readonly Figure[]): string[] {
	return [...new Set(figures.map(({ rule }) => rule))].filter((rule) => rule !== "");
}

export interface Reason {
	/** Names of the figures. */
	readonly of: string;
	readonly why: string;
}

/** Each reason once, with the figures that it is of. */
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
