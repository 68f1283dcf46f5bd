/*
 * slub_fast.h - SLUB's fast paths, and a free to a slab that stays where it is: what most operations are.
 *
 * In a header, so that the loop of replay has them without a call. `rec` is a constant: without a listener there is
 * no trace of recording. Kernel: slab_alloc_node(), do_slab_free(), first part of __slab_free(), mm/slub.c, 6.1.
 */
#ifndef ALLOC_SLUB_FAST_H
#define ALLOC_SLUB_FAST_H

#include "slub.h"

/* slub.c */
object_loc slub_alloc_slow_plain(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node);
object_loc slub_alloc_slow_recorded(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node);
void slub_free_to_node(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full);
/* First use of the cache on this CPU. */
object_loc slub_alloc_first(struct world *w, struct kmem_cache *s, u32 cpu, u32 node);
void slub_free_first(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);

/* node: NODE_ANY or a node of the machine. 0 when there is no memory. */
ALWAYS_INLINE object_loc slub_alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node,
				    const int rec)
{
	ref mine = ((ref *)at(w, s->cpus))[cpu];
	struct kmem_cache_cpu *c = at(w, mine);
	struct slab *slab = at(w, c->slab);

	if (unlikely(!mine))
		return slub_alloc_first(w, s, cpu, node);
	if (unlikely(!c->freelist || (node != NODE_ANY && slab->node != node)))
		return rec ? slub_alloc_slow_recorded(w, s, c, node)
			   : slub_alloc_slow_plain(w, s, c, node);
	u32 index = c->freelist - 1u;
	c->freelist = slab->link[index];
	c->nr_free--;
	slab->link[index] = LINK_ALLOCATED;
	c->counters[ALLOC_FASTPATH]++;
	EMIT_IF(rec, w, ALLOC_FASTPATH, s->id, slab->node, slab->serial, index, c->nr_free, 0, 0);
	return LOC(c->slab, index);
}

ALWAYS_INLINE u32 slub_owner_of_place(u32 place)
{
	switch (place) {
	case PLACE_CPU_SLAB:
		return OWNER_CPU_SLAB;
	case PLACE_CPU_PARTIAL:
		return OWNER_CHAIN;
	case PLACE_NODE_PARTIAL:
		return OWNER_NODE_LIST;
	default:
		return OWNER_FULL;
	}
}

ALWAYS_INLINE void slub_free_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  struct slab *slab, u32 index, const int rec)
{
	int was_full = slab->freelist == LINK_END;

	w->slow_paths++;
	slab->link[index] = slab->freelist;
	slab->freelist = (u16)(index + 1);
	slab->inuse--;
	STAT_IF(rec, c, w, s, FREE_SLOWPATH, slab->node, slab->serial, index,
		slub_owner_of_place(slab->place), slab->owner, slab_free_count(slab));
	if (slab->frozen)
		STAT_IF(rec, c, w, s, FREE_FROZEN, slab->node, slab->serial, slab->owner, 0, 0, 0);
	else if (was_full && s->chains && rec)
		slub_put_cpu_partial_recorded(w, s, c, slab);
	else if (was_full && s->chains)
		slub_put_cpu_partial_plain(w, s, c, slab);
	else if (unlikely(was_full || !slab->inuse))
		slub_free_to_node(w, s, slab, was_full);
}

ALWAYS_INLINE void slub_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc,
			     const int rec)
{
	ref mine = ((ref *)at(w, s->cpus))[cpu];
	struct kmem_cache_cpu *c = at(w, mine);
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 index = LOC_INDEX(loc);

	if (unlikely(!mine)) {
		slub_free_first(w, s, cpu, loc);
		return;
	}
	KASSERT(slab->link[index] == LINK_ALLOCATED);
	if (unlikely(c->slab != LOC_SLAB(loc))) {
		slub_free_slow(w, s, c, slab, index, rec);
		return;
	}
	slab->link[index] = c->freelist;
	c->freelist = (u16)(index + 1);
	c->nr_free++;
	c->counters[FREE_FASTPATH]++;
	EMIT_IF(rec, w, FREE_FASTPATH, s->id, slab->node, slab->serial, index, 0, 0, 0);
}

#endif
