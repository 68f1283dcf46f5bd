/*
 * slab_walk.c - turns SLAB's state into rows for views, and checks the invariants between events.
 */
#include "alloc/slab/slab.h"

/* Machines with at most this many nodes show alien caches even before their first use. */
enum { FEW_NODES = 8 };

static const struct slab *slab_at(const struct world *w, ref r)
{
	return at(w, r);
}

static void visit_slab(const struct world *w, const struct slab *slab, u32 position,
		       struct visitor *v)
{
	struct kmem_slab_row row = slab_row(w, &slab->head, position);

	row.inuse = slab->active;
	row.free_on_slab = (u16)(slab->head.objects - slab->active);
	row.start = slab->start;
	for (u32 i = 0; i < slab->head.objects && !v->only_counts; i++)
		row.inferred += slab_cells(slab)[i] == CELL_INFERRED;
	v->slab(v, &row, slab_cells(slab), NULL);
}

static void visit_array(const struct world *w, const struct kmem_cache *s, struct kmem_place *place,
			const struct array_cache *ac, u32 limit, struct visitor *v)
{
	place->limit = limit;
	place->touched = ac ? (u16)ac->touched : 0;
	/* An entry is 0 if it was just removed. */
	for (u32 i = 0; ac && i < ac->avail; i++)
		place->nr_entries += ac->entry[i] != 0;
	v->place(v, place);
	for (u32 i = 0; ac && i < ac->avail; i++) {
		object_loc loc = ac->entry[i];
		if (!loc)
			continue;
		struct kmem_entry entry = { slab_of(w, loc)->head.serial, (u16)LOC_INDEX(loc),
					    s->id, 0, 0 };
		v->entry(v, &entry);
	}
}

static void visit_list(const struct world *w, const struct kmem_cache *s, u32 node,
		       enum slab_list list, u32 kind, struct visitor *v)
{
	const struct kmem_cache_node *n = slab_node(w, s, node);
	struct kmem_place place = place_row(s, kind, CPU_NONE, node);
	u32 position = 0;

	place.nr_slabs = n->nr[list];
	v->place(v, &place);
	for (ref r = n->head[list]; r; r = slab_at(w, r)->next)
		visit_slab(w, slab_at(w, r), position++, v);
}

/* Visits slabs that are on no list, which happens in the middle of an event. */
static void visit_transit(const struct world *w, const struct kmem_cache *s, u32 node,
			  struct visitor *v)
{
	struct kmem_place place = place_row(s, PLACE_TRANSIT, CPU_NONE, node);
	u32 position = 0;

	for (ref r = s->first_slab; r; r = slab_at(w, r)->head.newer)
		place.nr_slabs += slab_at(w, r)->head.place == PLACE_TRANSIT &&
				  slab_at(w, r)->head.node == node;
	if (!place.nr_slabs)
		return;
	v->place(v, &place);
	for (ref r = s->first_slab; r; r = slab_at(w, r)->head.newer)
		if (slab_at(w, r)->head.place == PLACE_TRANSIT && slab_at(w, r)->head.node == node)
			visit_slab(w, slab_at(w, r), position++, v);
}

static void visit_aliens(const struct world *w, const struct kmem_cache *s, u32 node,
			 struct visitor *v)
{
	const struct kmem_cache_node *n = slab_node(w, s, node);
	u32 nr_nodes = w->machine.nr_nodes;

	for (u32 home = 0; home < nr_nodes; home++) {
		const struct array_cache *ac = slab_alien_at(w, n, home);
		struct kmem_place place = place_row(s, PLACE_ALIEN_ARRAY, CPU_NONE, node);
		if (home == node || (!ac && nr_nodes > FEW_NODES))
			continue;
		place.target = (u16)home;
		visit_array(w, s, &place, ac, slab_own(w, s)->alien_limit, v);
	}
}

void slab_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	const struct slab_cache *own = slab_own(w, s);

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		struct kmem_place place = place_row(s, PLACE_CPU_ARRAY, cpu, node_of_cpu(w, cpu));
		visit_array(w, s, &place, slab_array_of(w, s, cpu), own->limit, v);
	}
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slab_node(w, s, node);
		struct kmem_place place = place_row(s, PLACE_SHARED_ARRAY, CPU_NONE, node);
		/* An array about to be freed still has objects. */
		if (own->shared || n->shared)
			visit_array(w, s, &place, n->shared ? at(w, n->shared) : NULL,
				    own->shared * own->batchcount, v);
		visit_aliens(w, s, node, v);
		visit_list(w, s, node, SLABS_PARTIAL, PLACE_NODE_PARTIAL, v);
		visit_list(w, s, node, SLABS_FREE, PLACE_NODE_FREE, v);
		visit_list(w, s, node, SLABS_FULL, PLACE_NODE_FULL, v);
		visit_transit(w, s, node, v);
	}
}

/* Counts the objects in each state. */
struct census {
	u32 of_cell[CELL_INFERRED + 1];
};

static const char *check_slab(const struct slab *slab, struct census *census)
{
	const u8 *cells = slab_cells(slab);
	u8 on_stack[0x10000];
	u32 taken = 0, nr = slab->head.objects;

	INVARIANT(slab->active <= nr, "a slab has no more active objects than slots");
	memset(on_stack, 0, nr);
	for (u32 i = slab->active; i < nr; i++) {
		INVARIANT(slab->index[i] < nr && !on_stack[slab->index[i]],
			  "an index is on its slab's stack only once");
		on_stack[slab->index[i]] = 1;
	}
	for (u32 i = 0; i < nr; i++) {
		INVARIANT((cells[i] <= CELL_FREE_ALIEN || cells[i] == CELL_INFERRED) &&
				  (cells[i] == CELL_FREE) == on_stack[i],
			  "an object is on its slab's stack or active");
		taken += cells[i] != CELL_FREE;
		census->of_cell[cells[i]]++;
	}
	INVARIANT(taken == slab->active, "a slab counts its active objects");
	return NULL;
}

