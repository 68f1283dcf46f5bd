/**
 * The subject of a step, read from the names of its arguments, which mean the same in every allocator. `slab` and
 * `index` name an object, `list` a kind of place, `class` a size of objects. `queue` and `whose` name a queue,
 * `group` the queue of a group of CPUs, `home` the node whose objects an array is for. `nr_partial` means the partial
 * list.
 */
import { What } from "#abi";
import { type Frame, NONE, type Place } from "../engine/frame.ts";
import { CELL, heldState, holdsObjects, holdsSheaves, KIND, PLACE } from "../engine/place_kinds.ts";
import type { Step } from "../engine/types.ts";

/** Kinds of queues, in the order of enum kmem_queue. */
const QUEUES = [KIND.PLACE_CPU_QUEUE, KIND.PLACE_SHARED_QUEUE, KIND.PLACE_ALIEN_QUEUE] as const;

export function namesSlab(step: Step | undefined, cache: number, serial: number): boolean {
	return step !== undefined && step.cache === cache && step.args.slab === serial;
}

interface Now {
	readonly step: Step | undefined;
	readonly frame: Frame;
}

/** Whether the current step reads or changes this list or array. */
export function isAbout({ step, frame }: Now, place: Place): boolean {
	// All CPUs and nodes share lists by size.
	if (!step || (step.cache !== place.cache && place.bytes === 0)) return false;
	const { args } = step;
	const size = sizeClassOf(args);
	if (size !== undefined)
		return place.kind === KIND.PLACE_CLASS_PAGES && place.bytes === size && isNear(step, place);
	if (args.list !== undefined) return args.list === place.kind && isNear(step, place);
	if (args.queue !== undefined) return isQueue(step, place, args.queue, args.whose ?? NONE);
	if (args.group !== undefined && place.target === args.group)
		return place.kind === KIND.PLACE_SHARED_QUEUE;
	if (place.kind === PLACE.NODE_PARTIAL) return step.node === place.node && isAboutPartial(step);
	if (!holdsObjects(place.kind)) return false;
	if (holdsSheaves(place.kind)) return isSheafOf(step, place);
	if (args.home !== undefined) return args.home === place.target && step.node === place.node;
	if ((args.avail ?? args.left ?? args.held) === undefined) return false;
	const here = nodeOfCpu(frame, step.cpu);
	if (heldState(place.kind) === CELL.FREE_ALIEN)
		return step.node === place.target && here === place.node;
	return place.cpu === step.cpu && place.cpu !== NONE && (step.node === here || step.node === NONE);
}

/**
 * A step that takes or puts one object uses the main sheaf; one that moves several at once also uses the CPU's other
 * sheaves, if present. A step about the barn has the number of its full sheaves.
 */
function isSheafOf({ cpu, node, args }: Step, place: Place): boolean {
	if (place.cpu === NONE)
		return node === place.node && (args.full !== undefined || args.empty !== undefined);
	if (place.cpu !== cpu || place.sheaves === 0) return false;
	if ((args.avail ?? args.left ?? args.held ?? args.main) === undefined) return false;
	return args.index === undefined || place.kind === KIND.PLACE_SHEAF_MAIN;
}

/** Whether a step is about one of a node's lists by object size. */
function sizeClassOf({ list, limit, class: size }: Step["args"]): number | undefined {
	return size ?? (list === KIND.PLACE_CLASS_PAGES ? limit : undefined);
}

function nodeOfCpu({ places }: Frame, cpu: number): number {
	return places.find((p) => p.cpu === cpu)?.node ?? NONE;
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
