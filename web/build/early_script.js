/**
 * The first of the page's scripts, small enough to be there before the HTML has been gone through: what the first view waits
 * for longest is on its way while the boot script is still being fetched. build/early.ts says what in FIRST; player/place.ts
 * takes it over.
 */
if (!window.slabscopeEarly) {
	const worker = new Worker(FIRST.worker, { type: "module", name: "slabscope" });
	const early = { worker, hasFailed: false, files: new Map() };
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		early.hasFailed = true;
	});
	const isPlainVisit = location.search.length <= 1;
	for (const path of isPlainVisit ? [FIRST.module, FIRST.recording] : [FIRST.module]) {
		const response = fetch(path);
		response.catch(() => {});
		early.files.set(new URL(path, location.href).href, response);
	}
	window.slabscopeEarly = early;
}
