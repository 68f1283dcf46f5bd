/** The whole page, or the embedded one: the stage and its buttons. */
import { type ComponentType, StrictMode, useEffect } from "react";
import { bring } from "../app/trace/bring.ts";
import { Part } from "../ui/lazy_part.tsx";
import { doAgain } from "./early_input.ts";

export function Root({ page: Page }: { page: ComponentType }) {
	useEffect(() => {
		// React first takes over the HTML as it arrived, and then applies the current facts.
		const timer = window.setTimeout(() => {
			void bring(doAgain());
		});
		return () => window.clearTimeout(timer);
	}, []);
	return (
		<StrictMode>
			<Part name="Slabscope">
				<Page />
			</Part>
		</StrictMode>
	);
}
