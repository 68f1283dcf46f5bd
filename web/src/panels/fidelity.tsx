/** "What the model leaves out": docs/fidelity.md, shipped in the page, so that it opens without a network and from a disk. */
import type { ReactNode } from "react";
import Text from "../../../docs/fidelity.md";
import { Dialog } from "./dialog.tsx";
import "../style/fidelity.css";

const TITLE = "What the model leaves out";

/** The dialog has the title already, and its headings come below it. */
const PARTS = {
	h1: () => null,
	h2: ({ children }: { children?: ReactNode }) => <h3>{children}</h3>,
	h3: ({ children }: { children?: ReactNode }) => <h4>{children}</h4>,
	table: Table,
};

export function Fidelity() {
	return (
		<Dialog title={TITLE} wide>
			<article className="fidelity" aria-label={TITLE}>
				<Text components={PARTS} />
			</article>
		</Dialog>
	);
}

/** On a phone a table is wider than the page. */
function Table({ children }: { children?: ReactNode }) {
	return (
		/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area has to be reachable by keyboard */
		<section className="table-scroll" tabIndex={0} aria-label="Table">
			<table className="plain">{children}</table>
		</section>
	);
}
