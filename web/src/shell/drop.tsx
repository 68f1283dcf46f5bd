/** Files may be dropped anywhere on the page; files and text may be pasted anywhere outside fields. */
import { useEffect, useState } from "react";
import { facts } from "../app/state/store.ts";
import { bring, bringText } from "../app/trace/bring.ts";
import { bringSecond } from "../app/trace/second_trace.ts";
import css from "./app.module.css";

const FIELDS = "input, textarea, select, [contenteditable]";

/** A field keeps whatever is pasted or dragged into it. */
function isForField({ target }: Event): boolean {
	return target instanceof Element && target.closest(FIELDS) !== null;
}

function paste(event: ClipboardEvent): void {
	const data = event.clipboardData;
	if (!data || event.defaultPrevented || isForField(event)) return;
	const files = [...data.files];
	const text = data.getData("text/plain");
	if (files.length === 0 && text === "") return;
	event.preventDefault();
	void (files.length > 0 ? bring(files) : bringText(text));
}

/** A file that is dropped on Compare is the second trace. */
const isSecond = () => facts().tab === "compare" && facts().built !== null && !facts().embed;

function take(files: readonly File[]): Promise<void> {
	const [file] = files;
	return isSecond() && file && files.length === 1 ? bringSecond(file) : bring(files);
}

export function DropZone() {
	const [over, setOver] = useState(false);
	useEffect(() => {
		const stop = new AbortController();
		const on = <K extends keyof WindowEventMap>(type: K, run: (event: WindowEventMap[K]) => void) =>
			window.addEventListener(type, run, { signal: stop.signal });
		on("dragover", (event) => {
			if (!event.dataTransfer?.types.includes("Files")) return;
			event.preventDefault();
			setOver(true);
		});
		on("dragleave", (event) => {
			if (event.relatedTarget === null) setOver(false);
		});
		on("drop", (event) => {
			setOver(false);
			const files = [...(event.dataTransfer?.files ?? [])];
			if (files.length === 0 && isForField(event)) return;
			event.preventDefault();
			void take(files);
		});
		on("paste", paste);
		return () => stop.abort();
	}, []);
	if (!over) return null;
	return (
		<div className={css.drop}>
			<p>
				<strong>
					{isSecond()
						? "Drop the file to compare it with the trace on the stage."
						: "Drop the file to replay it."}
				</strong>
				<br />
				Your file never leaves this page.
			</p>
		</div>
	);
}
