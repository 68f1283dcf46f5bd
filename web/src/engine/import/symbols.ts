/**
 * Files that are not traces: machine states, and the symbols of the kernel that recorded a trace, as /proc/kallsyms has them.
 * Symbols go to the core piece by piece, so a file of any size takes no memory.
 */
import type { KmemSession } from "#wasm";
import { NO_PACE, type Pace } from "../pace.ts";
import { importFile, stateIn } from "./loader.ts";
import { CutOff, readBytes } from "./unpack.ts";

export type FileKind = "trace" | "state" | "symbols";

/** The first line of /proc/kallsyms or of a System.map. */
const SYMBOL = /^[0-9a-f]{8}([0-9a-f]{8})? [a-zA-Z] \S+(\t\[\S+\])?\n/;

/** Ends the reading of a file whose beginning suffices. */
class Enough extends Error {}

/** Whether the file, packed or not, begins like /proc/kallsyms. */
export async function hasSymbols(module: WebAssembly.Module, file: Blob): Promise<boolean> {
	let head = "";
	const take = async (bytes: Uint8Array) => {
		head = new TextDecoder().decode(bytes.subarray(0, 1024));
		throw new Enough();
	};
	try {
		await readBytes(file, module, { take, onRead: async () => {} });
	} catch {
		// A file that cannot be read is of no kind, and whoever opens it gets the reason.
	}
	return SYMBOL.test(head);
}

/** Recognises a file: any file that is neither a machine state nor symbols counts as a trace. */
export async function kindOf(module: WebAssembly.Module, file: Blob): Promise<FileKind> {
	if (await hasSymbols(module, file)) return "symbols";
	if (!(await stateIn(module, file, NO_PACE))) return "trace";
	// A trace may have lines that a table has as well: then it is a trace.
	return importFile(module, file, NO_PACE).then(
		() => "trace",
		() => "state",
	);
}

/** Names the call sites; the session must be built again. Throws a sentence if the symbols do not fit: nothing has a new name. */
export async function nameCallSites(
	module: WebAssembly.Module,
	session: KmemSession,
	file: Blob,
	pace: Pace,
): Promise<number> {
	const { sites } = session;
	const take = async (bytes: Uint8Array) => sites.symbols(bytes);
	const onRead = (done: number) =>
		pace.breathe({ phase: "reading", done, total: file.size, events: 0 });
	sites.beginSymbols();
	try {
		await readBytes(file, module, { take, onRead });
	} catch (error) {
		throw error instanceof CutOff
			? new Error("The file of symbols is damaged: copy it again.")
			: error;
	}
	return sites.endSymbols();
}
