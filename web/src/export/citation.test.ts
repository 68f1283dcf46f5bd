/** Tests that BibTeX can read the entry: braces match, and nothing in a name is a command. */
import { expect, it } from "vitest";
import { bibtexOf } from "./share.tsx";

it("has the link, the version and the day, and no TeX commands in its names", () => {
	const entry = bibtexOf({
		link: "https://example.org/?trace=a{b}&event=7",
		view: "Trace \\input{x}_1.txt & more, event 7",
		day: "2026-11-23",
	});
	expect(entry).toMatch(/^@software\{slabscope-2026-11-23,\n/);
	expect(entry).toContain("url = {https://example.org/?trace=a%7Bb%7D&event=7}");
	expect(entry).toContain("note = {Trace inputx\\_1.txt \\& more, event 7}");
	expect(entry).toMatch(/version = \{\d+\.\d+\.\d+\},\n\tyear = \{2026\}/);
	expect(entry.split("{").length).toBe(entry.split("}").length);
});
