/** What the browser keeps of opened recordings, to be opened again or let go. */

import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { forget, openRecent } from "../../app/trace/actions.ts";
import { bytes, quantity } from "../../base/format.ts";
import { Dialog } from "../../ui/dialog.tsx";

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
		<Dialog title="Recent recordings">
			<p className="hint">
				Files that you opened, kept in this browser and nowhere else: {bytes(kept)} in all. When
				room gets short, those that were not opened for longest go first.
			</p>
			{recent.length === 0 && <p className="quiet">Nothing is kept.</p>}
			<ul className="recent" aria-label="Recent recordings">
				{recent.map((r) => (
					<li key={r.key}>
						<div>
							<button type="button" className="link" onClick={() => open(r.key)}>
								{r.name}
							</button>
							<p className="hint number">
								{quantity(r.events, "event")} of {bytes(r.sizeBytes)}, opened {whenOf(r.openedMs)},
								takes {bytes(r.keptBytes)}
							</p>
						</div>
						<button
							type="button"
							className="tool-text"
							aria-label={`Remove ${r.name}`}
							onClick={() => void forget(r.key)}
						>
							Remove
						</button>
					</li>
				))}
			</ul>
			{recent.length > 0 && (
				<button type="button" className="tool-text" onClick={() => void forget("all")}>
					Remove all
				</button>
			)}
		</Dialog>
	);
}
