/*
 * <slab-player>: a passage of Slabscope in your own page. Include this one script from wherever Slabscope is served:
 *
 *	<script src="https://example.org/slabscope/slab-player.js"></script>
 *	<slab-player trace="two-nodes.slabtrace" from="10" to="40" loop speed="2" allocator="slab"></slab-player>
 *
 * Attributes are those of Slabscope's links, events counted from 0: trace, op, from, to, loop, speed (steps a second),
 * allocator, preset, theme (light, dark, contrast). `src` is another place where Slabscope is, `label` what a screen
 * reader calls the frame. Its size is yours to set by CSS; it asks for nothing and keeps nothing in your page.
 */
(() => {
	const home = new URL(".", document.currentScript.src).href;
	const PLAIN = ["trace", "op", "from", "to", "speed", "preset", "theme"];

	class SlabPlayer extends HTMLElement {
		static observedAttributes = [...PLAIN, "loop", "allocator", "src", "label"];

		#frame = document.createElement("iframe");
		#waiting = false;

		constructor() {
			super();
			const style = document.createElement("style");
			style.textContent =
				":host { display: block; aspect-ratio: 16 / 10; min-height: 320px; }" +
				"iframe { display: block; width: 100%; height: 100%; border: 0; }";
			this.#frame.loading = "lazy";
			this.#frame.allow = "fullscreen";
			this.attachShadow({ mode: "open" }).append(style, this.#frame);
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
			const query = new URLSearchParams({ v: "2", embed: "1" });
			for (const name of PLAIN)
				if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
			const loop = this.getAttribute("loop");
			if (loop !== null && loop !== "0" && loop !== "false") query.set("loop", "1");
			if (this.hasAttribute("allocator"))
				query.set("set.allocator", this.getAttribute("allocator"));
			const address = new URL(this.getAttribute("src") ?? home, home);
			address.search = query.toString();
			this.#frame.title =
				this.getAttribute("label") ?? `Slabscope: ${this.getAttribute("trace") ?? ""}`;
			if (this.#frame.src !== address.href) this.#frame.src = address.href;
		}
	}

	if (!customElements.get("slab-player")) customElements.define("slab-player", SlabPlayer);
})();
