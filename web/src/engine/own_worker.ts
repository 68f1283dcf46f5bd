/**
 * Workers that the page's Content-Security-Policy covers. Started from a blob, a worker takes over the policy of whoever started it;
 * started from its file it has only what that file's headers say, and many static hosts send none.
 */
export function ownWorker(url: string, options: WorkerOptions = {}): Worker {
	const code = `import ${JSON.stringify(url)};`;
	const blob = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
	return new Worker(blob, { ...options, type: "module" });
}
