/*
 * unified.c - the unified allocator V4 (Christoph Lameter, October 2010): allocation and free.
 *
 *	alloc: CPU queue ─ shared queue ─ node partial list ─ new slabs            other node: alien queue ─ its slabs
 *	free:  CPU queue ─ its oldest to the shared queue ─ its oldest to slabs    other node: alien queue ─ the slab
 *
 * It combines SLAB's queues with SLUB's slabs and lists. Lameter posted it as sixteen patches on
 * 2.6.36; it was never merged. The model corrects two errors of the posted code: it honours a
 * requested node, and expiry reaches every alien queue. Left out: interrupts, CPU hotplug, memory
 * policies. Steps name the functions of SLUB of that time where the patches kept the names.
 */
#include "alloc/unified/unified.h"

ALWAYS_INLINE object_loc pop(struct world *w, struct unified_queue *q)
{
	object_loc loc = q->object[--q->objects];
	struct unified_slab *slab = unified_slab(w, loc);

	q->object[q->objects] = 0;
	q->touched = 1;
	unified_cells(slab)[LOC_INDEX(loc)] = CELL_ALLOCATED;
	slab->nr_on_cpus -= q->kind == QUEUE_CPU;
	return loc;
}

ALWAYS_INLINE void push(struct world *w, struct unified_queue *q, object_loc loc)
{
	struct unified_slab *slab = unified_slab(w, loc);

	q->object[q->objects++] = loc;
	unified_cells(slab)[LOC_INDEX(loc)] = unified_cell_of_queue(q->kind);
	slab->nr_on_cpus += q->kind == QUEUE_CPU;
}

/* Moves `nr` objects from the end or front of one queue to the end of a different one, in order. */
static void transfer(struct world *w, struct unified_queue *from, u32 start, u32 nr,
		     struct unified_queue *to)
{
	for (u32 i = 0; i < nr; i++) {
		object_loc loc = from->object[start + i];
		unified_slab(w, loc)->nr_on_cpus -= from->kind == QUEUE_CPU;
		push(w, to, loc);
	}
	from->objects -= nr;
	memmove(from->object + start, from->object + start + nr,
		(from->objects - start) * sizeof(object_loc));
	memset(from->object + from->objects, 0, nr * sizeof(object_loc));
}

/* Takes objects from the top of the group's shared queue; returns 0 if it is empty. */
static u32 refill_from_shared(struct world *w, struct kmem_cache *s, struct unified_queue *q,
			      u32 want)
{
	u32 group = unified_group_of(w, w->cpu), home = unified_home(w, group);
	struct unified_queue *shared = unified_shared_queue(w, s, group);

	if (!shared)
		return 0;
	unified_lock(w, s, shared, home);
	shared->touched = 1;
	u32 nr = MIN(shared->objects, want);
	if (nr) {
		transfer(w, shared, shared->objects - nr, nr, q);
		STAT(w, s, ALLOC_SHARED, home, nr, shared->objects, group);
	}
	unified_unlock(w, shared);
	return nr;
}

/* Refills from the first slabs of the node partial list until the queue holds `want`. */
static u32 refill_from_partial(struct world *w, struct kmem_cache *s, struct unified_queue *q,
			       u32 node, u32 want)
{
	struct unified_node *n = unified_node(w, s, node);
	u32 got = 0, serial = 0;

	lock_take(w, &n->list_lock, s->id, node);
	emit_PARTIAL_SEARCH(w, s->id, node, n->nr_partial);
	while (q->objects < want && n->head) {
		struct unified_slab *slab = at(w, n->head);
		u32 nr = MIN(slab->nr_free, want - q->objects);
		serial = slab->head.serial;
		unified_take(w, s, slab, q, nr);
		got += nr;
		if (slab->nr_free)
			continue;
		unified_list_remove(w, s, slab);
		emit_SLAB_EXHAUSTED(w, s->id, node, serial, n->nr_partial);
	}
	if (got)
		STAT(w, s, ALLOC_FROM_PARTIAL, node, serial, got, n->nr_partial);
	lock_release(w, &n->list_lock);
	return got;
}

