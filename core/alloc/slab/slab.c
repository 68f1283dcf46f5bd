/*
 * slab.c - SLAB of Linux 6.1: allocation and free.
 *
 *	alloc: CPU's array ─ node's shared array ─ partial slabs ─ free slabs ─ new slab
 *	free:  CPU's array ─ if that is full: its oldest go to the shared array, or to their slabs
 *	       of another node's memory: alien array ─ if that is full: that node's shared array, or slabs
 *
 * Operations run to completion on their virtual CPU. Left out: debugging, memory policies, the kmalloc object that an
 * off-slab index array is. Kernel: ____cache_alloc(), cache_alloc_refill(), ____cache_alloc_node(),
 * fallback_alloc(), ___cache_free(), cache_flusharray(), __cache_free_alien() in mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

#include "sim/page.h"

/* The newest entry of the CPU's array, which is not empty. */
static object_loc pop(struct world *w, struct array_cache *ac)
{
	object_loc loc = ac->entry[--ac->avail];

	ac->entry[ac->avail] = 0;
	ac->touched = 1;
	slab_mark(w, loc, CELL_ALLOCATED);
	return loc;
}

static void push(struct world *w, struct array_cache *ac, object_loc loc, u32 cell)
{
	ac->entry[ac->avail++] = loc;
	slab_mark(w, loc, cell);
}

/* Up to want objects go from the slab to the CPU's array. */
static u32 take_block(struct world *w, const struct kmem_cache *s, struct array_cache *ac,
		      struct slab *slab, u32 want)
{
	u32 nr = MIN(want, (u32)slab->head.objects - slab->active), place = slab->head.place;

	line_touch(w, &slab->head.line);
	for (u32 i = 0; i < nr; i++) {
		object_loc loc = slab_get_obj(w, slab, CELL_FREE_CPU);
		ac->entry[ac->avail++] = loc;
	}
	if (place == PLACE_TRANSIT)
		EMIT(w, REFILL_NEW, s->id, slab->head.node, slab->head.serial, nr, slab->active, 0,
		     0);
	else
		EMIT(w, REFILL_SLAB, s->id, slab->head.node, slab->head.serial, nr, place,
		     slab->active, 0);
	return nr;
}

/* From the node's partial slabs, then its free ones, until there is enough. */
static u32 refill_from_lists(struct world *w, struct kmem_cache *s, struct array_cache *ac,
			     u32 node, u32 want)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	u32 taken = 0;

	while (taken < want) {
		struct slab *slab = slab_first(w, s, node);
		if (!slab)
			break;
		taken += take_block(w, s, ac, slab, want - taken);
		slab_relist(w, s, slab);
	}
	n->free_objects -= taken;
	return taken;
}

/* 0 when nothing that the node has serves. */
static int refill_from_node(struct world *w, struct kmem_cache *s, struct array_cache *ac, u32 node,
			    u32 want)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct array_cache *shared = n->shared ? at(w, n->shared) : NULL;

	if (!n->free_objects && (!shared || !shared->avail)) {
		EMIT(w, NODE_EMPTY, s->id, node, 0, 0, 0, 0, 0);
		return 0;
	}
	lock_take(w, &n->list_lock, s->id, node);
	if (shared && shared->avail) {
		u32 moved = slab_transfer(w, ac, shared, want, CELL_FREE_CPU);
		shared->touched = 1;
		EMIT(w, REFILL_SHARED, s->id, node, moved, shared->avail, 0, 0, 0);
	} else {
		refill_from_lists(w, s, ac, node, want);
	}
	lock_release(w, &n->list_lock);
	return 1;
}

/* A new slab fills the array by itself, however small it is. 0: no memory on the node. */
static int refill_by_growing(struct world *w, struct kmem_cache *s, struct array_cache *ac,
			     u32 node, u32 want)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct slab *slab = slab_grow(w, s, node, 1);

	if (!slab)
		return 0;
	lock_take(w, &n->list_lock, s->id, node);
	if (w->policy.slab_era == SLAB_LINUX_2_6_24) {
		/* It was put among the free slabs, and the search began anew. */
		slab_grow_end(w, s, slab);
		refill_from_lists(w, s, ac, node, want);
	} else {
		take_block(w, s, ac, slab, want);
		slab_grow_end(w, s, slab);
	}
	lock_release(w, &n->list_lock);
	return 1;
}

