/*
 * slub_fast.h - SLUB's fast paths, and a free to a slab that stays where it is: what most operations are.
 *
 * In a header, so that the loop of replay has them without a call. `rec` is a constant: without a listener there is
 * no trace of recording. Kernel: slab_alloc_node(), do_slab_free(), first part of __slab_free(), mm/slub.c, 6.1.
 */
#ifndef ALLOC_SLUB_SLUB_FAST_H
#define ALLOC_SLUB_SLUB_FAST_H

#include "alloc/slub/slub.h"

/* slub.c */
object_loc slub_alloc_elsewhere(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				u32 node);
void slub_give_up(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 node);
void slub_free_to_node(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full);
/* slub_slowpath.c: first use of the cache on this CPU, or the cache has something to do on every operation. */
object_loc slub_alloc_long_way(struct world *w, struct kmem_cache *s, u32 cpu, u32 node);
void slub_free_long_way(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);

/* The CPU's freelist is `first` and what is linked to it, `nr` in all: its head goes; returns the index. */
ALWAYS_INLINE u32 slub_pop(struct kmem_cache_cpu *c, struct slab *slab, u32 first, u32 nr)
{
	u32 index = first - 1;

	c->freelist = slab->link[index];
	c->nr_free = (u16)(nr - 1);
	slab->link[index] = LINK_ALLOCATED;
	return index;
}

ALWAYS_INLINE object_loc slub_take_object(struct world *w, struct kmem_cache_cpu *c,
					  struct slab *slab, u32 first, u32 nr, const int rec)
{
	u32 index = slub_pop(c, slab, first, nr);

	TELL_SLAB(rec, w, slab, OBJECT_TAKEN, index, nr - 1, 0, 0);
	return LOC(c->slab, index);
}

/* The whole slab freelist goes to the CPU that holds the slab. */
ALWAYS_INLINE void slub_move_freelist(struct kmem_cache_cpu *c, struct slab *slab)
{
	c->freelist = slab->freelist;
	c->nr_free = (u16)slab_free_count(slab);
	slab->freelist = LINK_END;
	slab->inuse = slab->objects;
}

ALWAYS_INLINE void slub_load_freelist(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	line_touch(w, &slab->line);
	slub_move_freelist(c, slab);
}

/* The same, and an object of it is taken. */
ALWAYS_INLINE object_loc slub_refill(struct world *w, struct kmem_cache_cpu *c, struct slab *slab,
				     const int rec)
{
	u32 first = slab->freelist, nr = slab_free_count(slab);

	slub_load_freelist(w, c, slab);
	STAT_SLAB(rec, c, w, slab, ALLOC_REFILL, nr, 0, 0, 0);
	return slub_take_object(w, c, slab, first, nr, rec);
}

ALWAYS_INLINE void slub_install(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	c->slab = ref_of(w, slab);
	slab->place = PLACE_CPU_SLAB;
	slab->owner = w->cpu;
}

/* Head of the CPU's chain becomes its cpu slab. */
ALWAYS_INLINE struct slab *slub_take_from_chain(struct world *w, struct kmem_cache_cpu *c,
						const int rec)
{
	struct slab *slab = at(w, c->partial);

	c->slab = c->partial;
	c->partial = slab->next;
	c->chain_slabs--;
	slab->place = PLACE_CPU_SLAB;
	slab->owner = w->cpu;
	STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_ALLOC, c->chain_slabs, 0, 0, 0);
	return slab;
}

/* Everything is allocated: nobody needs to find this slab until something in it is freed. */
ALWAYS_INLINE void slub_let_go(struct world *w, struct kmem_cache_cpu *c, struct slab *slab,
			       const int rec)
{
	c->slab = 0;
	slab->owner = CPU_NONE;
	slab->place = PLACE_NODE_FULL;
	STAT_SLAB(rec, c, w, slab, DEACTIVATE_BYPASS, 0, 0, 0, 0);
}

ALWAYS_INLINE u32 slub_slow_reason(const struct kmem_cache *s, const struct kmem_cache_cpu *c)
{
	if (s->flags & CACHE_DEBUG)
		return REASON_DEBUG;
	if (!c->slab)
		return REASON_NO_CPU_SLAB;
	return c->freelist ? REASON_NODE_DIFFERS : REASON_FREELIST_EMPTY;
}

ALWAYS_INLINE int slub_node_differs(const struct slab *slab, u32 node)
{
	return node != NODE_ANY && slab->node != node;
}

/* The CPU's own slabs first: the one it has, then those of its chain, which all have free objects. */
ALWAYS_INLINE object_loc slub_alloc_from_own(struct world *w, struct kmem_cache *s,
					     struct kmem_cache_cpu *c, u32 node, const int rec)
{
	w->slow_paths++;
	STAT_IF(rec, c, w, s, ALLOC_SLOWPATH, NODE_ANY, slub_slow_reason(s, c), node, 0, 0, 0);
	if (c->slab) {
		struct slab *slab = at(w, c->slab);
		if (unlikely(slub_node_differs(slab, node)))
			slub_give_up(w, s, c, node);
		else if (slab->freelist)
			return slub_refill(w, c, slab, rec);
		else if (unlikely(w->policy.deactivate_exhausted))
			slub_deactivate_exhausted(w, s, c);
		else
			slub_let_go(w, c, slab, rec);
	}
	while (c->partial) {
		struct slab *slab = slub_take_from_chain(w, c, rec);
		if (likely(!slub_node_differs(slab, node)))
			return slub_refill(w, c, slab, rec);
		slub_give_up(w, s, c, node);
	}
	return slub_alloc_elsewhere(w, s, c, node);
}

