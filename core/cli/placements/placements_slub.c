/*
 * placements_slub.c - SLUB's state in the notation of the golden files:
 * cpuN:slab=S/free=F/part=id(free)..., then each node's partial list, head first.
 */
#include <stdio.h>

#include "cli/placements/placements.h"

static void print_list(const struct host *h, const struct kmem_frame *f,
		       const struct kmem_place *place)
{
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);

	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *s = &slab[place->first_slab + i];
		printf("%u(%u)", s->serial, s->free_on_slab);
	}
}

u32 slabs_on(const struct host *h, const struct kmem_frame *f, u32 node)
{
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);
	u32 nr = 0;

	for (u32 i = 0; i < f->nr_slabs; i++)
		nr += s[i].node == node;
	return nr;
}

void print_state_slub(const struct host *h, const struct kmem_frame *f, u32 unit)
{
	u32 nr_cpus = kmem_nr_cpus(h->session), nr_nodes = kmem_nr_nodes(h->session);
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);

	(void)unit;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		const struct kmem_place *own = find_place(h, f, PLACE_CPU_SLAB, cpu, NODE_ANY);
		if (own && own->nr_slabs)
			printf(" cpu%u:slab=%u/free=%u/part=", cpu, slab[own->first_slab].serial,
			       slab[own->first_slab].free_on_cpu);
		else
			printf(" cpu%u:slab=-1/free=0/part=", cpu);
		print_list(h, f, find_place(h, f, PLACE_CPU_PARTIAL, cpu, NODE_ANY));
	}
	for (u32 node = 0; node < nr_nodes; node++) {
		const struct kmem_place *list = find_place(h, f, PLACE_NODE_PARTIAL, CPU_NONE,
							   node);
		printf(" node%u:", node);
		print_list(h, f, list);
		printf(" nr_partial=%u slabs=%u", list ? list->nr_slabs : 0, slabs_on(h, f, node));
	}
}
