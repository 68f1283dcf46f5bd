/**
 * A checksum of bytes that arrive piece by piece: SHA-256 over the digests of each MiB, because browsers only digest
 * whole buffers. In a browser without digests, which keeps no files either, the checksum is "".
 */
const BLOCK_BYTES = 1 << 20;

export class Checksum {
	readonly #block = new Uint8Array(BLOCK_BYTES);
	#filledBytes = 0;
	readonly #digests: ArrayBuffer[] = [];

	/** Copies the bytes that it needs, so the caller may reuse them once it has resolved. One call at a time. */
	async add(bytes: Uint8Array): Promise<void> {
		for (let at = 0; at < bytes.length; ) {
			const part = bytes.subarray(at, at + BLOCK_BYTES - this.#filledBytes);
			this.#block.set(part, this.#filledBytes);
			this.#filledBytes += part.length;
			at += part.length;
			if (this.#filledBytes === BLOCK_BYTES) await this.#digestBlock();
		}
	}

	async #digestBlock(): Promise<void> {
		const digest = await sha256(this.#block.subarray(0, this.#filledBytes));
		if (digest) this.#digests.push(digest);
		this.#filledBytes = 0;
	}

	/** Returns the checksum of all bytes so far; call it once, at the end. */
	async value(): Promise<string> {
		await this.#digestBlock();
		const digest = await sha256(new Uint8Array(await new Blob(this.#digests).arrayBuffer()));
		return digest ? hexOf(digest) : "";
	}
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer | undefined> {
	return globalThis.crypto?.subtle?.digest("SHA-256", bytes);
}

/** 32 hexadecimal digits. */
function hexOf(digest: ArrayBuffer): string {
	return Array.from(new Uint8Array(digest, 0, 16), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Returns the checksum of data that fits in memory: 32 hexadecimal digits, or "". */
export async function hashOf(bytes: Blob): Promise<string> {
	const digest = await sha256(new Uint8Array(await bytes.arrayBuffer()));
	return digest ? hexOf(digest) : "";
}
