/*
 * slub.c - SLUB of Linux 6.1: allocation and free, off the fast paths (slub_fast.h).
 *
 *	alloc: CPU's freelist ─ slab's own freelist ─ CPU's chain ─ node's list ─ any node ─ new slab
 *	free:  CPU's own slab ─ frozen: leave ─ was full: onto this CPU's chain ─ empty: keep or give back
 *
 * Each seed on SLUB is a field of struct policy, never another copy of a path. Operations run to completion on
 * their virtual CPU, so what guards the kernel against races (transaction ids, cmpxchg, interrupts) is left out.
 * Kernel: slab_alloc_node(), ___slab_alloc(), do_slab_free(), __slab_free() in mm/slub.c, 6.1.
 */
#include "slub_fast.h"

/* First object of the CPU's freelist, which is not empty. */
ALWAYS_INLINE object_loc take_object(struct world *w, struct kmem_cache *s,
				     struct kmem_cache_cpu *c, const int rec)
{
	struct slab *slab = at(w, c->slab);
	u32 index = c->freelist - 1u;

	c->freelist = slab->link[index];
	c->nr_free--;
	slab->link[index] = LINK_ALLOCATED;
	EMIT_IF(rec, w, OBJECT_TAKEN, s->id, slab->node, slab->serial, index, c->nr_free, 0, 0);
	return LOC(c->slab, index);
}

/* The whole of the slab's own freelist goes to the CPU that holds it. */
ALWAYS_INLINE void load_freelist(struct kmem_cache_cpu *c, struct slab *slab)
{
	c->freelist = slab->freelist;
	c->nr_free = (u16)slab_free_count(slab);
	slab->freelist = LINK_END;
	slab->inuse = slab->objects;
}

ALWAYS_INLINE void install(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	c->slab = ref_of(w, slab);
	slab->place = PLACE_CPU_SLAB;
	slab->frozen = 1;
	slab->owner = (u16)w->cpu;
}

/* Head of the CPU's chain becomes its cpu slab; 0 if there is no chain. */
ALWAYS_INLINE int take_from_chain(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  const int rec)
{
	if (!c->partial)
		return 0;
	struct slab *slab = at(w, c->partial);
	u32 left = slab->chain_slabs - 1;
	c->partial = slab->next;
	install(w, c, slab);
	STAT_IF(rec, c, w, s, CPU_PARTIAL_ALLOC, slab->node, slab->serial, left, 0, 0, 0);
	return 1;
}

/* Slow path while the CPU has, or can get from its chain, a slab: 1 when its freelist is loaded. */
ALWAYS_INLINE int use_own_slabs(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				u32 node, const int rec)
{
	while (c->slab || take_from_chain(w, s, c, rec)) {
		struct slab *slab = at(w, c->slab);
		if (node != NODE_ANY && slab->node != node) {
			u32 freelist = c->freelist;
			c->slab = 0;
			c->freelist = LINK_END;
			c->nr_free = 0;
			slab->place = PLACE_TRANSIT;
			STAT_IF(rec, c, w, s, ALLOC_NODE_MISMATCH, slab->node, slab->serial,
				slab->node, node, 0, 0);
			slub_deactivate(w, s, slab, freelist);
			continue;
		}
		if (slab->freelist) {
			load_freelist(c, slab);
			STAT_IF(rec, c, w, s, ALLOC_REFILL, slab->node, slab->serial, c->nr_free, 0,
				0, 0);
			return 1;
		}
		/* Everything is allocated: nobody needs to find this slab until something in it is freed. */
		c->slab = 0;
		slab->frozen = 0;
		slab->owner = CPU_NONE;
		slab->place = PLACE_NODE_FULL;
		STAT_IF(rec, c, w, s, DEACTIVATE_BYPASS, slab->node, slab->serial, 0, 0, 0, 0);
	}
	return 0;
}

static u32 slow_reason(const struct kmem_cache_cpu *c)
{
	if (!c->slab)
		return REASON_NO_CPU_SLAB;
	return c->freelist ? REASON_NODE_DIFFERS : REASON_FREELIST_EMPTY;
}

/* Nothing of the CPU's own serves: a node's slab, or a new one. */
NOINLINE object_loc alloc_elsewhere(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node)
{
	struct slab *slab = slub_get_partial(w, s, c, node);

	if (slab) {
		load_freelist(c, slab);
		return take_object(w, s, c, is_recording(w));
	}
	slab = slub_new_slab(w, s, node);
	if (!slab) {
		EMIT(w, ALLOC_FAILED, s->id, node, node, 0, 0, 0, 0);
		return 0;
	}
	install(w, c, slab);
	load_freelist(c, slab);
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, 0);
	return take_object(w, s, c, is_recording(w));
}

