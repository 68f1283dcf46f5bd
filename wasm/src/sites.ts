// sites.ts - call sites: what each one allocates, what becomes of it, and why live objects count as leak suspects or don't.

import * as abi from "./abi.ts";
import { copyBytes } from "./core.ts";
import { Group } from "./group.ts";

/** Matches KMEM_ANY in kmem.h. */
const ANY = 0xffff;
/** KMEM_NONE32. */
const NONE = 0xffffffff;
const SLICE_OPS = 1 << 17;

/** The allocations to count, and what their rows are grouped by. */
export interface SitesQuestion {
	/** Bits 1 << abi.SitesBy. */
	readonly by: number;
	/** Undefined for any cache, CPU or node. */
	readonly cache?: string | undefined;
	readonly cpu?: number | undefined;
	readonly node?: number | undefined;
	/** Names, pids or both as in "sh-42", with commas between them; undefined: any task. */
	readonly task?: string | undefined;
	/** The first event of the allocations, and the one after the last; undefined: any. */
	readonly events?: readonly [first: number, end: number] | undefined;
}

export interface SiteRow extends abi.SiteRow {
	/** "" if it is unknown or rows aren't grouped by it. */
	readonly callSite: string;
	readonly cacheName: string;
	/** As "comm-pid"; "" if it is unknown or rows aren't grouped by it. */
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

export class CallSites extends Group {
	/**
	 * Counts the whole trace for rows(); yields the events still to go. An index or a build that starts in between ends
	 * it with ESTATE.
	 */
	*slices(question: SitesQuestion, sliceOps = SLICE_OPS): Generator<number, void, void> {
		const { by, cache, cpu = ANY, node = ANY, task, events = [0, NONE] } = question;
		const cacheAt = cache === undefined ? 0 : this.putText(cache, 0);
		const taskAt = task === undefined ? 0 : this.putText(task, (cache ?? "").length * 3 + 1);
		this.beginJob(abi.Job.JOB_SITES, cacheAt, taskAt, by, cpu, node, ...events);
		yield* this.jobSlices(abi.Job.JOB_SITES, sliceOps);
	}

	/** Starts reading the symbols that name call sites; symbols(), then endSymbols(). The machine must be built again. */
	beginSymbols(): void {
		this.ok(this.kmem.kmem_symbols_begin(this.s));
	}

	/** Bytes of /proc/kallsyms, cut anywhere. */
	symbols(bytes: Uint8Array): void {
		this.putBytes(bytes, this.kmem.kmem_symbols_chunk);
	}

	/** Returns how many addresses got a name; all earlier texts and rows are gone. */
	endSymbols(): number {
		const named = Number(this.kmem.kmem_symbols_end(this.s));
		this.ok(Math.min(named, 0));
		return named;
	}

	/** Yields the rows as a gzip-compressed profile for pprof, in pieces; they must be grouped by call site. */
	*profile(): Generator<Uint8Array<ArrayBuffer>, void, void> {
		const { kmem, s, scratch } = this;
		this.ok(kmem.kmem_pprof_begin(s));
		for (;;) {
			const at = this.address(kmem.kmem_pprof_next(s, scratch));
			const nr = this.memory().getUint32(scratch, true);
			if (nr === 0) return;
			yield new Uint8Array(copyBytes(kmem.memory, at, nr));
		}
	}

	rows(): SitesAnswer {
		const { kmem, s } = this;
		const head = abi.readSites(this.memory(), this.address(kmem.kmem_sites(s)));
		const { rowsAt, nrRows, cachesAt, nrCaches } = head;
		return {
			...head,
			rows: this.rowsAt(rowsAt, nrRows, abi.SITE_ROW_SIZE, abi.readSiteRow).map((row) => ({
				...row,
				callSite: this.textAt(row.callSiteAt),
				cacheName: this.textAt(row.cacheAt),
				task: this.textAt(row.taskAt),
			})),
			caches: this.named(
				this.rowsAt(cachesAt, nrCaches, abi.SITE_CACHE_SIZE, abi.readSiteCache),
			).map((cache, i) => ({ ...cache, why: this.text(kmem.kmem_sites_why(s, i)) })),
		};
	}
}
