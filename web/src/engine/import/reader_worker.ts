/**
 * A worker that only reads a file, so that the next piece is ready when the previous one has been parsed: a stream
 * fills its buffers on the thread that reads it. It receives the file, then buffers to fill, one for each piece; it
 * answers null at the end, and a failure with a sentence.
 */
import { Reading } from "./reading.ts";

export type Answer = Uint8Array<ArrayBuffer> | string | null;

let reading: Reading | undefined;
/** Requests are served in order. */
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
