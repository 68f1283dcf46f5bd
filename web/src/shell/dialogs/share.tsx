/** The link to exactly this view: copied at once, with a description of its contents; and code to embed the view. */

import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { embedText, holds, linkText, misses } from "./link_contents.ts";
import css from "./share.module.css";

export function Share() {
	// Its value when the dialog opens: the page goes on behind it.
	const [link] = useState(linkText);
	const [embed] = useState(embedText);
	const [said, say] = useState("");
	const field = useRef<HTMLInputElement>(null);
	const copy = async (text: string, what: string) => {
		try {
			await navigator.clipboard.writeText(text);
			say(`Copied ${what}.`);
		} catch {
			say("This browser does not allow copying: copy it from the field.");
		}
	};
	useEffect(() => {
		navigator.clipboard?.writeText(link).then(
			() => say("Copied the link."),
			() => field.current?.select(),
		);
	}, [link]);
	return (
		<Dialog title="Share">
			<div className={css.share}>
				<div className={css.line}>
					<input ref={field} type="text" readOnly aria-label="Link" value={link} data-first />
					<Button onClick={() => void copy(link, "the link")}>Copy link</Button>
				</div>
				<p role="status" aria-label="Share">
					{said} The link holds {holds()}. {misses()}
				</p>
				<h3>Embed it in your page</h3>
				{embed === "" ? (
					<p>
						Your actions are too long for an address, so no code can contain them. Undo some, or
						share the saved trace.
					</p>
				) : (
					<div className={css.line}>
						<input type="text" readOnly aria-label="Code to embed" className="mono" value={embed} />
						<Button onClick={() => void copy(embed, "the code")}>Copy code</Button>
					</div>
				)}
				<p className="hint" hidden={embed === ""}>
					It shows the stage with its buttons, at this event. For a passage write events="11-41"
					instead; add loop to repeat it. Your style sheet sets width and height.
				</p>
			</div>
		</Dialog>
	);
}
