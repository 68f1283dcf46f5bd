/**
 * Kernel terms with their definitions, on hover and on focus. A text inside <Terms> has a dotted line under the first
 * use of each term of glossary.json. The table is fetched when somebody might read it, not for the first view.
 */

import {
	Children,
	Fragment,
	memo,
	type ReactNode,
	useCallback,
	useEffect,
	useId,
	useLayoutEffect,
	useRef,
	useState,
} from "react";
import { onFirstSign } from "../base/first_sign.ts";
import { loadOnce } from "../base/load_code.ts";
import css from "./term.module.css";

const MARGIN_PX = 8;
const SIGNS = ["pointermove", "pointerdown", "touchstart", "keydown"] as const;

const load = loadOnce(async () => new Glossary((await import("./glossary.json")).default));

let glossary: Glossary | undefined;
const waiting = new Set<() => void>();

/** If the network is down, there's no table and texts stay plain. */
function fetchGlossary(): void {
	load().then(
		(loaded) => {
			glossary = loaded;
			for (const tell of waiting) tell();
		},
		() => undefined,
	);
}

function useGlossary(atOnce: boolean): Glossary | undefined {
	const [known, setKnown] = useState(glossary);
	useEffect(() => {
		if (known) return;
		const tell = () => setKnown(glossary);
		waiting.add(tell);
		if (glossary) tell();
		else if (atOnce) fetchGlossary();
		const stop = glossary || atOnce ? undefined : onFirstSign(SIGNS, fetchGlossary);
		return () => {
			waiting.delete(tell);
			stop?.();
		};
	}, [known, atOnce]);
	return known;
}

interface Props {
	/** Fetches the table together with the text, rather than at the visitor's first sign. */
	readonly atOnce?: boolean;
	readonly children: ReactNode;
}

/**
 * Marks the terms in texts directly inside. Elements inside stay as they are: links, emphasis, numbers. The same text
 * is only processed once, because the names of levels are rendered while the trace plays.
 */
export const Terms = memo(function Terms({ atOnce = false, children }: Props) {
	const known = useGlossary(atOnce);
	if (!known) return children;
	const seen = new Set<GlossaryEntry>();
	return Children.map(children, (child) =>
		typeof child !== "string"
			? child
			: known
					.mark(child, seen)
					.map(({ words, entry }, i) => (
						<Fragment key={i}>{entry ? <Term entry={entry}>{words}</Term> : words}</Fragment>
					)),
	);
});

/**
 * A term in a text. Its definition can be pointed at, stays until pointer and focus are elsewhere, and closes with
 * Escape.
 */
function Term({ entry, children }: { entry: GlossaryEntry; children: string }) {
	const [open, setOpen] = useState(false);
	const id = useId();
	const word = useRef<HTMLButtonElement>(null);
	const show = () => setOpen(true);
	const hide = useCallback(() => setOpen(false), []);
	const leave = () => {
		if (document.activeElement !== word.current) hide();
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: the button inside is what is operated; this is where the pointer may stay
		<span onMouseEnter={show} onMouseLeave={leave}>
			<button
				type="button"
				className={css.term}
				data-term
				ref={word}
				aria-describedby={open ? id : undefined}
				onFocus={show}
				onBlur={hide}
				onClick={show}
			>
				{children}
			</button>
			{open && <Definition id={id} entry={entry} of={word} close={hide} />}
		</span>
	);
}

interface DefinitionProps {
	readonly id: string;
	readonly entry: GlossaryEntry;
	readonly of: React.RefObject<HTMLElement | null>;
	readonly close: () => void;
}

function Definition({ id, entry, of, close }: DefinitionProps) {
	const tip = useRef<HTMLSpanElement>(null);
	useLayoutEffect(() => {
		const box = tip.current;
		if (!box || !of.current) return;
		// In the browser's top layer, nothing that scrolls can cut it off.
		box.showPopover();
		const { left, top, bottom } = of.current.getBoundingClientRect();
		const { width, height } = box.getBoundingClientRect();
		const isRoom = bottom + height <= innerHeight || top < height;
		box.style.left = `${Math.max(MARGIN_PX, Math.min(left, innerWidth - width - MARGIN_PX))}px`;
		box.style.top = `${isRoom ? bottom : top - height}px`;
	}, [of]);
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			if (event.key !== "Escape") return;
			event.preventDefault();
			event.stopPropagation();
			close();
		};
		window.addEventListener("keydown", onKey, { capture: true });
		window.addEventListener("scroll", close, { capture: true });
		return () => {
			window.removeEventListener("keydown", onKey, { capture: true });
			window.removeEventListener("scroll", close, { capture: true });
		};
	}, [close]);
	return (
		<span className={css.tip} id={id} role="tooltip" popover="manual" ref={tip}>
			<span className={`block round paper left ${css.card}`}>
				<strong>{entry.term}</strong> {entry.is}
				<span className={`block quiet ${css.source}`}>
					{[entry.also, entry.source].filter(Boolean).join(" · ")}
				</span>
			</span>
		</span>
	);
}

/*
 * Finds kernel terms in a text: the first use of each, and the longest term where several start. Needs no React and
 * no page.
 */

/** The glossary: definitions by term. */
type Definitions = Readonly<Record<string, Omit<GlossaryEntry, "term">>>;

export interface GlossaryEntry {
	readonly term: string;
	/** The definition, in one or two sentences. */
	readonly is: string;
	/** The file of Linux where it is. */
	readonly source?: string;
	/** Its name in the kernel, or in another allocator. */
	readonly also?: string;
	/** The words that mark it in a text, if not the term and its plural in -s; empty: texts are not searched for it. */
	readonly forms?: readonly string[];
}

/** A piece of a text: its words, and the entry that they name, if any. */
interface Piece {
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
