// mutants.data.mjs - the bugs that mutants.mjs seeds, each a text and what is put in its place.

import { PLACEMENT } from "./mutants.placement.mjs";
import { WITHOUT_CPU_SLABS } from "./mutants.sheaves.mjs";

const GENERAL = {
	slub: [
		{
			what: "a free to another slab does not count the object as returned",
			file: "alloc/slub/slub_fast.h",
			from: "	slab->freelist = (u16)(index + 1);\n	slab->inuse--;\n",
			to: "	slab->freelist = (u16)(index + 1);\n",
		},
		{
			what: "a node keeps one empty slab more than min_partial",
			file: "alloc/slub/slub_deactivate.c",
			from: "int release = nr_partial >= s->min_partial;",
			to: "int release = nr_partial > s->min_partial;",
		},
		{
			what: "slabs with objects freed by others go to the head of the list",
			file: "alloc/slub/slub_deactivate.c",
			from: "d->remote_objects ? END_TAIL : END_HEAD;",
			to: "END_HEAD;",
		},
		{
			what: "the node that was named is not compared with that of the cpu slab",
			file: "alloc/slub/slub_fast.h",
			from: "return node != NODE_ANY && slab->node != node;",
			to: "return 0 && slab->node != node;",
		},
		{
			what: "a chain is drained one slab too late",
			file: "alloc/slub/slub_fast.h",
			from: "int full = have >= s->cpu_partial_slabs;",
			to: "int full = have > s->cpu_partial_slabs;",
		},
	],
	slab: [
		{
			what: "a refill from a node's slabs is not taken off its free objects",
			file: "alloc/slab/slab.c",
			from: "	n->free_objects -= taken;\n",
			to: "",
		},
		{
			what: "the newest objects leave a full array instead of the oldest",
			file: "alloc/slab/slab.c",
			from: "push(w, shared, ac->entry[i], CELL_FREE_SHARED);",
			to: "push(w, shared, ac->entry[ac->avail - 1 - i], CELL_FREE_SHARED);",
		},
		{
			what: "a free counts as a use of the array",
			file: "alloc/slab/slab.c",
			from: "	ac->entry[ac->avail++] = loc;\n	slab_mark(w, loc, cell);",
			to: "	ac->entry[ac->avail++] = loc;\n	ac->touched = 1;\n	slab_mark(w, loc, cell);",
		},
		{
			what: "an object of another node goes into the CPU's own array",
			file: "alloc/slab/slab.c",
			from: "if (slab->head.node != node) {",
			to: "if (slab->head.node > node) {",
		},
		{
			what: "what the reaper leaves in an array does not move down",
			file: "alloc/slab/slab_array.c",
			from: "ac->entry[i] = ac->entry[i + nr];",
			to: "ac->entry[i] = ac->entry[i];",
		},
	],
	slob: [
		{
			what: "a block that fits only without its alignment is taken",
			file: "alloc/slob/slob.c",
			from: "if (units < q->units + delta) {",
			to: "if (units < q->units) {",
		},
		{
			what: "the list is not turned after a search",
			file: "alloc/slob/slob.c",
			from: "		else if (before)\n			rotate_to(w, page, before);\n",
			to: "",
		},
		{
			what: "a page with exactly as many free units as are wanted is passed over",
			file: "alloc/slob/slob.c",
			from: "if (page->free < q->units) {",
			to: "if (page->free <= q->units) {",
		},
		{
			what: "a free block does not merge with the last one of its page",
			file: "alloc/slob/slob.c",
			from: "if (i + 1u < page->page.head.objects &&",
			to: "if (i + 2u < page->page.head.objects &&",
		},
		{
			what: "a power of two is not aligned to its size",
			file: "alloc/slob/slob.c",
			from: "q.align = power_of_two ? MAX(bytes, (u32)HEADER_BYTES) : HEADER_BYTES;",
			to: "q.align = HEADER_BYTES + 0 * power_of_two;",
		},
	],
	unified: [
		{
			what: "an object popped off a CPU's queue still counts as queued",
			file: "alloc/unified/unified.c",
			from: "	slab->nr_on_cpus -= q->kind == QUEUE_CPU;\n	return loc;",
			to: "	return loc;",
		},
		{
			what: "an idle queue is refilled with a whole batch",
			file: "alloc/unified/unified.c",
			from: "	if (!q->touched)\n		want = MIN(want, (u32)UNTOUCHED_BATCH);\n",
			to: "",
		},
		{
			what: "a node keeps one empty slab fewer",
			file: "alloc/unified/unified_slab.c",
			from: "int release = nr_partial > s->min_partial;",
			to: "int release = nr_partial >= s->min_partial;",
		},
		{
			what: "the newest objects go to the shared queue instead of the oldest",
			file: "alloc/unified/unified.c",
			from: "transfer(w, q, 0, nr, shared);",
			to: "transfer(w, q, q->objects - nr, nr, shared);",
		},
		{
			what: "expiry misses the last alien queue, as the posted patches did",
			file: "alloc/unified/unified_expire.c",
			from: "node < w->machine.nr_nodes; node++)\n		bytes += expire_queue(w, s, unified_alien",
			to: "node + 1 < w->machine.nr_nodes; node++)\n		bytes += expire_queue(w, s, unified_alien",
		},
	],
	"slob-segregated": [
		{
			what: "a size that is a class of its own takes the next one",
			file: "alloc/slob/slob_segregated.c",
			from: "while ((u64)1 << shift < bytes)",
			to: "while ((u64)1 << shift <= bytes)",
		},
		{
			what: "the alignment of a cache is forgotten",
			file: "alloc/slob/slob_segregated.c",
			from: "wanted = MAX(bytes, s->align);",
			to: "wanted = bytes;",
		},
		{
			what: "the list of the first node serves all",
			file: "alloc/slob/slob_segregated.c",
			from: "slob_list_at(w, list_nr(w, home, shift));",
			to: "slob_list_at(w, list_nr(w, 0, shift));",
		},
		{
			what: "an empty page is kept",
			file: "alloc/slob/slob_segregated.c",
			from: "if (head->free < head->head.objects) {",
			to: "if (head->free <= head->head.objects) {",
		},
		{
			what: "bytes of an object that is taken still count as free",
			file: "alloc/slob/slob_segregated.c",
			from: "	slob_of(w)->free_bytes -= 1u << page->shift;\n",
			to: "",
		},
	],
};

export const MUTANTS = Object.fromEntries(
	Object.entries(GENERAL).map(([allocator, bugs]) => [
		allocator,
		[...bugs, ...(PLACEMENT[allocator] ?? []), ...(allocator === "slub" ? WITHOUT_CPU_SLABS : [])],
	]),
);
