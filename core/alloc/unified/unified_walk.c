/*
 * unified_walk.c - turns the unified allocator's state into rows for views, and checks its
 * invariants between events.
 */
#include "alloc/unified/unified.h"

static const struct unified_slab *slab_at(const struct world *w, ref r)
{
	return at(w, r);
}

static void visit_slab(const struct world *w, const struct unified_slab *slab, u32 position,
		       struct visitor *v)
{
	struct kmem_slab_row row = slab_row(w, &slab->head, position);

	row.inuse = (u16)(slab->head.objects - slab->nr_free);
	row.free_on_slab = (u16)slab->nr_free;
	row.free_on_cpu = (u16)slab->nr_on_cpus;
	row.first_extent = 0xffffffff;
	for (u32 i = 0; i < slab->head.objects && !v->only_counts; i++)
		row.inferred += unified_cells(slab)[i] == CELL_INFERRED;
	v->slab(v, &row, unified_cells(slab), NULL);
}

/* A queue that was never used is shown as empty. */
static void visit_queue(const struct world *w, ref queue, struct kmem_place place,
			struct visitor *v)
{
	const struct unified_queue *q = at(w, queue);

	place.nr_entries = queue ? q->objects : 0;
	place.touched = queue ? q->touched : 0;
	v->place(v, &place);
	for (u32 i = 0; i < place.nr_entries; i++) {
		object_loc loc = q->object[q->first + i];
		struct kmem_entry entry = { slab_at(w, LOC_SLAB(loc))->head.serial,
					    (u16)LOC_INDEX(loc), place.cache, 0, 0 };
		v->entry(v, &entry);
	}
}

static struct kmem_place queue_of(const struct kmem_cache *s, u32 kind, u32 cpu, u32 node,
				  u32 limit)
{
	struct kmem_place place = place_row(s, kind, cpu, node);

	place.limit = limit;
	return place;
}

static void visit_group(const struct world *w, const struct kmem_cache *s, u32 group,
			struct visitor *v)
{
	const struct unified_cache *u = unified_own(w, s);
	const struct unified_group *g = unified_group(w, s, group);
	u32 home = unified_home(w, group);
	struct kmem_place place = queue_of(s, PLACE_SHARED_QUEUE, CPU_NONE, home, u->shared_max);

	if (!u->shared_max)
		return;
	place.target = (u16)group;
	visit_queue(w, g->shared, place, v);
	for (u32 node = 0; u->alien_max && node < w->machine.nr_nodes; node++) {
		if (node == home)
			continue;
		place = queue_of(s, PLACE_ALIEN_QUEUE, CPU_NONE, home, u->alien_max);
		place.target = (u16)node;
		visit_queue(w, g->aliens ? unified_alien(w, g, node)->queue : 0, place, v);
	}
}

/* Visits slabs of one node that are on no list: full ones, or those in transit. */
static void visit_loose(const struct world *w, const struct kmem_cache *s, u32 node, u32 kind,
			struct visitor *v)
{
	struct kmem_place place = place_row(s, kind, CPU_NONE, node);
	u32 position = 0;

	for (ref r = s->first_slab; r; r = slab_at(w, r)->head.newer)
		place.nr_slabs += slab_at(w, r)->head.place == kind &&
				  slab_at(w, r)->head.node == node;
	if (kind == PLACE_TRANSIT && !place.nr_slabs)
		return;
	v->place(v, &place);
	for (ref r = s->first_slab; r && place.nr_slabs; r = slab_at(w, r)->head.newer)
		if (slab_at(w, r)->head.place == kind && slab_at(w, r)->head.node == node)
			visit_slab(w, slab_at(w, r), position++, v);
}

void unified_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	const ref *cpus = at(w, s->cpus);

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct unified_cpu *c = at(w, cpus[cpu]);
		visit_queue(w, cpus[cpu] ? c->queue : 0,
			    queue_of(s, PLACE_CPU_QUEUE, cpu, node_of_cpu(w, cpu),
				     unified_own(w, s)->cpu_max),
			    v);
	}
	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++)
		visit_group(w, s, group, v);
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct unified_node *n = unified_node(w, s, node);
		struct kmem_place place = place_row(s, PLACE_NODE_PARTIAL, CPU_NONE, node);
		u32 position = 0;
		place.nr_slabs = n->nr_partial;
		place.touched = (u16)n->touched;
		v->place(v, &place);
		for (ref r = n->head; r; r = slab_at(w, r)->next)
			visit_slab(w, slab_at(w, r), position++, v);
		visit_loose(w, s, node, PLACE_LOOSE, v);
		visit_loose(w, s, node, PLACE_TRANSIT, v);
	}
}

