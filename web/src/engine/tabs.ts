/**
 * Several tabs of this page share one folder of kept recordings. One at a time writes there, and nobody tidies up
 * while another writes. Where there are no locks there is no such folder either.
 */

const NAME = "slabscope.recent";

const locks = (): LockManager | undefined => globalThis.navigator?.locks;

export function alone(work: () => Promise<string>): Promise<string> {
	return locks()?.request(NAME, work) ?? work();
}

/** Not at all if another tab is at work. */
export async function ifAlone(work: () => Promise<void>): Promise<void> {
	const all = locks();
	if (!all) return work();
	await all.request(NAME, { ifAvailable: true }, async (lock) => {
		if (lock) await work();
	});
}
