/*
 * slab_placements.c - SLAB's state in golden-file notation: cpuN:avail=A/touched=T ..., then each node's three lists
 * from the head, as slab(active).
 */
#include "alloc/slab/slab.h"

/* Adds the list and returns the free objects of its slabs. */
static u32 add_list(const struct state_rows *r, const char *name, u32 kind, u32 node,
		    struct text *t)
{
	const struct kmem_place *place = state_place(r, kind, CPU_NONE, node);

	text_add(t, name);
	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *slab = &r->slabs[place->first_slab + i];
		text_add_number(t, i ? ";" : "", slab->serial);
		text_add_number(t, "(", slab->inuse);
		text_add(t, ")");
	}
	return place ? place->free_objects : 0;
}

static void state(const struct state_rows *r, struct text *t)
{
	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct kmem_place *own = state_place(r, PLACE_CPU_ARRAY, cpu, NODE_ANY);
		text_add_number(t, " cpu", cpu);
		text_add_number(t, ":avail=", own ? own->nr_entries : 0);
		text_add_number(t, "/touched=", own ? own->touched : 0);
	}
	for (u32 node = 0; node < r->nr_nodes; node++) {
		const struct kmem_place *shared = state_place(r, PLACE_SHARED_ARRAY, CPU_NONE,
							      node);
		text_add_number(t, " node", node);
		text_add(t, ":");
		add_list(r, " full=", PLACE_NODE_FULL, node, t);
		u32 free_objects = add_list(r, " partial=", PLACE_NODE_PARTIAL, node, t);
		free_objects += add_list(r, " free=", PLACE_NODE_FREE, node, t);
		text_add_number(t, " free_objects=", free_objects);
		text_add_number(t, " shared=", shared ? shared->nr_entries : 0);
	}
}

/* SLAB makes no any-node searches, so the golden files report 0 for both. */
static u32 totals(const struct kmem_totals *t, struct kmem_placement_column *c)
{
	c[0] = (struct kmem_placement_column){ "get_any_partial_entered", t->any_node_entered, 1,
					       0 };
	c[1] = (struct kmem_placement_column){ "zones_visited", t->any_node_zones, 1, 0 };
	return 2;
}

const struct placement_notation slab_placements = {
	.words = { "id", "alloc", "alloc", 0, 0 },
	.totals = totals,
	.state = state,
};