ALWAYS_INLINE object_loc slub_alloc_slow(struct world *w, struct kmem_cache *s,
					 struct kmem_cache_cpu *c, u32 node, const int rec)
{
	object_loc loc = slub_alloc_from_own(w, s, c, node, rec);

	s->cycles += op_cycles(w);
	return loc;
}

ALWAYS_INLINE object_loc slub_alloc_from_slabs(struct world *w, struct kmem_cache *s,
					       struct kmem_cache_cpu *c, u32 node, const int rec)
{
	struct slab *slab = at(w, c->slab);

	if (unlikely(!c->freelist || slub_node_differs(slab, node)))
		return slub_alloc_slow(w, s, c, node, rec);
	u32 nr = c->nr_free, index = slub_pop(c, slab, c->freelist, nr);
	STAT_SLAB(rec, c, w, slab, ALLOC_FASTPATH, index, nr - 1, 0, 0);
	return LOC(c->slab, index);
}

/* node: NODE_ANY or a node of the machine. 0 when there is no memory. */
ALWAYS_INLINE object_loc slub_alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node,
				    const int rec)
{
	ref mine = ((ref *)at(w, s->fast_cpus))[cpu];

	if (unlikely(!mine))
		return slub_alloc_long_way(w, s, cpu, node);
	return slub_alloc_from_slabs(w, s, at(w, mine), node, rec);
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

/* A slab that was full goes onto this CPU's chain. */
ALWAYS_INLINE void slub_put_cpu_partial(struct world *w, struct kmem_cache *s,
					struct kmem_cache_cpu *c, struct slab *slab, const int rec)
{
	u32 have = c->chain_slabs;

	if (unlikely(s->chains == CHAINS_COUNT_OBJECTS)) {
		slub_put_counting_objects(w, s, c, slab);
		return;
	}
	if (have) {
		int full = have >= s->cpu_partial_slabs;
		EMIT_IF(rec, w, THRESHOLD, s->id, NODE_ANY, WHAT_CHAIN_CPU_PARTIAL, have,
			s->cpu_partial_slabs, full ? OUTCOME_DRAIN : OUTCOME_PUSH, 0);
		if (unlikely(full)) {
			slub_drain_and_push(w, s, c, slab);
			return;
		}
	}
	slub_chain_push(w, c, slab);
	STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_FREE, c->chain_slabs, 0, 0, 0);
}

ALWAYS_INLINE void slub_free_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  struct slab *slab, u32 index, const int rec)
{
	int was_full = slab->freelist == LINK_END;

	w->slow_paths++;
	line_touch(w, &slab->line);
	slab->link[index] = slab->freelist;
	slab->freelist = (u16)(index + 1);
	slab->inuse--;
	STAT_SLAB(rec, c, w, slab, FREE_SLOWPATH, index, slub_owner_of_place(slab->place),
		  slab->owner, slab_free_count(slab));
	if (slab->owner != CPU_NONE)
		STAT_SLAB(rec, c, w, slab, FREE_FROZEN, slab->owner, 0, 0, 0);
	else if (was_full && s->chains)
		slub_put_cpu_partial(w, s, c, slab, rec);
	else if (unlikely(was_full || !slab->inuse))
		slub_free_to_node(w, s, slab, was_full);
}

ALWAYS_INLINE void slub_free_to_slabs(struct world *w, struct kmem_cache *s,
				      struct kmem_cache_cpu *c, object_loc loc, const int rec)
{
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 index = LOC_INDEX(loc);

	KASSERT(slab->link[index] == LINK_ALLOCATED);
	if (unlikely(c->slab != LOC_SLAB(loc))) {
		slub_free_slow(w, s, c, slab, index, rec);
		s->cycles += op_cycles(w);
		return;
	}
	slab->link[index] = c->freelist;
	c->freelist = (u16)(index + 1);
	c->nr_free++;
	STAT_SLAB(rec, c, w, slab, FREE_FASTPATH, index, 0, 0, 0);
}

ALWAYS_INLINE void slub_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc,
			     const int rec)
{
	ref mine = ((ref *)at(w, s->fast_cpus))[cpu];

	if (unlikely(!mine))
		slub_free_long_way(w, s, cpu, loc);
	else
		slub_free_to_slabs(w, s, at(w, mine), loc, rec);
}

/* By these names replay.c has the fast paths in its loop. */
#define FAST_OPS slub_ops
#define fast_alloc slub_alloc
#define fast_free slub_free

#endif
