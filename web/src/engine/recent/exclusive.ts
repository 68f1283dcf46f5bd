/**
 * Several tabs of this page share one folder of kept recordings. One at a time writes there, and nobody tidies up
 * while another writes. Where there are no locks, or the browser refuses them as it does in a page of another site,
 * there is no such folder either.
 */

const NAME = "slabscope.recent";

export function alone(work: () => Promise<string>): Promise<string> {
	return locked({}, work);
}

/** Not at all if another tab is at work. */
export function ifAlone(work: () => Promise<void>): Promise<void> {
	return locked({ ifAvailable: true }, async (lock) => {
		if (lock !== null) await work();
	});
}

/** `work` is given null where another tab is at work and it was not to wait. */
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
