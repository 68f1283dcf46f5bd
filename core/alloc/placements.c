/*
 * placements.c - helpers that all allocators' notations of `slabscope placements` share.
 */
#include "alloc/ops.h"

const struct kmem_place *state_place(const struct state_rows *r, u32 kind, u32 cpu, u32 node)
{
	for (u32 i = 0; i < r->nr_places; i++) {
		const struct kmem_place *p = &r->places[i];
		if (p->kind == kind && (cpu == CPU_NONE || p->cpu == cpu) &&
		    (node == NODE_ANY || p->node == node))
			return p;
	}
	return NULL;
}

u32 state_slabs_on(const struct state_rows *r, u32 node)
{
	u32 nr = 0;

	for (u32 i = 0; i < r->nr_slabs; i++)
		nr += r->slabs[i].node == node;
	return nr;
}

void state_add_slabs(const struct state_rows *r, const struct kmem_place *place,
		     const char *between, struct text *t)
{
	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *slab = &r->slabs[place->first_slab + i];
		text_add_number(t, i ? between : "", slab->serial);
		text_add_number(t, "(", slab->free_on_slab);
		text_add(t, ")");
	}
}
