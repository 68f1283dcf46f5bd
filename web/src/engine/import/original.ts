/**
 * The file that the trace on the stage comes from. Before 6.18 no event names the cache of an allocation; a machine's
 * files can, but only while the trace is being read. So a snapshot that comes after the trace makes the page read the
 * trace once more.
 */
import { KmemError, type KmemSession } from "#wasm";
import type { Pace } from "../pace.ts";
import { builtOf } from "../rows.ts";
import { readStates, type Start } from "../stage_copy.ts";
import { type Imported, importFile, NoRoom } from "./loader.ts";
import { nameCallSites } from "./symbols.ts";

export interface Original {
	readonly file: Blob;
	/** The roles of its CSV columns, "" if their names show them. */
	readonly columns: string;
	/** The kernel's symbols that name its call sites. */
	readonly symbols?: Blob;
	/** Its caches may have names from a machine. */
	readonly hasNames?: boolean;
}

/** Bytes from the network, which stay in memory; a visitor's own file takes up none. */
const LOADED_MOST_BYTES = 64 << 20;

/** Undefined for what would take too much memory to keep. */
export function originalOf(file: Blob, columns: string): Original | undefined {
	return file instanceof File || file.size <= LOADED_MOST_BYTES ? { file, columns } : undefined;
}

/** Matches a cache that is known only by its size. */
const NAMELESS = /^size-\d+$/;

/**
 * Reads the same trace with the names from these machine states, and replays it by `replay`. Undefined if they can name nothing, if the file
 * is gone or has another trace, or if a second session does not fit.
 */
export async function importAgain(
	module: WebAssembly.Module,
	session: KmemSession,
	original: Original,
	start: Start,
	pace: Pace,
	replay: (session: KmemSession) => Promise<void>,
): Promise<Imported | undefined> {
	const isNameless = builtOf(session).caches.some(({ name }) => NAMELESS.test(name));
	if (!isNameless && !original.hasNames) return undefined;
	const { file, columns, symbols } = original;
	try {
		const states = (other: KmemSession) => readStates(other, start);
		const again = await importFile(module, file, pace, { columns, states });
		const isSame =
			again.report.format === session.report().format && again.session.nrOps === session.nrOps;
		if (!isSame) return undefined;
		if (symbols) await nameCallSites(module, again.session, symbols, pace);
		again.session.inferStart(start.infers);
		again.session.applyMachineState(start.hasCaches);
		again.session.beginWarm(start.isWarm);
		await replay(again.session);
		return again;
	} catch (error) {
		const isUnreadable = error instanceof DOMException && error.name === "NotReadableError";
		if (error instanceof KmemError || error instanceof NoRoom || isUnreadable) return undefined;
		throw error;
	}
}
