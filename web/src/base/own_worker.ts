/**
 * Workers that the page's Content-Security-Policy covers. Started from a blob, a worker takes over the policy of whoever started it;
 * started from its file it has only what that file's headers say, and many static hosts send none.
 */

/**
 * What the blob runs behind `const url = …;`. The import is a dynamic one because Firefox does not ask the service worker for the static
 * imports of a blob. What is posted before the worker listens is kept for it.
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
