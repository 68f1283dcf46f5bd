/** Other tabs of this page: sends them a message when the list under Recent changes, and listens for theirs. */
let channel: BroadcastChannel | undefined;

export function tellTabs(): void {
	channel?.postMessage("recent");
}

export function listenToTabs(onChange: () => void): void {
	if (!("BroadcastChannel" in globalThis)) return;
	channel = new BroadcastChannel("slabscope");
	channel.addEventListener("message", onChange);
}
