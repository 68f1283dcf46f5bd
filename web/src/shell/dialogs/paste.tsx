/** A field for the text of a trace, to see it before it is opened. */
import { useState } from "react";
import { change } from "../../app/state/store.ts";
import { bringText } from "../../app/trace/bring.ts";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./paste.module.css";

export function PasteDialog() {
	const [text, setText] = useState("");
	const open = () => {
		change({ dialog: "" });
		void bringText(text);
	};
	return (
		<Dialog title="Paste a trace">
			<form
				className={css.paste}
				onSubmit={(event) => {
					event.preventDefault();
					open();
				}}
			>
				<p className="hint" id="paste-hint">
					Paste lines of ftrace, trace-cmd report, perf script, bpftrace, CSV or slabtrace. They
					never leave this page. Outside fields, Ctrl+V or ⌘V opens the clipboard's text at once.
				</p>
				<textarea
					aria-label="Text of the trace"
					aria-describedby="paste-hint"
					data-first
					rows={12}
					spellCheck={false}
					wrap="off"
					value={text}
					onChange={(event) => setText(event.currentTarget.value)}
				/>
				<button type="submit" className="tool-text" disabled={text.trim() === ""}>
					Open this text
				</button>
			</form>
		</Dialog>
	);
}
