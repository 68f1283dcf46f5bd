/** A text as a short code for the address, and back. */

/** Chat and mail programs cut off longer addresses; servers never see this part (address.ts). */
export const CODE_MOST = 6000;
const TEXT_MOST_BYTES = 1 << 20;

/** The packed text, in characters that an address may have. */
export async function codeOf(text: string): Promise<string> {
	const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
	const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
	const letters = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
	return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined for text that codeOf did not write, or more than anybody does by hand. */
export async function textIn(code: string): Promise<string | undefined> {
	try {
		const letters = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		const decoder = new TextDecoder();
		let text = "";
		for (const reader = stream.getReader(); ; ) {
			const { value, done } = await reader.read();
			if (done) return text;
			text += decoder.decode(value, { stream: true });
			if (text.length > TEXT_MOST_BYTES) {
				await reader.cancel();
				return undefined;
			}
		}
	} catch {
		return undefined;
	}
}
