/**
 * xz as a stream, by a library: XZ Embedded as a WebAssembly module of its own, fetched with the first such file. It
 * keeps a dictionary of at most 64 MiB and returns 64 KiB at a time, so a small file cannot take much memory.
 */
import { XzReadableStream } from "xz-decompress";
import type { Pull } from "./pull.ts";
import { CutOff, type Reader, wayOut } from "./unpack.ts";

/** xz never shrinks anything by a factor of 7,000; a trace shrinks to between a tenth and a fiftieth. */
const MOST_RATIO = 2000;
/** Files that unpack to less are read whatever their ratio. */
const FREE_BYTES = 32 << 20;

/** The library has one error for all of these. */
const BROKEN =
	"The xz data cannot be unpacked: it is damaged or cut off, or needs a dictionary of more than 64 MiB (unxz can unpack those).";

export async function readXz(pull: Pull, { take, onRead }: Reader): Promise<void> {
	const done = { packed: 0, plain: 0 };
	const packed = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				// The library keeps a piece longer than it is lent.
				const piece = (await pull())?.slice();
				if (!piece) return controller.close();
				done.packed += piece.length;
				controller.enqueue(piece);
			},
		},
		{ highWaterMark: 0 },
	);
	const text = new XzReadableStream(packed).getReader();
	try {
		for (;;) {
			const { value } = await text.read().catch(() => {
				throw new CutOff(`${BROKEN} ${wayOut(done.plain, true)}`);
			});
			if (!value) return;
			done.plain += value.length;
			if (done.plain > Math.max(FREE_BYTES, done.packed * MOST_RATIO))
				throw new Error("The file unpacks to far more than any trace does.");
			await onRead(done.packed);
			await take(value);
		}
	} finally {
		void text.cancel().catch(() => {});
	}
}
