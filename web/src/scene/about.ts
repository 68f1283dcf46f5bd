/**
 * What a step is about, told by the names of its arguments, which mean the same in every allocator: `slab` and
 * `index` name an object, `list` a kind of place, `queue` and `whose` a queue, `group` the queue of a group of
 * CPUs, `home` the node whose objects an array is for, `nr_partial` the partial list.
 */
import { What } from "#abi";
import { NONE, type Place, type Step } from "../engine/types.ts";
import { CELL, heldState, holdsObjects, KIND, PLACE } from "./kinds.ts";

/** In the order of enum kmem_queue. */
const QUEUES = [KIND.PLACE_CPU_QUEUE, KIND.PLACE_SHARED_QUEUE, KIND.PLACE_ALIEN_QUEUE] as const;

export function namesSlab(step: Step | undefined, cache: number, serial: number): boolean {
	return step !== undefined && step.cache === cache && step.args.slab === serial;
}

/** Whether the step looks at this list or array or changes it. */
export function isAbout(step: Step | undefined, place: Place): boolean {
	if (!step) return false;
	const { args } = step;
	if (args.list !== undefined) return args.list === place.kind && isNear(step, place);
	if (args.queue !== undefined) return isQueue(step, place, args.queue, args.whose ?? NONE);
	if (args.group !== undefined && place.target === args.group)
		return place.kind === KIND.PLACE_SHARED_QUEUE;
	if (place.kind === PLACE.NODE_PARTIAL) return step.node === place.node && isAboutPartial(step);
	if (!holdsObjects(place.kind)) return false;
	if (heldState(place.kind) === CELL.FREE_ALIEN)
		return step.node === place.node && args.home === place.target;
	const counts = args.avail ?? args.left ?? args.held;
	return (
		place.cpu !== NONE && step.cpu === place.cpu && counts !== undefined && args.home === undefined
	);
}

function isAboutPartial({ kind, args }: Step): boolean {
	if (kind === "THRESHOLD") return args.what === What.WHAT_NR_PARTIAL_MIN_PARTIAL;
	return args.nr_partial !== undefined;
}

function isNear(step: Step, { cpu, node }: Place): boolean {
	return cpu === NONE ? node === NONE || node === step.node : cpu === step.cpu;
}

function isQueue(step: Step, place: Place, queue: number, whose: number): boolean {
	if (QUEUES[queue] !== place.kind) return false;
	if (place.kind === KIND.PLACE_CPU_QUEUE) return place.cpu === whose;
	if (place.kind === KIND.PLACE_SHARED_QUEUE) return place.target === whose;
	return place.target === step.node;
}
