/*
 * slab.c - SLAB of Linux 6.1: allocation and free.
 *
 *	alloc: CPU array cache ─ shared array ─ partial slabs ─ free slabs ─ new slab
 *	free:  CPU array cache ─ full: its oldest to the shared array, or to their slabs
 *	       object from another node: alien cache ─ full: that node's shared array, or its slabs
 *
 * Events run to completion on their virtual CPU. Left out: debugging, memory policies, and the
 * kmalloc object that holds an off-slab index array.
 *
 * Kernel: ____cache_alloc(), cache_alloc_refill(), ____cache_alloc_node(), fallback_alloc(),
 * ___cache_free(), cache_flusharray(), __cache_free_alien() in mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

#include "sim/page.h"

/* Removes the newest entry of the CPU array cache, which is not empty. */
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

/* Moves up to `want` objects from the slab to the CPU array cache. */
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
		emit_REFILL_NEW(w, s->id, slab->head.node, slab->head.serial, nr, slab->active);
	else
		emit_REFILL_SLAB(w, s->id, slab->head.node, slab->head.serial, nr, place,
				 slab->active);
	return nr;
}

/* Refills the array from the node's partial slabs, then from its free slabs. */
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

/* Returns 0 if the node has no free objects. */
static int refill_from_node(struct world *w, struct kmem_cache *s, struct array_cache *ac, u32 node,
			    u32 want)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct array_cache *shared = n->shared ? at(w, n->shared) : NULL;

	if (!n->free_objects && (!shared || !shared->avail)) {
		emit_NODE_EMPTY(w, s->id, node);
		return 0;
	}
	lock_take(w, &n->list_lock, s->id, node);
	if (shared && shared->avail) {
		u32 moved = slab_transfer(w, ac, shared, want, CELL_FREE_CPU);
		shared->touched = 1;
		emit_REFILL_SHARED(w, s->id, node, moved, shared->avail);
	} else {
		refill_from_lists(w, s, ac, node, want);
	}
	lock_release(w, &n->list_lock);
	return 1;
}

/* Fills the array from one new slab, even if the slab holds only a few objects. Returns 0 if the
 * node is out of memory. */
static int refill_by_growing(struct world *w, struct kmem_cache *s, struct array_cache *ac,
			     u32 node, u32 want)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct slab *slab = slab_grow(w, s, node, 1);

	if (!slab)
		return 0;
	lock_take(w, &n->list_lock, s->id, node);
	if (w->policy.slab_era == SLAB_LINUX_2_6_24) {
		/* The kernel puts the slab on the free list and then repeats the search. */
		slab_grow_end(w, s, slab);
		refill_from_lists(w, s, ac, node, want);
	} else {
		take_block(w, s, ac, slab, want);
		slab_grow_end(w, s, slab);
	}
	lock_release(w, &n->list_lock);
	return 1;
}

/* Models cache_alloc_refill(). Returns 0 if the CPU's own node is out of memory. */
static object_loc refill(struct world *w, struct kmem_cache *s, struct array_cache *ac, u32 node)
{
	u32 idle = !ac->touched && ac->batchcount > BATCHREFILL_LIMIT;
	u32 want = idle ? BATCHREFILL_LIMIT : ac->batchcount;

	STAT(w, s, ALLOCMISS, node, ac->limit);
	emit_REFILL_WANT(w, s->id, node, want, ac->batchcount,
			 ac->touched ? REASON_TOUCHED
			 : idle	     ? REASON_UNTOUCHED
				     : REASON_SMALL_BATCH);
	if (!refill_from_node(w, s, ac, node, want) && !refill_by_growing(w, s, ac, node, want))
		return 0;
	object_loc loc = pop(w, ac);
	emit_ARRAY_POP(w, s->id, node, slab_of(w, loc)->head.serial, LOC_INDEX(loc), ac->avail);
	return loc;
}

/* Takes one object from a slab on the node's lists, or returns 0 if there is none. */
static object_loc take_listed(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct slab *slab = slab_first(w, s, node);

	if (!slab)
		return 0;
	object_loc loc = slab_get_obj(w, slab, CELL_ALLOCATED);
	n->free_objects--;
	STAT(w, s, NODEALLOCS, node, slab->head.serial, LOC_INDEX(loc), n->free_objects);
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
	emit_NODE_TAKE(w, s->id, node, slab->head.serial, LOC_INDEX(loc));
	slab_grow_end(w, s, slab);
	return loc;
}

/* Takes one object from the slabs and bypasses all arrays, like ____cache_alloc_node() without its
 * fallback. */
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

