/** For panels that open beside others or over them: they take the focus, give it back, and close at a click elsewhere. */
import { type RefObject, useEffect, useLayoutEffect } from "react";

/** The panel itself takes the focus, so the page's keys go on; Tab leads to its first control. */
export function useVisit(panel: RefObject<HTMLElement | null>): void {
	useLayoutEffect(() => {
		const here = panel.current;
		const from = document.activeElement;
		here?.focus();
		return () => {
			if (here?.contains(document.activeElement) && from instanceof HTMLElement) from.focus();
		};
	}, [panel]);
}

/**
 * The panel has the focus while it is open. `giveBack` runs when it closes with the focus still in it, or with the
 * focus nowhere: somebody who has gone on to another control stays there.
 */
export function useFocusWithin(panel: RefObject<HTMLElement | null>, giveBack: () => void): void {
	useLayoutEffect(() => {
		const here = panel.current;
		here?.focus({ preventScroll: true });
		return () => {
			const { activeElement } = document;
			if (activeElement === document.body || here?.contains(activeElement)) giveBack();
		};
	}, [panel]);
}

/** A click outside, and not on a control that `isOwn` to the panel, closes it. */
export function useClickOutside(
	panel: RefObject<HTMLElement | null>,
	isOwn: (target: Element) => boolean,
	close: () => void,
): void {
	useEffect(() => {
		const click = ({ target }: MouseEvent) => {
			// What the click has replaced was within the panel.
			if (!(target instanceof Element) || !target.isConnected) return;
			if (!panel.current?.contains(target) && !isOwn(target)) close();
		};
		window.addEventListener("click", click);
		return () => window.removeEventListener("click", click);
	}, [panel, isOwn, close]);
}
