/**
 * Opens a trace from a web address. A file of this page's own server opens at once; for any other server the visitor is asked
 * first.
 */
import { mostToFetch, wholeOf } from "../../engine/import/memory_limit.ts";
import { LOCAL } from "../link/fields.ts";
import type { View } from "../link/url.ts";
import { sentenceOf } from "../playback/player.ts";
import { busy, change, facts } from "../state/store.ts";
import { awaitFile, openFile } from "./actions.ts";

/** The view of the link that asks for an address. */
let viewOfLink: View | undefined;

/** An address that may be asked for, or a sentence. */
export function readAddress(text: string): URL | string {
	if (!URL.canParse(text, location.href)) return `${text.slice(0, 80)} is not a web address.`;
	const url = new URL(text, location.href);
	url.hash = "";
	if (url.protocol !== "https:" && url.protocol !== "http:")
		return `${text.slice(0, 80)} is not an http or https address.`;
	if (url.username !== "" || url.password !== "")
		return "An address with a user name or a password is not opened: download the file and drop it here.";
	return url;
}

export const isOwn = (url: URL): boolean => url.origin === location.origin;

/** Resolves to whether the trace is in use; a question to the visitor is not an answer yet. */
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
	"A page on a disk asks no server for anything: download the trace and drop it here.";

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

/** Opens the bytes that an address has given, with the view of its link. */
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
