/*
 * slub.c - SLUB of Linux 6.1: allocation and free off the fast paths (slub_fast.h).
 *
 *	alloc: cpu freelist ─ slab freelist ─ per-CPU partial list ─ node partial list ─ any node ─ new slab
 *	free:  cpu slab ─ frozen: stays ─ was full: onto the per-CPU partial list ─ empty: keep or discard
 *
 * Each proposal for SLUB is a field of struct policy, never a second copy of a path. Events run to
 * completion on their virtual CPU. The kernel's guards against races (transaction ids, cmpxchg,
 * interrupts) are therefore left out.
 *
 * Kernel: slab_alloc_node(), ___slab_alloc(), do_slab_free(), __slab_free() in mm/slub.c, 6.1.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

/* Deactivates a cpu slab that is not on the requested node. */
void slub_give_up(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 node)
{
	struct detached d = slub_detach(w, c);

	STAT_ON(c, w, s, ALLOC_NODE_MISMATCH, d.slab->node, d.slab->serial, d.slab->node, node);
	slub_deactivate(w, s, &d);
}

/* A new slab becomes the cpu slab. If the requested node is out of memory, a partial slab of
 * another node may serve instead. */
static struct slab *new_cpu_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node)
{
	int there = node != NODE_ANY && w->policy.node_first;
	struct slab *slab = there ? slub_new_slab_there(w, s, node) : slub_new_slab(w, s, node);

	if (!slab && there) {
		slab = slub_get_partial_anywhere(w, s, c, node);
		if (slab) {
			line_touch(w, &slab->line);
			return slab;
		}
		slab = slub_new_slab(w, s, node);
	}
	if (!slab)
		return NULL;
	slub_install(w, c, slab);
	slub_load_freelist(w, c, slab);
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_CPU_SLAB);
	return slab;
}

/* Runs when the CPU has no free objects left: takes a slab from a node partial list, or a new one. */
object_loc slub_alloc_elsewhere(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				u32 node)
{
	if (unlikely(s->flags & CACHE_DEBUG))
		return slub_debug_alloc(w, s, c, node);
	struct slab *slab = slub_get_partial(w, s, c, node);
	if (slab)
		line_touch(w, &slab->line);
	else
		slab = new_cpu_slab(w, s, c, node);
	if (!slab) {
		emit_ALLOC_FAILED(w, s->id, node, node);
		return 0;
	}
	return slub_take_object(w, c, slab, c->freelist, c->nr_free, is_recording(w));
}

/* Handles a free that changes the slab's list, because the slab was full or is now empty. */
void slub_free_to_node(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	/* An empty slab on a per-CPU partial list that isn't frozen: its CPU decides. */
	if (slab->place == PLACE_CPU_PARTIAL)
		return;
	lock_take(w, &n->list_lock, s->id, slab->node);
	/* The list whose length is checked may contain the slab itself. */
	int release = slab->inuse == 0 &&
		      (w->policy.release_on_free || slub_not_needed(w, s, slab));
	if (was_full && unlikely(s->flags & CACHE_DEBUG))
		slub_full_remove(w, s, slab);
	if (release) {
		if (!was_full) {
			slub_list_remove(w, s, slab);
			STAT(w, s, FREE_REMOVE_PARTIAL, slab->node, slab->serial, n->nr_partial);
		}
		lock_release(w, &n->list_lock);
		slub_discard_slab(w, s, slab, 1);
		return;
	}
	if (was_full) {
		slub_list_add(w, s, slab, END_TAIL);
		STAT(w, s, FREE_ADD_PARTIAL, slab->node, slab->serial, slab_free_count(slab),
		     n->nr_partial);
	}
	lock_release(w, &n->list_lock);
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
		for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++)
			sum[k] += c->counters[k];
	}
	if (slub_own(w, s)->has_barns)
		slub_sheaf_count(w, s, sum);
}

static object_loc slub_alloc_any(struct world *w, struct kmem_cache *s, u32 cpu, u32 node,
				 u32 bytes)
{
	(void)bytes;
	return slub_alloc_long_way(w, s, cpu, node);
}

int slub_has_counter(const struct world *w, u32 counter)
{
	/* Returns the free objects of cpu slabs and per-CPU partial lists. */
	static const u64 until_7_0 =
		COUNTER_BIT(FREE_FROZEN) | COUNTER_BIT(ALLOC_FROM_PARTIAL) |
		COUNTER_BIT(ALLOC_REFILL) | COUNTER_BIT(CPUSLAB_FLUSH) |
		COUNTER_BIT(DEACTIVATE_FULL) | COUNTER_BIT(DEACTIVATE_EMPTY) |
		COUNTER_BIT(DEACTIVATE_TO_HEAD) | COUNTER_BIT(DEACTIVATE_TO_TAIL) |
		COUNTER_BIT(DEACTIVATE_REMOTE_FREES) | COUNTER_BIT(DEACTIVATE_BYPASS) |
		COUNTER_BIT(CMPXCHG_DOUBLE_CPU_FAIL) | COUNTER_BIT(CPU_PARTIAL_ALLOC) |
		COUNTER_BIT(CPU_PARTIAL_FREE) | COUNTER_BIT(CPU_PARTIAL_NODE) |
		COUNTER_BIT(CPU_PARTIAL_DRAIN);

	if (counter < NR_KERNEL_COUNTERS)
		return !w->policy.no_cpu_slabs || !(until_7_0 >> counter & 1);
	if (counter - ALLOC_PCS >= NR_SHEAF_COUNTERS || !slub_has_sheaves(w))
		return 0;
	if (counter == ALLOC_PCS || counter == FREE_PCS || counter == SHEAF_SWAP)
		return !w->policy.no_cpu_slabs;
	return counter <= BARN_PUT_FAIL || w->policy.no_cpu_slabs;
}

