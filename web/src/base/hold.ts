/**
 * What must not be collected while work waits for it. A stream whose only holder is the promise of its own next piece
 * is reachable from nowhere, and Chromium then takes both away: the reader waits for ever. So readers are held here,
 * in the worker's own scope, until they are done.
 */
const held = new Set<object>();

/** Returns what lets it go. */
export function hold(what: object): () => void {
	held.add(what);
	return () => held.delete(what);
}

export async function holding<T>(what: object, work: () => Promise<T>): Promise<T> {
	const release = hold(what);
	try {
		return await work();
	} finally {
		release();
	}
}