/* Puts a slab that still has free objects on one end of the node partial list. */
static void keep_rest(struct world *w, struct kmem_cache *s, struct unified_slab *slab, u32 end)
{
	struct unified_node *n = unified_node(w, s, slab->head.node);

	if (!slab->nr_free)
		return;
	unified_list_add(w, s, slab, end);
	emit_SLAB_REST(w, s->id, slab->head.node, slab->head.serial, slab->nr_free, end,
		       n->nr_partial);
}

/* Does the same for a new slab that is not on a list yet. */
static void keep_rest_of_new(struct world *w, struct kmem_cache *s, struct unified_slab *slab)
{
	struct unified_node *n = unified_node(w, s, slab->head.node);

	lock_take(w, &n->list_lock, s->id, slab->head.node);
	keep_rest(w, s, slab, END_HEAD);
	lock_release(w, &n->list_lock);
}

static void refill_from_new(struct world *w, struct kmem_cache *s, struct unified_queue *q,
			    u32 node, u32 want)
{
	u32 limit = MAX(MIN(q->max, unified_own(w, s)->queue), want);

	while (q->objects < want) {
		/* Only an empty queue waits for reclaim; otherwise the objects that it holds serve. */
		struct unified_slab *slab = q->objects ? unified_new_slab(w, s, node)
						       : unified_new_slab_after_reclaim(w, s, node);
		if (!slab)
			return;
		unified_take(w, s, slab, q,
			     MIN(MIN((u32)slab->head.objects, want), limit - q->objects));
		if (slab->nr_free)
			keep_rest_of_new(w, s, slab);
	}
}

/* Takes one object from the first slab, without queues (debugging). */
static object_loc alloc_unqueued(struct world *w, struct kmem_cache *s, u32 node)
{
	struct unified_node *n = unified_node(w, s, node);
	struct unified_slab *slab;

	w->slow_paths++;
	STAT(w, s, ALLOC_SLOWPATH, node, REASON_DEBUG, node);
	lock_take(w, &n->list_lock, s->id, node);
	if (n->head) {
		slab = at(w, n->head);
		STAT(w, s, ALLOC_FROM_PARTIAL, node, slab->head.serial, 1, n->nr_partial);
		object_loc loc = unified_take_one(w, s, slab);
		if (!slab->nr_free) {
			unified_list_remove(w, s, slab);
			emit_SLAB_EXHAUSTED(w, s->id, node, slab->head.serial, n->nr_partial);
		}
		lock_release(w, &n->list_lock);
		return loc;
	}
	lock_release(w, &n->list_lock);
	slab = unified_new_slab_after_reclaim(w, s, node);
	if (!slab)
		return 0;
	object_loc loc = unified_take_one(w, s, slab);
	keep_rest_of_new(w, s, slab);
	return loc;
}

/* Fills the empty CPU queue; returns 0 if memory runs out. */
static int refill(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 node)
{
	u32 batch = unified_own(w, s)->batch, want = batch;

	w->slow_paths++;
	if (!q->touched)
		want = MIN(want, (u32)UNTOUCHED_BATCH);
	emit_QUEUE_WANT(w, s->id, node, want, batch, q->touched ? TOUCHED_YES : TOUCHED_NO);
	if (refill_from_shared(w, s, q, want))
		return 1;
	STAT(w, s, ALLOC_SLOWPATH, node, REASON_QUEUES_EMPTY, node);
	if (!refill_from_partial(w, s, q, node, want))
		refill_from_new(w, s, q, node, want);
	return q->objects != 0;
}

/* Removes the last slab of the node partial list, or creates one. The caller holds the node's lock. */
static struct unified_slab *take_slab(struct world *w, struct kmem_cache *s, u32 node)
{
	struct unified_node *n = unified_node(w, s, node);

