/** All caches as a table, in a drawer over the view. The transport below it stays in use. */
import { useRef } from "react";
import { change } from "../../app/state/store.ts";
import { Button } from "../../ui/controls.tsx";
import { useFocusWithin } from "../../ui/use_focus.ts";
import { Slabinfo } from "../../views/slabinfo/slabinfo.tsx";
import css from "./sheets.module.css";

const backToChip = () =>
	document.querySelector<HTMLElement>('[data-chip="cache"]')?.focus({ preventScroll: true });

export function SlabinfoDrawer() {
	const panel = useRef<HTMLDivElement>(null);
	useFocusWithin(panel, backToChip);
	return (
		<div ref={panel} className={css.drawer} data-part="drawer" tabIndex={-1}>
			<Slabinfo />
			<Button className={css.leave} onClick={() => change({ slabinfo: false })}>
				Close
			</Button>
		</div>
	);
}
