/*
 * fetch.js - fetches one file of another server for the page around it, after the visitor has allowed it there.
 *
 *	page ─ {url} ─► fetch.html ─ GET, without cookies and referrer ─► server
 *	page ◄─ {bytes so far}, {file} or {failed} ─┘
 *
 * It listens once, and only to the page that frames it, of its own origin. src/app/trace/fetch_elsewhere.ts is the other end.
 */
(() => {
	const page = window.parent;
	const home = window.location.origin;
	if (page === window) return;
	const tell = (message, moved = []) => page.postMessage(message, home, moved);

	/** The whole body; tells how much has come. */
	async function read(response) {
		const parts = [];
		let bytes = 0;
		for (const reader = response.body.getReader(); ; ) {
			const { done, value } = await reader.read();
			if (done) return new Blob(parts);
			parts.push(value);
			bytes += value.length;
			tell({ bytes, total: Number(response.headers.get("Content-Length") ?? 0) });
		}
	}

	async function answer(url) {
		const response = await fetch(url, {
			mode: "cors",
			credentials: "omit",
			referrerPolicy: "no-referrer",
		});
		if (!response.ok)
			return { failed: `The server answered ${response.status} ${response.statusText}`.trim() };
		return { file: await read(response) };
	}

	const listen = ({ source, origin, data }) => {
		if (source !== page || origin !== home || typeof data?.url !== "string") return;
		window.removeEventListener("message", listen);
		answer(data.url).then(tell, (error) => tell({ failed: "", why: String(error) }));
	};
	window.addEventListener("message", listen);
	tell({ ready: true });
})();
