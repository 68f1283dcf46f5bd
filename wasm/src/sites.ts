// sites.ts - call sites: what each allocates, what becomes of it, and why live objects count as leak suspects or not.

import * as abi from "./abi.ts";
import { type Calls, copyBytes, readText } from "./core.ts";
import { readRows } from "./rows.ts";
import { SCRATCH_BYTES } from "./viewer.ts";

/** KMEM_ANY of kmem.h. */
const ANY = 0xffff;
const SLICE_OPS = 1 << 17;

/** The allocations that count, and what keeps their rows apart. */
export interface SitesQuestion {
	/** Bits 1 << abi.SitesBy. */
	readonly by: number;
	/** undefined: any cache, CPU or node. */
	readonly cache?: string | undefined;
	readonly cpu?: number | undefined;
	readonly node?: number | undefined;
	/** Names, pids or both as in "sh-42", with commas between them; undefined: any task. */
	readonly task?: string | undefined;
}

export interface SiteRow extends abi.SiteRow {
	/** "" if it is unknown or not kept apart. */
	readonly callSite: string;
	readonly cacheName: string;
	/** As "comm-pid"; "" if it is unknown or not kept apart. */
	readonly task: string;
}

/** A cache, and why its live objects count as leak suspects or not. */
export interface SiteCache extends abi.SiteCache {
	readonly name: string;
	readonly why: string;
}

export interface SitesAnswer extends abi.Sites {
	/** In the order of their first allocations. */
	readonly rows: readonly SiteRow[];
	/** SiteRow.cache is an index of these. */
	readonly caches: readonly SiteCache[];
}

export class CallSites {
	private readonly host: Calls;

	constructor(host: Calls) {
		this.host = host;
	}

	/**
	 * Counts the whole trace for rows(); yields the events still to go. An index or a build that begins in between ends it
	 * with ESTATE.
	 */
	*slices(question: SitesQuestion, sliceOps = SLICE_OPS): Generator<number, void, void> {
		const { kmem, s } = this.host;
		const { by, cache, cpu = ANY, node = ANY, task } = question;
		const cacheAt = cache === undefined ? 0 : this.host.putText(cache, 0);
		const taskAt = task === undefined ? 0 : this.host.putText(task, (cache ?? "").length * 3 + 1);
		this.host.check(kmem.kmem_sites_begin(s, by, cacheAt, cpu, node, taskAt));
		yield* this.host.slices(() => Number(kmem.kmem_sites_run(s, sliceOps)));
	}

	/** Begins to read the symbols that name call sites; symbols(), then endSymbols(). The machine must be built again. */
	beginSymbols(): void {
		this.host.check(this.host.kmem.kmem_symbols_begin(this.host.s));
	}

	/** Bytes of /proc/kallsyms, cut anywhere. */
	symbols(bytes: Uint8Array): void {
		const { kmem, s } = this.host;
		for (let from = 0; from < bytes.length; from += SCRATCH_BYTES) {
			const slice = bytes.subarray(from, from + SCRATCH_BYTES);
			new Uint8Array(kmem.memory.buffer).set(slice, this.host.scratch);
			this.host.check(kmem.kmem_symbols_chunk(s, this.host.scratch, slice.length));
		}
	}

	/** How many addresses got a name; all texts and rows from before are gone. */
	endSymbols(): number {
		const named = Number(this.host.kmem.kmem_symbols_end(this.host.s));
		this.host.check(Math.min(named, 0));
		return named;
	}

	/** The rows as a gzip-compressed profile for pprof, in pieces; they must keep call sites apart. */
	*profile(): Generator<Uint8Array<ArrayBuffer>, void, void> {
		const { kmem, s, scratch } = this.host;
		this.host.check(kmem.kmem_pprof_begin(s));
		for (;;) {
			const at = this.host.pointer(kmem.kmem_pprof_next(s, scratch));
			const nr = new DataView(kmem.memory.buffer).getUint32(scratch, true);
			if (nr === 0) return;
			yield new Uint8Array(copyBytes(kmem.memory, at, nr));
		}
	}

	rows(): SitesAnswer {
		const { kmem, s, base } = this.host;
		const at = this.host.pointer(kmem.kmem_sites(s));
		const view = new DataView(kmem.memory.buffer);
		const text = (offset: number) => readText(kmem.memory, base + offset);
		const head = abi.readSites(view, at);
		const rows = readRows(
			view,
			base + head.rowsAt,
			head.nrRows,
			abi.SITE_ROW_SIZE,
			abi.readSiteRow,
		).map((row) => ({
			...row,
			callSite: text(row.callSiteAt),
			cacheName: text(row.cacheAt),
			task: text(row.taskAt),
		}));
		const caches = readRows(
			view,
			base + head.cachesAt,
			head.nrCaches,
			abi.SITE_CACHE_SIZE,
			abi.readSiteCache,
		).map((cache, i) => ({
			...cache,
			name: text(cache.nameAt),
			why: readText(kmem.memory, kmem.kmem_sites_why(s, i)),
		}));
		return { ...head, rows, caches };
	}
}