/* Counts the objects in a cache's queues, by enum kmem_queue. */
struct held {
	u32 nr[QUEUE_ALIEN + 1];
};

/* `node` is the home node of an alien queue's objects. */
static const char *check_queue(const struct world *w, const struct kmem_cache *s, ref queue,
			       u32 kind, u32 max, u32 node, struct held *held)
{
	const struct unified_queue *q = at(w, queue);

	if (!queue)
		return NULL;
	INVARIANT(q->kind == kind && q->max == max, "a queue is as long as its cache says");
	INVARIANT(q->objects <= q->max && q->first == 0,
		  "a queue holds no more than it has room for");
	INVARIANT(q->touched <= 1, "a queue is touched or it is not");
	for (u32 i = 0; i < q->max; i++) {
		object_loc loc = q->object[i];
		INVARIANT((loc != 0) == (i < q->objects), "a queue is filled from its front");
		if (!loc)
			continue;
		const struct unified_slab *slab = unified_slab(w, loc);
		INVARIANT(slab->head.cache == ref_of(w, s), "a queue holds objects of its cache");
		INVARIANT(LOC_INDEX(loc) < slab->head.objects, "a queue holds objects of slabs");
		INVARIANT(unified_cells(slab)[LOC_INDEX(loc)] == unified_cell_of_queue(kind),
			  "an object in a queue is marked as being there");
		INVARIANT(kind != QUEUE_ALIEN || slab->head.node == node,
			  "an alien queue holds objects of its node");
	}
	held->nr[kind] += q->objects;
	return NULL;
}

static const char *check_queues(const struct world *w, const struct kmem_cache *s,
				struct held *held)
{
	const struct unified_cache *u = unified_own(w, s);
	const ref *cpus = at(w, s->cpus);
	const char *broken = NULL;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus && !broken; cpu++)
		if (cpus[cpu])
			broken = check_queue(w, s, ((struct unified_cpu *)at(w, cpus[cpu]))->queue,
					     QUEUE_CPU, u->cpu_max, 0, held);
	for (u32 group = 0; group < unified_machine(w)->nr_groups && !broken; group++) {
		const struct unified_group *g = unified_group(w, s, group);
		broken = check_queue(w, s, g->shared, QUEUE_SHARED, u->shared_max, 0, held);
		for (u32 node = 0; g->aliens && node < w->machine.nr_nodes && !broken; node++) {
			INVARIANT(node != unified_home(w, group) ||
					  !unified_alien(w, g, node)->queue,
				  "no node has an alien queue for itself");
			broken = check_queue(w, s, unified_alien(w, g, node)->queue, QUEUE_ALIEN,
					     u->alien_max, node, held);
		}
	}
	return broken;
}

static const char *check_sizes(const struct world *w, const struct kmem_cache *s)
{
	const struct unified_cache *u = unified_own(w, s);
	int debug = (s->flags & CACHE_DEBUG) != 0;

	INVARIANT(debug || (u->batch >= 1 && u->batch <= u->queue && u->queue <= u->cpu_max),
		  "a batch fits a queue, and a queue its memory");
	INVARIANT(!debug || (!u->cpu_max && !u->shared_max),
		  "the queues of debug caches are empty");
	INVARIANT(u->shared <= u->shared_max, "a shared queue is no longer than its memory");
	INVARIANT(!u->alien_max || u->shared_max, "a group with alien queues has a shared queue");
	return NULL;
}