/* cache_alloc_refill(). 0: no memory on the CPU's own node. */
static object_loc refill(struct world *w, struct kmem_cache *s, struct array_cache *ac, u32 node)
{
	u32 idle = !ac->touched && ac->batchcount > BATCHREFILL_LIMIT;
	u32 want = idle ? BATCHREFILL_LIMIT : ac->batchcount;

	STAT(w, s, ALLOCMISS, node, ac->limit, 0, 0, 0, 0);
	EMIT(w, REFILL_WANT, s->id, node, want, ac->batchcount,
	     ac->touched ? REASON_TOUCHED
	     : idle	 ? REASON_UNTOUCHED
			 : REASON_SMALL_BATCH,
	     0, 0);
	if (!refill_from_node(w, s, ac, node, want) && !refill_by_growing(w, s, ac, node, want))
		return 0;
	object_loc loc = pop(w, ac);
	EMIT(w, ARRAY_POP, s->id, node, slab_of(w, loc)->head.serial, LOC_INDEX(loc), ac->avail, 0,
	     0);
	return loc;
}

/* One object of a slab on the node's lists. 0: there is none. */
static object_loc take_listed(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct slab *slab = slab_first(w, s, node);

	if (!slab)
		return 0;
	object_loc loc = slab_get_obj(w, slab, CELL_ALLOCATED);
	n->free_objects--;
	STAT(w, s, NODEALLOCS, node, slab->head.serial, LOC_INDEX(loc), n->free_objects, 0, 0);
	slab_relist(w, s, slab);
	return loc;
}

static object_loc take_grown(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slab *slab = slab_grow(w, s, node, 1);

	if (!slab)
		return 0;
	if (w->policy.slab_era == SLAB_LINUX_2_6_24) {
		slab_grow_end(w, s, slab);
		return take_listed(w, s, node);
	}
	object_loc loc = slab_get_obj(w, slab, CELL_ALLOCATED);
	EMIT(w, NODE_TAKE, s->id, node, slab->head.serial, LOC_INDEX(loc), 0, 0, 0);
	slab_grow_end(w, s, slab);
	return loc;
}

/* ____cache_alloc_node() without its fallback: one object, past all arrays. */
static object_loc alloc_node(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);

	lock_take(w, &n->list_lock, s->id, node);
	object_loc loc = take_listed(w, s, node);
	if (!loc)
		loc = take_grown(w, s, node);
	lock_release(w, &n->list_lock);
	return loc;
}

/* Along the zones that the request may use for a node with a free object; else a slab from anywhere. */
static object_loc fallback_alloc(struct world *w, struct kmem_cache *s, u32 cpu)
{
	const struct machine *m = &w->machine;
	u32 node = slab_node_of_cpu(w, cpu);
	const u16 *list = (u16 *)at(w, m->zonelists) + node * m->zonelist_len;

	for (u32 i = 0; i < m->zonelist_len; i++) {
		const struct zone *zone = (struct zone *)at(w, m->zones) + list[i];
		u32 other = zone->node;
		if (zone->kind > request_zone(w))
			continue;
		u32 free_objects = slab_node(w, s, other)->free_objects;
		EMIT(w, FALLBACK_ZONE, s->id, other, i, free_objects,
		     free_objects ? OUTCOME_OBJECT : OUTCOME_NOTHING_THERE, 0, 0);
		if (free_objects)
			return alloc_node(w, s, other);
	}
	struct slab *slab = slab_grow(w, s, node, 0);
	if (!slab)
		return 0;
	slab_grow_end(w, s, slab);
	return alloc_node(w, s, slab->head.node);
}

static object_loc slab_alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes)
{
	struct array_cache *ac = slab_cpu_array(w, s, cpu);
	u32 own = slab_node_of_cpu(w, cpu);
	object_loc loc = 0;

	(void)bytes;
	if (node == NODE_ANY)
		node = own;
	if (likely(node == own && ac->avail)) {
		loc = pop(w, ac);
		STAT(w, s, ALLOCHIT, own, slab_of(w, loc)->head.serial, LOC_INDEX(loc), ac->avail,
		     0, 0);
		return loc;
	}
	w->slow_paths++;
	if (node == own)
		loc = refill(w, s, ac, own);
	else
		EMIT(w, NODE_WANTED, s->id, node, own, 0, 0, 0, 0);
	if (!loc)
		loc = alloc_node(w, s, node);
	if (!loc)
		loc = fallback_alloc(w, s, cpu);
	if (!loc)
		EMIT(w, ALLOC_FAILED, s->id, node, node, 0, 0, 0, 0);
	return loc;
}

