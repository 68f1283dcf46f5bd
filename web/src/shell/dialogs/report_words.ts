/** What a replay does with the gaps of a recording, in sentences. */

import { quantity } from "../../base/format.ts";
import type { Report } from "../../engine/types.ts";

type Rule = readonly [holds: (r: Report) => boolean, says: (r: Report) => string];

const are = (n: number) => (n === 1 ? "is" : "are");

const RULES: readonly Rule[] = [
	[
		(r) => r.orphanFrees > 0,
		(r) =>
			`${quantity(r.orphanFrees, "orphan free")}: the object was allocated before the recording began, so nothing is freed.`,
	],
	[
		(r) => r.unseenFrees > 0,
		(r) =>
			`${quantity(r.unseenFrees, "allocation")} of a pointer that was still live: its free was not recorded, and is taken to have come right before.`,
	],
	[
		(r) => r.nullFrees > 0,
		(r) => `${quantity(r.nullFrees, "free")} of NULL: nothing happens, as in the kernel.`,
	],
	[
		(r) => r.failedAllocs > 0,
		(r) => `${quantity(r.failedAllocs, "allocation")} had failed in the kernel: nothing happens.`,
	],
	[
		(r) => r.lost > 0,
		(r) =>
			`${quantity(r.lost, "event")} ${are(r.lost)} lost, as the recorder says itself: what was freed in there stays allocated until its pointer comes again.`,
	],
	[
		(r) => r.reordered > 0,
		(r) =>
			`${quantity(r.reordered, "event")} stood behind later ones and ${are(r.reordered)} put in order by time.`,
	],
	[
		(r) => r.late > 0,
		(r) =>
			`${quantity(r.late, "event")} ${are(r.late)} too far behind later ones for that and ${r.late === 1 ? "stays" : "stay"} where ${r.late === 1 ? "it" : "they"} stood.`,
	],
	[
		(r) => r.liveAtEnd > 0,
		(r) =>
			`${quantity(r.liveAtEnd, "object")} ${are(r.liveAtEnd)} never freed: leaked, or alive when the recording ended.`,
	],
	[
		(r) => r.skippedLines > 0,
		(r) =>
			`${quantity(r.skippedLines, r.lines > 0 ? "line" : "record")} ${are(r.skippedLines)} left out, because ${r.skippedLines === 1 ? "it" : "they"} could not be read.`,
	],
	[(r) => r.truncated, () => "The file is cut off: it is replayed up to there."],
	[(r) => r.hashed, () => "Pointers are hashed: they tell objects apart, but are no addresses."],
	[
		(r) => r.timeLast > r.timeFirst && !r.timeIsNs,
		() => "The recording does not say what its clock counts: times are ticks.",
	],
	[
		(r) => r.nodes > 1,
		(r) =>
			`The recording asks for nodes 0 to ${r.nodes - 1}: the machine has as many as the Machine panel says.`,
	],
];

/** In the order of their weight; none if every event is replayed as it was recorded. */
export function assumptions(report: Report): string[] {
	return RULES.filter(([holds]) => holds(report)).map(([, says]) => says(report));
}
