/** Reads a file in pieces of up to four megabytes, into buffers that are reused. */

/** How many bytes of the file are read at a time. */
export const PIECE_BYTES = 4 << 20;
/** A read that takes longer than this is started again: busy browsers have been seen to forget one. */
const PATIENCE_MS = 4000;

export class Reading {
	readonly #file: Blob;
	#reader: ReadableStreamBYOBReader;
	#at = 0;
	#patienceMs = PATIENCE_MS;

	constructor(file: Blob) {
		this.#file = file;
		this.#reader = file.stream().getReader({ mode: "byob" });
	}

	/** Reads the next piece into the given buffer; undefined at the end. One call at a time. */
	async next(buffer: ArrayBuffer): Promise<Uint8Array<ArrayBuffer> | undefined> {
		let result = await this.#read(buffer);
		while (result === "late") {
			this.#patienceMs *= 2;
			void this.#reader.cancel().catch(() => {});
			this.#reader = this.#file.slice(this.#at).stream().getReader({ mode: "byob" });
			result = await this.#read(new ArrayBuffer(PIECE_BYTES));
		}
		const { value, done } = result;
		if (done || !value) return undefined;
		this.#at += value.length;
		return value;
	}

	#read(buffer: ArrayBuffer) {
		return inTime(this.#reader.read(new Uint8Array(buffer)), this.#patienceMs);
	}
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<"late">((resolve) => {
		timer = setTimeout(() => resolve("late"), ms);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
