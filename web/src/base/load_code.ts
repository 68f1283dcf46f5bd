/** Code that is fetched when it is first needed. A fetch that failed is never remembered: the next call tries again. */

/** The network is down, or the server no longer has this version of the page. */
export class CodeMissing extends Error {
	override readonly name = "CodeMissing";

	constructor(cause: unknown) {
		super(
			"A part of this page could not be loaded. Either the network is down or the server has a newer version of Slabscope.",
			{ cause },
		);
	}
}

/** Calls `import(…)`, but with an error that people can read. */
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

/*
 * Workers that the page's Content-Security-Policy covers. A worker started from a blob inherits the policy of the
 * page that starts it; a worker started from its file has only the policy in that file's headers, and many static
 * hosts send none.
 */

/**
 * The code of the blob after `const url = …;`. The import is dynamic because Firefox does not ask the service worker
 * for the static imports of a blob. Messages that arrive before the worker listens are kept for it.
 */
export const STARTER = `const early = [];
const keep = (event) => early.push(event);
addEventListener("message", keep);
import(url).then(
	() => {
		removeEventListener("message", keep);
		for (const { data } of early) dispatchEvent(new MessageEvent("message", { data }));
	},
	(error) => setTimeout(() => { throw error; }),
);`;

export function ownWorker(url: string, options: WorkerOptions = {}): Worker {
	const code = `const url = ${JSON.stringify(url)};\n${STARTER}`;
	const blob = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
	return new Worker(blob, { ...options, type: "module" });
}
