/** Other tabs of this page: they are told when what is kept under Recent has changed, and this one listens. */
let channel: BroadcastChannel | undefined;

export function tellTabs(): void {
	channel?.postMessage("recent");
}

export function listenToTabs(onChange: () => void): void {
	if (!("BroadcastChannel" in globalThis)) return;
	channel = new BroadcastChannel("slabscope");
	channel.addEventListener("message", onChange);
}
