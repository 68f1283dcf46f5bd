/** Waits for the first sign that the visitor is doing something, to fetch code that may be needed soon. */
export type Sign = "pointermove" | "pointerdown" | "touchstart" | "wheel" | "keydown";

/** Calls back once. Returns a function that stops waiting. */
export function onFirstSign(signs: readonly Sign[], run: () => void): () => void {
	const heard = new AbortController();
	for (const sign of signs)
		window.addEventListener(
			sign,
			() => {
				heard.abort();
				run();
			},
			{ signal: heard.signal, passive: true },
		);
	return () => heard.abort();
}
