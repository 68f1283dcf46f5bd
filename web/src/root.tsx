/** All of the page, or the stage and its buttons alone inside another one. */
import { lazy, StrictMode, Suspense, useEffect } from "react";
import { App } from "./app.tsx";
import { openFile } from "./player/actions.ts";
import { doAgain } from "./player/early_input.ts";
import { useFacts } from "./player/use_facts.ts";

const Embedded = lazy(() => import("./panels/embedded.tsx").then((m) => ({ default: m.Embedded })));

export function Root() {
	const embedded = useFacts((f) => f.embed !== null);
	useEffect(() => {
		// First the HTML becomes React's as it came, and then the facts of now come in.
		const timer = window.setTimeout(() => {
			const dropped = doAgain();
			if (dropped) void openFile(dropped);
		});
		return () => window.clearTimeout(timer);
	}, []);
	return (
		<StrictMode>
			{embedded ? (
				<Suspense>
					<Embedded />
				</Suspense>
			) : (
				<App />
			)}
		</StrictMode>
	);
}
