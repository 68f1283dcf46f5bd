/**
 * "Limits of the model": docs/fidelity.md, shipped in the page, so that it opens without a network and from a disk.
 */

import { Children, isValidElement, type ReactNode } from "react";
import Text from "../../../../docs/fidelity.md";
import { Scrolls } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./fidelity.module.css";
import tableCss from "./table.module.css";

const TITLE = "Limits of the model";

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
			<article className={css.fidelity} aria-label={TITLE}>
				<Text components={PARTS} />
			</article>
		</Dialog>
	);
}

function wordsIn(node: ReactNode): string {
	if (typeof node === "string") return node;
	if (Array.isArray(node)) return node.map(wordsIn).join(" ");
	return isValidElement<{ children?: ReactNode }>(node) ? wordsIn(node.props.children) : "";
}

/** On a phone a table is wider than the page. Its head names it among the others. */
function Table({ children }: { children?: ReactNode }) {
	const head = wordsIn(Children.toArray(children)[0]).replaceAll(/\s+/g, " ").trim();
	return (
		<Scrolls label={`Table: ${head}`}>
			<table className={`stays ${tableCss.table}`}>{children}</table>
		</Scrolls>
	);
}
