/*
 * slub_sheaf_refill.c - takes many objects from slabs at once, to fill a sheaf or to serve a bulk request (7.x).
 *
 *	own node's partial list: whole freelists from the head ─ other nodes ─ new slabs
 *	the last slab may keep a remainder: a listed slab goes to the tail, a new one to the head
 *
 * Kernel: refill_objects(), __refill_objects_node(), get_partial_node_bulk(), __refill_objects_any(),
 * alloc_from_new_slab() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_sheaf.h"

struct refill {
	object_loc *array;
	u16 *nr; /* objects in the array */
	u32 missing;
	u16 link;
};

/* Moves objects from the front of the slab's freelist, until it is empty or no more are missing. */
static void take_freelist(struct world *w, struct kmem_cache *s, struct slab *slab,
			  struct refill *r)
{
	/* Copies, because the stores below might change the originals for all that the compiler knows. */
	u32 first = slab->freelist, wanted = r->missing, taken = 0;
	object_loc *to = r->array + *r->nr;
	ref self = ref_of(w, slab);
	u16 link = r->link;

	line_touch(w, &slab->line);
	for (; first && taken < wanted; taken++) {
		u32 index = first - 1u;
		first = slab->link[index];
		slab->link[index] = link;
		to[taken] = LOC(self, index);
	}
	slab->freelist = (u16)first;
	slab->inuse = (u16)(slab->inuse + taken);
	*r->nr = (u16)(*r->nr + taken);
	r->missing -= taken;
	emit_SHEAF_FROM_SLAB(w, s->id, slab->node, slab->serial, taken, slab_free_count(slab),
			     r->missing);
}

void slub_sheaf_list_slab(struct world *w, struct kmem_cache *s, struct slab *slab,
			  enum kmem_end end)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	lock_take(w, &n->list_lock, s->id, slab->node);
	slub_list_add(w, s, slab, end);
	lock_release(w, &n->list_lock);
	emit_LIST_ADD(w, s->id, slab->node, slab->serial, slab_free_count(slab), end,
		      n->nr_partial);
}

/* Returns 1 once nothing is missing. */
static int refill_from_node(struct world *w, struct kmem_cache *s, u32 node, void *context)
{
	struct kmem_cache_node *n = slub_node(w, s, node);
	struct refill *r = context;
	ref first = 0, *last = &first;

	emit_PARTIAL_SEARCH(w, s->id, node, n->nr_partial);
	if (!n->nr_partial)
		return 0;
	lock_take(w, &n->list_lock, s->id, node);
	for (u32 found = 0; found < r->missing && n->head;) {
		struct slab *slab = slub_list_pop(w, s, n);
		slab->place = PLACE_TRANSIT;
		slab->next = 0;
		slab->prev = 0;
		*last = ref_of(w, slab);
		last = &slab->next;
		found += slab_free_count(slab);
	}
	lock_release(w, &n->list_lock);
	while (first) {
		struct slab *slab = at(w, first);
		first = slab->next;
		slab->next = 0;
		/* Only the last slab can keep a remainder. */
		if (slab_free_count(slab) <= r->missing)
			slab->place = PLACE_NODE_FULL;
		take_freelist(w, s, slab, r);
		if (slab->freelist)
			slub_sheaf_list_slab(w, s, slab, END_TAIL);
	}
	return !r->missing;
}

/* Returns 0 if the page allocator has no memory. */
static int refill_from_new_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				struct refill *r)
{
	struct slab *slab = slub_new_slab(w, s, NODE_ANY);

	if (!slab)
		return 0;
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_LOOSE);
	if (slab->objects <= r->missing)
		slab->place = PLACE_NODE_FULL;
	take_freelist(w, s, slab, r);
	if (slab->freelist)
		slub_sheaf_list_slab(w, s, slab, END_HEAD);
	return 1;
}

void slub_refill_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 object_loc *array, u16 *nr, u32 need, u16 link)
{
	struct refill r = { array, nr, need, link };
	u32 local = sheaf_home(w);

	if (refill_from_node(w, s, local, &r) ||
	    slub_search_nodes(w, s, local, local, refill_from_node, &r))
		return;
	while (r.missing && refill_from_new_slab(w, s, c, &r)) {
	}
}
