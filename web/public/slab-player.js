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
 * src			another place where Slabscope is served, http or https
 * label		what a screen reader calls the frame
 *
 * Older pages have op, from and to, which count from 0 and keep their meaning; event and events come first. The size is
 * yours to set by CSS; the element asks for nothing and keeps nothing in your page.
 */
(() => {
	const home = new URL(".", document.currentScript.src).href;
	const PLAIN = ["trace", "sandbox", "event", "events", "speed", "preset", "theme"];
	/** Servers refuse longer addresses, and do not see what is behind the #. */
	const QUERY_MOST = 1500;
	/** Counted from 0. */
	const OLD = ["op", "from", "to"];

	/** Where Slabscope is, or undefined for an address that no frame may have. */
	function placeOf(src) {
		if (src === null) return new URL(home);
		const address = URL.canParse(src, home) ? new URL(src, home) : undefined;
		return address && /^https?:$/.test(address.protocol) ? address : undefined;
	}

	class SlabPlayer extends HTMLElement {
		static observedAttributes = [...PLAIN, ...OLD, "loop", "allocator", "src", "label"];

		#frame = document.createElement("iframe");
		#refusal = document.createElement("p");
		#waiting = false;

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
			this.#show();
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
			if (this.#frame.src !== address.href) this.#frame.src = address.href;
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
			return query;
		}
	}

	if (!customElements.get("slab-player")) customElements.define("slab-player", SlabPlayer);
})();
