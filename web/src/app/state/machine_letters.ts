/** Machines of a comparison are called A to D. */

/** A is the machine on the stage. */
export const LETTERS = ["A", "B", "C", "D"] as const;

export function letterOf(nr: number): string {
	return LETTERS[nr] ?? "";
}
