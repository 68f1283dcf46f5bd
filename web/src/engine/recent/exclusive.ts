/**
 * Several tabs of this page share one folder of kept traces. One tab at a time writes there, and none removes files
 * while another writes. A browser without locks, or one that refuses them as in a page of another site, has no such
 * folder either.
 */

const NAME = "slabscope.recent";

export function alone(work: () => Promise<string>): Promise<string> {
	return locked({}, work);
}

/** Does nothing if another tab is at work. */
export function ifAlone(work: () => Promise<void>): Promise<void> {
	return locked({ ifAvailable: true }, async (lock) => {
		if (lock !== null) await work();
	});
}

/** `work` receives null if another tab is at work and the call does not wait. */
async function locked<T>(
	options: LockOptions,
	work: (lock?: Lock | null) => Promise<T>,
): Promise<T> {
	const locks: LockManager | undefined = globalThis.navigator?.locks;
	let hasBegun = false;
	const begin = (lock?: Lock | null) => {
		hasBegun = true;
		return work(lock);
	};
	try {
		return await (locks ? locks.request(NAME, options, begin) : begin());
	} catch (error) {
		if (hasBegun) throw error;
		return begin();
	}
}
