/**
 * The first of the page's scripts, in the HTML itself: what the first view waits for longest is on its way while the
 * boot script is still being fetched. build/early.ts puts FIRST and STARTER before it; app/platform/page_files.ts takes
 * it over.
 */
if (!window.slabscopeEarly) {
	const addressOf = (file) => new URL(file, location.href).href;
	// From a blob, as in base/own_worker.ts, so that the page's Content-Security-Policy covers the worker.
	const code = `const url = ${JSON.stringify(addressOf(FIRST.worker))};\n${STARTER}`;
	const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
	const worker = new Worker(url, { type: "module", name: "slabscope" });
	const early = { worker, hasFailed: false };
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		early.hasFailed = true;
	});
	// The page can request a file before the worker's own script has loaded. If it gets no bytes, the worker requests
	// the file itself.
	const fetchForWorker = (file) => {
		const address = addressOf(file);
		worker.postMessage({ fetching: address });
		fetch(address)
			.then((response) => (response.ok ? response.arrayBuffer() : undefined))
			.catch(() => undefined)
			.then((bytes) => worker.postMessage({ fetched: address, bytes }, bytes ? [bytes] : []));
	};
	fetchForWorker(FIRST.module);
	// As in address.ts: a long link is after the #.
	const isPlainVisit = location.search.length <= 1 && !location.hash.startsWith("#v=");
	if (isPlainVisit) {
		fetchForWorker(FIRST.recording);
		const [module, recording] = [addressOf(FIRST.module), addressOf(FIRST.recording)];
		worker.postMessage({ first: { module, recording, machine: FIRST.machine } });
	}
	window.slabscopeEarly = early;
}
