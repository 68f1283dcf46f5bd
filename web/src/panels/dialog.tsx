/**
 * A dialog in front of the page: takes the focus (to `data-first` if there is such), gives it back, closes on Esc.
 * Which one is open is a fact.
 */
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { change } from "../player/store.ts";

interface Props {
	readonly title: string;
	readonly wide?: boolean;
	/** Closed by Esc or Close, not by what the dialog did itself. */
	readonly onLeave?: () => void;
	readonly children: ReactNode;
}

export function Dialog({ title, wide = false, onLeave, children }: Props) {
	const dialog = useRef<HTMLDialogElement>(null);
	const id = useId();
	useEffect(() => {
		dialog.current?.showModal();
		dialog.current?.querySelector<HTMLElement>("[data-first]")?.focus();
	}, []);
	// Closed while it is still there: only then the focus goes back to where it came from.
	useLayoutEffect(() => {
		const closing = dialog.current;
		return () => closing?.close();
	}, []);
	return (
		<dialog
			ref={dialog}
			className={wide ? "dialog wide" : "dialog"}
			aria-labelledby={id}
			/* The dialog closes by itself on Esc and gives the focus back; the facts follow. */
			onClose={() => {
				if (dialog.current?.open) return;
				change({ dialog: "" });
				onLeave?.();
			}}
		>
			<div className="panel-head">
				<h2 id={id}>{title}</h2>
				<button type="button" className="link" onClick={() => dialog.current?.close()}>
					Close
				</button>
			</div>
			{children}
		</dialog>
	);
}