	lock_take(w, &n->list_lock, s->id, node);
	emit_PARTIAL_SEARCH(w, s->id, node, n->nr_partial);
	if (n->tail) {
		struct unified_slab *slab = at(w, n->tail);
		unified_list_remove(w, s, slab);
		STAT(w, s, ALLOC_FROM_PARTIAL, node, slab->head.serial, slab->nr_free,
		     n->nr_partial);
		return slab;
	}
	lock_release(w, &n->list_lock);
	struct unified_slab *slab = unified_new_slab_after_reclaim(w, s, node);
	if (slab)
		lock_take(w, &unified_node(w, s, slab->head.node)->list_lock, s->id,
			  slab->head.node);
	return slab;
}

static object_loc pop_alien(struct world *w, struct kmem_cache *s, struct unified_queue *alien,
			    u32 node)
{
	object_loc loc = pop(w, alien);

	STAT(w, s, ALLOC_ALIEN, node, unified_slab(w, loc)->head.serial, LOC_INDEX(loc),
	     alien->objects);
	unified_unlock(w, alien);
	return loc;
}

/* Allocates on a different node from the CPU's. */
NOINLINE object_loc alloc_on_node(struct world *w, struct kmem_cache *s, u32 cpu, u32 node)
{
	struct unified_queue *alien = unified_alien_queue(w, s, unified_group_of(w, cpu), node);

	if (alien) {
		unified_lock(w, s, alien, node);
		if (alien->objects)
			return pop_alien(w, s, alien, node);
	}
	w->slow_paths++;
	STAT(w, s, ALLOC_ALIEN_SLOW, node, alien ? REASON_ALIEN_EMPTY : REASON_NO_ALIEN, node);
	struct unified_slab *slab = take_slab(w, s, node);
	object_loc loc = 0;
	/* A slab from a different node may have served; its objects do not belong in this alien queue. */
	int queued = slab && alien && slab->head.node == node;
	if (queued)
		unified_take(w, s, slab, alien, MIN(slab->nr_free, alien->max));
	else if (slab)
		loc = unified_take_one(w, s, slab);
	if (slab) {
		keep_rest(w, s, slab, END_TAIL);
		lock_release(w, &unified_node(w, s, slab->head.node)->list_lock);
	}
	if (loc)
		STAT(w, s, ALLOC_DIRECT, slab->head.node, slab->head.serial, LOC_INDEX(loc),
		     slab->nr_free);
	if (queued)
		return pop_alien(w, s, alien, node);
	if (alien)
		unified_unlock(w, alien);
	return loc;
}

static object_loc alloc_slow(struct world *w, struct kmem_cache *s, u32 cpu, u32 node)
{
	u32 home = node_of_cpu(w, cpu);
	object_loc loc = 0;

	if (unlikely(node != NODE_ANY && node != home)) {
		loc = alloc_on_node(w, s, cpu, node);
	} else if (unlikely(s->flags & CACHE_DEBUG)) {
		loc = alloc_unqueued(w, s, home);
	} else {
		struct unified_queue *q = unified_cpu_queue(w, s, cpu);
		if (refill(w, s, q, home)) {
			loc = pop(w, q);
			emit_OBJECT_TAKEN(w, s->id, home, unified_slab(w, loc)->head.serial,
					  LOC_INDEX(loc), q->objects);
		}
	}
	if (unlikely(!loc))
		emit_ALLOC_FAILED(w, s->id, node, node);
	if (unlikely(unified_machine(w)->kswapd_is_woken))
		unified_run_kswapd(w);
	return loc;
}

static object_loc unified_alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes)
{
	(void)bytes;
	if (likely((node == NODE_ANY || node == node_of_cpu(w, cpu)) &&
		   !(s->flags & CACHE_DEBUG))) {
		struct unified_cpu *c = unified_cpu(w, s, cpu);
		struct unified_queue *q = likely(c->queue) ? at(w, c->queue)
							   : unified_cpu_queue(w, s, cpu);
		if (likely(q->objects)) {
			object_loc loc = pop(w, q);
			STAT_OFTEN(w, s, c, ALLOC_FASTPATH, NODE_ANY,
				   unified_slab(w, loc)->head.serial, LOC_INDEX(loc), q->objects);
			return loc;
		}
	}
	return alloc_slow(w, s, cpu, node);
}

