/*
 * slub_sysfs.c - SLUB in /sys/kernel/slab: the writable attributes, and slabinfo's counts.
 *
 * Kernel: slab_attributes, get_slabinfo() in mm/slub.c, 6.1.
 */
#include "sim/cache.h"
#include "alloc/slub/slub_sheaf.h"

static u32 set_min_partial(const struct world *w, struct kmem_cache *s, u32 value)
{
	struct policy p = w->policy;

	p.min_partial = min_partial_written(&p, value);
	return s->min_partial = min_partial_of(&p, s->size);
}

static u32 set_cpu_partial(struct world *w, struct kmem_cache *s, u32 value)
{
	struct policy p = w->policy;

	p.cpu_partial = value;
	/* The kernel accepts only 0 for a cache without per-CPU partial lists. Since 7.0 writing it no
	 * longer flushes. */
	s->cpu_partial = s->cpu_partial_lists ? cpu_partial_of(&p, w->machine.page_shift, s->size)
					      : 0;
	s->cpu_partial_slabs = cpu_partial_slabs_of(s->cpu_partial, s->objects);
	if (!w->policy.no_cpu_slabs)
		slub_shrink(w, s, w->cpu, SHRINK_FLUSH_ALL);
	return s->cpu_partial;
}

int slub_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old)
{
	switch (param) {
	case PARAM_MIN_PARTIAL:
		*old = s->min_partial;
		*value = set_min_partial(w, s, *value);
		return 1;
	case PARAM_CPU_PARTIAL:
		/* Since 7.0 the file still exists, but accepts only 0. */
		if (w->policy.no_cpu_slabs && *value)
			return 0;
		*old = s->cpu_partial;
		*value = set_cpu_partial(w, s, *value);
		return 1;
	case PARAM_INTERRUPTED_REFILL:
		*old = slub_own(w, s)->interrupt_every;
		slub_own(w, s)->interrupt_every = *value;
		slub_choose_way(w, s);
		return 1;
	case PARAM_REMOTE_NODE_DEFRAG_RATIO:
		*old = s->defrag_ratio / 10;
		s->defrag_ratio = *value * 10;
		return 1;
	default:
		return 0;
	}
}

void slub_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	const ref *cpus = at(w, s->cpus);
	u32 free = 0;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		if (!cpus[cpu])
			continue;
		const struct kmem_cache_cpu *c = at(w, cpus[cpu]);
		row->cpu_slabs += c->slab != 0;
		row->cpu_slabs += c->partial_slabs;
		row->cycles += slub_fast_cycles(w, c);
	}
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		for (ref r = slub_node(w, s, node)->head; r;) {
			const struct slab *slab = at(w, r);
			free += slab_free_count(slab);
			r = slab->next;
		}
	row->objects = s->total_objects - free;
	row->active_slabs = s->slabs;
}

#ifndef KMEM_FIRST_VIEW
enum { MOST_SLABS_SCANNED = 10000 };

/* Counts the free objects of up to `most` slabs, starting at one end of the list. */
static u64 free_from(const struct world *w, ref first, u32 most, int backwards)
{
	u64 free = 0;

	for (ref r = first; r && most; most--) {
		const struct slab *slab = at(w, r);
		free += slab_free_count(slab);
		r = backwards ? slab->prev : slab->next;
	}
	return free;
}

/* Since 7.0 half the limit is counted at either end of a longer list, and the whole is estimated from that. */
u32 slub_slabinfo_objects(const struct world *w, const struct kmem_cache *s)
{
	u64 free = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slub_node(w, s, node);
		if (!w->policy.no_cpu_slabs || n->nr_partial <= MOST_SLABS_SCANNED) {
			free += free_from(w, n->head, n->nr_partial, 0);
			continue;
		}
		u64 seen = free_from(w, n->head, MOST_SLABS_SCANNED / 2, 0) +
			   free_from(w, n->tail, MOST_SLABS_SCANNED / 2, 1);
		u64 estimate = seen * n->nr_partial / MOST_SLABS_SCANNED;
		free += MIN(estimate, (u64)n->total_objects);
	}
	return (u32)(s->total_objects - free);
}
#endif

void slub_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		lock_report(v, &slub_node(w, s, node)->list_lock, LOCK_LIST, s->id, node, 0xffff);
	for (u32 node = 0; slub_own(w, s)->sheaf_capacity && node < w->machine.nr_nodes; node++)
		lock_report(v, &slub_barn(w, s, node)->lock, LOCK_BARN, s->id, node, 0xffff);
}
