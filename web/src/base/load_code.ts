/** Code that is fetched when it is first needed. A fetch that failed is never remembered: the next call tries again. */

/** The network is down, or the server no longer has this version of the page. */
export class CodeMissing extends Error {
	override readonly name = "CodeMissing";

	constructor(cause: unknown) {
		super(
			"A part of this page could not be loaded. Either the network is down, or the server has a newer version of Slabscope.",
			{ cause },
		);
	}
}

/** `import(…)`, with an error that a person can read. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
	try {
		return await load();
	} catch (error) {
		throw new CodeMissing(error);
	}
}

/** Loads once and returns the same promise from then on, unless the load fails. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
	let loaded: Promise<T> | undefined;
	return () => {
		loaded ??= loadCode(load).catch((error: unknown) => {
			loaded = undefined;
			throw error;
		});
		return loaded;
	};
}
