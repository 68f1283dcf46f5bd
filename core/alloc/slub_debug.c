/*
 * slub_debug.c - SLUB's paths for caches with debugging: no cpu slab, no chain, full slabs on a list.
 *
 * Each object is taken from and given back to a slab under the node's list lock, so that it can be checked.
 * Kernel: alloc_single_from_partial(), alloc_single_from_new_slab(), free_debug_processing() in mm/slub.c, 6.1.
 */
#include "slub.h"

static object_loc take_one(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u32 index = slab->freelist - 1u;

	slab->freelist = slab->link[index];
	slab->link[index] = LINK_ALLOCATED;
	slab->inuse++;
	EMIT(w, OBJECT_TAKEN, s->id, slab->node, slab->serial, index, slab_free_count(slab), 0, 0);
	return LOC(ref_of(w, slab), index);
}

object_loc slub_debug_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			    u32 node)
{
	struct slab *slab = slub_get_partial(w, s, c, node);
	int is_new = !slab;

	if (is_new)
		slab = slub_new_slab(w, s, node);
	if (!slab) {
		EMIT(w, ALLOC_FAILED, s->id, node, node, 0, 0, 0, 0);
		return 0;
	}
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	if (is_new)
		STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
			slab->pfn, 0);
	lock_take(w, &n->list_lock, s->id, slab->node);
	object_loc loc = take_one(w, s, slab);
	if (!is_new && !slab->freelist)
		slub_list_remove(w, s, slab);
	if (!slab->freelist)
		slub_full_add(w, s, slab);
	else if (is_new)
		slub_list_add(w, s, slab, LIST_HEAD);
	lock_release(w, &n->list_lock);
	return loc;
}