static const char *check_slab(const struct world *w, const struct kmem_cache *s,
			      const struct unified_slab *slab, u32 *cells_of)
{
	const u8 *cells = unified_cells(slab);
	u32 free = 0, on_cpus = 0;

	INVARIANT(slab->head.cache == ref_of(w, s), "a slab knows its cache");
	for (u32 i = 0; i < unified_map_words(slab) * 64; i++) {
		int bit = slab->map[i / 64] >> (i % 64) & 1;
		INVARIANT(i < slab->head.objects || !bit, "a bitmap ends with its slab's objects");
		if (i >= slab->head.objects)
			continue;
		INVARIANT(bit == (cells[i] == CELL_FREE),
			  "a bit is set for each free object, and no other");
		INVARIANT(cells[i] <= CELL_FREE_ALIEN || cells[i] == CELL_INFERRED,
			  "an object is free, allocated or in a queue");
		free += (u32)bit;
		on_cpus += cells[i] == CELL_FREE_CPU;
		cells_of[cells[i]]++;
	}
	INVARIANT(free == slab->nr_free, "a slab counts the bits of its bitmap");
	INVARIANT(on_cpus == slab->nr_on_cpus, "a slab counts its objects in CPUs' queues");
	INVARIANT(slab->head.place == (free ? PLACE_NODE_PARTIAL : PLACE_LOOSE),
		  "a slab is on its node's list exactly while it has a free bit");
	return NULL;
}

static const char *check_lists(const struct world *w, const struct kmem_cache *s, u32 *listed)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct unified_node *n = unified_node(w, s, node);
		u32 len = 0;
		ref previous = 0;
		for (ref r = n->head; r; previous = r, r = slab_at(w, r)->next, len++) {
			const struct unified_slab *slab = slab_at(w, r);
			INVARIANT(slab->prev == previous, "a partial list is linked both ways");
			INVARIANT(slab->head.place == PLACE_NODE_PARTIAL && slab->head.node == node,
				  "a slab is on the list of its own node");
			INVARIANT(len <= n->nr_partial,
				  "a partial list is as long as nr_partial says");
		}
		INVARIANT(n->tail == previous, "a partial list ends at its tail");
		INVARIANT(len == n->nr_partial, "a partial list is as long as nr_partial says");
		INVARIANT(n->touched <= 1, "a list is touched or it is not");
		*listed += len;
	}
	INVARIANT(*listed == s->partial, "a cache counts the partial slabs of all nodes");
	return NULL;
}

const char *unified_check(const struct world *w, const struct kmem_cache *s)
{
	u32 slabs = 0, objects = 0, listed = 0, partial = 0, cells_of[CELL_INFERRED + 1] = { 0 };
	struct held held = { { 0 } };
	const char *broken = check_sizes(w, s);

	if (!broken)
		broken = check_queues(w, s, &held);
	if (!broken)
		broken = check_lists(w, s, &listed);
	for (ref r = s->first_slab; r && !broken; r = slab_at(w, r)->head.newer) {
		broken = check_slab(w, s, slab_at(w, r), cells_of);
		partial += slab_at(w, r)->nr_free != 0;
		objects += slab_at(w, r)->head.objects;
		slabs++;
	}
	if (broken)
		return broken;
	INVARIANT(slabs == s->slabs && objects == s->total_objects,
		  "a cache counts its slabs and objects");
	INVARIANT(partial == listed, "a slab is in exactly one place");
	INVARIANT(cells_of[CELL_ALLOCATED] == s->live, "a cache counts its live objects");
	INVARIANT(cells_of[CELL_FREE_CPU] == held.nr[QUEUE_CPU] &&
			  cells_of[CELL_FREE_SHARED] == held.nr[QUEUE_SHARED] &&
			  cells_of[CELL_FREE_ALIEN] == held.nr[QUEUE_ALIEN],
		  "an object is in one queue, and once");
	return NULL;
}

/* Like the proposal's patch on detailed reports: reports every slab, not only the faulty one. */
int unified_validate(struct world *w, struct kmem_cache *s)
{
	for (ref r = s->first_slab; r; r = slab_head_at(w, r)->newer) {
		const struct unified_slab *slab = at(w, r);
		const u8 *cells = unified_cells(slab);
		u32 used = 0, objects = slab->head.objects;
		for (u32 i = 0; i < objects; i++)
			used += cells[i] == CELL_ALLOCATED;
		emit_SLAB_REPORT(w, s->id, slab->head.node, slab->head.serial, used,
				 objects - used - slab->nr_free, slab->nr_free, objects);
	}
	return 1;
}
