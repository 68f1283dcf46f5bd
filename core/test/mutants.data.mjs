// mutants.data.mjs - the bugs that mutants.mjs seeds: five an allocator, each a text and what is put in its place.

export const MUTANTS = {
	slub: [
		{
			what: "a free to another slab does not count the object as returned",
			file: "alloc/slub_fast.h",
			from: "	slab->inuse--;\n	STAT_SLAB(rec, c, w, slab, FREE_SLOWPATH",
			to: "	STAT_SLAB(rec, c, w, slab, FREE_SLOWPATH",
		},
		{
			what: "a node keeps one empty slab more than min_partial",
			file: "alloc/slub_deactivate.c",
			from: "int release = nr_partial >= s->min_partial;",
			to: "int release = nr_partial > s->min_partial;",
		},
		{
			what: "slabs with objects freed by others go to the head of the list",
			file: "alloc/slub_deactivate.c",
			from: "remote_frees ? LIST_TAIL : LIST_HEAD;",
			to: "LIST_HEAD;",
		},
		{
			what: "the node that was named is not compared with that of the cpu slab",
			file: "alloc/slub_fast.h",
			from: "return node != NODE_ANY && slab->node != node;",
			to: "return 0 && slab->node != node;",
		},
		{
			what: "a chain is drained one slab too late",
			file: "alloc/slub_fast.h",
			from: "int full = have >= s->cpu_partial_slabs;",
			to: "int full = have > s->cpu_partial_slabs;",
		},
	],
	slab: [
		{
			what: "a refill from a node's slabs is not taken off its free objects",
			file: "alloc/slab.c",
			from: "	n->free_objects -= taken;\n",
			to: "",
		},
		{
			what: "the newest objects leave a full array instead of the oldest",
			file: "alloc/slab.c",
			from: "push(w, shared, ac->entry[i], CELL_FREE_SHARED);",
			to: "push(w, shared, ac->entry[ac->avail - 1 - i], CELL_FREE_SHARED);",
		},
		{
			what: "a free counts as a use of the array",
			file: "alloc/slab.c",
			from: "	ac->entry[ac->avail++] = loc;\n	slab_mark(w, loc, cell);",
			to: "	ac->entry[ac->avail++] = loc;\n	ac->touched = 1;\n	slab_mark(w, loc, cell);",
		},
		{
			what: "an object of another node goes into the CPU's own array",
			file: "alloc/slab.c",
			from: "if (slab->head.node != node) {",
			to: "if (slab->head.node > node) {",
		},
		{
			what: "what the reaper leaves in an array does not move down",
			file: "alloc/slab_array.c",
			from: "ac->entry[i] = ac->entry[i + nr];",
			to: "ac->entry[i] = ac->entry[i];",
		},
	],
	slob: [
		{
			what: "a block that fits only without its alignment is taken",
			file: "alloc/slob.c",
			from: "if (units < q->units + delta) {",
			to: "if (units < q->units) {",
		},
		{
			what: "the list is not turned after a search",
			file: "alloc/slob.c",
			from: "		else if (before)\n			rotate_to(w, page, before);\n",
			to: "",
		},
		{
			what: "a page with exactly as many free units as are wanted is passed over",
			file: "alloc/slob.c",
			from: "if (page->free < q->units) {",
			to: "if (page->free <= q->units) {",
		},
		{
			what: "a free block does not merge with the last one of its page",
			file: "alloc/slob.c",
			from: "if (i + 1u < page->page.head.objects &&",
			to: "if (i + 2u < page->page.head.objects &&",
		},
		{
			what: "a power of two is not aligned to its size",
			file: "alloc/slob.c",
			from: "q.align = power_of_two ? MAX(bytes, (u32)HEADER_BYTES) : HEADER_BYTES;",
			to: "q.align = HEADER_BYTES + 0 * power_of_two;",
		},
	],
};