static u32 slub_levels(const struct world *w, const struct kmem_cache *s)
{
	u32 has_sheaves = s ? slub_own(w, s)->sheaf_capacity : w->policy.sheaf_capacity;

	if (w->policy.no_cpu_slabs)
		return has_sheaves ? LEVELS_SHEAVES_ONLY : LEVELS_SLABS_ONLY;
	return has_sheaves ? LEVELS_SHEAVES : LEVELS_SLUB;
}

/* An automatic sheaf capacity belongs to kernels without cpu slabs. */
static void slub_settle(struct policy *p)
{
	if (p->sheaf_capacity == AUTOMATIC && !p->no_cpu_slabs)
		p->sheaf_capacity = 0;
	if (p->no_cpu_slabs)
		p->cpu_partial_lists = 0;
}

#ifndef KMEM_FIRST_VIEW
/* Before 7.0 bulk requests went to the cpu slab, and RCU's objects were kept outside SLUB. With debugging or sheaves the model
 * takes bulk requests apart. */
static object_loc slub_request_any(struct world *w, struct kmem_cache *s, u32 cpu,
				   const struct request *q)
{
	int one_by_one = w->policy.no_cpu_slabs || s->flags & CACHE_DEBUG ||
			 slub_own(w, s)->sheaf_capacity;
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
	u64 cycles = s->cycles, fast = slub_fast_cycles(w, c);
	object_loc loc = 0;

	if (w->policy.no_cpu_slabs && q->kind != REQUEST_FREE_ADOPTED)
		return slub_request(w, s, cpu, q);
	if (q->kind == REQUEST_FREE_ADOPTED)
		slub_disown(w, q->loc);
	if (q->kind == REQUEST_GROUP_TAKE && !one_by_one)
		loc = slub_take_uncounted(w, s, cpu);
	if (q->kind == REQUEST_FREE_GROUP)
		slub_free_list(w, s, cpu, q->locs, q->number);
	int is_put = q->kind == REQUEST_BULK_PUT || (q->kind == REQUEST_FREE_ADOPTED && q->number);
	if (is_put && !one_by_one)
		slub_list_put(w, s, cpu, q->loc);
	else if (is_put || q->kind == REQUEST_FREE_ADOPTED || q->kind == REQUEST_FREE_RCU)
		slub_free_long_way(w, s, cpu, q->loc);
	if (q->kind == REQUEST_BULK_FREE)
		slub_lists_free(w, s, cpu);
	if (!w->policy.no_cpu_slabs && (q->kind != REQUEST_GROUP_TAKE || loc))
		slub_charge(w, s, c, cycles, fast);
	return loc;
}
#endif

const struct kmem_ops slub_ops = {
	.placements = &slub_placements,
	.measures = MEASURE_BIT(NUM_GET_ANY_PARTIAL_ENTERED) | MEASURE_BIT(NUM_ZONES_VISITED),
	.has_counter = slub_has_counter,
	.smallest_kmalloc = 8,
	.adds_up_cycles = 1,
	.levels_of = slub_levels,
	.settle = slub_settle,
	.requests = REQUEST_BIT(OP_FLUSH) | REQUEST_BIT(OP_SHRINK) | REQUEST_BIT(OP_CORRUPT) |
		    REQUEST_BIT(OP_VALIDATE),
	.create = slub_create,
	.sheaf_capacity = slub_capacity_of_sheaves,
	.alloc = slub_alloc_any,
	.free = slub_free_long_way,
#ifndef KMEM_FIRST_VIEW
	.force = slub_force,
	.part = slub_sheaf_part,
	.request = slub_request_any,
	.slabinfo_objects = slub_slabinfo_objects,
	.adopt = slub_adopt,
	.adopts_exactly = 1,
	.adopt_sheaf = slub_adopt_sheaf,
	.shrink = slub_shrink,
	.set = slub_set,
	.locks = slub_locks,
	.attribute = slub_attribute,
	.object = slub_object,
	.bytes = slub_bytes,
	.corrupt = slub_corrupt,
	.address = slub_address,
	.object_with = slub_object_with,
	.validate = slub_validate,
	.check = slub_check,
#endif
	.walk = slub_walk,
	.serial = slub_serial,
	.count = slub_count,
	.info = slub_info,
};
