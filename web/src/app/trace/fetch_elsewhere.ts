/**
 * Fetches a file of another server. The page's Content-Security-Policy allows no such request, and a policy cannot change
 * while a page runs. So a frame does it: fetch.html, of this origin, whose own policy allows requests and nothing else.
 * Call it only after the visitor has allowed the address.
 */

import * as v from "valibot";
import { stopped } from "../../base/format.ts";
import { mostToFetch, tooLong } from "../../engine/import/memory_limit.ts";

const Answer = v.union([
	v.object({ ready: v.literal(true) }),
	v.object({ bytes: v.number(), total: v.number() }),
	v.object({ file: v.blob() }),
	v.object({ failed: v.string() }),
	v.object({ isTooLong: v.literal(true) }),
]);

export class NotFetched extends Error {}

export interface Fetching {
	readonly onBytes: (bytes: number) => void;
	readonly signal: AbortSignal;
}

/** The file's bytes. Throws NotFetched with a sentence, or the signal's reason. */
export async function fetchElsewhere(url: string, fetching: Fetching): Promise<Blob> {
	const frame = document.createElement("iframe");
	const end = new AbortController();
	frame.hidden = true;
	frame.title = "Fetches the file";
	frame.src = new URL("fetch.html", document.baseURI).href;
	const most = mostToFetch();
	try {
		return await new Promise<Blob>((resolve, reject) => {
			const hear = ({ source, origin, data }: MessageEvent) => {
				if (source !== frame.contentWindow || origin !== location.origin) return;
				const read = v.safeParse(Answer, data);
				if (!read.success) return;
				const answer = read.output;
				if ("ready" in answer) frame.contentWindow?.postMessage({ url, most }, location.origin);
				else if ("bytes" in answer) fetching.onBytes(answer.bytes);
				else if ("file" in answer) resolve(answer.file);
				else if ("isTooLong" in answer) reject(new NotFetched(tooLong(new URL(url).host, most)));
				else reject(new NotFetched(sentenceOf(answer.failed, url)));
			};
			window.addEventListener("message", hear, end);
			fetching.signal.addEventListener("abort", () => reject(fetching.signal.reason), end);
			document.body.append(frame);
		});
	} finally {
		end.abort();
		frame.remove();
	}
}

/** A page cannot know whether a server is missing or does not allow it to read. */
function sentenceOf(failed: string, url: string): string {
	if (failed !== "") return stopped(failed);
	return `${new URL(url).host} could not be asked, or does not let other pages read its files (CORS).`;
}
