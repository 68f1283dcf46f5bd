/*
 * placements_slab.c - SLAB's state in the notation of the golden files: cpuN:avail=A/touched=T ..., then each
 * node's three lists, head first as slab(active).
 */
#include <stdio.h>

#include "cli/placements/placements.h"

/* Returns the free objects of the list's slabs. */
static u32 print_list(const struct host *h, const struct kmem_frame *f, const char *name, u32 kind,
		      u32 node)
{
	const struct kmem_place *place = find_place(h, f, kind, CPU_NONE, node);
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);

	printf(" %s=", name);
	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *s = &slab[place->first_slab + i];
		printf("%s%u(%u)", i ? ";" : "", s->serial, s->inuse);
	}
	return place ? place->free_objects : 0;
}

void print_state_slab(const struct host *h, const struct kmem_frame *f, u32 unit)
{
	u32 nr_cpus = kmem_nr_cpus(h->session), nr_nodes = kmem_nr_nodes(h->session);

	(void)unit;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		const struct kmem_place *own = find_place(h, f, PLACE_CPU_ARRAY, cpu, NODE_ANY);
		printf(" cpu%u:avail=%u/touched=%u", cpu, own ? own->nr_entries : 0,
		       own ? own->touched : 0);
	}
	for (u32 node = 0; node < nr_nodes; node++) {
		const struct kmem_place *shared = find_place(h, f, PLACE_SHARED_ARRAY, CPU_NONE,
							     node);
		printf(" node%u:", node);
		print_list(h, f, "full", PLACE_NODE_FULL, node);
		u32 free_objects = print_list(h, f, "partial", PLACE_NODE_PARTIAL, node);
		free_objects += print_list(h, f, "free", PLACE_NODE_FREE, node);
		printf(" free_objects=%u shared=%u", free_objects, shared ? shared->nr_entries : 0);
	}
}
