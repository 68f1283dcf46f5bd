/**
 * Buttons that copy a table, above the corner of the table that is under the pointer or has the focus. One component
 * serves every table on the page. With the keyboard, the palette copies the tables on screen.
 */
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import {
	COPY_FORMATS,
	type CopyFormat,
	copyText,
	isShown,
	tableText,
} from "../app/platform/copy_table.ts";
import { Button } from "../ui/controls.tsx";
import css from "./table_copy.module.css";

/** Approximate height of the bar. If the top of a table is scrolled out of the window, the bar stays in sight. */
const BAR_HEIGHT = 36;

const FORMATS = Object.keys(COPY_FORMATS) as CopyFormat[];

/** Finds the table that an element is in, or that it scrolls. */
function tableOf(target: EventTarget | null): HTMLTableElement | null {
	if (!(target instanceof Element)) return null;
	const scrolled = target.matches("section[tabindex]") ? target.querySelector("table") : null;
	const table = target.closest("table") ?? scrolled;
	return table && isShown(table) && table.rows.length > 1 ? table : null;
}

export function TableCopy() {
	const [table, setTable] = useState<HTMLTableElement | null>(null);
	const [said, say] = useState("");
	useEffect(() => {
		const stop = new AbortController();
		const look = ({ target }: Event) => {
			if (target instanceof Element && target.closest(`.${css.bar}`)) return;
			setTable(tableOf(target));
			say("");
		};
		const leave = () => setTable(null);
		const options = { signal: stop.signal, capture: true, passive: true };
		addEventListener("pointerover", look, options);
		addEventListener("focusin", look, options);
		addEventListener("scroll", leave, options);
		addEventListener("resize", leave, options);
		return () => stop.abort();
	}, []);
	if (!table?.isConnected) return null;
	const { top, right } = table.getBoundingClientRect();
	const copy = async (format: CopyFormat) =>
		say(await copyText(tableText(table, format), `the table as ${format}`));
	return createPortal(
		<section
			className={css.bar}
			aria-label="Copy the table"
			style={{
				top: Math.max(BAR_HEIGHT, top),
				right: Math.max(0, document.documentElement.clientWidth - right),
			}}
		>
			<span role="status">{said}</span>
			{FORMATS.map((format) => (
				<Button key={format} onClick={() => void copy(format)}>
					Copy as {format}
				</Button>
			))}
		</section>,
		// Nothing outside a modal dialog can be clicked.
		table.closest("dialog") ?? document.body,
	);
}
