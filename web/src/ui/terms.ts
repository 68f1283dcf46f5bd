/** Finds kernel terms in a text: the first place of each, the longest term where several begin. No React, no page. */

/** The glossary: definitions by term. */
export type Definitions = Readonly<Record<string, Omit<GlossaryEntry, "term">>>;

export interface GlossaryEntry {
	readonly term: string;
	/** The definition, in one or two sentences. */
	readonly is: string;
	/** The file of Linux where it is. */
	readonly source?: string;
	/** Its name in the kernel, or in another allocator. */
	readonly also?: string;
	/** The words under which it is found in a text, if not the term and its plural in -s; empty: it is not looked for. */
	readonly forms?: readonly string[];
}

/** A piece of a text: words as they stand, and the entry that they name, if any. */
export interface Piece {
	readonly words: string;
	readonly entry?: GlossaryEntry;
}

export class Glossary {
	readonly #entries = new Map<string, GlossaryEntry>();
	readonly #pattern: RegExp;

	constructor(definitions: Definitions) {
		for (const [term, definition] of Object.entries(definitions)) {
			const entry = { term, ...definition };
			for (const form of entry.forms ?? [term, `${term}s`])
				this.#entries.set(form.toLowerCase(), entry);
		}
		const forms = [...this.#entries.keys()].toSorted((a, b) => b.length - a.length);
		const escaped = forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
		this.#pattern = new RegExp(
			`(?<![\\p{L}\\p{N}_-])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_-])`,
			"giu",
		);
	}

	/** Divides a text. A term that is in `seen` stays plain; others are added to it. */
	mark(text: string, seen: Set<GlossaryEntry>): Piece[] {
		const pieces: Piece[] = [];
		let from = 0;
		for (const { 0: words, index } of text.matchAll(this.#pattern)) {
			const entry = this.#entries.get(words.toLowerCase());
			if (!entry || seen.has(entry)) continue;
			seen.add(entry);
			if (index > from) pieces.push({ words: text.slice(from, index) });
			pieces.push({ words, entry });
			from = index + words.length;
		}
		if (from < text.length) pieces.push({ words: text.slice(from) });
		return pieces;
	}
}
