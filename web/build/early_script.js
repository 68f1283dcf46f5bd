/**
 * The first of the page's scripts, small enough to be there before the HTML has been gone through: what the first view waits
 * for longest is on its way while the boot script is still being fetched. build/early.ts says what in FIRST; player/place.ts
 * takes it over.
 */
if (!window.slabscopeEarly) {
	const worker = new Worker(FIRST.worker, { type: "module", name: "slabscope" });
	const early = { worker, hasFailed: false };
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		early.hasFailed = true;
	});
	const isPlainVisit = location.search.length <= 1;
	const addressOf = (file) => new URL(file, location.href).href;
	if (isPlainVisit)
		worker.postMessage({ beginFetch: [FIRST.recording, FIRST.module].map(addressOf) });
	window.slabscopeEarly = early;
}
