/**
 * Keeps opened traces in a folder of the browser's private file system (OPFS), which only this site sees. A trace has
 * three files. KEY.gz is its packed original: the file itself, or its canonical form, slabtrace text. KEY.json
 * describes it with its checksum, and KEY.copy is a copy of that. Each file is flushed before the next one is started
 * and the card comes last, so an interrupted write does not count, and everything that is listed is on the disk.
 */
import { Checksum, hashOf } from "../../base/checksum.ts";
import type { Recent, Report } from "../types.ts";

/** The contents of KEY.json, after a line with its own checksum. */
export interface Card extends Omit<Recent, "keptBytes"> {
	readonly version: 2;
	readonly textBytes: number;
	/** Checksum of KEY.gz; "" for a card of version 1, where gzip's own checksum guards it. */
	readonly textSum: string;
	/** Undefined if both copies of the card are damaged. */
	readonly report: Report | undefined;
	/** The note from when the file was opened, "" for none. */
	readonly note: string;
}

/** The size and checksum of a written original. */
interface Written {
	readonly bytes: number;
	readonly sum: string;
}

const FOLDER = "recent";
/** Nobody looks through a longer list than this. */
const MOST = 24;
const CARDS = [".json", ".copy"] as const;
const PARTS = [...CARDS, ".gz"];

/** Functions that workers have and TypeScript's page types lack. */
interface WorkerFile extends FileSystemFileHandle {
	createSyncAccessHandle(): Promise<{
		write(bytes: Uint8Array, options: { at: number }): number;
		truncate(bytes: number): void;
		/** Returns once all the data is on the disk. */
		flush(): void;
		close(): void;
	}>;
}

async function openFile(folder: FileSystemDirectoryHandle, name: string) {
	const file = (await folder.getFileHandle(name, { create: true })) as WorkerFile;
	return file.createSyncAccessHandle();
}

type Root = () => Promise<FileSystemDirectoryHandle>;

/** Rejects if the browser has no such file system or refuses it: private windows, old browsers, plain http. */
const ofBrowser: Root = async () => navigator.storage.getDirectory();

export class RecentStore {
	readonly #root: Root;

	constructor(root: Root = ofBrowser) {
		this.#root = root;
	}

	/** Returns undefined if nothing can be kept. */
	async #folder(): Promise<FileSystemDirectoryHandle | undefined> {
		try {
			return await (await this.#root()).getDirectoryHandle(FOLDER, { create: true });
		} catch {
			return undefined;
		}
	}

