/** A file may be dropped anywhere on the page, or pasted. */
import { useEffect, useState } from "react";
import { openFile } from "../player/actions.ts";

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
			event.preventDefault();
			setOver(false);
			const file = event.dataTransfer?.files[0];
			if (file) void openFile(file);
		});
		on("paste", (event) => {
			const file = event.clipboardData?.files[0];
			if (file) void openFile(file);
		});
		return () => stop.abort();
	}, []);
	if (!over) return null;
	return (
		<div className="drop">
			<p>
				<strong>Drop it to replay it.</strong>
				<br />
				Your file never leaves this page.
			</p>
		</div>
	);
}
