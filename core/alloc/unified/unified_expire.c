/*
 * unified_expire.c - frees idle memory when pages are short; flush and shrink.
 *
 *	node partial lists ─ alien queues ─ shared queues ─ CPU queues      of the nodes that are short of memory
 *
 * Page reclaim, not a timer, calls this for all nodes or for one (unified_reclaim.c; patches 11 to
 * 13 of UnifiedV4). The first pass over a touched queue only clears its mark and frees
 * nothing. The posted code skipped the last alien queue and overstated the bytes of slabs; the
 * model corrects both.
 */
#include "alloc/unified/unified.h"

static struct unified_slab *slab_at(const struct world *w, ref r)
{
	return at(w, r);
}

/* Merges two lists linked by `next`, fuller slabs first. Of equally full slabs, those of the first
 * list come first. */
static ref merge(const struct world *w, ref a, ref b)
{
	ref head = 0, *end = &head;

	while (a && b) {
		ref *from = slab_at(w, b)->nr_free < slab_at(w, a)->nr_free ? &b : &a;
		*end = *from;
		end = &slab_at(w, *from)->next;
		*from = *end;
	}
	*end = a ? a : b;
	return head;
}

/* Sorts the fullest slabs first, bottom up; run[k] holds 2^k slabs. */
static void sort_list(struct world *w, struct unified_node *n)
{
	ref run[32] = { 0 }, sorted = 0, previous = 0;

	for (ref r = n->head, next; r; r = next) {
		u32 k = 0;
		next = slab_at(w, r)->next;
		slab_at(w, r)->next = 0;
		for (; run[k]; k++) {
			r = merge(w, run[k], r);
			run[k] = 0;
		}
		run[k] = r;
	}
	for (u32 k = 0; k < ARRAY_SIZE(run); k++)
		sorted = merge(w, run[k], sorted);
	n->head = sorted;
	for (ref r = sorted; r; previous = r, r = slab_at(w, r)->next)
		slab_at(w, r)->prev = previous;
	n->tail = previous;
}

/* Discards all free slabs of the node partial list and sorts the others. Returns the discarded
 * bytes. */
static u64 trim_list(struct world *w, struct kmem_cache *s, u32 node)
{
	struct unified_node *n = unified_node(w, s, node);
	u64 before = s->slab_bytes;
	u32 slabs = s->slabs;

	lock_take(w, &n->list_lock, s->id, node);
	for (ref r = n->head, next; r; r = next) {
		struct unified_slab *slab = slab_at(w, r);
		next = slab->next;
		if (slab->nr_free < slab->head.objects)
			continue;
		unified_list_remove(w, s, slab);
		unified_release_slab(w, s, slab);
	}
	sort_list(w, n);
	lock_release(w, &n->list_lock);
	emit_LIST_TRIM(w, s->id, node, slabs - s->slabs, n->nr_partial);
	return before - s->slab_bytes;
}

static u64 expire_node(struct world *w, struct kmem_cache *s, u32 node, int *cleared)
{
	struct unified_node *n = unified_node(w, s, node);
	u64 bytes = 0;

	if (n->touched) {
		n->touched = 0;
		*cleared = 1;
		emit_EXPIRE_LIST_SPARED(w, s->id, node, n->nr_partial);
	} else if (n->head) {
		bytes = trim_list(w, s, node);
		n->touched = 0;
	}
	return bytes;
}

/* Frees one batch of an untouched queue. Returns the bytes of its objects. */
static u64 expire_queue(struct world *w, struct kmem_cache *s, ref queue, u32 node, int *cleared)
{
	struct unified_queue *q = at(w, queue);

	if (!queue)
		return 0;
	if (q->touched) {
		q->touched = 0;
		*cleared = 1;
		emit_EXPIRE_QUEUE_SPARED(w, s->id, node, q->kind, q->owner, q->objects);
		return 0;
	}
	u32 nr = MIN(unified_own(w, s)->batch, q->objects);
	if (nr) {
		unified_lock(w, s, q, node);
		unified_drain(w, s, q, nr);
		unified_unlock(w, q);
	}
	return (u64)nr * s->size;
}

static u64 expire_aliens(struct world *w, struct kmem_cache *s, u32 group, int *cleared)
{
	const struct unified_group *g = unified_group(w, s, group);
	u64 bytes = 0;

	for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
		bytes += expire_queue(w, s, unified_alien(w, g, node)->queue, node, cleared);
	return bytes;
}

int unified_expire(struct world *w, struct kmem_cache *s, u32 node)
{
	const ref *cpus = at(w, s->cpus);
	u32 nr_groups = unified_machine(w)->nr_groups;
	u64 bytes = 0;
	int cleared = 0;

	for (u32 i = 0; i < w->machine.nr_nodes; i++)
		if (node == NODE_ANY || i == node)
			bytes += expire_node(w, s, i, &cleared);
	for (u32 group = 0; group < nr_groups; group++)
		if (node == NODE_ANY || unified_home(w, group) == node)
			bytes += expire_aliens(w, s, group, &cleared);
	for (u32 group = 0; group < nr_groups; group++)
		if (node == NODE_ANY || unified_home(w, group) == node)
			bytes += expire_queue(w, s, unified_group(w, s, group)->shared,
					      unified_home(w, group), &cleared);
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		if (cpus[cpu] && (node == NODE_ANY || node_of_cpu(w, cpu) == node))
			bytes += expire_queue(w, s, ((struct unified_cpu *)at(w, cpus[cpu]))->queue,
					      node_of_cpu(w, cpu), &cleared);
	unified_own(w, s)->expired_bytes = bytes;
	emit_EXPIRED_BYTES(w, s->id, node, MIN(bytes, (u64)0xffffffff));
	return cleared || bytes;
}

void unified_tick(struct world *w, u32 cpu, enum tick_mode mode, u32 number)
{
	(void)cpu;
	if (mode != TICK_EXPIRE) {
		emit_NOTHING(w, CACHE_NONE, NODE_ANY, REASON_NO_CLOCK);
		return;
	}
	w->slow_paths++;
	for (u32 id = 0; id < w->nr_caches; id++)
		unified_expire(w, cache_at(w, id), number);
}

void unified_flush_queue(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 node)
{
	u32 nr = q->objects;

	if (!nr)
		return;
	unified_lock(w, s, q, node);
	unified_drain(w, s, q, nr);
	unified_unlock(w, q);
	STAT(w, s, QUEUE_FLUSH, node, nr, q->kind, q->owner, q->max);
}

static void flush_queue(struct world *w, struct kmem_cache *s, ref queue, u32 node)
{
	if (queue)
		unified_flush_queue(w, s, at(w, queue), node);
}

static void flush_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	if (r)
		flush_queue(w, s, ((struct unified_cpu *)at(w, r))->queue, node_of_cpu(w, cpu));
}

static void flush_group(struct world *w, struct kmem_cache *s, u32 group)
{
	const struct unified_group *g = unified_group(w, s, group);

	for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
		flush_queue(w, s, unified_alien(w, g, node)->queue, node);
	flush_queue(w, s, g->shared, unified_home(w, group));
}

void unified_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode)
{
	w->slow_paths++;
	if (mode == SHRINK_FLUSH_CPU) {
		flush_cpu(w, s, cpu);
		return;
	}
	for (u32 i = 0; i < w->machine.nr_cpus; i++)
		flush_cpu(w, s, i);
	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++)
		flush_group(w, s, group);
	if (mode != SHRINK_DISCARD)
		return;
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		if (unified_node(w, s, node)->head)
			trim_list(w, s, node);
}
