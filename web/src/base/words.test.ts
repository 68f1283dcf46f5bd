/** Tests what the page says about sampled traces. */
import { expect, it } from "vitest";
import { unscaledWords } from "./words.ts";

it("names which of the compared traces are sampled, and says once that the figures are not scaled", () => {
	const both = unscaledWords([
		["The trace of A", 1],
		["The trace of B", 2500],
	]);
	expect(both).toMatch(
		/^The trace of A is sampled\. The trace of B is sampled: each event stands for about 2,500\. The figures are the sample's, not scaled up: [^.]+\.$/,
	);
	const one = [
		["The trace of A", 0],
		["The trace of B", 4],
	] as const;
	expect(unscaledWords(one)).toMatch(/^The trace of B is sampled: .* about 4\. The figures/);
	expect(unscaledWords([["The trace", 0]])).toBe("");
});
