/** A folder of the browser's private file system in memory, as far as the shelf uses one: for tests. */
export class MemoryFolder {
	readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
	/** Files that were flushed since they were last written, in that order. */
	readonly flushed: string[] = [];

	asRoot(): () => Promise<FileSystemDirectoryHandle> {
		return async () => this as unknown as FileSystemDirectoryHandle;
	}

	async getDirectoryHandle(): Promise<MemoryFolder> {
		return this;
	}

	async *keys(): AsyncGenerator<string> {
		yield* [...this.files.keys()];
	}

	async removeEntry(name: string): Promise<void> {
		this.files.delete(name);
	}

	async getFileHandle(name: string, options?: { create: boolean }) {
		if (!options?.create && !this.files.has(name)) throw new Error("NotFoundError");
		const bytes = () => this.files.get(name) ?? new Uint8Array(0);
		if (options?.create) this.files.set(name, bytes());
		return {
			getFile: async () => new File([bytes()], name),
			createSyncAccessHandle: async () => this.#access(name),
		};
	}

	#access(name: string) {
		let bytes = this.files.get(name) ?? new Uint8Array(0);
		const put = (changed: Uint8Array<ArrayBuffer>) => {
			bytes = changed;
			this.files.set(name, changed);
			const at = this.flushed.indexOf(name);
			if (at >= 0) this.flushed.splice(at, 1);
		};
		return {
			truncate: (n: number) => put(bytes.slice(0, n)),
			write: (more: Uint8Array, { at }: { at: number }) => {
				const changed = new Uint8Array(Math.max(bytes.length, at + more.length));
				changed.set(bytes);
				changed.set(more, at);
				put(changed);
				return more.length;
			},
			flush: () => {
				this.flushed.push(name);
			},
			close: () => {},
		};
	}
}
