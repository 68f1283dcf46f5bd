/** All of the page, or the stage and its buttons alone inside another one. */
import { lazy, StrictMode, Suspense } from "react";
import { App } from "./app.tsx";
import { useFacts } from "./player/use_facts.ts";

const Embedded = lazy(() => import("./panels/embedded.tsx").then((m) => ({ default: m.Embedded })));

export function Root() {
	const embedded = useFacts((f) => f.embed !== null);
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
