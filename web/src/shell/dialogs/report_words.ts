/** Describes in sentences what a replay does with the gaps of a trace. */

import { quantity } from "../../base/format.ts";
import { sampledWords } from "../../base/words.ts";
import type { Report } from "../../engine/types.ts";

const are = (n: number) => (n === 1 ? "is" : "are");

/** Sorted by importance; none if every event is replayed as it was recorded. */
export function assumptions(r: Report): string[] {
	const estimates =
		r.sampling > 1
			? ` On the machine there were about ${quantity(r.estimatedAllocs, "allocation")} and ${quantity(r.estimatedFrees, "free")}.`
			: "";
	const all: readonly (readonly [holds: boolean | number, says: string])[] = [
		[
			r.sampling,
			`${sampledWords(r.sampling)}${estimates} The replay has the recorded events only.`,
		],
		[
			r.orphanFrees,
			`${quantity(r.orphanFrees, "orphan free")}: the object was allocated before the trace began, so nothing is freed.`,
		],
		[
			r.unseenFrees,
			`${quantity(r.unseenFrees, "allocation")} of a pointer that was still live: its free was not recorded, so the replay frees it just before.`,
		],
		[r.nullFrees, `${quantity(r.nullFrees, "free")} of NULL: nothing happens, as in the kernel.`],
		[
			r.failedAllocs,
			`${quantity(r.failedAllocs, "allocation")} failed in the kernel: nothing happens.`,
		],
		[
			r.lost,
			`${quantity(r.lost, "event")} ${are(r.lost)} lost, as the recorder reports: an object that was freed there stays allocated until its pointer is allocated again.`,
		],
		[
			r.reordered,
			`${quantity(r.reordered, "event")} came after later ones and ${are(r.reordered)} sorted by time.`,
		],
		[
			r.late,
			`${quantity(r.late, "event")} ${are(r.late)} too far behind later ones to be sorted and ${r.late === 1 ? "stays" : "stay"} in place.`,
		],
		[
			r.liveAtEnd,
			`${quantity(r.liveAtEnd, "object")} ${are(r.liveAtEnd)} never freed: leaked, or alive when the trace ended.`,
		],
		[
			r.skippedLines,
			`${quantity(r.skippedLines, r.lines > 0 ? "line" : "record")} ${are(r.skippedLines)} skipped, because ${r.skippedLines === 1 ? "it" : "they"} could not be read.`,
		],
		[r.truncated, "The file is cut off: it is replayed up to that point."],
		[r.hashed, "Pointers are hashed: they identify objects, but they are not addresses."],
		[
			r.timeLast > r.timeFirst && !r.timeIsNs,
			"The trace does not name its clock: times are ticks.",
		],
		[
			r.nodes > 1,
			`The trace asks for nodes 0 to ${r.nodes - 1}; the Machine panel sets how many the machine has.`,
		],
	];
	return all.filter(([holds]) => holds).map(([, says]) => says);
}
