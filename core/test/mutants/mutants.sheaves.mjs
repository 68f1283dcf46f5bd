// mutants.sheaves.mjs - bugs in SLUB without cpu slabs (7.x), where sheaves and the barn serve.

const SHEAVES = "alloc/slub/sheaves";

export const WITHOUT_CPU_SLABS = [
	{
		what: "a listed slab that keeps a remainder goes to the head",
		file: `${SHEAVES}/slub_sheaf_refill.c`,
		from: "slub_sheaf_list_slab(w, s, slab, END_TAIL);",
		to: "slub_sheaf_list_slab(w, s, slab, END_HEAD);",
	},
	{
		what: "a new slab that keeps a remainder goes to the tail",
		file: `${SHEAVES}/slub_sheaf_refill.c`,
		from: "slub_sheaf_list_slab(w, s, slab, END_HEAD);",
		to: "slub_sheaf_list_slab(w, s, slab, END_TAIL);",
	},
	{
		what: "a refill takes one slab more than it needs",
		file: `${SHEAVES}/slub_sheaf_refill.c`,
		from: "found < r->missing && n->head;",
		to: "found <= r->missing && n->head;",
	},
	{
		what: "a refill does not search other nodes",
		file: `${SHEAVES}/slub_sheaf_refill.c`,
		from: "if (refill_from_node(w, s, local, &r) ||",
		to: "if (refill_from_node(w, s, local, &r) || 1 ||",
	},
	{
		what: "after a refill the old main sheaf goes to the barn",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "	p->spare = p->main;\n	slub_sheaf_set_main(c, p, sheaf);",
		to: "	barn_add_empty(w, s, sheaf_home(w), p->main);\n	slub_sheaf_set_main(c, p, sheaf);",
	},
	{
		what: "the barn is asked before a spare with objects",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "if (p->spare && sheaf_at(w, p->spare)->nr) {",
		to: "if (0) {",
	},
	{
		what: "an empty sheaf is made although the spare is one",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "	if (empty) {\n		p->spare = 0;",
		to: "	if (0) {\n		p->spare = 0;",
	},
	{
		what: "the main sheaf that is exchanged in the barn is lost",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "	barn_push(w, &barn->empty, &barn->nr_empty, p->main);\n",
		to: "",
	},
	{
		what: "a sheaf that could not be filled stays as the spare",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "		sheaf_give_back(w, s, p, sheaf);\n		return 0;",
		to: "		p->spare = sheaf;\n		return 0;",
	},
	{
		what: "an object of another node is taken from the sheaf for the named one",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "if (node != NODE_ANY && slab->node != node) {",
		to: "if (0) {",
	},
	{
		what: "the named node's list is forgotten once it has no memory",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "first = node == NODE_ANY ? local : node;",
		to: "first = node == NODE_ANY || anywhere ? local : node;",
	},
	{
		what: "a full slab stays on its list after an allocation of one object",
		file: `${SHEAVES}/slub_sheaf_alloc.c`,
		from: "	if (!slab->freelist) {\n		slub_list_remove(w, s, slab);\n",
		to: "	if (!slab->freelist) {\n",
	},
	{
		what: "a barn takes an eleventh full sheaf",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "barn->nr_full >= BARN_SHEAVES",
		to: "barn->nr_full > BARN_SHEAVES",
	},
	{
		what: "the main sheaf is flushed instead of the older spare",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, spare), SHEAF_OF_SPARE);\n	p->spare = p->main;\n	slub_sheaf_set_main(c, p, spare);\n",
		to: "	p->spare = spare;\n	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, p->main), SHEAF_OF_SPARE);\n",
	},
	{
		what: "a spare with room is not swapped in",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "} else if (!sheaf_is_full(sheaf_at(w, p->spare))) {",
		to: "} else if (0) {",
	},
	{
		what: "a full barn exchanges a sheaf if it has an empty one",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "barn->nr_full >= BARN_SHEAVES)",
		to: "barn->nr_full >= BARN_SHEAVES && !barn->nr_empty)",
	},
	{
		what: "a slow free is counted before the slab changes its list",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "	if (was_full || !slab->inuse)\n		slub_free_to_node(w, s, slab, was_full);\n	STAT_ON(c, w, s, FREE_SLOWPATH, node, serial, index, owner, CPU_NONE, free);\n",
		to: "	STAT_ON(c, w, s, FREE_SLOWPATH, node, serial, index, owner, CPU_NONE, free);\n	if (was_full || !slab->inuse)\n		slub_free_to_node(w, s, slab, was_full);\n",
	},
	{
		what: "another node's object goes into the CPU's sheaf",
		file: `${SHEAVES}/slub_sheaf_free.c`,
		from: "} else if (slab->node != c->node) {",
		to: "} else if (0) {",
	},
	{
		what: "the search for a flush group passes a fourth object",
		file: `${SHEAVES}/slub_sheaf_flush.c`,
		from: "enum { LOOK_AHEAD = 3 };",
		to: "enum { LOOK_AHEAD = 4 };",
	},
	{
		what: "objects of a group join it behind the others",
		file: `${SHEAVES}/slub_sheaf_flush.c`,
		from: "if (order == GROUP_REVERSED) {",
		to: "if (order != GROUP_REVERSED) {",
	},
	{
		what: "a spare's flush is counted after its frees",
		file: `${SHEAVES}/slub_sheaf_flush.c`,
		from: "	STAT_PCS(w, s, p, SHEAF_FLUSH, sheaf->nr, NODE_ANY, sheaf->nr, sheaf->nr, which);\n	slub_free_array(w, s, sheaf->object, &sheaf->nr, 0);\n",
		to: "	u32 nr = sheaf->nr;\n	slub_free_array(w, s, sheaf->object, &sheaf->nr, 0);\n	STAT_PCS(w, s, p, SHEAF_FLUSH, nr, NODE_ANY, nr, nr, which);\n",
	},
	{
		what: "a main sheaf is flushed in one batch",
		file: "alloc/slub/slub_sheaf.h",
		from: "FLUSH_BATCH = 32,",
		to: "FLUSH_BATCH = 64,",
	},
	{
		what: "a CPU without a spare is not flushed",
		file: `${SHEAVES}/slub_sheaf_flush.c`,
		from: "if (!p || (!p->spare && !p->rcu && !sheaf_at(w, p->main)->nr))",
		to: "if (!p || !p->spare)",
	},
	{
		what: "a barn gives the full sheaf that came first",
		file: "alloc/slub/slub_sheaf.h",
		from: "	sheaf_at(w, sheaf)->next = *list;\n	*list = sheaf;\n",
		to: "	while (*list)\n		list = &sheaf_at(w, *list)->next;\n	sheaf_at(w, sheaf)->next = 0;\n	*list = sheaf;\n",
	},
	{
		what: "a capacity that the creator names lowers that of small objects",
		file: `${SHEAVES}/slub_sheaf_barn.c`,
		from: "MAX(capacity, (u32)ASKED_SHEAF_CAPACITY)",
		to: "(u32)ASKED_SHEAF_CAPACITY",
	},
	{
		what: "objects of 1024 bytes have the capacity of smaller ones",
		file: "sim/order.c",
		from: "size >= 1024 ? 12",
		to: "size > 1024 ? 12",
	},
	{
		what: "shrinking leaves the barn as it is",
		file: "alloc/slub/slub_partial.c",
		from: "has_sheaves && no_cpu_slabs && node <",
		to: "0 && has_sheaves && no_cpu_slabs && node <",
	},
	{
		what: "a debug cache counts its slow free before the list changes",
		file: "alloc/slub/slub_debug.c",
		from: "	if (!w->policy.no_cpu_slabs)\n		STAT_ON(",
		to: "	STAT_ON(",
	},
];