/* Frees an object to its slab, without queues. */
static u32 put_back(struct world *w, struct kmem_cache *s, object_loc loc)
{
	struct unified_slab *slab = unified_slab(w, loc);
	u32 node = slab->head.node, free = slab->nr_free + 1;
	struct unified_node *n = unified_node(w, s, node);

	lock_take(w, &n->list_lock, s->id, node);
	unified_put(w, s, slab, &loc, 1);
	lock_release(w, &n->list_lock);
	return free;
}

/* Frees an object that belongs to a different node. */
NOINLINE void free_foreign(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	const struct unified_slab *slab = unified_slab(w, loc);
	u32 node = slab->head.node, serial = slab->head.serial, index = LOC_INDEX(loc);
	struct unified_queue *alien = unified_alien_queue(w, s, unified_group_of(w, cpu), node);

	if (!alien) {
		w->slow_paths++;
		u32 free = put_back(w, s, loc);
		STAT(w, s, FREE_DIRECT, node, serial, index, free);
		return;
	}
	unified_lock(w, s, alien, node);
	if (alien->objects < alien->max) {
		alien->touched = 1;
		push(w, alien, loc);
		STAT(w, s, FREE_ALIEN, node, serial, index, alien->objects);
	} else {
		w->slow_paths++;
		unified_drain(w, s, alien, MIN(unified_own(w, s)->batch, alien->objects));
		push(w, alien, loc);
		STAT(w, s, FREE_ALIEN_SLOW, node, serial, index, alien->objects);
	}
	unified_unlock(w, alien);
}

/* Moves the oldest objects of a full queue to the group's shared queue, if that has room. */
static u32 give_to_shared(struct world *w, struct kmem_cache *s, struct unified_queue *q)
{
	u32 group = unified_group_of(w, w->cpu), home = unified_home(w, group);
	struct unified_queue *shared = unified_shared_queue(w, s, group);

	if (!shared)
		return 0;
	unified_lock(w, s, shared, home);
	u32 nr = MIN(unified_own(w, s)->batch, shared->max - shared->objects);
	shared->touched = 1;
	if (nr) {
		transfer(w, q, 0, nr, shared);
		STAT(w, s, FREE_SHARED, home, nr, shared->objects, group);
	}
	unified_unlock(w, shared);
	return nr;
}

/* Frees to a full CPU queue. */
NOINLINE void free_slow(struct world *w, struct kmem_cache *s, struct unified_queue *q,
			object_loc loc)
{
	const struct unified_slab *slab = unified_slab(w, loc);
	u32 serial = slab->head.serial, node = slab->head.node, index = LOC_INDEX(loc);
	u32 batch = unified_own(w, s)->batch;

	w->slow_paths++;
	if (!q->max) {
		u32 free = put_back(w, s, loc);
		STAT(w, s, FREE_SLOWPATH, node, serial, index, OWNER_NODE_LIST, CPU_NONE, free);
		return;
	}
	if (!give_to_shared(w, s, q)) {
		unified_drain(w, s, q, MIN(batch, q->objects));
		STAT(w, s, FREE_SLOWPATH, node, serial, index,
		     slab->nr_free ? OWNER_NODE_LIST : OWNER_FULL, CPU_NONE, slab->nr_free);
	}
	push(w, q, loc);
	q->touched = 0;
	emit_QUEUE_PUSH(w, s->id, node, serial, index, q->objects);
}

