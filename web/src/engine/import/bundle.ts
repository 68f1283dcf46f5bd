/**
 * A bundle: one zip file with an excerpt of a trace, the view of it, a machine state, tables and notes. It may come
 * from anybody, so everything that is read has limits, and anything else is refused in one sentence.
 */

import { Unzip, type UnzipFile, UnzipInflate, zipSync } from "fflate";
import * as v from "valibot";
import { stopped } from "../../base/format.ts";

/** Describes the other files. */
const CASE = "slabscope.json";
const TRACE = "trace.slabtrace";
const STATE = "machine-state.txt";

const NOTES_MOST = 20_000;
const BUNDLE_MOST_BYTES = 128 << 20;
const FILES_MOST = 64;
/** How many packed bytes are unpacked at a time; deflate turns them into at most a thousand times as many. */
const SLICE_BYTES = 16 << 10;
const MOST_BYTES: Readonly<Record<string, number>> = {
	[CASE]: 1 << 20,
	[TRACE]: 512 << 20,
	[STATE]: 16 << 20,
};

const text = (most: number) => v.pipe(v.string(), v.maxLength(most));

const Event = v.pipe(v.number(), v.integer(), v.minValue(1));

/** `excerpt`: the whole trace, its beginning, or events from its middle. */
const Case = v.object({
	slabscope: v.literal(1),
	/** The part of a link after the question mark. */
	view: text(64 << 10),
	/** Name of the trace that the excerpt is from, and the event on screen there, from 1. */
	of: text(256),
	event: Event,
	excerpt: v.picklist(["all", "beginning", "middle"]),
	/** The events of the excerpt, the first being 1, and how many the trace has. Bundles of older pages do not say. */
	events: v.optional(v.object({ from: Event, to: Event, of: Event })),
	/** How the machine state is used, if there is one. */
	state: v.nullable(v.object({ name: text(256), used: v.boolean(), warm: v.boolean() })),
	/** The replay started with slabs that the trace's pointers show; a bundle has no pointers. */
	inferred: v.optional(v.boolean(), false),
	notes: text(NOTES_MOST),
});

export type Case = v.InferOutput<typeof Case>;

export interface Bundle {
	readonly about: Case;
	readonly trace: Uint8Array<ArrayBuffer>;
	readonly state: Uint8Array<ArrayBuffer> | undefined;
}

/** Takes half the time of the usual level for a tenth more bytes: until it's done, the worker cannot answer anything. */
const LEVEL = 3;

/** The first file is CASE, by which the page recognises a bundle (app/trace/bring.ts). */
export function packBundle(
	{ about, trace, state }: Bundle,
	more: Readonly<Record<string, string>>,
): Blob {
	const encoder = new TextEncoder();
	const texts = Object.entries(more).map(([name, content]) => [name, encoder.encode(content)]);
	const files = {
		[CASE]: encoder.encode(JSON.stringify(about, null, "\t")),
		[TRACE]: trace,
		...(state ? { [STATE]: state } : {}),
		...Object.fromEntries(texts),
	};
	return new Blob([zipSync(files, { level: LEVEL })], { type: "application/zip" });
}

class Damaged extends Error {}

/** Takes one of the three files that are read; the others, such as tables, are for people. */
function take(file: UnzipFile, found: Map<string, Blob>): void {
	const most = MOST_BYTES[file.name];
	if (most === undefined) return;
	if (found.has(file.name)) throw new Damaged(`it has two files called ${file.name}`);
	const parts: Uint8Array<ArrayBuffer>[] = [];
	let bytes = 0;
	found.set(file.name, new Blob());
	file.ondata = (error, part, isLast) => {
		if (error) throw error;
		bytes += part.length;
		if (bytes > most) throw new Damaged(`its ${file.name} is larger than ${most >> 20} MiB`);
		parts.push(new Uint8Array(part));
		if (isLast) found.set(file.name, new Blob(parts));
	};
	file.start();
}

async function filesIn(bundle: Blob, turn: () => Promise<void>): Promise<Map<string, Blob>> {
	const found = new Map<string, Blob>();
	let nr = 0;
	const unzip = new Unzip((file) => {
		if (++nr > FILES_MOST) throw new Damaged(`it has more than ${FILES_MOST} files`);
		take(file, found);
	});
	unzip.register(UnzipInflate);
	for (let at = 0; at < bundle.size; at += SLICE_BYTES) {
		const slice = await bundle.slice(at, at + SLICE_BYTES).arrayBuffer();
		unzip.push(new Uint8Array(slice), at + SLICE_BYTES >= bundle.size);
		await turn();
	}
	return found;
}

const plain = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

/** Rejects with one sentence for anything that packBundle does not write. */
export async function readBundle(bundle: Blob, turn: () => Promise<void>): Promise<Bundle> {
	const refuse = (why: string) => new Error(`This bundle cannot be opened: ${stopped(why)}`);
	if (bundle.size > BUNDLE_MOST_BYTES)
		throw refuse(`it is larger than ${BUNDLE_MOST_BYTES >> 20} MiB`);
	let files: Map<string, Blob>;
	try {
		files = await filesIn(bundle, turn);
	} catch (error) {
		throw refuse(error instanceof Damaged ? error.message : "the zip file is damaged");
	}
	const [about, trace, state] = [files.get(CASE), files.get(TRACE), files.get(STATE)];
	if (!about || !trace || trace.size === 0)
		throw refuse(`its ${about ? TRACE : CASE} is missing or incomplete`);
	const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Case), await about.text());
	if (!read.success)
		throw refuse(`its ${CASE} does not have the expected form; a newer Slabscope may have made it`);
	const isUsed = read.output.state !== null;
	if (isUsed && !state?.size) throw refuse(`its ${STATE} is missing or incomplete`);
	return {
		about: read.output,
		trace: await plain(trace),
		state: state && isUsed ? await plain(state) : undefined,
	};
}
