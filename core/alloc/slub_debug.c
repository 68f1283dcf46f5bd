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

static struct slab *first_of_node(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slub_node(w, s, node);

	EMIT(w, PARTIAL_SEARCH, s->id, node, n->nr_partial, 0, 0, 0, 0);
	return n->head ? at(w, n->head) : NULL;
}

/* The any-node search, as in slub_partial.c but looking only. */
static struct slab *first_of_any(struct world *w, struct kmem_cache *s, u32 local)
{
	const struct machine *m = &w->machine;
	const u16 *list = (u16 *)at(w, m->zonelists) + local * m->zonelist_len;

	w->any_node_entered++;
	if (!s->defrag_ratio)
		return NULL;
	for (u32 i = 0; i < m->zonelist_len; i++) {
		u32 node = ((struct zone *)at(w, m->zones))[list[i]].node;
		struct kmem_cache_node *n = slub_node(w, s, node);
		w->any_node_zones++;
		if (n->nr_partial > s->min_partial)
			return first_of_node(w, s, node);
	}
	return NULL;
}

object_loc slub_debug_alloc(struct world *w, struct kmem_cache *s, u32 node)
{
	u32 local = ((struct cpu *)at(w, w->machine.cpus) + w->cpu)->node;
	struct slab *slab = first_of_node(w, s, node == NODE_ANY ? local : node);

	if (!slab && node == NODE_ANY)
		slab = first_of_any(w, s, local);
	if (slab) {
		object_loc loc = take_one(w, s, slab);
		if (!slab->freelist) {
			slub_list_remove(w, s, slab);
			slub_full_add(w, s, slab);
		}
		return loc;
	}
	slab = slub_new_slab(w, s, node);
	if (!slab) {
		EMIT(w, ALLOC_FAILED, s->id, node, node, 0, 0, 0, 0);
		return 0;
	}
	slab->inuse = 0;
	STAT(w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects, slab->pfn, 0);
	object_loc loc = take_one(w, s, slab);
	if (slab->freelist)
		slub_list_add(w, s, slab, LIST_HEAD);
	else
		slub_full_add(w, s, slab);
	return loc;
}

void slub_debug_free(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	if (was_full)
		slub_full_remove(w, s, slab);
	if (slab->inuse == 0 && n->nr_partial >= s->min_partial) {
		if (!was_full) {
			slub_list_remove(w, s, slab);
			STAT(w, s, FREE_REMOVE_PARTIAL, slab->node, slab->serial, n->nr_partial, 0,
			     0, 0);
		}
		slub_discard_slab(w, s, slab, 1);
		return;
	}
	if (was_full) {
		slub_list_add(w, s, slab, LIST_TAIL);
		STAT(w, s, FREE_ADD_PARTIAL, slab->node, slab->serial, slab_free_count(slab),
		     n->nr_partial, 0, 0);
	}
}
