/*
 * fetch.js - fetches one file of another server for the page around it, after the visitor has allowed it there.
 *
 *	page ─ {url, most} ─► fetch.html ─ GET, without cookies and referrer ─► server
 *	page ◄─ {bytes so far}, {file} or {failed} ─┘
 *
 * It listens once, and only to the page that frames it, of its own origin. src/app/trace/fetch_elsewhere.ts is the other end.
 */
(() => {
	const page = window.parent;
	const home = window.location.origin;
	if (page === window) return;
	const tell = (message, moved = []) => page.postMessage(message, home, moved);

	/** The browser may put a blob on the disk. */
	const FOLD_BYTES = 16 << 20;

	/** The whole body, undefined if it is longer than `most`; tells how much has come. */
	async function read(response, most) {
		const total = Number(response.headers.get("Content-Length") ?? 0);
		const reader = response.body.getReader();
		let whole = new Blob();
		let parts = [];
		let partBytes = 0;
		for (let bytes = 0; total <= most && bytes <= most; tell({ bytes, total })) {
			const { done, value } = await reader.read();
			if (done) return new Blob([whole, ...parts]);
			parts.push(value);
			bytes += value.length;
			partBytes += value.length;
			if (partBytes < FOLD_BYTES) continue;
			whole = new Blob([whole, ...parts]);
			parts = [];
			partBytes = 0;
		}
		await reader.cancel();
		return undefined;
	}

	async function answer({ url, most }) {
		const response = await fetch(url, {
			mode: "cors",
			credentials: "omit",
			referrerPolicy: "no-referrer",
		});
		if (!response.ok)
			return { failed: `The server answered ${response.status} ${response.statusText}`.trim() };
		const file = await read(response, most);
		return file ? { file } : { isTooLong: true };
	}

	const listen = ({ source, origin, data }) => {
		if (source !== page || origin !== home || typeof data?.url !== "string") return;
		window.removeEventListener("message", listen);
		answer(data).then(tell, (error) => tell({ failed: "", why: String(error) }));
	};
	window.addEventListener("message", listen);
	tell({ ready: true });
})();