ALWAYS_INLINE object_loc alloc_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node, const int rec)
{
	int debug = (s->flags & CACHE_DEBUG) != 0;

	w->slow_paths++;
	STAT_IF(rec, c, w, s, ALLOC_SLOWPATH, NODE_ANY, debug ? REASON_DEBUG : slow_reason(c), node,
		0, 0, 0);
	if (unlikely(debug))
		return slub_debug_alloc(w, s, c, node);
	if (use_own_slabs(w, s, c, node, rec))
		return take_object(w, s, c, rec);
	return alloc_elsewhere(w, s, c, node);
}

object_loc slub_alloc_slow_plain(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node)
{
	return alloc_slow(w, s, c, node, 0);
}

object_loc slub_alloc_slow_recorded(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node)
{
	return alloc_slow(w, s, c, node, 1);
}

/* Whether a slab that a free has just emptied goes back; the slab itself may be on the list it is counted in. */
static int give_back_empty(struct world *w, struct kmem_cache *s, const struct slab *slab)
{
	u32 nr_partial = slub_node(w, s, slab->node)->nr_partial;

	if (w->policy.release_on_free)
		return 1;
	int release = nr_partial >= s->min_partial;
	EMIT(w, THRESHOLD, s->id, slab->node, WHAT_NR_PARTIAL_MIN_PARTIAL, nr_partial,
	     s->min_partial, release ? OUTCOME_RELEASE : OUTCOME_KEEP, 0);
	return release;
}

/* A free that concerns more than the slab itself: it was full, or it is now empty. */
void slub_free_to_node(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	lock_take(w, &n->list_lock, s->id, slab->node);
	if (was_full && unlikely(s->flags & CACHE_DEBUG))
		slub_full_remove(w, s, slab);
	if (slab->inuse == 0 && give_back_empty(w, s, slab)) {
		if (!was_full) {
			slub_list_remove(w, s, slab);
			STAT(w, s, FREE_REMOVE_PARTIAL, slab->node, slab->serial, n->nr_partial, 0,
			     0, 0);
		}
		lock_release(w, &n->list_lock);
		slub_discard_slab(w, s, slab, 1);
		return;
	}
	if (was_full) {
		slub_list_add(w, s, slab, LIST_TAIL);
		STAT(w, s, FREE_ADD_PARTIAL, slab->node, slab->serial, slab_free_count(slab),
		     n->nr_partial, 0, 0);
	}
	lock_release(w, &n->list_lock);
}

object_loc slub_alloc_first(struct world *w, struct kmem_cache *s, u32 cpu, u32 node)
{
	struct kmem_cache_cpu *c = slub_make_cpu(w, s, cpu);

	return is_recording(w) ? slub_alloc_slow_recorded(w, s, c, node)
			       : slub_alloc_slow_plain(w, s, c, node);
}

void slub_free_first(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	slub_make_cpu(w, s, cpu);
	if (is_recording(w))
		slub_free(w, s, cpu, loc, 1);
	else
		slub_free(w, s, cpu, loc, 0);
}

static u32 slub_serial(const struct world *w, ref slab)
{
	return ((struct slab *)at(w, slab))->serial;
}

static void slub_count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	const ref *cpus = at(w, s->cpus);

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		if (!cpus[cpu])
			continue;
		const struct kmem_cache_cpu *c = at(w, cpus[cpu]);
		for (u32 k = 0; k < NR_SLUB_COUNTERS; k++)
			sum[k] += c->counters[k];
	}
}

static object_loc slub_alloc_any(struct world *w, struct kmem_cache *s, u32 cpu, u32 node,
				 u32 bytes)
{
	(void)bytes;
	return is_recording(w) ? slub_alloc(w, s, cpu, node, 1) : slub_alloc(w, s, cpu, node, 0);
}

static void slub_free_any(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	if (is_recording(w))
		slub_free(w, s, cpu, loc, 1);
	else
		slub_free(w, s, cpu, loc, 0);
}

const struct kmem_ops slub_ops = {
	.name = "slub",
	.counters = COUNTER_BIT(NR_SLUB_COUNTERS) - 1,
	.smallest_kmalloc = 8,
	.create = slub_create,
	.alloc = slub_alloc_any,
	.free = slub_free_any,
	.shrink = slub_shrink,
	.set = slub_set,
	.walk = slub_walk,
	.check = slub_check,
	.serial = slub_serial,
	.count = slub_count,
	.info = slub_info,
};
