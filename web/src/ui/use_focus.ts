/** For a panel that opens beside the others: moves the focus into it, and back when it closes. */
import { type RefObject, useLayoutEffect } from "react";

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
