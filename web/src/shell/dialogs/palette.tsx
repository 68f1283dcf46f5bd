/**
 * Type to find: commands (Ctrl Shift P), things of the trace and the page (/), or a position (g). All three share one
 * box and one list; they differ in the entries, and in which of them come first while nothing is typed.
 */
import { useEffect, useId, useMemo, useRef, useState } from "react";
import {
	callSiteEntries,
	choose,
	commandEntries,
	type Entry,
	goalEntries,
	matching,
	recentFirst,
	thingEntries,
} from "../../app/commands/entries.ts";
import { typedAhead } from "../../app/commands/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./palette.module.css";

interface Kind {
	readonly title: string;
	readonly label: string;
	readonly prompt: string;
	readonly hint?: string;
	/** Entries to offer by name. */
	readonly entries: () => readonly Entry[];
	/** There are never more than a few of these. */
	readonly few?: boolean;
}

const everything = () => [...recentFirst(commandEntries()), ...thingEntries()];
const nothing = () => [];

const finder = (kind: Kind) => () => <Finder {...kind} />;

export const Palette = finder({
	title: "Commands",
	label: "Command",
	prompt: "What do you want to do?",
	entries: everything,
});

export const Search = finder({
	title: "Search",
	label: "Search",
	prompt: "A cache, slab, function, call site, pointer, parameter, trace, view or event",
	entries: thingEntries,
});

export const GoTo = finder({
	title: "Go to",
	label: "Go to",
	prompt: "Event, time, address, pointer or slab",
	hint: "Event 1,234; its step 1,234/3; time 0.25 s or +1.5 ms; address 0x0000020c4ac0; pointer 0xffff888003a9d040 as recorded; slab #12 or dentry#12; object #12/5.",
	entries: nothing,
	few: true,
});

function Finder({ title, label, prompt, hint = "", entries, few = false }: Kind) {
	const [text, setText] = useState("");
	const field = useRef<HTMLInputElement>(null);
	// Not before it is on screen, because React may have created it earlier. The element gets the text at once: the
	// next key may come before React renders again, and would otherwise follow an empty field.
	useEffect(() => {
		const ahead = typedAhead();
		if (field.current) field.current.value = ahead;
		setText(ahead);
	}, []);
	const [at, setAt] = useState(0);
	const list = useRef<HTMLDivElement>(null);
	const id = useId();
	const { value: calls } = useAsync(few ? undefined : callSiteEntries, [few]);
	const all = useMemo(() => once([...entries(), ...(calls ?? [])]), [entries, calls]);
	const found = once([...goalEntries(text), ...matching(text, all)]);
	const current = Math.min(at, found.length - 1);
	const move = (to: number) => {
		const next = (to + found.length) % Math.max(1, found.length);
		setAt(next);
		list.current?.children[next]?.scrollIntoView({ block: "nearest" });
	};
	const key = (event: React.KeyboardEvent) => {
		const to = MOVES[event.key]?.(current, found.length);
		if (to !== undefined) move(to);
		else if (event.key === "Enter") {
			const entry = found[current];
			if (entry) choose(entry);
		} else return;
		event.preventDefault();
	};
	return (
		<Dialog title={title}>
			<input
				ref={field}
				type="text"
				className="wide large"
				role="combobox"
				aria-label={label}
				aria-expanded={found.length > 0}
				aria-controls={id}
				aria-autocomplete="list"
				aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
				autoComplete="off"
				spellCheck={false}
				placeholder={prompt}
				data-first
				value={text}
				onChange={(e) => {
					setText(e.currentTarget.value);
					setAt(0);
					if (list.current) list.current.scrollTop = 0;
				}}
				onKeyDown={key}
			/>
			{hint !== "" && text === "" && <p className="hint below-2">{hint}</p>}
			<p role="status" className={found.length > 0 || text === "" ? "hidden" : `quiet below-2`}>
				{found.length > 0 ? `${found.length} found` : text === "" ? "" : "Nothing matches."}
			</p>
			<div
				role="listbox"
				id={id}
				aria-label={`${title}, found`}
				className={few ? `${css.found} ${css.few}` : css.found}
				ref={list}
			>
				{found.map((entry, i) => (
					<Option
						key={entry.id}
						id={`${id}-${i}`}
						entry={entry}
						selected={i === current}
						point={() => setAt(i)}
					/>
				))}
			</div>
		</Dialog>
	);
}

const MOVES: Readonly<Record<string, (at: number, length: number) => number>> = {
	ArrowDown: (at) => at + 1,
	ArrowUp: (at) => at - 1,
	PageDown: (at, length) => Math.min(at + 8, length - 1),
	PageUp: (at) => Math.max(at - 8, 0),
};

/** A view is both a command and a thing, but is offered only once. */
function once(entries: readonly Entry[]): Entry[] {
	return [...new Map(entries.toReversed().map((e) => [e.id, e])).values()].toReversed();
}

interface OptionProps {
	readonly id: string;
	readonly entry: Entry;
	readonly selected: boolean;
	readonly point: () => void;
}

function Option({ id, entry, selected, point }: OptionProps) {
	return (
		// The box has the keyboard focus; the list follows it.
		// biome-ignore lint/a11y/useKeyWithClickEvents: see above
		<div
			role="option"
			id={id}
			aria-selected={selected}
			tabIndex={-1}
			onPointerMove={point}
			onClick={() => choose(entry)}
		>
			<span className={`small quiet ${css.kind}`}>{entry.kind}</span>
			<span className={`breaks ${css.name}`}>{entry.name}</span>
			{entry.hint !== "" && (
				<span className={`small quiet number clips one-line ${css.hint}`}>{entry.hint}</span>
			)}
			{entry.keys !== "" && <kbd>{entry.keys}</kbd>}
		</div>
	);
}
