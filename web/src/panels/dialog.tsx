/** A dialog in front of the page: takes the focus, gives it back, closes on Esc. Which one is open is a fact. */
import { type ReactNode, useEffect, useId, useRef } from "react";
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
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog
			ref={dialog}
			className={wide ? "dialog wide" : "dialog"}
			aria-labelledby={id}
			/* The dialog closes by itself on Esc and gives the focus back; the facts follow. */
			onClose={() => {
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
