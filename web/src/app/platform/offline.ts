/**
 * Keeps the page for use without a network: a service worker (web/build/offline.js) fetches all its files once the
 * page is idle. A newer version waits until the visitor wants it.
 */
import { change, facts } from "../state/store.ts";

/** None of this may delay the first view. */
const AFTER_MS = 3000;

let waiting: ServiceWorker | null = null;

export function keepForOffline(): void {
	if (!import.meta.env.PROD || !location.protocol.startsWith("http")) return;
	if (!("serviceWorker" in navigator)) return;
	const look = () => {
		const busy = document.documentElement.dataset.idle !== "true" && !facts().playing;
		if (busy) window.setTimeout(look, AFTER_MS);
		else void register();
	};
	window.setTimeout(look, AFTER_MS);
}

async function register(): Promise<void> {
	try {
		const registration = await navigator.serviceWorker.register("offline.js");
		if (!registration) return;
		offer(registration.waiting);
		registration.addEventListener("updatefound", () => {
			const { installing } = registration;
			installing?.addEventListener("statechange", () => {
				if (installing.state === "installed") offer(installing);
			});
		});
	} catch {
		// A browser that keeps nothing needs the network each time; otherwise the page works as before.
	}
}

/** The first version replaces nothing. */
function offer(worker: ServiceWorker | null): void {
	if (!worker || !navigator.serviceWorker.controller) return;
	waiting = worker;
	change({ newVersion: true });
}

/** Switches to the new version now; other open tabs of this site follow when they reload. */
export function useNewVersion(): void {
	navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
	waiting?.postMessage("take over");
}
