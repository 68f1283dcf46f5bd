/**
 * Turns a file, or a kept copy, into a session with a trace. Nothing here touches the session in use, so the page
 * stays as it was if a file is bad, does not fit or is cancelled.
 */
import { KmemError, KmemSession, Status } from "#wasm";
import { Checksum } from "../../base/checksum.ts";
import type { Refusal } from "../answers.ts";
import type { Pace } from "../pace.ts";
import type { Card, RecentStore } from "../recent/recent_store.ts";
import { reportOf } from "../rows.ts";
import type { CsvHeader, Report } from "../types.ts";
import { filledUp, foresee, type Sofar } from "./memory_limit.ts";
import { isReadByRange, readRanges } from "./ranges.ts";
import { CutOff, readBytes } from "./unpack.ts";

export interface Imported {
	readonly session: KmemSession;
	readonly report: Report;
	/** A note that is kept with the trace, and shown each time it is opened. */
	readonly note: string;
	/** A message to show once, "" for none. */
	readonly said: string;
	/** Set for CSV that was just read. */
	readonly csv: CsvHeader | undefined;
	readonly kept: Kept;
}

/** The browser's copy: none, a damaged one, or the packed original that the trace was read from. */
export type Kept = "nothing" | "damaged" | "original";

/** The defaults of a trace that was just read or generated. */
export const NEW = {
	note: "",
	said: "",
	csv: undefined,
	kept: "nothing",
} as const;

/** A file whose import was stopped because it does not fit. */
export class NoRoom extends Error {
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super(refusal.sentence);
		this.refusal = refusal;
	}
}

/** A CSV file with unknown columns. */
export class UnknownColumns extends Error {
	readonly csv: CsvHeader;

	constructor(csv: CsvHeader) {
		super(csv.sentence);
		this.csv = csv;
	}
}

interface How {
	/** Whether this many bytes can be allocated. */
	readonly gives?: ((bytes: number) => boolean) | undefined;
	/** The roles of CSV columns, "" if their names show them. */
	readonly columns?: string;
	/** Reads the machine states that name caches. */
	readonly states?: (session: KmemSession) => void;
}

/** How many bytes are enough for the first few rows of CSV. */
const HEAD_BYTES = 16 << 10;

export async function importFile(
	module: WebAssembly.Module,
	file: Blob,
	pace: Pace,
	how: How = {},
): Promise<Imported> {
	const session = await KmemSession.open(module);
	const first = { bytes: new Uint8Array(0) };
	try {
		const note = await readInto(module, session, file, pace, how, first);
		const report = reportOf(session.report());
		const csv = report.format === "csv" ? headerOf(session, first.bytes, "") : undefined;
		return { ...NEW, session, report, note, csv };
	} catch (error) {
		const refused = error instanceof KmemError && error.code === Status.KMEM_EINPUT;
		const csv = refused ? headerOf(session, first.bytes, error.message) : undefined;
		throw csv && csv.missing.length > 0 ? new UnknownColumns(csv) : error;
	}
}

function headerOf(session: KmemSession, head: Uint8Array, sentence: string): CsvHeader | undefined {
	const { columns, separator, missing } = session.columns();
	if (columns.length === 0) return undefined;
	const rows = firstRows(new TextDecoder().decode(head), separator);
	const values = (i: number) => rows.map((row) => row[i] ?? "");
	return {
		columns: columns.map(({ name, role }, i) => ({ name, role, values: values(i) })),
		missing,
		sentence,
	};
}

async function readInto(
	module: WebAssembly.Module,
	session: KmemSession,
	file: Blob,
	pace: Pace,
	{ gives, columns = "", states }: How,
	first: { bytes: Uint8Array },
): Promise<string> {
	let doneBytes = 0;
	let plainBytes = 0;
	const totalBytes = file.size;
	const sofar = (): Sofar => ({ ops: session.importedOps, doneBytes, totalBytes });
	const watch = watchRoom(sofar, gives);
	const breathe = () => {
		const events = session.importedOps;
		return pace.breathe({ phase: "reading", done: doneBytes, total: totalBytes, events });
	};
	const take = async (bytes: Uint8Array) => {
		if (first.bytes.length === 0) first.bytes = bytes.slice(0, HEAD_BYTES);
		plainBytes += bytes.length;
		session.importChunk(bytes);
		watch(plainBytes);
		await breathe();
	};
	const onRead = (done: number) => {
		doneBytes = done;
		return breathe();
	};
	let note = "";
	states?.(session);
	session.importBegin();
	// The core drops them if they do not fit.
	session.lookup.keep({ pointers: true, tasks: true, effects: true });
	if (columns !== "") session.importColumns(columns);
	try {
		if (await isReadByRange(file)) await readRanges(file, session, { take, onRead });
		else await readBytes(file, module, { take, onRead });
	} catch (error) {
		if (!(error instanceof CutOff)) throw outOfMemory(error, sofar());
		note = error.message;
	}
	try {
		session.importEnd();
	} catch (error) {
		throw note === "" ? outOfMemory(error, sofar()) : new Error(note);
	}
	return note;
}

