/*
 * slub_fast.h - SLUB's fast paths, and a free to a slab that stays on its list. Most events take
 * these.
 *
 * They are inline, so that the replay loop needs no call. `rec` is a constant: without a listener
 * the compiler removes all recording of steps.
 *
 * Kernel: slab_alloc_node(), do_slab_free(), the start of __slab_free(), mm/slub.c, 6.1.
 */
#ifndef ALLOC_SLUB_SLUB_FAST_H
#define ALLOC_SLUB_SLUB_FAST_H

#include "alloc/slub/slub_sheaf.h"

/* slub.c */
object_loc slub_alloc_elsewhere(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				u32 node);
void slub_give_up(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 node);
/* slub_slowpath.c: the CPU's first use of the cache, or a cache with extra work on every event. */
object_loc slub_alloc_long_way(struct world *w, struct kmem_cache *s, u32 cpu, u32 node);
void slub_free_long_way(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);
/* An event may have taken several paths; its cycles are counted once, for the whole event. */
void slub_charge(struct world *w, struct kmem_cache *s, const struct kmem_cache_cpu *c,
		 u64 cycles_before, u64 fast_before);

/* Removes the head of the cpu freelist, which starts at `first` and holds `nr` objects. Returns its
 * index. */
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

	EMIT_SLAB(rec, w, slab, OBJECT_TAKEN, index, nr - 1);
	return LOC(c->slab, index);
}

/* Moves the whole slab freelist to the cpu freelist. */
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

/* Does the same, then takes the first object. */
ALWAYS_INLINE object_loc slub_refill(struct world *w, struct kmem_cache_cpu *c, struct slab *slab,
				     const int rec)
{
	u32 first = slab->freelist, nr = slab_free_count(slab);

	slub_load_freelist(w, c, slab);
	STAT_SLAB(rec, c, w, slab, ALLOC_REFILL, nr);
	return slub_take_object(w, c, slab, first, nr, rec);
}

ALWAYS_INLINE void slub_install(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	c->slab = ref_of(w, slab);
	slab->place = PLACE_CPU_SLAB;
	slab->owner = w->cpu;
}

/* Makes the head of the per-CPU partial list the cpu slab. */
ALWAYS_INLINE struct slab *slub_take_partial(struct world *w, struct kmem_cache_cpu *c,
					     const int rec)
{
	struct slab *slab = at(w, c->partial);

	c->slab = c->partial;
	c->partial = slab->next;
	c->partial_slabs--;
	slab->place = PLACE_CPU_SLAB;
	slab->owner = w->cpu;
	STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_ALLOC, c->partial_slabs);
	return slab;
}

