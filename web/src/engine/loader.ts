/**
 * From a file, or from what is kept, to a session with a trace in it. Nothing here touches the session in use, so a
 * bad file, one without room or a cancel leaves the page as it was.
 */
import { KmemError, KmemSession, Status } from "#wasm";
import { CutOff, readBytes } from "./bytes.ts";
import { firstRows } from "./csv.ts";
import { deservesImage } from "./keeper.ts";
import { filledUp, foresee, type Refusal, type Sofar } from "./limit.ts";
import type { Pace } from "./pace.ts";
import { reportOf } from "./rows.ts";
import type { Card, Shelf } from "./shelf.ts";
import type { CsvHeader, Report } from "./types.ts";

export interface Imported {
	readonly session: KmemSession;
	readonly report: Report;
	readonly note: string;
	/** Of CSV that was just read. */
	readonly csv: CsvHeader | undefined;
	/** Out of what the browser keeps. */
	readonly wasKept: boolean;
	/** And nothing of it has to be written anew. */
	readonly isComplete: boolean;
}

/** The file that was stopped because it has no room. */
export class NoRoom extends Error {
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super(refusal.sentence);
		this.refusal = refusal;
	}
}

/** The CSV file whose columns are not known. */
export class UnknownColumns extends Error {
	readonly csv: CsvHeader;

	constructor(csv: CsvHeader) {
		super(csv.sentence);
		this.csv = csv;
	}
}

interface How {
	/** Whether so many bytes can be had. */
	readonly gives?: ((bytes: number) => boolean) | undefined;
	/** What columns of CSV tell, "" for what their names say. */
	readonly columns?: string;
}

/** Enough for the first few rows of CSV. */
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
		return { session, report, note, csv, wasKept: false, isComplete: false };
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
	{ gives, columns = "" }: How,
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
	session.importBegin();
	if (columns !== "") session.importColumns(columns);
	try {
		await readBytes(file, module, { take, onRead });
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
 * Looks ahead each time that twice as much has been read, because later lines may be shorter than the first. That is counted
 * in plain bytes: a small file may have been packed from very many.
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

/** A table of caches is small; what is larger is none. */
const STATE_MOST_BYTES = 16 << 20;

/** The text of a file that tells the state of a machine's caches; undefined if it is anything else. */
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
		if (plainBytes > STATE_MOST_BYTES) throw new Error("A table of caches is smaller.");
		pieces.push(bytes.slice());
	};
	const onRead = (done: number) =>
		pace.breathe({ phase: "reading", done, total: file.size, events: 0 });
	try {
		await readBytes(file, module, { take, onRead });
		const text = new Uint8Array(await new Blob(pieces).arrayBuffer());
		(await KmemSession.open(module)).readOverlay([text]);
		return text;
	} catch {
		return undefined;
	}
}

/** Read at a time out of what is kept. */
const SLICE_BYTES = 16 << 20;

/** What is kept of a recording: its image where this module wrote it, else its canonical form. */
export async function importKept(
	module: WebAssembly.Module,
	moduleHash: string,
	shelf: Shelf,
	card: Card,
	pace: Pace,
): Promise<Imported | undefined> {
	const { key, report, note } = card;
	const image = card.module === moduleHash ? await shelf.read(key, "image") : undefined;
	if (image && image.size > 0 && image.size === card.imageBytes) {
		const session = await readImage(module, image, report, pace);
		return { session, report, note, csv: undefined, wasKept: true, isComplete: true };
	}
	const text = await shelf.read(key, "gz");
	if (!text || text.size === 0) return undefined;
	const { session } = await importFile(module, text, pace);
	const isComplete = !deservesImage(report.ops, session.memoryBytes);
	return { session, report, note, csv: undefined, wasKept: true, isComplete };
}

async function readImage(
	module: WebAssembly.Module,
	image: File,
	report: Report,
	pace: Pace,
): Promise<KmemSession> {
	const session = await KmemSession.ofImage(module, image.size);
	for (let at = 0; at < image.size; at += SLICE_BYTES) {
		const bytes = await image.slice(at, at + SLICE_BYTES).arrayBuffer();
		session.fillImage(at, new Uint8Array(bytes));
		const done = at + bytes.byteLength;
		await pace.breathe({ phase: "opening", done, total: image.size, events: report.ops });
	}
	return session;
}
