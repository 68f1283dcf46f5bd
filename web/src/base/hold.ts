/**
 * Holds objects that must not be collected while work waits for them. A stream that is referred to only by the
 * promise of its own next piece is unreachable, and Chromium then collects both, so that the reader waits for ever.
 * So the worker's scope holds readers until they are done.
 */
const held = new Set<object>();

/** Returns a function that releases it. */
export function hold(what: object): () => void {
	held.add(what);
	return () => held.delete(what);
}
