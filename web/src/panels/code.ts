/**
 * What the functions at work do, in our own words: short programs whose lines are lit by the steps that they
 * take. A line names the step kinds that light it; `WHAT_…` is a threshold of that sort.
 */
import { WHAT_NAMES } from "#abi";
import type { Step } from "../engine/types.ts";
import { type Procedure, procedure } from "./code_procedure.ts";
import { SLAB_PROCEDURES } from "./code_slab.ts";

/** The kernel whose names and behaviour the programs follow; its functions are in several files. */
export const CODE_VERSION = "as in Linux 6.1, in our words";

const SLUB_PROCEDURES: readonly Procedure[] = [
	procedure(
		"slab_alloc_node",
		"allocate on this CPU:",
		"  object = first of the CPU's freelist",
		"  if there is one, and its node will do:",
		"    pop it and return it @ ALLOC_FASTPATH",
		"  else: take the slow path",
	),
	procedure(
		"___slab_alloc get_freelist get_partial",
		"slow path of an allocation: @ ALLOC_SLOWPATH",
		"  if the CPU has a slab:",
		"    wrong node? give the slab up @ ALLOC_NODE_MISMATCH",
		"    take what others freed to it @ ALLOC_REFILL",
		"    nothing there? let go of the full slab @ DEACTIVATE_BYPASS",
		"  chain not empty? its head is the cpu slab:",
		"    start again @ CPU_PARTIAL_ALLOC",
		"  a slab from a node's partial list?",
		"    then that one",
		"  else a new slab from fresh pages",
		"    no pages? the allocation fails @ ALLOC_FAILED",
		"  return its first free object @ OBJECT_TAKEN",
	),
	procedure(
		"get_partial_node",
		"take slabs from one node's list: @ PARTIAL_SEARCH",
		"  for each slab, from the head:",
		"    the first becomes the cpu slab @ ALLOC_FROM_PARTIAL",
		"    the next go onto the CPU's chain @ CPU_PARTIAL_NODE",
		"    stop at half of the chain's limit @ WHAT_GRAB_HALF",
	),
	procedure(
		"get_any_partial",
		"search the other nodes: @ ANY_NODE_ENTER",
		"  for each zone of the zonelist:",
		"    can its node spare a slab?",
		"    more than min_partial there? take one @ ANY_NODE_ZONE",
		"    2018 seed: skip this node from now on @ ANY_NODE_EXCLUDE",
	),
	procedure(
		"allocate_slab __alloc_pages",
		"make a slab:",
		"  ask the page allocator for 2^order pages @ PAGES_ALLOC",
		"  refused? @ PAGES_REFUSED",
		"    then the smallest order that holds one @ ORDER_FALLBACK",
		"  chain all objects up, in address order @ ALLOC_SLAB",
	),
	procedure(
		"do_slab_free",
		"free on this CPU:",
		"  is it a slab that this CPU holds?",
		"    push the object on the CPU's freelist @ FREE_FASTPATH",
		"  else: the slow path",
	),
	procedure(
		"__slab_free",
		"free to somebody else's slab:",
		"  put the object on the slab's freelist @ FREE_SLOWPATH",
		"  some CPU holds the slab? done @ FREE_FROZEN",
		"  was it full? onto this CPU's chain",
		"    no chains? to the tail of its node's list @ FREE_ADD_PARTIAL",
		"  empty now, and the node has enough? @ WHAT_NR_PARTIAL_MIN_PARTIAL",
		"    take it off the list @ FREE_REMOVE_PARTIAL",
		"    and give its pages back",
	),
	procedure(
		"put_cpu_partial __unfreeze_partials",
		"keep a slab on this CPU's chain:",
		"  is the chain at its limit? @ WHAT_CHAIN_CPU_PARTIAL WHAT_CHAIN_OBJECTS",
		"    take the whole chain off @ CHAIN_DETACH",
		"  put the slab in front @ CPU_PARTIAL_FREE",
		"  hand an old chain to the nodes, slab by slab:",
		"    empty, and the node has enough? @ WHAT_NR_PARTIAL_MIN_PARTIAL",
		"      not needed @ DEACTIVATE_EMPTY",
		"    else to the tail of its node's list @ FREE_ADD_PARTIAL",
		"  done with the old chain @ CPU_PARTIAL_DRAIN",
	),
	procedure(
		"deactivate_slab",
		"a CPU gives its slab up:",
		"  did others free to it? then to the tail @ DEACTIVATE_REMOTE_FREES",
		"  the CPU's free objects go back to the slab",
		"  empty, and the node has enough? @ WHAT_NR_PARTIAL_MIN_PARTIAL",
		"    not needed @ DEACTIVATE_EMPTY",
		"  something free? to the list's head @ DEACTIVATE_TO_HEAD",
		"    or to its tail @ DEACTIVATE_TO_TAIL",
		"  nothing free? on no list @ DEACTIVATE_FULL FULL_ADD",
	),
	procedure(
		"discard_slab __free_pages",
		"take a slab apart:",
		"  it holds no object any more @ FREE_SLAB",
		"  its pages go back to the page allocator @ PAGES_FREE",
	),
	procedure(
		"kmem_cache_create calculate_order",
		"lay a cache out:",
		"  slot = object + what must stand beside it",
		"  for each order: is the left-over small enough? @ ORDER_TRY",
		"  min_partial follows from the size @ CACHE_CREATE",
	),
	procedure(
		"flush_slab",
		"flush a CPU:",
		"  give the cpu slab up @ CPUSLAB_FLUSH",
		"  hand the chain to the nodes",
	),
	procedure(
		"__kmem_cache_do_shrink",
		"shrink a cache:",
		"  flush every CPU",
		"  sort partial lists, fullest first @ SHRINK_BUCKET",
		"  give empty slabs back @ SHRINK_DISCARD",
	),
	procedure(
		"kmalloc_large free_large_kmalloc",
		"too large for any slab:",
		"  take pages directly @ LARGE_ALLOC",
		"  or give them back @ LARGE_FREE",
	),
];

