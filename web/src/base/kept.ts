/** Small values that this browser keeps between visits. A browser without storage forgets them; nothing else breaks. */

/** Returns undefined if nothing readable is kept under the key. */
export function recall(key: string): unknown {
	try {
		return JSON.parse(localStorage.getItem(key) ?? "") as unknown;
	} catch {
		return undefined;
	}
}

export function remember(key: string, value: unknown): void {
	try {
		localStorage.setItem(key, JSON.stringify(value));
	} catch {
		// Storage is full or refused.
	}
}