/**
 * Forecasts again each time twice as much has been read, because later lines may be shorter than the first. Counts
 * unpacked bytes, because a small file may unpack to very many.
 */
function watchRoom(sofar: () => Sofar, gives: How["gives"]): (plainBytes: number) => void {
	let nextBytes = 1;
	return (plainBytes) => {
		if (plainBytes < nextBytes) return;
		const refusal = foresee(sofar(), gives);
		if (refusal) throw new NoRoom(refusal);
		nextBytes = Math.max(1 << 20, plainBytes * 2);
	};
}

function outOfMemory(error: unknown, sofar: Sofar): unknown {
	const full =
		error instanceof KmemError &&
		(error.code === Status.KMEM_ENOMEM || error.code === Status.KMEM_ELIMIT);
	return full ? new NoRoom(filledUp(error.message, sofar)) : error;
}

/** A table of caches is small; a larger file is not one. */
const STATE_MOST_BYTES = 16 << 20;

/** Returns the text of a file that holds a machine state; undefined for any other file. */
export async function stateIn(
	module: WebAssembly.Module,
	file: Blob,
	pace: Pace,
): Promise<Uint8Array | undefined> {
	if (file.size > STATE_MOST_BYTES) return undefined;
	const pieces: Uint8Array<ArrayBuffer>[] = [];
	let plainBytes = 0;
	const take = async (bytes: Uint8Array) => {
		plainBytes += bytes.length;
		if (plainBytes > STATE_MOST_BYTES) throw new Error("Too large for a table of caches.");
		pieces.push(bytes.slice());
	};
	const onRead = (done: number) =>
		pace.breathe({ phase: "reading", done, total: file.size, events: 0 });
	try {
		await readBytes(file, module, { take, onRead });
		const text = new Uint8Array(await new Blob(pieces).arrayBuffer());
		(await KmemSession.open(module)).readMachineState([text]);
		return text;
	} catch {
		return undefined;
	}
}

/** How much of a kept file is read at a time, in bytes. */
const SLICE_BYTES = 16 << 20;

/** The kept files of a trace no longer match their checksums. */
export class KeptDamaged extends Error {
	override readonly name = "KeptDamaged";

	constructor(name: string) {
		super(
			`The copy of ${name} in this browser is damaged, and so is its packed original, so it cannot be opened. ` +
				"Open the file itself again, which replaces the copy, or remove the copy under Recent.",
		);
	}
}

/** Opens a kept trace, if it matches its checksum. Undefined if nothing is kept there now. */
export async function importKept(
	module: WebAssembly.Module,
	store: RecentStore,
	card: Card,
	pace: Pace,
): Promise<Imported | undefined> {
	const { key, name, report, note } = card;
	const text = await store.read(key);
	if (!text) return undefined;
	const read = await readOriginal(module, text, card, pace);
	if (!read) throw new KeptDamaged(name);
	return {
		...NEW,
		session: read.session,
		report: report ?? read.report,
		note,
		kept: "original",
		said: report
			? ""
			: "This trace has lost its name, because this browser's notes on it were damaged. The trace itself was read from its packed original and is complete.",
	};
}

/** Returns undefined if the bytes differ from those that were written. */
async function readOriginal(
	module: WebAssembly.Module,
	text: File,
	{ textBytes, textSum, report }: Card,
	pace: Pace,
): Promise<Imported | undefined> {
	if (text.size !== textBytes) return undefined;
	const events = report?.ops ?? 0;
	const breathe = (at: number) =>
		pace.breathe({ phase: "opening", done: at, total: textBytes, events });
	if (textSum !== "" && !(await isAsWritten(text, textSum, breathe))) return undefined;
	try {
		const imported = await importFile(module, text, pace);
		// gzip's own checksum has found damage.
		return imported.note === "" ? imported : undefined;
	} catch (error) {
		if (error instanceof KmemError && error.code === Status.KMEM_EINPUT) return undefined;
		throw error;
	}
}

/** Reads a file in slices; false if the checksum differs, or it cannot be read. */
async function isAsWritten(
	file: File,
	sum: string,
	breathe: (at: number) => Promise<void>,
): Promise<boolean> {
	const checksum = new Checksum();
	for (let at = 0; at < file.size; at += SLICE_BYTES) {
		let bytes: Uint8Array;
		try {
			bytes = new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
		} catch {
			return false;
		}
		await checksum.add(bytes);
		await breathe(at);
	}
	return (await checksum.value()) === sum;
}

const ROWS = 3;

/** Returns the fields of the rows below the header. A quoted field may contain the separator and doubled quotes. */
export function firstRows(text: string, separator: string): string[][] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
	return lines.slice(1, 1 + ROWS).map((line) => fields(line, separator));
}

function fields(line: string, separator: string): string[] {
	const all: string[] = [];
	let field = "";
	let quoted = false;
	for (const char of line) {
		if (char === '"') {
			quoted = !quoted;
		} else if (char === separator && !quoted) {
			all.push(field.trim());
			field = "";
		} else {
			field += char;
		}
	}
	return [...all, field.trim()];
}
