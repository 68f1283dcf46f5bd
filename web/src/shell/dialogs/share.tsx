/** The link to exactly this view: copied at once, with a word on what it holds and what not; and the same to embed. */
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { embedText, holds, linkText, misses } from "./link_contents.ts";
import "./share.css";

export function Share() {
	// What it is when the dialog opens: the page goes on behind it.
	const [link] = useState(linkText);
	const [embed] = useState(embedText);
	const [said, say] = useState("");
	const field = useRef<HTMLInputElement>(null);
	const copy = async (text: string, what: string) => {
		try {
			await navigator.clipboard.writeText(text);
			say(`${what} is copied.`);
		} catch {
			say("The browser lets nothing be copied: take it from the field.");
		}
	};
	useEffect(() => {
		navigator.clipboard?.writeText(link).then(
			() => say("The link is copied."),
			() => field.current?.select(),
		);
	}, [link]);
	return (
		<Dialog title="Share">
			<div className="share">
				<div className="share-line">
					<input ref={field} type="text" readOnly aria-label="Link" value={link} data-first />
					<button type="button" className="tool-text" onClick={() => void copy(link, "The link")}>
						Copy link
					</button>
				</div>
				<p role="status" aria-label="Share">
					{said} It holds {holds()}. {misses()}
				</p>
				<h3>In a page of yours</h3>
				<div className="share-line">
					<input type="text" readOnly aria-label="Code to embed" className="mono" value={embed} />
					<button type="button" className="tool-text" onClick={() => void copy(embed, "The code")}>
						Copy code
					</button>
				</div>
				<p className="hint">
					The stage with its buttons, at this event. For a passage write events="11-41" instead, and
					loop to repeat it. Your style sheet sets width and height.
				</p>
			</div>
		</Dialog>
	);
}