const ALLOCATORS = [SLUB_PROCEDURES, SLAB_PROCEDURES];
const PROCEDURES = ALLOCATORS.flat();

export interface AtWork {
	readonly procedure: Procedure;
	/** Line that is lit, -1 for none. */
	readonly line: number;
	/** The kernel function of the step. */
	readonly fn: string;
}

/**
 * The program at work in step i. A step that the program before it tells of stays there: a slab joins a node's
 * list in the middle of a free or while a chain is handed out, by the same kernel function.
 */
export function codeAt(steps: readonly Step[], i: number): AtWork | undefined {
	let work: AtWork | undefined;
	for (let k = 0; k <= i; k++) {
		const step = steps[k];
		if (step) work = after(work, step) ?? work;
	}
	return work;
}

function after(before: AtWork | undefined, step: Step): AtWork | undefined {
	const key = step.kind === "THRESHOLD" ? WHAT_NAMES[step.args.what ?? -1] : step.kind;
	const lineIn = (p: Procedure | undefined) =>
		p?.lines.findIndex((l) => l.on.includes(key ?? "")) ?? -1;
	// What all allocators do, such as asking for pages, is told in the words of the one at work.
	const kin = ALLOCATORS.find((each) => before && each.includes(before.procedure)) ?? [];
	const own = [...kin, ...PROCEDURES].find((p) => p.names.includes(step.fn.split(" ")[0] ?? ""));
	const near = own && kin.includes(own) ? [own, ...kin] : [...kin, own];
	const found = [before?.procedure, ...near, ...PROCEDURES].find((p) => lineIn(p) >= 0);
	if (found) {
		const fn = found.names.includes(step.fn) ? step.fn : (found.names[0] ?? "");
		return { procedure: found, line: lineIn(found), fn };
	}
	return before && { ...before, line: -1 };
}
