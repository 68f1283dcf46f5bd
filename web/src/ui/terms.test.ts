/** Tests finding kernel terms in a text: the longest one, once, as a whole word. */
import { describe, expect, it } from "vitest";
import table from "./glossary.json";
import { Glossary, type GlossaryEntry } from "./term.tsx";

const glossary = new Glossary(table);
const marked = (text: string, seen = new Set<GlossaryEntry>()) =>
	glossary
		.mark(text, seen)
		.map(({ words, entry }) => (entry ? `[${words}: ${entry.term}]` : words))
		.join("");

describe("terms of the glossary", () => {
	it("are found in all their forms, in any case", () => {
		expect(marked("Sheaves hold objects.")).toBe("[Sheaves: sheaf] hold objects.");
		expect(marked("node 0's partial list")).toBe("node 0's [partial list: node partial list]");
	});

	it("are the longest that match at each position", () => {
		expect(marked("its per-CPU partial list, full")).toBe(
			"its [per-CPU partial list: per-CPU partial list], full",
		);
		expect(marked("the node partial list")).toBe("the [node partial list: node partial list]");
	});

	it("are whole words", () => {
		expect(marked("min_partial_rule")).toBe("min_partial_rule");
		expect(marked("min_partial = 5")).toBe("[min_partial: min_partial] = 5");
		expect(marked("unslow pathway")).toBe("unslow pathway");
	});

	it("are marked once per paragraph", () => {
		const seen = new Set<GlossaryEntry>();
		expect(marked("cpu slab, cpu slabs", seen)).toBe("[cpu slab: cpu slab], cpu slabs");
		expect(marked("a cpu slab", seen)).toBe("a cpu slab");
	});

	it("leave every letter of the text in place", () => {
		const text = "A free on the slow path: the slab freelist, a frozen slab.";
		const pieces = glossary.mark(text, new Set());
		expect(pieces.map(({ words }) => words).join("")).toBe(text);
		expect(pieces.length).toBeGreaterThan(4);
	});
});