/* Checks that entries belong to the node and are in the right state, and subtracts them from the census. */
static const char *check_array(const struct world *w, const struct array_cache *ac, u32 node,
			       u32 cell, struct census *census)
{
	if (!ac)
		return NULL;
	INVARIANT(ac->avail <= ac->limit, "an array cache holds no more than its limit");
	for (u32 i = 0; i < ac->avail; i++) {
		object_loc loc = ac->entry[i];
		INVARIANT(loc && slab_of(w, loc)->head.node == node,
			  "an array cache holds objects of one node");
		INVARIANT(slab_cells(slab_of(w, loc))[LOC_INDEX(loc)] == cell,
			  "an object in an array cache is free, but active in its slab");
	}
	census->of_cell[cell] -= ac->avail;
	return NULL;
}

static const char *check_arrays(const struct world *w, const struct kmem_cache *s,
				struct census *census)
{
	const char *broken = NULL;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus && !broken; cpu++)
		broken = check_array(w, slab_array_of(w, s, cpu), node_of_cpu(w, cpu),
				     CELL_FREE_CPU, census);
	for (u32 node = 0; node < w->machine.nr_nodes && !broken; node++) {
		const struct kmem_cache_node *n = slab_node(w, s, node);
		broken = check_array(w, n->shared ? at(w, n->shared) : NULL, node, CELL_FREE_SHARED,
				     census);
		for (u32 home = 0; n->alien && home < w->machine.nr_nodes && !broken; home++)
			broken = check_array(w, slab_alien_at(w, n, home), home, CELL_FREE_ALIEN,
					     census);
	}
	return broken;
}

static int belongs(const struct slab *slab, enum slab_list list)
{
	if (list == SLABS_FULL)
		return slab->head.place == PLACE_NODE_FULL && slab->active == slab->head.objects;
	if (list == SLABS_FREE)
		return slab->head.place == PLACE_NODE_FREE && slab->active == 0;
	return slab->head.place == PLACE_NODE_PARTIAL && slab->active > 0 &&
	       slab->active < slab->head.objects;
}

static const char *check_list(const struct world *w, const struct kmem_cache *s, u32 node,
			      enum slab_list list, u32 *free_objects)
{
	const struct kmem_cache_node *n = slab_node(w, s, node);
	ref previous = 0;
	u32 nr = 0;

	for (ref r = n->head[list]; r; previous = r, r = slab_at(w, r)->next, nr++) {
		const struct slab *slab = slab_at(w, r);
		INVARIANT(slab->prev == previous, "a list of slabs is linked both ways");
		INVARIANT(nr <= n->nr[list], "a list is as long as its node says");
		INVARIANT(slab->head.node == node, "a slab is on a list of its own node");
		INVARIANT(belongs(slab, list),
			  "a slab is on the list of its kind: full, partial or free");
		*free_objects += (u32)slab->head.objects - slab->active;
	}
	INVARIANT(n->tail[list] == previous, "a list ends at its tail");
	INVARIANT(nr == n->nr[list], "a list is as long as its node says");
	return NULL;
}

static const char *check_nodes(const struct world *w, const struct kmem_cache *s)
{
	const struct slab_cache *own = slab_own(w, s);
	u32 listed = 0, partial = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slab_node(w, s, node);
		u32 free_objects = 0;
		for (u32 list = 0; list < NR_SLAB_LISTS; list++) {
			const char *broken = check_list(w, s, node, (enum slab_list)list,
							&free_objects);
			if (broken)
				return broken;
			listed += n->nr[list];
		}
		INVARIANT(free_objects == n->free_objects,
			  "a node counts the free objects of its slabs");
		INVARIANT(n->colour_next < MAX(own->colours, 1u),
			  "the next colour is one of the cache's");
		partial += n->nr[SLABS_PARTIAL];
	}
	INVARIANT(listed == s->slabs, "a slab is on exactly one list");
	INVARIANT(partial == s->partial, "a cache counts the partial slabs of all nodes");
	return NULL;
}

const char *slab_check(const struct world *w, const struct kmem_cache *s)
{
	struct census census = { 0 };
	u32 slabs = 0, objects = 0;
	const char *broken = check_nodes(w, s);

	for (ref r = s->first_slab; r && !broken; r = slab_at(w, r)->head.newer) {
		INVARIANT(slab_at(w, r)->head.cache == ref_of(w, s), "a slab knows its cache");
		broken = check_slab(slab_at(w, r), &census);
		slabs++;
		objects += slab_at(w, r)->head.objects;
	}
	if (!broken)
		broken = check_arrays(w, s, &census);
	if (broken)
		return broken;
	INVARIANT(slabs == s->slabs && objects == s->total_objects,
		  "a cache counts its slabs and objects");
	INVARIANT(census.of_cell[CELL_ALLOCATED] == s->live, "a cache counts its live objects");
	INVARIANT(!census.of_cell[CELL_FREE_CPU] && !census.of_cell[CELL_FREE_SHARED] &&
			  !census.of_cell[CELL_FREE_ALIEN],
		  "an active object is allocated or in one array cache");
	return NULL;
}