/* The oldest batch leaves the CPU's array: to the shared array as far as that has room, else to the slabs. */
static void flush_array(struct world *w, struct kmem_cache *s, struct array_cache *ac, u32 node,
			struct doomed *doomed)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct array_cache *shared = slab_shared_array(w, s, node);
	u32 nr = ac->batchcount, room = shared ? shared->limit - shared->avail : 0;

	lock_take(w, &n->list_lock, s->id, node);
	if (room) {
		nr = MIN(nr, room);
		for (u32 i = 0; i < nr; i++)
			push(w, shared, ac->entry[i], CELL_FREE_SHARED);
		slab_array_drop(ac, nr);
		EMIT(w, FLUSH_SHARED, s->id, node, nr, shared->avail, shared->limit, 0, 0);
	} else {
		slab_free_block(w, s, node, ac->entry, nr, doomed);
		slab_array_drop(ac, nr);
		EMIT(w, FLUSH_SLABS, s->id, node, nr, n->free_objects, 0, 0, 0);
	}
	lock_release(w, &n->list_lock);
}

static void free_alien(struct world *w, struct kmem_cache *s, u32 node, object_loc loc)
{
	struct slab *slab = slab_of(w, loc);
	u32 home = slab->head.node;
	struct doomed doomed = { 0 };
	struct array_cache *ac = slab_alien_array(w, s, node, home);

	w->slow_paths++;
	STAT(w, s, NODEFREES, node, slab->head.serial, LOC_INDEX(loc), home, 0, 0);
	lock_take(w, &ac->lock, s->id, node);
	if (ac->avail == ac->limit) {
		STAT(w, s, ACOVERFLOW, node, ac->limit, home, 0, 0, 0);
		slab_drain_alien(w, s, home, ac, &doomed);
	}
	push(w, ac, loc, CELL_FREE_ALIEN);
	EMIT(w, ALIEN_PUSH, s->id, node, slab->head.serial, LOC_INDEX(loc), home, ac->avail, 0);
	lock_release(w, &ac->lock);
	slab_destroy_doomed(w, s, &doomed);
}

static void slab_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct slab *slab = slab_of(w, loc);
	u32 node = slab_node_of_cpu(w, cpu), index = LOC_INDEX(loc);
	struct doomed doomed = { 0 };

	KASSERT(slab_cells(slab)[index] == CELL_ALLOCATED);
	loc = LOC(LOC_SLAB(loc), index);
	if (slab->head.node != node) {
		free_alien(w, s, node, loc);
		return;
	}
	struct array_cache *ac = slab_cpu_array(w, s, cpu);
	if (likely(ac->avail < ac->limit)) {
		push(w, ac, loc, CELL_FREE_CPU);
		STAT(w, s, FREEHIT, node, slab->head.serial, index, ac->avail, ac->limit, 0);
		return;
	}
	w->slow_paths++;
	STAT(w, s, FREEMISS, node, ac->limit, ac->batchcount, 0, 0, 0);
	flush_array(w, s, ac, node, &doomed);
	slab_destroy_doomed(w, s, &doomed);
	push(w, ac, loc, CELL_FREE_CPU);
	EMIT(w, ARRAY_PUSH, s->id, node, slab->head.serial, index, ac->avail, ac->limit, 0);
}

static u32 slab_serial(const struct world *w, ref slab)
{
	return slab_head_at(w, slab)->serial;
}

static void slab_count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	const struct slab_cache *own = slab_own(w, s);

	for (u32 k = 0; k < NR_SLAB_COUNTERS; k++)
		sum[ALLOCHIT + k] += own->counters[k];
}

/* Caches of SLAB could not merge before 3.18, and no kmalloc was too large for them before 3.12. */
static void settle(struct policy *p)
{
	if (p->slab_era == SLAB_LINUX_6_1)
		return;
	p->merge = 0;
	p->kmalloc_all_classes = 1;
}

const struct kmem_ops slab_ops = {
	.placements = &slab_placements,
	.counters = (COUNTER_BIT(NR_SLAB_COUNTERS) - 1) << ALLOCHIT,
	.smallest_kmalloc = 32,
	.settle = settle,
	.prepare = slab_prepare,
	.create = slab_create,
	.alloc = slab_alloc,
	.free = slab_free,
	.tick = slab_tick,
	.shrink = slab_shrink,
	.set = slab_set,
	.walk = slab_walk,
	.check = slab_check,
	.serial = slab_serial,
	.count = slab_count,
	.info = slab_info,
	.locks = slab_locks,
	.order_row = slab_order_row,
};
