/** The keys, from the same table that the listener uses. */
import { COMMANDS } from "../player/keys.ts";
import { Dialog } from "./dialog.tsx";

export function Help() {
	return (
		<Dialog title="Keys">
			<dl className="keys">
				{COMMANDS.map((c) => (
					<div key={c.what}>
						<dt>{c.what}</dt>
						<dd>
							<kbd>{c.keys}</kbd>
						</dd>
					</div>
				))}
			</dl>
		</Dialog>
	);
}
