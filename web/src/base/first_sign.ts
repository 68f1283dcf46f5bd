/** The first sign that a visitor does something: what may be wanted soon is fetched then. */
export type Sign = "pointermove" | "pointerdown" | "touchstart" | "wheel" | "keydown";

/** Once. Returns what stops the waiting. */
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
