/**
 * Where opened recordings are kept: a folder of the browser's private file system (OPFS), that only this site sees.
 * A recording is up to three files: KEY.json says what it is and is written last, so that what was interrupted does
 * not count; KEY.gz is its canonical form, slabtrace text; KEY.image is the simulator's memory right after the
 * import, which opens at once but only in the very module that wrote it.
 */
import type { Recent, Report } from "./types.ts";

/** What KEY.json holds. */
export interface Card {
	readonly version: 1;
	readonly key: string;
	readonly name: string;
	/** Of the file as it was opened. */
	readonly sizeBytes: number;
	readonly events: number;
	/** When it was opened last, in milliseconds since 1970. */
	readonly openedMs: number;
	readonly textBytes: number;
	readonly imageBytes: number;
	/** Hash of the module that wrote the image. */
	readonly module: string;
	readonly report: Report;
	/** What was said of the file when it was opened, "" for nothing. */
	readonly note: string;
}

export type Part = "gz" | "image";

const FOLDER = "recent";
/** More than that many nobody looks for in a list. */
const MOST = 24;
const PARTS = [".json", ".gz", ".image"];

/** What workers have, and the types of pages do not. */
interface WorkerFile extends FileSystemFileHandle {
	createSyncAccessHandle(): Promise<{
		write(bytes: Uint8Array, options: { at: number }): number;
		truncate(bytes: number): void;
		close(): void;
	}>;
}

async function openFile(folder: FileSystemDirectoryHandle, name: string) {
	const file = (await folder.getFileHandle(name, { create: true })) as WorkerFile;
	return file.createSyncAccessHandle();
}

type Root = () => Promise<FileSystemDirectoryHandle>;

/** Rejects where the browser has no such file system or refuses it: private windows, old browsers, plain http. */
const ofBrowser: Root = async () => navigator.storage.getDirectory();

export class Shelf {
	readonly #root: Root;

	constructor(root: Root = ofBrowser) {
		this.#root = root;
	}

	/** Undefined where nothing can be kept. */
	async #folder(): Promise<FileSystemDirectoryHandle | undefined> {
		try {
			return await (await this.#root()).getDirectoryHandle(FOLDER, { create: true });
		} catch {
			return undefined;
		}
	}

	/** Latest first; [] where nothing is or can be kept. */
	async cards(): Promise<Card[]> {
		const folder = await this.#folder();
		if (!folder) return [];
		const cards: Card[] = [];
		for (const name of await names(folder)) {
			const card = name.endsWith(".json") ? await readCard(folder, name) : undefined;
			if (card) cards.push(card);
		}
		return cards.toSorted((a, b) => b.openedMs - a.openedMs);
	}

	async list(): Promise<Recent[]> {
		return (await this.cards()).map(({ key, name, sizeBytes, events, openedMs, ...card }) => ({
			key,
			name,
			sizeBytes,
			events,
			openedMs,
			keptBytes: card.textBytes + card.imageBytes,
		}));
	}

	async has(): Promise<boolean> {
		return (await this.#folder()) !== undefined;
	}

	async read(key: string, part: Part): Promise<File | undefined> {
		try {
			return await (await (await this.#folder())?.getFileHandle(`${key}.${part}`))?.getFile();
		} catch {
			return undefined;
		}
	}

	/** Writes the pieces one after the other; returns the bytes written. */
	async write(key: string, part: Part, pieces: AsyncIterable<Uint8Array>): Promise<number> {
		const folder = await this.#folder();
		if (!folder) throw new Error("nothing can be kept here");
		const access = await openFile(folder, `${key}.${part}`);
		let at = 0;
		try {
			access.truncate(0);
			for await (const piece of pieces) {
				const wrote = access.write(piece, { at });
				if (wrote < piece.length) throw new DOMException("no room", "QuotaExceededError");
				at += wrote;
			}
		} finally {
			access.close();
		}
		return at;
	}

	async writeCard(card: Card): Promise<void> {
		const folder = await this.#folder();
		if (!folder) return;
		const access = await openFile(folder, `${card.key}.json`);
		try {
			access.truncate(0);
			access.write(new TextEncoder().encode(JSON.stringify(card)), { at: 0 });
		} finally {
			access.close();
		}
		for (const old of (await this.cards()).slice(MOST)) await this.remove(old.key);
	}

	async remove(key: string): Promise<void> {
		const folder = await this.#folder();
		for (const part of PARTS) await folder?.removeEntry(key + part).catch(() => {});
	}

	async clear(): Promise<void> {
		const folder = await this.#folder();
		if (folder)
			for (const name of await names(folder)) await folder.removeEntry(name).catch(() => {});
	}

	/** What an interrupted writing has left: files whose card is not there. */
	async sweep(): Promise<void> {
		const folder = await this.#folder();
		if (!folder) return;
		const all = await names(folder);
		const stray = all.filter((name) => !all.includes(name.replace(/\.\w+$/, ".json")));
		for (const name of stray) await folder.removeEntry(name).catch(() => {});
	}

	/** Bytes that the browser still gives; makes room by letting the oldest go, but for `except`. */
	async makeRoom(bytes: number, except: string): Promise<number> {
		for (;;) {
			const { quota = 0, usage = 0 } = await navigator.storage.estimate();
			const oldest = (await this.cards()).findLast((card) => card.key !== except);
			if (quota - usage >= bytes || !oldest) return quota - usage;
			await this.remove(oldest.key);
		}
	}
}

async function names(folder: FileSystemDirectoryHandle): Promise<string[]> {
	const all: string[] = [];
	for await (const name of folder.keys()) all.push(name);
	return all;
}

/** A card that cannot be read, or is of a later version, is none. */
async function readCard(
	folder: FileSystemDirectoryHandle,
	name: string,
): Promise<Card | undefined> {
	try {
		const text = await (await (await folder.getFileHandle(name)).getFile()).text();
		const card = JSON.parse(text) as Card;
		return card.version === 1 && `${card.key}.json` === name ? card : undefined;
	} catch {
		return undefined;
	}
}

const SAMPLE_BYTES = 64 << 10;

/**
 * Which recording a file is: a hash of its name, size, time of change, first and last 64 KiB. Two files that agree
 * in all of this are taken for one, which spares reading gigabytes to find out.
 */
export async function keyOf(file: File): Promise<string> {
	const head = await file.slice(0, SAMPLE_BYTES).arrayBuffer();
	const tail = await file.slice(Math.max(0, file.size - SAMPLE_BYTES)).arrayBuffer();
	const facts = new TextEncoder().encode(`${file.name}\n${file.size}\n${file.lastModified}\n`);
	return hashOf(new Blob([facts, head, tail]));
}

/** 32 hexadecimal digits. "" where the browser has no hashes, which is where it has no files either. */
export async function hashOf(bytes: Blob): Promise<string> {
	if (!globalThis.crypto?.subtle) return "";
	const hash = await crypto.subtle.digest("SHA-256", await bytes.arrayBuffer());
	return Array.from(new Uint8Array(hash, 0, 16), (b) => b.toString(16).padStart(2, "0")).join("");
}
