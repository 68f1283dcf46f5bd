/* global VERSION, FILES */
// The service worker: keeps all files of one version of the page, and answers from them, with or without a network.
// The build puts VERSION and FILES before this. A newer version is fetched beside the one in use and waits until the
// visitor reloads by the page's own button, or until no page of the older one is open.

/** Other copies of the page may live in other folders of the same host: each keeps its own. */
const PREFIX = `slabscope ${self.registration.scope} `;
const CACHE = PREFIX + VERSION;
const PAGE = new URL("./", self.registration.scope).href;

self.addEventListener("install", (event) => {
	const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
	event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
	event.waitUntil(forgetOlder());
});

async function forgetOlder() {
	for (const name of await caches.keys()) {
		if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
	}
}

self.addEventListener("message", (event) => {
	if (event.data === "take over") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
	const { request } = event;
	if (request.method !== "GET" || !request.url.startsWith(PAGE)) return;
	event.respondWith(answer(request));
});

/** The page itself whatever its query says; other files by their name. */
async function answer(request) {
	const url = new URL(request.url);
	url.search = "";
	url.hash = "";
	if (url.href === `${PAGE}index.html`) url.href = PAGE;
	const cache = await caches.open(CACHE);
	return (await cache.match(url.href)) ?? fetch(request);
}