/* Searches the nodes of the permitted zones for a free object, then makes a slab on any node. */
static object_loc fallback_alloc(struct world *w, struct kmem_cache *s, u32 cpu)
{
	const struct machine *m = &w->machine;
	u32 node = node_of_cpu(w, cpu);
	const u16 *list = (u16 *)at(w, m->zonelists) + node * m->zonelist_len;

	for (u32 i = 0; i < m->zonelist_len; i++) {
		const struct zone *zone = (struct zone *)at(w, m->zones) + list[i];
		u32 other = zone->node;
		if (zone->kind > request_zone(w))
			continue;
		u32 free_objects = slab_node(w, s, other)->free_objects;
		emit_FALLBACK_ZONE(w, s->id, other, i, free_objects,
				   free_objects ? OUTCOME_OBJECT : OUTCOME_NOTHING_THERE);
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
	u32 own = node_of_cpu(w, cpu);
	object_loc loc = 0;

	(void)bytes;
	if (node == NODE_ANY)
		node = own;
	if (likely(node == own && ac->avail)) {
		loc = pop(w, ac);
		STAT_OFTEN(w, s, ALLOCHIT, own, slab_of(w, loc)->head.serial, LOC_INDEX(loc),
			   ac->avail);
		return loc;
	}
	w->slow_paths++;
	if (node == own)
		loc = refill(w, s, ac, own);
	else
		emit_NODE_WANTED(w, s->id, node, own);
	if (!loc)
		loc = alloc_node(w, s, node);
	if (!loc)
		loc = fallback_alloc(w, s, cpu);
	if (!loc)
		emit_ALLOC_FAILED(w, s->id, node, node);
	return loc;
}

/* Moves the oldest batch of the CPU array cache to the shared array, or as many of its objects as
 * fit. If that array is full, the batch goes to its slabs. */
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
		emit_FLUSH_SHARED(w, s->id, node, nr, shared->avail, shared->limit);
	} else {
		slab_free_block(w, s, node, ac->entry, nr, doomed);
		slab_array_drop(ac, nr);
		emit_FLUSH_SLABS(w, s->id, node, nr, n->free_objects);
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
	STAT(w, s, NODEFREES, node, slab->head.serial, LOC_INDEX(loc), home);
	lock_take(w, &ac->lock, s->id, node);
	if (ac->avail == ac->limit) {
		STAT(w, s, ACOVERFLOW, node, ac->limit, home);
		slab_drain_alien(w, s, home, ac, &doomed);
	}
	push(w, ac, loc, CELL_FREE_ALIEN);
	emit_ALIEN_PUSH(w, s->id, node, slab->head.serial, LOC_INDEX(loc), home, ac->avail);
	lock_release(w, &ac->lock);
	slab_destroy_doomed(w, s, &doomed);
}

static void slab_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct slab *slab = slab_of(w, loc);
	u32 node = node_of_cpu(w, cpu), index = LOC_INDEX(loc);
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
		STAT_OFTEN(w, s, FREEHIT, node, slab->head.serial, index, ac->avail, ac->limit);
		return;
	}
	w->slow_paths++;
	STAT(w, s, FREEMISS, node, ac->limit, ac->batchcount);
	flush_array(w, s, ac, node, &doomed);
	slab_destroy_doomed(w, s, &doomed);
	push(w, ac, loc, CELL_FREE_CPU);
	emit_ARRAY_PUSH(w, s->id, node, slab->head.serial, index, ac->avail, ac->limit);
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

/* SLAB caches could not merge before 3.18, and kmalloc had no upper size limit before 3.12. */
static void settle(struct policy *p)
{
	if (p->slab_era == SLAB_LINUX_6_1)
		return;
	p->merge = 0;
	p->kmalloc_all_classes = 1;
}

static int slab_has_counter(const struct world *w, u32 counter)
{
	(void)w;
	return counter - ALLOCHIT < NR_SLAB_COUNTERS;
}

static u64 address(const struct world *w, const struct kmem_cache *s, object_loc loc)
{
	return slab_address(w, LOC_SLAB(loc)) + slab_of(w, loc)->start + LOC_INDEX(loc) * s->size;
}

static object_loc object_with(const struct world *w, ref slab, u64 where)
{
	const struct slab *of = at(w, slab);
	const struct kmem_cache *s = at(w, of->head.cache);
	u64 start = slab_address(w, slab) + of->start;
	u32 index = (u32)(where - start) / s->size;

	return where < start || index >= of->head.objects ? 0 : LOC(slab, index) | (u64)s->id << 48;
}

static u32 alignment(const struct world *w, const struct kmem_cache *s, u32 bytes)
{
	const struct slab_cache *own = slab_own(w, s);
	u32 places = s->size | own->front | (own->colours ? own->colour_off : 0);

	(void)bytes;
	return places & -places;
}

const struct kmem_ops slab_ops = {
	.placements = &slab_placements,
	.smallest_kmalloc = 32,
	.levels = LEVELS_SLAB,
	.settle = settle,
	.prepare = slab_prepare,
	.create = slab_create,
	.adopt = slab_adopt,
	.adopt_array = slab_adopt_array,
	.has_counter = slab_has_counter,
	.alloc = slab_alloc,
	.free = slab_free,
	.tick = slab_tick,
	.requests = REQUEST_BIT(OP_FLUSH) | REQUEST_BIT(OP_SHRINK) | REQUEST_BIT(OP_TICK) |
		    REQUEST_BIT(OP_REAP),
	.shrink = slab_shrink,
	.set = slab_set,
	.walk = slab_walk,
	.check = slab_check,
	.serial = slab_serial,
	.count = slab_count,
	.info = slab_info,
	.locks = slab_locks,
	.order_row = slab_order_row,
	.address = address,
	.object_with = object_with,
	.alignment = alignment,
};
