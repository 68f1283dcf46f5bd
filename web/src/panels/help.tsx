/** Every command by its group, with its key: from the same registry that the keyboard uses. Can be searched and printed. */
import { useState } from "react";
import { startTour } from "../player/actions.ts";
import { type Command, everyCommand, GROUPS } from "../player/commands.ts";
import { Dialog } from "./dialog.tsx";
import "../style/help.css";

export function Help() {
	const [wanted, setWanted] = useState("");
	const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
	const text = (c: Command) => `${c.name} ${c.keys ?? ""} ${c.group} ${c.also ?? ""}`.toLowerCase();
	const found = everyCommand().filter((c) => words.every((word) => text(c).includes(word)));
	return (
		<Dialog title="Keys" wide>
			<div className="help-bar">
				<input
					type="search"
					aria-label="Search keys and commands"
					placeholder="Search"
					value={wanted}
					onChange={(e) => setWanted(e.currentTarget.value)}
				/>
				<button type="button" className="tool-text" onClick={startTour}>
					Tour
				</button>
				<button type="button" className="tool-text" onClick={() => window.print()}>
					Print
				</button>
			</div>
			<p className="hint">
				Keys rest while you type in a field. What has no key is in the palette: Ctrl Shift P.
			</p>
			{found.length === 0 && <p className="quiet">Nothing is called that.</p>}
			<div className="help-groups">
				{GROUPS.map((group) => (
					<Group key={group} name={group} found={found.filter((c) => c.group === group)} />
				))}
			</div>
		</Dialog>
	);
}

function Group({ name, found }: { name: string; found: readonly Command[] }) {
	if (found.length === 0) return null;
	return (
		<section aria-label={name}>
			<h3>{name}</h3>
			<dl className="keys">
				{found.map((c) => (
					<div key={c.id}>
						<dt>{c.name}</dt>
						<dd>{c.keys && <kbd>{c.keys}</kbd>}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
