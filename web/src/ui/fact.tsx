/** A row in a list of facts. */
import type { ReactNode } from "react";

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
	return (
		<>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</>
	);
}
