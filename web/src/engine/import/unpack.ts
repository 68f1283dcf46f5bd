/**
 * A file as a stream of plain bytes: packed files are recognised by their first bytes, not by their names. The core
 * unpacks gzip, zstd and zip in its own memory, and a library unpacks xz. However well a file is packed, at most half
 * a MiB of it is unpacked at a time.
 *
 * Damaged or cut-off packed data ends the stream early with a sentence; the bytes before it are kept.
 */
import { KmemError, Status, Unpacker } from "#wasm";
import { loadCode } from "../../base/load_code.ts";
import { packingOf } from "../input.ts";
import { type Pull, sourceOf } from "./pull.ts";

export class CutOff extends Error {
	override readonly name = "CutOff";
}

/** The callbacks for a file's bytes. Both may be asynchronous, and stop the reading by throwing. */
export interface Reader {
	/** Receives the next plain bytes. They are gone once it has returned, so it copies those that it needs. */
	readonly take: (bytes: Uint8Array) => Promise<void>;
	/** Receives how many bytes of the file are done; for a packed file, how many have been unpacked. */
	readonly onRead: (done: number) => Promise<void>;
}

/** `module` unpacks; it must be the whole module. */
export async function readBytes(
	file: Blob,
	module: WebAssembly.Module,
	reader: Reader,
): Promise<void> {
	const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
	const source = sourceOf(file);
	try {
		const packing = packingOf(head);
		if (packing === "") await readPlain(source.pull, reader);
		else if (packing === "xz") {
			const { readXz } = await loadCode(() => import("./unpack_xz.ts"));
			await readXz(source.pull, reader);
		} else await readPacked(source.pull, await Unpacker.open(module), reader);
	} finally {
		source.close();
	}
}

async function readPlain(pull: Pull, { take, onRead }: Reader): Promise<void> {
	let done = 0;
	for (let piece = await pull(); piece; piece = await pull()) {
		done += piece.length;
		await onRead(done);
		await take(piece);
	}
}

async function readPacked(pull: Pull, unpacker: Unpacker, reader: Reader): Promise<void> {
	const progress = { packed: 0, plain: 0 };
	const unpackAll = async () => {
		for (;;) {
			const bytes = next(unpacker, progress.plain);
			await reader.onRead(progress.packed - unpacker.leftBytes);
			if (!bytes) return;
			progress.plain += bytes.length;
			await reader.take(bytes);
		}
	};
	for (let piece = await pull(); piece; piece = await pull()) {
		for (let at = 0; at < piece.length; ) {
			const taken = unpacker.put(piece.subarray(at));
			at += taken;
			progress.packed += taken;
			await unpackAll();
		}
	}
	unpacker.end();
	await unpackAll();
}

/** Returns the next unpacked bytes; throws CutOff if there can be no more. */
function next(unpacker: Unpacker, plainBytes: number): Uint8Array | undefined {
	try {
		return unpacker.unpack();
	} catch (error) {
		if (!(error instanceof KmemError)) throw error;
		throw plainBytes > 0 || error.code === Status.KMEM_EINPUT
			? new CutOff(`${error.message} ${wayOut(plainBytes, error.code === Status.KMEM_EINPUT)}`)
			: new Error(error.message);
	}
}

/** `isDamaged`: a new copy would help. */
export function wayOut(plainBytes: number, isDamaged: boolean): string {
	const again = isDamaged ? "; copy the file again to get all of it" : "";
	return plainBytes > 0
		? `The ${plainBytes.toLocaleString("en-US")} bytes of text before that are replayed${again}.`
		: "There is no text before that: copy the file again.";
}
