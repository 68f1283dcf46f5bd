/*
 * unified_sysfs.c - the unified allocator's files that can be written at run time, and slabinfo's
 * counts.
 *
 * The model refuses every write that the kernel would refuse, with a step that states the reason.
 * Patches 3, 4, 9 and 10 of UnifiedV4.
 */
#include "alloc/unified/unified.h"

static int is_allowed(struct world *w, const struct kmem_cache *s, u32 param, u32 value, u32 least,
		      u32 most)
{
	if (value == AUTOMATIC || (value >= least && value <= most))
		return 1;
	emit_SET_REFUSED(w, s->id, NODE_ANY, param, value, least, most);
	return 0;
}

static u32 automatic_batch(const struct unified_cache *u)
{
	return u->batch_asked == AUTOMATIC ? (u->queue + 1) / 2 : MIN(u->batch_asked, u->queue);
}

/* Empties all CPU queues and creates them again with the new length. */
static u32 set_queue(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);
	const ref *cpus = at(w, s->cpus);

	if (!is_allowed(w, s, PARAM_QUEUE, value, LEAST_QUEUE, MOST_QUEUE))
		return u->queue;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		if (cpus[cpu])
			unified_drop_queue(w, s, &((struct unified_cpu *)at(w, cpus[cpu]))->queue,
					   node_of_cpu(w, cpu));
	u->queue = value == AUTOMATIC ? unified_automatic_queue(w, s) : value;
	u->batch = automatic_batch(u);
	u->cpu_max = unified_cpu_max(u->queue);
	return u->queue;
}

static u32 set_batch(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (is_allowed(w, s, PARAM_BATCH, value, 1, u->queue)) {
		u->batch_asked = value;
		u->batch = automatic_batch(u);
	}
	return u->batch;
}

/* Shared and alien queues are one allocation, so a change of either empties and frees both. */
static void drop_groups(struct world *w, struct kmem_cache *s)
{
	for (u32 i = 0; i < unified_machine(w)->nr_groups; i++) {
		struct unified_group *g = unified_group(w, s, i);
		for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
			unified_drop_queue(w, s, &unified_alien(w, g, node)->queue, node);
		unified_drop_queue(w, s, &g->shared, unified_home(w, i));
	}
}

static u32 set_shared(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (value &&
	    !is_allowed(w, s, PARAM_SHARED, value, MAX((u32)LEAST_QUEUE, u->batch), MOST_QUEUE))
		return u->shared;
	drop_groups(w, s);
	unified_size_shared(w, s, value, u->alien_asked);
	return u->shared;
}

static u32 set_alien(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (!is_allowed(w, s, PARAM_ALIEN, value, 0, MOST_ALIEN))
		return u->alien_max;
	drop_groups(w, s);
	unified_size_shared(w, s, u->shared_asked, value);
	return u->alien_max;
}

int unified_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old)
{
	const struct unified_cache *u = unified_own(w, s);

	if (param == PARAM_MIN_PARTIAL) {
		*old = s->min_partial;
		*value = s->min_partial =
			unified_min_partial(w, s, min_partial_written(&w->policy, *value));
		return 1;
	}
	/* Debugging has no queues. */
	if (s->flags & CACHE_DEBUG)
		return 0;
	switch (param) {
	case PARAM_QUEUE:
		*old = u->queue;
		*value = set_queue(w, s, *value);
		return 1;
	case PARAM_BATCH:
		*old = u->batch;
		*value = set_batch(w, s, *value);
		return 1;
	case PARAM_SHARED:
		*old = u->shared;
		*value = set_shared(w, s, *value);
		return 1;
	case PARAM_ALIEN:
		*old = u->alien_max;
		*value = set_alien(w, s, *value);
		return 1;
	default:
		return 0;
	}
}

u32 unified_shared_objects(const struct world *w, const struct kmem_cache *s)
{
	u32 nr = 0;

	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++) {
		ref shared = unified_group(w, s, group)->shared;
		nr += shared ? ((const struct unified_queue *)at(w, shared))->objects : 0;
	}
	return nr;
}

void unified_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	const struct unified_cache *u = unified_own(w, s);
	u32 free = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		for (ref r = unified_node(w, s, node)->head; r;) {
			const struct unified_slab *slab = at(w, r);
			free += slab->nr_free;
			r = slab->next;
		}
	}
	row->objects = s->total_objects - free;
	row->active_slabs = s->slabs;
	row->limit = u->queue;
	row->batchcount = u->batch;
	row->sharedfactor = u->batch ? (u->shared + u->batch / 2) / u->batch : 0;
	row->sharedavail = unified_shared_objects(w, s);
}

void unified_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		lock_report(v, &unified_node(w, s, node)->list_lock, LOCK_LIST, s->id, node,
			    0xffff);
	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++) {
		const struct unified_group *g = unified_group(w, s, group);
		u32 home = unified_home(w, group);
		lock_report(v, &g->lock, LOCK_SHARED, s->id, home, group);
		for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
			lock_report(v, &unified_alien(w, g, node)->lock, LOCK_ALIEN, s->id, home,
				    node);
	}
}
