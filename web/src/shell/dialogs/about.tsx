/**
 * Every command by group with its key, from the registry that the keyboard uses. The list can be searched and
 * printed, and single-character keys can be switched off.
 */

import { Children, isValidElement, type ReactNode, useState } from "react";
import Text from "../../../../docs/fidelity.md";
import { type Command, everyCommand, GROUPS, isCharacterKey } from "../../app/commands/commands.ts";
import { takeTour } from "../../app/playback/guide.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { Button, Scrolls } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./dialogs.module.css";

export function Help() {
	const [wanted, setWanted] = useState("");
	const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
	const text = (c: Command) => `${c.name} ${c.keys ?? ""} ${c.group} ${c.also ?? ""}`.toLowerCase();
	const found = everyCommand().filter((c) => words.every((word) => text(c).includes(word)));
	return (
		<Dialog title="Keys" wide>
			<div className={`flex wrap above-2 ${css.bar}`}>
				<input
					type="search"
					aria-label="Search keys and commands"
					placeholder="Search"
					value={wanted}
					onChange={(e) => setWanted(e.currentTarget.value)}
				/>
				<Button onClick={takeTour}>Take the tour</Button>
				<Button onClick={() => change({ dialog: "fidelity" })}>Limits of the model</Button>
				<Button onClick={() => window.print()}>Print</Button>
			</div>
			<CharacterKeys />
			<p className="hint">
				Keys do nothing while you are typing in a field. Commands without a key are in the palette
				(Ctrl K). On a Mac, ⌘ works like Ctrl.
			</p>
			<section className={css.walk} aria-label="The stage by keyboard">
				<h3>The stage by keyboard</h3>
				<p>
					Tab to the stage and press <kbd>Enter</kbd>. Then <kbd>↑</kbd> <kbd>↓</kbd> go from place
					to place, slab to slab or object to object; <kbd>→</kbd> goes into a place or a slab,{" "}
					<kbd>←</kbd> out of it; <kbd>Enter</kbd> selects. <kbd>Shift ←</kbd> <kbd>Shift →</kbd>{" "}
					still go by step. <kbd>Esc</kbd> leaves the stage, and the arrow keys go by the unit
					beside Play again.
				</p>
			</section>
			{found.length === 0 && <p className="quiet">No commands match.</p>}
			<div className={css.groups}>
				{GROUPS.map((group) => (
					<Group key={group} name={group} found={found.filter((c) => c.group === group)} />
				))}
			</div>
		</Dialog>
	);
}

/** People who dictate to their computer, or whose hands slip, press such keys by accident. */
function CharacterKeys() {
	const characterKeys = useFacts((f) => f.characterKeys);
	return (
		<label className={`row above-2 ${css.characterKeys}`}>
			<input
				type="checkbox"
				checked={characterKeys}
				onChange={(e) => change({ characterKeys: e.currentTarget.checked })}
			/>
			Single-character keys
			<span className="quiet">
				letters, digits and signs; when off, arrows, Space and keys with Ctrl still work
			</span>
		</label>
	);
}

function Key({ command }: { readonly command: Command }) {
	const characterKeys = useFacts((f) => f.characterKeys);
	if (!command.keys) return null;
	const isOff = !characterKeys && isCharacterKey(command);
	return isOff ? <span className="quiet">off</span> : <kbd>{command.keys}</kbd>;
}

function Group({ name, found }: { name: string; found: readonly Command[] }) {
	if (found.length === 0) return null;
	return (
		<section aria-label={name}>
			<h3>{name}</h3>
			<dl className={css.keys}>
				{found.map((c) => (
					<div key={c.id}>
						<dt>{c.name}</dt>
						<dd>
							<Key command={c} />
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

/*
 * "Limits of the model": docs/fidelity.md, shipped in the page, so that it opens without a network and from a disk.
 */

const TITLE = "Limits of the model";

/** The dialog already has the title, so the document's headings come below it. */
const PARTS = {
	h1: () => null,
	h2: ({ children }: { children?: ReactNode }) => <h3>{children}</h3>,
	h3: ({ children }: { children?: ReactNode }) => <h4>{children}</h4>,
	table: Table,
};

export function Fidelity() {
	return (
		<Dialog title={TITLE} wide>
			<article className={css.fidelity} aria-label={TITLE}>
				<Text components={PARTS} />
			</article>
		</Dialog>
	);
}

function wordsIn(node: ReactNode): string {
	if (typeof node === "string") return node;
	if (Array.isArray(node)) return node.map(wordsIn).join(" ");
	return isValidElement<{ children?: ReactNode }>(node) ? wordsIn(node.props.children) : "";
}

/** On a phone a table is wider than the page. Its head names it among the others. */
function Table({ children }: { children?: ReactNode }) {
	const head = wordsIn(Children.toArray(children)[0]).replaceAll(/\s+/g, " ").trim();
	return (
		<Scrolls label={`Table: ${head}`}>
			<table className={`stays small ${css.table}`}>{children}</table>
		</Scrolls>
	);
}
