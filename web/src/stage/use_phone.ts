/** Whether the page stands on a phone, and how it is held. The style sheets ask the same of the window. */
import { useSyncExternalStore } from "react";

export type Phone = "no" | "upright" | "sideways";

const SIDEWAYS = "(max-width: 1199px) and (max-height: 559px) and (orientation: landscape)";
const UPRIGHT = "(max-width: 759px)";

function subscribe(listen: () => void): () => void {
	const queries = [SIDEWAYS, UPRIGHT, WIDE].map((query) => matchMedia(query));
	for (const query of queries) query.addEventListener("change", listen);
	return () => {
		for (const query of queries) query.removeEventListener("change", listen);
	};
}

function phone(): Phone {
	if (matchMedia(SIDEWAYS).matches) return "sideways";
	return matchMedia(UPRIGHT).matches ? "upright" : "no";
}

const WIDE = "(min-width: 1200px)";

/** Whether a column stands beside the stage. */
export function useIsWide(): boolean {
	return useSyncExternalStore(
		subscribe,
		() => matchMedia(WIDE).matches,
		() => true,
	);
}

/** The first page is rendered before any window is known. */
const unknown = (): Phone => "no";

export function usePhone(): Phone {
	return useSyncExternalStore(subscribe, phone, unknown);
}
