/** The keys, from the same table that the listener uses. */
import { useEffect, useRef } from "react";
import { COMMANDS } from "../player/keys.ts";
import { change } from "../player/store.ts";

export function Help() {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog
			ref={dialog}
			className="help"
			aria-labelledby="help-title"
			/* The dialog closes by itself on Esc and gives the focus back; the facts follow. */
			onClose={() => change({ help: false })}
		>
			<div className="panel-head">
				<h2 id="help-title">Keys</h2>
				<button type="button" className="link" onClick={() => dialog.current?.close()}>
					Close
				</button>
			</div>
			<dl>
				{COMMANDS.map((c) => (
					<div key={c.what}>
						<dt>{c.what}</dt>
						<dd>
							<kbd>{c.keys}</kbd>
						</dd>
					</div>
				))}
			</dl>
		</dialog>
	);
}
