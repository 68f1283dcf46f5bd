/**
 * Opens a trace from a web address. A file from this page's own server opens at once; for any other server, the
 * visitor is asked first.
 */

import * as v from "valibot";
import { stopped } from "../../base/format.ts";
import { mostToFetch, tooLong, wholeOf } from "../../engine/import/memory_limit.ts";
import { LOCAL } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { sentenceOf } from "../playback/player.ts";
import { busy, change, facts } from "../state/store.ts";
import { awaitFile, openFile } from "./actions.ts";

/** The view of the link that asks for an address. */
let viewOfLink: View | undefined;

/** Returns an address that may be fetched, or a sentence that says why not. */
export function readAddress(text: string): URL | string {
	if (!URL.canParse(text, location.href)) return `${text.slice(0, 80)} is not a web address.`;
	const url = new URL(text, location.href);
	url.hash = "";
	if (url.protocol !== "https:" && url.protocol !== "http:")
		return `${text.slice(0, 80)} is not an http or https address.`;
	if (url.username !== "" || url.password !== "")
		return "This page does not open addresses with a user name or a password: download the file and drop it here.";
	return url;
}

export const isOwn = (url: URL): boolean => url.origin === location.origin;

/** Resolves to whether the trace is in use; false while the visitor is being asked. */
export async function openAddress(text: string, view?: View): Promise<boolean> {
	const url = location.protocol === "file:" ? ON_A_DISK : readAddress(text);
	if (typeof url === "string") {
		change({ error: url });
		return false;
	}
	viewOfLink = view;
	if (isOwn(url)) return fetchOwn(url);
	if (facts().embed)
		change({ error: `This trace is on ${url.host}. Open the full page to allow the request.` });
	else change({ asking: url.href, dialog: "address" });
	return false;
}

const ON_A_DISK =
	"A page opened from a disk asks no server for anything: download the trace and drop it here.";

async function fetchOwn(url: URL): Promise<boolean> {
	try {
		const blob = await busy(async () => {
			const response = await fetch(url, { credentials: "omit" });
			if (!response.ok) throw new Error(`${url.pathname}: the server answered ${response.status}.`);
			return wholeOf(response, url.host, mostToFetch());
		});
		return await openFetched(url, blob);
	} catch (error) {
		change({ error: sentenceOf(error) });
		return false;
	}
}

/** Opens the bytes fetched from an address, with the view of its link. */
export async function openFetched(url: URL, bytes: Blob): Promise<boolean> {
	const last = url.pathname.split("/").at(-1) ?? "";
	const name = decodeURIComponent(last).slice(0, 200) || url.host;
	const trace = LOCAL + name;
	const view = viewOfLink;
	viewOfLink = undefined;
	if (view) awaitFile({ ...view, trace });
	const opened = await openFile(new File([bytes], name, { lastModified: 0 }));
	if (opened)
		change({ fetched: { trace, url: isOwn(url) ? url.pathname + url.search : url.href } });
	return opened;
}

/*
 * Fetches a file of another server. The page's Content-Security-Policy allows no such request, and a policy cannot change
 * while a page runs. So a frame does it: fetch.html, of this origin, whose own policy allows requests and nothing else.
 * Call it only after the visitor has allowed the address.
 */

const Answer = v.union([
	v.object({ ready: v.literal(true) }),
	v.object({ bytes: v.number(), total: v.number() }),
	v.object({ file: v.blob() }),
	v.object({ failed: v.string() }),
	v.object({ isTooLong: v.literal(true) }),
]);

class NotFetched extends Error {}

interface Fetching {
	readonly onBytes: (bytes: number) => void;
	readonly signal: AbortSignal;
}

/** Returns the file's bytes. Throws NotFetched with a sentence, or the signal's reason. */
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
				else reject(new NotFetched(failureSentence(answer.failed, url)));
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
function failureSentence(failed: string, url: string): string {
	if (failed !== "") return stopped(failed);
	return `${new URL(url).host} could not be reached, or does not let other pages read its files (CORS).`;
}
