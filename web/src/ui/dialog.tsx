/**
 * A dialog in front of the page: takes the focus (to `data-first` if present), gives it back, and closes on Esc. A
 * fact names the open dialog.
 */

import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { change } from "../app/state/store.ts";
import { LinkButton } from "./controls.tsx";
import css from "./dialog.module.css";

interface Props {
	readonly title: string;
	readonly wide?: boolean;
	/** Called when Esc or Close closes it, not when the dialog does so itself. */
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
	// It is closed while it still exists, because only then does the focus go back to where it came from.
	useLayoutEffect(() => {
		const closing = dialog.current;
		return () => closing?.close();
	}, []);
	const leave = () => {
		change({ dialog: "" });
		onLeave?.();
	};
	return (
		<dialog
			ref={dialog}
			className={wide ? `${css.dialog} ${css.wide}` : css.dialog}
			aria-labelledby={id}
			/* At once: the next key may already be meant for the page. */
			onKeyDown={(e) => {
				if (e.key !== "Escape" || e.defaultPrevented) return;
				e.preventDefault();
				leave();
			}}
			/* The browser has other ways to close it. If this dialog has already gone, the event would close the next one. */
			onClose={() => {
				if (dialog.current?.open === false) leave();
			}}
		>
			<div className="panel-head">
				<h2 id={id}>{title}</h2>
				<LinkButton onClick={leave}>Close</LinkButton>
			</div>
			{children}
		</dialog>
	);
}
