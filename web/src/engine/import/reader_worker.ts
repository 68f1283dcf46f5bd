/**
 * A worker that only reads a file, so that the next piece is there when the one before has been parsed: a stream fills
 * its buffers on the thread that asked for it. Gets the file first and then buffers to fill, one for each piece; the end
 * is told by null, a failure by its sentence.
 */
import { Reading } from "./reading.ts";

export type Answer = Uint8Array<ArrayBuffer> | string | null;

let reading: Reading | undefined;
/** What is asked is done in its order. */
let work: Promise<unknown> = Promise.resolve();

async function answer(file: Reading, buffer: ArrayBuffer): Promise<void> {
	try {
		const piece = await file.next(buffer);
		if (piece) postMessage(piece satisfies Answer, { transfer: [piece.buffer] });
		else postMessage(null satisfies Answer);
	} catch (error) {
		const sentence: Answer = error instanceof Error ? error.message : String(error);
		postMessage(sentence);
	}
}

addEventListener("message", ({ data }: MessageEvent<Blob | ArrayBuffer>) => {
	if (data instanceof Blob) {
		reading = new Reading(data);
		return;
	}
	const file = reading;
	if (file) work = work.then(() => answer(file, data));
});