static void unified_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct unified_slab *slab = unified_slab(w, loc);
	u32 index = LOC_INDEX(loc);

	loc = LOC(LOC_SLAB(loc), index);
	KASSERT(unified_cells(slab)[index] == CELL_ALLOCATED);
	if (unlikely(slab->head.node != node_of_cpu(w, cpu))) {
		free_foreign(w, s, cpu, loc);
		return;
	}
	struct unified_cpu *c = unified_cpu(w, s, cpu);
	struct unified_queue *q = likely(c->queue) ? at(w, c->queue) : unified_cpu_queue(w, s, cpu);
	if (unlikely(q->objects == q->max)) {
		free_slow(w, s, q, loc);
		return;
	}
	push(w, q, loc);
	q->touched = 1;
	STAT_OFTEN(w, s, c, FREE_FASTPATH, slab->head.node, slab->head.serial, index, q->objects);
}

static u32 unified_serial(const struct world *w, ref slab)
{
	return slab_head_at(w, slab)->serial;
}

static int unified_has_counter(const struct world *w, u32 counter)
{
	static const u64 counters =
		COUNTER_BIT(ALLOC_FASTPATH) | COUNTER_BIT(ALLOC_SLOWPATH) |
		COUNTER_BIT(FREE_FASTPATH) | COUNTER_BIT(FREE_SLOWPATH) |
		COUNTER_BIT(FREE_ADD_PARTIAL) | COUNTER_BIT(FREE_REMOVE_PARTIAL) |
		COUNTER_BIT(ALLOC_FROM_PARTIAL) | COUNTER_BIT(ALLOC_SLAB) | COUNTER_BIT(FREE_SLAB) |
		COUNTER_BIT(ORDER_FALLBACK) | COUNTER_BIT(ALLOC_SHARED) | COUNTER_BIT(ALLOC_ALIEN) |
		COUNTER_BIT(ALLOC_ALIEN_SLOW) | COUNTER_BIT(ALLOC_DIRECT) |
		COUNTER_BIT(FREE_SHARED) | COUNTER_BIT(FREE_ALIEN) | COUNTER_BIT(FREE_ALIEN_SLOW) |
		COUNTER_BIT(FREE_DIRECT) | COUNTER_BIT(QUEUE_FLUSH);

	(void)w;
	return counter < 64 && counters >> counter & 1;
}

static void unified_count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	const ref *cpus = at(w, s->cpus);

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct unified_cpu *c = at(w, cpus[cpu]);
		for (u32 k = 0; cpus[cpu] && k < NR_COUNTERS; k++)
			if (unified_has_counter(w, k))
				sum[k] += c->counters[UNIFIED_SLOT(k)];
	}
}

static u64 address(const struct world *w, const struct kmem_cache *s, object_loc loc)
{
	return slab_address(w, LOC_SLAB(loc)) + LOC_INDEX(loc) * s->size;
}

static object_loc object_with(const struct world *w, ref slab, u64 where)
{
	const struct slab_head *head = slab_head_at(w, slab);
	const struct kmem_cache *s = at(w, head->cache);
	u32 index = (u32)(where - slab_address(w, slab)) / s->size;

	return index < head->objects ? LOC(slab, index) | (u64)s->id << 48 : 0;
}

const struct kmem_ops unified_ops = {
	.placements = &unified_placements,
	.has_counter = unified_has_counter,
	.no_presets = 1,
	.smallest_kmalloc = 8,
	.levels = LEVELS_UNIFIED,
	.prepare = unified_prepare,
	.create = unified_create,
	.adopt = unified_adopt,
	.alloc = unified_alloc,
	.free = unified_free,
	.tick = unified_tick,
	.requests = REQUEST_BIT(OP_FLUSH) | REQUEST_BIT(OP_SHRINK) | REQUEST_BIT(OP_EXPIRE) |
		    REQUEST_BIT(OP_VALIDATE),
	.reclaim = unified_reclaim,
	.pages_taken = unified_pages_taken,
	.shrink = unified_shrink,
	.set = unified_set,
	.validate = unified_validate,
	.walk = unified_walk,
	.check = unified_check,
	.serial = unified_serial,
	.count = unified_count,
	.info = unified_info,
	.locks = unified_locks,
	.order_row = unified_order_row,
	.attribute = unified_attribute,
	.address = address,
	.object_with = object_with,
};
