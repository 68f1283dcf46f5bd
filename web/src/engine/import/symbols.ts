/**
 * Files that are not traces: machine states, the states of a real kernel at both ends of a run, and the symbols of the kernel
 * that recorded a trace, as /proc/kallsyms has them.
 * Symbols go to the core piece by piece, so a file of any size takes no memory.
 */
import type { Edge, KmemSession } from "#wasm";
import { NO_PACE, type Pace } from "../pace.ts";
import { importFile, stateIn } from "./loader.ts";
import { CutOff, readBytes } from "./unpack.ts";

export type FileKind = "trace" | "state" | "symbols" | Edge;

/** The first line of /proc/kallsyms or of a System.map. */
const SYMBOL = /^[0-9a-f]{8}([0-9a-f]{8})? [a-zA-Z] \S+(\t\[\S+\])?\n/;

/** One of the first lines of a real kernel's state. */
const EDGE = /^V \d+ (start|stop)\b/m;

/** Ends the reading of a file once enough of it is known. */
class Enough extends Error {}

/** Whether the file, packed or not, starts like /proc/kallsyms. */
export async function hasSymbols(module: WebAssembly.Module, file: Blob): Promise<boolean> {
	return SYMBOL.test(await headOf(module, file));
}

/** Says which state of a run the file, packed or not, starts like; undefined for any other file. */
export async function edgeOf(module: WebAssembly.Module, file: Blob): Promise<Edge | undefined> {
	return EDGE.exec(await headOf(module, file))?.[1] as Edge | undefined;
}

/** Says the same, but throws a sentence if there is no trace that the state could belong to. */
export async function edgeBeside(module: WebAssembly.Module, file: Blob, hasTrace: boolean) {
	const edge = await edgeOf(module, file);
	if (!edge || hasTrace) return edge;
	throw new Error(
		`This is a real kernel's state at the ${edge} of a run: open the trace of that run first.`,
	);
}

async function headOf(module: WebAssembly.Module, file: Blob): Promise<string> {
	let head = "";
	const take = async (bytes: Uint8Array) => {
		head = new TextDecoder().decode(bytes.subarray(0, 1024));
		throw new Enough();
	};
	try {
		await readBytes(file, module, { take, onRead: async () => {} });
	} catch {
		// A file that cannot be read has no kind, and whoever opens it gets the reason.
	}
	return head;
}

/** Recognises a file; anything that is neither a state nor symbols counts as a trace. */
export async function kindOf(module: WebAssembly.Module, file: Blob): Promise<FileKind> {
	if (await hasSymbols(module, file)) return "symbols";
	const edge = await edgeOf(module, file);
	if (edge) return edge;
	if (!(await stateIn(module, file, NO_PACE))) return "trace";
	// A trace may contain lines that a table contains too: then it is still a trace.
	return importFile(module, file, NO_PACE).then(
		() => "trace",
		() => "state",
	);
}

/**
 * Names the call sites; the session must be built again. If the symbols do not fit, throws a sentence and leaves all
 * names as they were.
 */
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
		throw error instanceof CutOff ? new Error("The symbol file is damaged: copy it again.") : error;
	}
	return sites.endSymbols();
}
