/*
 * slub_force.c - makes one free object the next that a CPU allocates, wherever it is, so that a check can go on after
 * an event that no order of events explains.
 *
 * Only the lists of the slab at work change. Kernels with cpu slabs only.
 */
#include "alloc/slub/slub_fast.h"

/* Takes the slab off its per-CPU partial list. */
static void leave_cpu_list(struct world *w, struct kmem_cache *s, ref slab)
{
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
		ref *link = &c->partial;
		while (*link && *link != slab)
			link = &((struct slab *)at(w, *link))->next;
		if (!*link)
			continue;
		*link = ((struct slab *)at(w, slab))->next;
		c->partial_slabs--;
		return;
	}
}

static void leave_place(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	if (slab->place == PLACE_CPU_SLAB)
		slub_detach(w, slub_cpu(w, s, slab->owner));
	else if (slab->place == PLACE_CPU_PARTIAL)
		leave_cpu_list(w, s, ref_of(w, slab));
	else if (slab->place == PLACE_NODE_PARTIAL)
		slub_list_remove(w, s, slab);
}

/* Moves the object to the front of the cpu freelist; returns 0 if it isn't on it. */
static int bring_to_front(struct kmem_cache_cpu *c, struct slab *slab, u32 index)
{
	u16 *link = &c->freelist;

	while (*link && *link != index + 1)
		link = &slab->link[*link - 1];
	if (!*link)
		return 0;
	*link = slab->link[index];
	slab->link[index] = c->freelist;
	c->freelist = (u16)(index + 1);
	return 1;
}

int slub_force(struct world *w, struct kmem_cache *s, u32 cpu, u32 serial, u32 index)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);

	if (slub_has_sheaves(w) || s->flags & CACHE_DEBUG ||
	    s->cpu_partial_lists == CPU_PARTIAL_OBJECTS)
		return 0;
	struct slab *slab = slub_find_slab(w, s, serial);
	if (slab && slab->place != PLACE_CPU_SLAB && !slab->freelist)
		return 0;
	if (c->slab && (!slab || c->slab != ref_of(w, slab)))
		slub_deactivate_cpu_slab(w, s, c);
	if (slab)
		leave_place(w, s, slab);
	else
		slab = slub_new_slab(w, s, NODE_ANY);
	if (!slab)
		return 0;
	slub_install(w, c, slab);
	slub_move_freelist(c, slab);
	return index < slab->objects && bring_to_front(c, slab, index);
}
