/*
 * <slab-player>: a passage of Slabscope in your own page. Include this one script from wherever Slabscope is served:
 *
 *	<script src="https://example.org/slabscope/slab-player.js"></script>
 *	<slab-player trace="two-nodes.slabtrace" events="11-41" loop speed="2" allocator="slab"></slab-player>
 *
 * trace		the recording, or "sandbox"
 * sandbox		the packed actions of a sandbox or a fork, as Share writes them
 * event="11"		the event to show, the first one being 1
 * events="11-41"	the passage, from 1; "11-" goes on to the end. No button, key or click leads out of it
 * loop, speed		goes round; steps a second
 * allocator, preset, theme (light, dark, contrast)
 * settings="cpus=8 min_partial=3"	parameters of the machine, as in `slabscope params`
 * src			another place where Slabscope is served, http or https
 * label		what a screen reader calls the frame
 * messages		lets this page use the three functions below where Slabscope has another origin
 *
 * open(bytes, name), go(event, step) and state() return promises of what the frame shows then; docs/embed.md has the messages.
 *
 * Older pages have op, from and to, which count from 0 and keep their meaning; event and events come first. The size is
 * yours to set by CSS; the element asks for nothing and keeps nothing in your page.
 */
(() => {
	const home = new URL(".", document.currentScript.src).href;
	const PLAIN = ["trace", "sandbox", "event", "events", "speed", "preset", "theme"];
	/** Servers refuse longer addresses, and do not see what is behind the #. */
	const QUERY_MOST = 1500;
	/** Until the frame answers for the first time; it may have a trace to fetch. */
	const READY_WITHIN_MS = 60_000;
	/** Counted from 0. */
	const OLD = ["op", "from", "to"];

	/** A promise, and the functions that settle it. */
	function deferred() {
		let settle = {};
		const promise = new Promise((resolve, reject) => {
			settle = { resolve, reject };
		});
		return { promise, ...settle };
	}

	/** Where Slabscope is, or undefined for an address that no frame may have. */
	function placeOf(src) {
		if (src === null) return new URL(home);
		const address = URL.canParse(src, home) ? new URL(src, home) : undefined;
		return address && /^https?:$/.test(address.protocol) ? address : undefined;
	}

	class SlabPlayer extends HTMLElement {
		static observedAttributes = [
			...PLAIN,
			...OLD,
			"messages",
			"loop",
			"allocator",
			"settings",
			"src",
			"label",
		];

		#frame = document.createElement("iframe");
		#refusal = document.createElement("p");
		#waiting = false;
		/** The frame reads messages once it has said so. */
		#ready = deferred();
		/** Who waits for an answer, by the message's id. */
		#asked = new Map();
		#lastId = 0;
		#hear = (message) => this.#take(message);

		constructor() {
			super();
			const style = document.createElement("style");
			style.textContent =
				":host { display: block; aspect-ratio: 16 / 10; min-height: 320px; }" +
				"iframe { display: block; width: 100%; height: 100%; border: 0; }" +
				"p { margin: 0; padding: 1em; border: 1px solid; font: 14px/1.5 system-ui, sans-serif; }";
			this.#refusal.setAttribute("role", "alert");
			this.#frame.loading = "lazy";
			this.#frame.allow = "fullscreen";
			this.attachShadow({ mode: "open" }).append(style);
		}

		connectedCallback() {
			window.addEventListener("message", this.#hear);
			this.#show();
		}

		disconnectedCallback() {
			window.removeEventListener("message", this.#hear);
		}

		/** Opens a trace: an ArrayBuffer, a Uint8Array or a Blob, and its name. */
		open(bytes, name = "trace") {
			return this.#ask({ type: "open", name, bytes });
		}

		/** Goes to an event, and to one of its steps; both count from 1. */
		go(event, step) {
			return this.#ask(step === undefined ? { type: "go", event } : { type: "go", event, step });
		}

		/** The trace and the position on screen; null before there is one. */
		state() {
			return this.#ask({ type: "state" });
		}

		async #ask(message) {
			const late = new Error(
				"Slabscope does not answer. If it has another origin than this page, <slab-player> needs the attribute messages.",
			);
			const timer = deferred();
			const clock = setTimeout(() => timer.reject(late), READY_WITHIN_MS);
			await Promise.race([this.#ready.promise, timer.promise]);
			clearTimeout(clock);
			const id = ++this.#lastId;
			const answer = deferred();
			this.#asked.set(id, answer);
			this.#frame.contentWindow.postMessage(
				{ slabscope: 1, id, ...message },
				new URL(this.#frame.src).origin,
			);
			return answer.promise;
		}

		#take({ source, origin, data }) {
			if (!this.#frame.src || source !== this.#frame.contentWindow) return;
			if (origin !== new URL(this.#frame.src).origin || data?.slabscope !== 1) return;
			if (data.type === "ready") this.#ready.resolve();
			const asked = this.#asked.get(data.id);
			this.#asked.delete(data.id);
			if (data.type === "done") asked?.resolve(data.state);
			if (data.type === "refused") asked?.reject(new Error(data.reason));
		}

		/** A frame that is loaded again answers no earlier message. */
		#forget() {
			for (const { reject } of this.#asked.values())
				reject(new Error("the attributes of <slab-player> have changed"));
			this.#asked.clear();
			this.#ready = deferred();
		}

		attributeChangedCallback() {
			// Several that change together are one change.
			if (this.#waiting || !this.isConnected) return;
			this.#waiting = true;
			queueMicrotask(() => {
				this.#waiting = false;
				this.#show();
			});
		}

		#show() {
			const src = this.getAttribute("src");
			const address = placeOf(src);
			if (!address) {
				this.#frame.remove();
				this.#frame.removeAttribute("src");
				this.#refusal.textContent = `Slabscope is not shown: src="${src.slice(0, 80)}" is not an http or https address. Correct the src attribute, or leave it out.`;
				this.shadowRoot.append(this.#refusal);
				return;
			}
			this.#refusal.remove();
			const query = this.#query().toString();
			address.search = query.length > QUERY_MOST ? "" : query;
			address.hash = query.length > QUERY_MOST ? query : "";
			this.#frame.title =
				this.getAttribute("label") ?? `Slabscope: ${this.getAttribute("trace") ?? ""}`;
			if (this.#frame.src !== address.href) {
				this.#forget();
				this.#frame.src = address.href;
			}
			if (!this.#frame.isConnected) this.shadowRoot.append(this.#frame);
		}

		/** Version 2 of a link counts op, from and to from 0, and event and events from 1. */
		#query() {
			const query = new URLSearchParams({ v: "2", embed: "1" });
			for (const name of [...PLAIN, ...OLD])
				if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
			const loop = this.getAttribute("loop");
			if (loop !== null && loop !== "0" && loop !== "false") query.set("loop", "1");
			if (this.hasAttribute("allocator"))
				query.set("set.allocator", this.getAttribute("allocator"));
			if (this.hasAttribute("messages")) query.set("allow", window.location.origin);
			for (const setting of (this.getAttribute("settings") ?? "").split(/\s+/)) {
				const at = setting.indexOf("=");
				if (at > 0) query.set(`set.${setting.slice(0, at)}`, setting.slice(at + 1));
			}
			return query;
		}
	}

	if (!customElements.get("slab-player")) customElements.define("slab-player", SlabPlayer);
})();
