/**
 * The first of the page's scripts, small enough to be there before the HTML has been gone through: what the first view waits
 * for longest is on its way while the boot script is still being fetched. build/early.ts says what in FIRST; player/place.ts
 * takes it over.
 */
if (!window.slabscopeEarly) {
	const worker = new Worker(FIRST.worker, { type: "module", name: "slabscope" });
	const early = { worker, hasFailed: false, module: fetch(FIRST.module) };
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		early.hasFailed = true;
	});
	early.module.catch(() => {});
	const isPlainVisit = location.search.length <= 1;
	if (isPlainVisit)
		worker.postMessage({ beginFetch: new URL(FIRST.recording, location.href).href });
	window.slabscopeEarly = early;
}
