/** The opened traces that the browser keeps, to open again or remove. */

import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { forget, openRecent } from "../../app/trace/actions.ts";
import { bytes, quantity } from "../../base/format.ts";
import { Button, LinkButton } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./recent.module.css";

function whenOf(timeMs: number): string {
	return new Date(timeMs).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function RecentDialog() {
	const recent = useFacts((f) => f.recent);
	const kept = recent.reduce((sum, r) => sum + r.keptBytes, 0);
	const open = (key: string) => {
		change({ dialog: "" });
		void openRecent(key);
	};
	return (
		<Dialog title="Recent traces">
			<p className="hint">
				This browser keeps the files that you opened, and nothing else does: {bytes(kept)} in all.
				When its storage is full, the page removes the least recently opened first.
			</p>
			{recent.length === 0 && <p className="quiet">No trace is kept.</p>}
			<ul className={css.recent} aria-label="Recent traces">
				{recent.map((r) => (
					<li key={r.key}>
						<div>
							<LinkButton onClick={() => open(r.key)}>{r.name}</LinkButton>
							<p className="hint number">
								{quantity(r.events, "event")} in {bytes(r.sizeBytes)}, opened {whenOf(r.openedMs)},
								takes {bytes(r.keptBytes)} of storage
							</p>
						</div>
						<Button aria-label={`Remove ${r.name}`} onClick={() => void forget(r.key)}>
							Remove
						</Button>
					</li>
				))}
			</ul>
			{recent.length > 0 && <Button onClick={() => void forget("all")}>Remove all</Button>}
		</Dialog>
	);
}
