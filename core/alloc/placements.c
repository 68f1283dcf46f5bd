/*
 * placements.c - helpers that all allocators' notations of `slabscope placements` share.
 */
#include "alloc/ops.h"

void state_list_places(struct state_rows *r)
{
	memset(r->first, 0, ((u64)r->nr_cpus + r->nr_nodes) * sizeof(*r->first));
	for (u32 i = r->nr_places; i-- > 0;) {
		const struct kmem_place *p = &r->places[i];
		u32 list = p->cpu < r->nr_cpus	   ? p->cpu
			   : p->node < r->nr_nodes ? r->nr_cpus + p->node
						   : r->nr_cpus + r->nr_nodes;
		if (list == r->nr_cpus + r->nr_nodes)
			continue;
		r->next[i] = r->first[list];
		r->first[list] = i + 1;
	}
}

const struct kmem_place *state_place(const struct state_rows *r, u32 kind, u32 cpu, u32 node)
{
	if (cpu == CPU_NONE && node == NODE_ANY) {
		for (u32 i = 0; i < r->nr_places; i++)
			if (r->places[i].kind == kind)
				return &r->places[i];
		return NULL;
	}
	for (u32 i = r->first[cpu == CPU_NONE ? r->nr_cpus + node : cpu]; i; i = r->next[i - 1])
		if (r->places[i - 1].kind == kind)
			return &r->places[i - 1];
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