	/** Lists the kept traces, latest first; [] if nothing is kept or can be. */
	async cards(): Promise<Card[]> {
		const folder = await this.#folder();
		if (!folder) return [];
		const cards: Card[] = [];
		const keys = new Set((await names(folder)).filter(isCard).map(keyIn));
		for (const key of keys) {
			const card = (await readCard(folder, key)) ?? (await withoutCard(folder, key));
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
			keptBytes: card.textBytes,
		}));
	}

	async has(): Promise<boolean> {
		return (await this.#folder()) !== undefined;
	}

	/** The packed original. */
	async read(key: string): Promise<File | undefined> {
		try {
			return await (await (await this.#folder())?.getFileHandle(`${key}.gz`))?.getFile();
		} catch {
			return undefined;
		}
	}

	/** Writes the pieces one after another; resolves once they are on the disk. */
	async write(key: string, pieces: AsyncIterable<Uint8Array>): Promise<Written> {
		const folder = await this.#folder();
		if (!folder) throw new Error("this browser gives this page no storage");
		const access = await openFile(folder, `${key}.gz`);
		const checksum = new Checksum();
		let at = 0;
		try {
			access.truncate(0);
			for await (const piece of pieces) {
				const wrote = access.write(piece, { at });
				if (wrote < piece.length)
					throw new DOMException("the browser's storage is full", "QuotaExceededError");
				await checksum.add(piece);
				at += wrote;
			}
			access.flush();
		} finally {
			access.close();
		}
		return { bytes: at, sum: await checksum.value() };
	}

	/** Writes one copy after the other, so that at any time one of them is intact. */
	async writeCard(card: Card): Promise<void> {
		const folder = await this.#folder();
		if (!folder) return;
		const json = JSON.stringify(card);
		const bytes = new TextEncoder().encode(`${await hashOf(new Blob([json]))}\n${json}`);
		for (const ending of CARDS) {
			const access = await openFile(folder, card.key + ending);
			try {
				access.truncate(0);
				if (access.write(bytes, { at: 0 }) < bytes.length)
					throw new DOMException("the browser's storage is full", "QuotaExceededError");
				access.flush();
			} finally {
				access.close();
			}
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

	/** Removes files without a card, which an interrupted write has left behind, and the images that older pages kept. */
	async sweep(): Promise<void> {
		const folder = await this.#folder();
		if (!folder) return;
		const all = await names(folder);
		const keys = new Set(all.filter(isCard).map(keyIn));
		const stray = all.filter((name) => !keys.has(keyIn(name)) || name.endsWith(".image"));
		for (const name of stray) await folder.removeEntry(name).catch(() => {});
	}

	/**
	 * Returns how many bytes the browser still allows; makes room by removing the oldest traces except `except`, but removes none
	 * if that would not be enough.
	 */
	async makeRoom(bytes: number, except: string): Promise<number> {
		for (;;) {
			const { quota = 0, usage = 0 } = await navigator.storage.estimate();
			const others = (await this.cards()).filter((card) => card.key !== except);
			const oldest = others.at(-1);
			const room = quota - usage;
			const most = others.reduce((sum, card) => sum + card.textBytes, room);
			if (room >= bytes || most < bytes || !oldest) return room;
			await this.remove(oldest.key);
		}
	}
}

async function names(folder: FileSystemDirectoryHandle): Promise<string[]> {
	const all: string[] = [];
	for await (const name of folder.keys()) all.push(name);
	return all;
}

const isCard = (name: string) => CARDS.some((ending) => name.endsWith(ending));
const keyIn = (name: string) => name.replace(/\.\w+$/, "");

/** Reads the first intact copy; a card of a later version is ignored. */
async function readCard(folder: FileSystemDirectoryHandle, key: string): Promise<Card | undefined> {
	for (const ending of CARDS) {
		try {
			const file = await (await folder.getFileHandle(key + ending)).getFile();
			const card = await cardIn(await file.text());
			if (card?.key === key) return card;
		} catch {
			// The other copy may be intact.
		}
	}
	return undefined;
}

const NAMELESS = "trace without a name";

/** Makes a card for an original whose own card is damaged or was never finished: the name is lost, but not the trace. */
async function withoutCard(
	folder: FileSystemDirectoryHandle,
	key: string,
): Promise<Card | undefined> {
	const fileOf = async (ending: string) => (await folder.getFileHandle(key + ending)).getFile();
	for (const ending of CARDS) {
		const text = await fileOf(ending)
			.then((file) => file.text())
			.catch(() => "");
		// A later version of this page wrote it.
		if (await isIntact(text)) return undefined;
	}
	const original = await fileOf(".gz").catch(() => undefined);
	return (
		original && {
			...{ version: 2, key, name: NAMELESS, sizeBytes: original.size, events: 0 },
			...{ openedMs: original.lastModified, textBytes: original.size, textSum: "" },
			...{ report: undefined, note: "" },
		}
	);
}

async function isIntact(text: string): Promise<boolean> {
	const [sum = "", json = ""] = text.split("\n");
	if (!text.startsWith("{")) return sum !== "" && sum === (await hashOf(new Blob([json])));
	try {
		return JSON.parse(text) !== undefined;
	} catch {
		return false;
	}
}

async function cardIn(text: string): Promise<Card | undefined> {
	if (!(await isIntact(text))) return undefined;
	if (text.startsWith("{")) return firstVersion(JSON.parse(text) as Card);
	const card = JSON.parse(text.split("\n")[1] ?? "") as Card;
	return card.version === 2 ? card : undefined;
}

/** Cards of version 1 have no checksums: gzip has its own. */
function firstVersion(card: Card): Card | undefined {
	const version: number = card.version;
	if (version !== 1) return undefined;
	return { ...card, version: 2, textSum: "" };
}

const SAMPLE_BYTES = 64 << 10;

/**
 * Returns the digits of a key that depend only on the content, so that a copy of the file has the same ones. Links name files
 * by them.
 */
const CONTENT_DIGITS = 10;

/**
 * Identifies a file: a hash of its name, size, time of change, first and last 64 KiB. Two files that agree in all of
 * these count as one, which saves reading gigabytes.
 */
export async function keyOf(file: File): Promise<string> {
	const { content, whole } = await hashesOf(file);
	return content.slice(0, CONTENT_DIGITS) + whole.slice(CONTENT_DIGITS);
}

/** Whether these are the first digits of the file's key, or of the key that older links have. */
export async function isFileOf(digits: string, file: File): Promise<boolean> {
	const { content, whole } = await hashesOf(file);
	// Without a secure connection the browser does not compute hashes.
	return content === "" || content.startsWith(digits) || whole.startsWith(digits);
}

async function hashesOf(file: File): Promise<{ readonly content: string; readonly whole: string }> {
	const head = await file.slice(0, SAMPLE_BYTES).arrayBuffer();
	const tail = await file.slice(Math.max(0, file.size - SAMPLE_BYTES)).arrayBuffer();
	const of = (...facts: readonly (string | number)[]) =>
		hashOf(new Blob([facts.map((fact) => `${fact}\n`).join(""), head, tail]));
	return {
		content: await of(file.size),
		whole: await of(file.name, file.size, file.lastModified),
	};
}