/* All its objects are allocated, so no list needs the slab until one of them is freed. */
ALWAYS_INLINE void slub_drop_full(struct world *w, struct kmem_cache_cpu *c, struct slab *slab,
				  const int rec)
{
	c->slab = 0;
	slab->owner = CPU_NONE;
	slab->place = PLACE_NODE_FULL;
	STAT_SLAB(rec, c, w, slab, DEACTIVATE_BYPASS);
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

/* Tries the CPU's slabs first: the cpu slab, then the per-CPU partial list, where every slab has
 * free objects. */
ALWAYS_INLINE object_loc slub_alloc_from_own(struct world *w, struct kmem_cache *s,
					     struct kmem_cache_cpu *c, u32 node, const int rec)
{
	w->slow_paths++;
	STAT_IF(rec, c, w, s, ALLOC_SLOWPATH, NODE_ANY, slub_slow_reason(s, c), node);
	if (c->slab) {
		struct slab *slab = at(w, c->slab);
		if (unlikely(slub_node_differs(slab, node)))
			slub_give_up(w, s, c, node);
		else if (slab->freelist)
			return slub_refill(w, c, slab, rec);
		else if (unlikely(w->policy.deactivate_exhausted))
			slub_deactivate_exhausted(w, s, c);
		else
			slub_drop_full(w, c, slab, rec);
	}
	while (c->partial) {
		struct slab *slab = slub_take_partial(w, c, rec);
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

#ifndef KMEM_FIRST_VIEW
/* Since 7.0 a CPU has a main sheaf instead of a cpu slab. */
ALWAYS_INLINE object_loc slub_alloc_from_sheaf(struct world *w, struct kmem_cache *s,
					       struct kmem_cache_cpu *c, u32 node, const int rec)
{
	struct slub_sheaf *main = at(w, c->main);

	if (unlikely(!c->main || !main->nr || node != NODE_ANY))
		return slub_sheaf_alloc_slow(w, s, c, node);
	object_loc loc = main->object[--main->nr];
	struct slab *slab = at(w, LOC_SLAB(loc));
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
	STAT_SLAB(rec, c, w, slab, ALLOC_FASTPATH, LOC_INDEX(loc), main->nr);
	return loc;
}

ALWAYS_INLINE void slub_free_to_sheaf(struct world *w, struct kmem_cache *s,
				      struct kmem_cache_cpu *c, object_loc loc, const int rec)
{
	struct slub_sheaf *main = at(w, c->main);
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 index = LOC_INDEX(loc);

	KASSERT(slab->link[index] == LINK_ALLOCATED);
	if (unlikely(!c->main || slab->node != c->node || main->nr == main->capacity)) {
		slub_sheaf_free_slow(w, s, c, loc);
		return;
	}
	/* Clears the bits that belong to the caller. */
	main->object[main->nr++] = LOC(LOC_SLAB(loc), index);
	slab->link[index] = LINK_SHEAF;
	STAT_SLAB(rec, c, w, slab, FREE_FASTPATH, index, main->nr);
}
#endif

ALWAYS_INLINE object_loc slub_alloc_from_slabs(struct world *w, struct kmem_cache *s,
					       struct kmem_cache_cpu *c, u32 node, const int rec)
{
	struct slab *slab = at(w, c->slab);

	if (unlikely(!c->freelist || slub_node_differs(slab, node)))
		return slub_alloc_slow(w, s, c, node, rec);
	u32 nr = c->nr_free, index = slub_pop(c, slab, c->freelist, nr);
	STAT_SLAB(rec, c, w, slab, ALLOC_FASTPATH, index, nr - 1);
	return LOC(c->slab, index);
}

/* node: NODE_ANY or a node of the machine. Returns 0 if memory runs out. */
ALWAYS_INLINE object_loc slub_alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node,
				    const int rec)
{
	ref mine = ((ref *)at(w, s->fast_cpus))[cpu];

	if (unlikely(!mine))
		return slub_alloc_long_way(w, s, cpu, node);
#ifndef KMEM_FIRST_VIEW
	if (((struct kmem_cache_cpu *)at(w, mine))->main)
		return slub_alloc_from_sheaf(w, s, at(w, mine), node, rec);
#endif
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

/* Puts a slab that was full onto this CPU's per-CPU partial list. */
ALWAYS_INLINE void slub_put_cpu_partial(struct world *w, struct kmem_cache *s,
					struct kmem_cache_cpu *c, struct slab *slab, const int rec)
{
	u32 have = c->partial_slabs;

	if (unlikely(s->cpu_partial_lists == CPU_PARTIAL_OBJECTS)) {
		slub_put_counting_objects(w, s, c, slab);
		return;
	}
	if (have) {
		int full = have >= s->cpu_partial_slabs;
		emit_if_THRESHOLD(rec, w, s->id, NODE_ANY, WHAT_CHAIN_CPU_PARTIAL, have,
				  s->cpu_partial_slabs, full ? OUTCOME_DRAIN : OUTCOME_PUSH);
		if (unlikely(full)) {
			slub_drain_and_push(w, s, c, slab);
			return;
		}
	}
	slub_partial_push(w, c, slab);
	STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_FREE, c->partial_slabs);
}

ALWAYS_INLINE void slub_push_on_slab(struct slab *slab, u32 index)
{
	slab->link[index] = slab->freelist;
	slab->freelist = (u16)(index + 1);
	slab->inuse--;
}

/* The object is on the slab freelist; decides which list the slab belongs on. */
ALWAYS_INLINE void slub_freed_slowly(struct world *w, struct kmem_cache *s,
				     struct kmem_cache_cpu *c, struct slab *slab, u32 index,
				     int was_full, const int rec)
{
	STAT_SLAB(rec, c, w, slab, FREE_SLOWPATH, index, slub_owner_of_place(slab->place),
		  slab->owner, slab_free_count(slab));
	if (slab->owner != CPU_NONE)
		STAT_SLAB(rec, c, w, slab, FREE_FROZEN, slab->owner);
	else if (was_full && s->cpu_partial_lists)
		slub_put_cpu_partial(w, s, c, slab, rec);
	else if (unlikely(was_full || !slab->inuse))
		slub_free_to_node(w, s, slab, was_full);
}

ALWAYS_INLINE void slub_free_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  struct slab *slab, u32 index, const int rec)
{
	int was_full = slab->freelist == LINK_END;

	w->slow_paths++;
	line_touch(w, &slab->line);
	slub_push_on_slab(slab, index);
	slub_freed_slowly(w, s, c, slab, index, was_full, rec);
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
	STAT_SLAB(rec, c, w, slab, FREE_FASTPATH, index, c->nr_free);
}

ALWAYS_INLINE void slub_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc,
			     const int rec)
{
	ref mine = ((ref *)at(w, s->fast_cpus))[cpu];

	if (unlikely(!mine))
		slub_free_long_way(w, s, cpu, loc);
#ifndef KMEM_FIRST_VIEW
	else if (((struct kmem_cache_cpu *)at(w, mine))->main)
		slub_free_to_sheaf(w, s, at(w, mine), loc, rec);
#endif
	else
		slub_free_to_slabs(w, s, at(w, mine), loc, rec);
}

/* replay.c calls the fast paths by these names. */
#define FAST_OPS slub_ops
#define fast_alloc slub_alloc
#define fast_free slub_free

#endif
