/**
 * The one interface between the page and the core. The worker serves it over comlink; tests may use the same
 * implementation in their own thread. A call that fails rejects with one sentence for a person.
 */
import type { Built, Goal, Machine, Moment, Progress, Report } from "./types.ts";

export interface Engine {
	/** Starts the core; the bytes of the module are fetched once. */
	open(wasmUrl: string): Promise<void>;
	/** Imports text, gzip or zstd. The trace before stays in use when this fails or is cancelled. */
	load(file: Blob, machine: Machine, onProgress: (p: Progress) => void): Promise<Loaded>;
	/** Replays the trace in use on another machine. */
	rebuild(machine: Machine, onProgress: (p: Progress) => void): Promise<Built>;
	/** Stops a load or rebuild in progress, which then rejects with CANCELLED. */
	cancel(): void;
	go(goal: Goal, cache: number): Promise<Moment>;
}

export interface Loaded {
	readonly report: Report;
	readonly built: Built;
	/** One sentence when the file could be used only in part, "" otherwise. */
	readonly note: string;
}

export const CANCELLED = "cancelled";
