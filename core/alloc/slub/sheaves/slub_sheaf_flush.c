/*
 * slub_sheaf_flush.c - returns the objects of sheaves to their slabs: flush, shrink and a CPU's death (7.x).
 *
 * Kernel: build_detached_freelist(), __kmem_cache_free_bulk(), sheaf_flush_main(), sheaf_flush_unused(),
 * pcs_flush_all(), barn_shrink() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_sheaf.h"

enum { LOOK_AHEAD = 3 }; /* how many objects of other slabs the search for a group passes */

/* The objects of one slab, linked from head to tail. */
struct group {
	u32 head, tail;
};

/* Links the last object with those before it that belong to the same slab: each is prepended to the
 * list, or appended if reversed. Objects of other slabs swap places with them. Returns how many
 * objects are left in the array. */
static u32 gather_group(struct world *w, object_loc *array, u32 nr, enum group_order order,
			struct group *g)
{
	ref slab_ref = LOC_SLAB(array[nr - 1]);
	struct slab *slab = at(w, slab_ref);
	u32 left = nr - 1, others = 0;

	g->head = LOC_INDEX(array[nr - 1]);
	g->tail = g->head;
	for (u32 i = left; i > 0;) {
		object_loc loc = array[--i];
		if (LOC_SLAB(loc) != slab_ref) {
			if (++others == LOOK_AHEAD)
				break;
			continue;
		}
		if (order == GROUP_REVERSED) {
			slab->link[g->tail] = (u16)(LOC_INDEX(loc) + 1);
			g->tail = LOC_INDEX(loc);
		} else {
			slab->link[LOC_INDEX(loc)] = (u16)(g->head + 1);
			g->head = LOC_INDEX(loc);
		}
		left--;
		array[i] = array[left];
		array[left] = loc;
	}
	slab->link[g->tail] = LINK_END;
	return left;
}

int slub_put_objects(struct world *w, struct slab *slab, u32 head, u32 tail, u32 nr)
{
	int was_full = slab->freelist == LINK_END;

	line_touch(w, &slab->line);
	slab->link[tail] = slab->freelist;
	slab->freelist = (u16)(head + 1);
	slab->inuse = (u16)(slab->inuse - nr);
	return was_full;
}

void slub_free_group(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr, u32 first,
		     enum group_order order)
{
	u32 had = *nr;
	struct slab *slab = at(w, LOC_SLAB(array[had - 1]));
	struct group g;
	u32 left = first + gather_group(w, array + first, had - first, order, &g);

	*nr = (u16)left;
	int was_full = slub_put_objects(w, slab, g.head, g.tail, had - left);
	emit_FLUSH_GROUP(w, s->id, slab->node, slab->serial, had - left, slab_free_count(slab),
			 left - first);
	if (was_full || !slab->inuse)
		slub_free_to_node(w, s, slab, was_full);
}

int slub_free_checked_group(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr,
			    u32 first, enum group_order order)
{
	u32 had = *nr;
	struct slab *slab = at(w, LOC_SLAB(array[had - 1]));
	struct group g;
	u32 left = first + gather_group(w, array + first, had - first, order, &g);

	*nr = (u16)left;
	for (u32 i = left; i < had; i++)
		slab->link[LOC_INDEX(array[i])] = LINK_ALLOCATED;
	/* The last object is checked first. */
	for (u32 i = left, j = had - 1; order == GROUP_IN_ORDER && i < j; i++, j--) {
		object_loc loc = array[i];
		array[i] = array[j];
		array[j] = loc;
	}
	return slub_debug_free_group(w, s, array + left, had - left, left - first);
}

void slub_free_array(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr, u32 first)
{
	while (*nr > first) {
		if (unlikely(s->flags & CACHE_DEBUG))
			slub_free_checked_group(w, s, array, nr, first, GROUP_IN_ORDER);
		else
			slub_free_group(w, s, array, nr, first, GROUP_IN_ORDER);
	}
}

void slub_sheaf_flush_unused(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
			     struct slub_sheaf *sheaf, enum kmem_sheaf which)
{
	if (!sheaf->nr)
		return;
	STAT_PCS(w, s, p, SHEAF_FLUSH, sheaf->nr, NODE_ANY, sheaf->nr, sheaf->nr, which);
	slub_free_array(w, s, sheaf->object, &sheaf->nr, 0);
}

static void flush_main(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
		       struct slub_sheaf *main)
{
	do {
		u32 batch = MIN(main->nr, (u32)FLUSH_BATCH);
		slub_free_array(w, s, main->object, &main->nr, main->nr - batch);
		STAT_PCS(w, s, p, SHEAF_FLUSH, batch, NODE_ANY, batch, main->nr, SHEAF_OF_MAIN);
	} while (main->nr);
}

/* p already counts it. */
static void flush_spare(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
			struct slub_pcs *of, enum kmem_sheaf which)
{
	ref spare = of->spare;

	if (!spare)
		return;
	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, spare), which);
	of->spare = 0;
	sheaf_give_back(w, s, p, spare);
}

void slub_sheaf_flush_all_of_cpu(struct world *w, struct kmem_cache *s)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);

	if (!p || (!p->spare && !p->rcu && !sheaf_at(w, p->main)->nr))
		return;
	flush_spare(w, s, p, p, SHEAF_OF_SPARE);
	if (p->rcu)
		slub_rcu_hand_over(w, s, p, w->cpu, 1);
	flush_main(w, s, p, sheaf_at(w, p->main));
}

void slub_sheaf_cpu_dead(struct world *w, struct kmem_cache *s, u32 dead)
{
	struct slub_pcs *theirs = slub_pcs(w, s, dead), *p = slub_pcs(w, s, w->cpu);

	if (!theirs || !theirs->main)
		return;
	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, theirs->main), SHEAF_OF_DEAD_MAIN);
	flush_spare(w, s, p, theirs, SHEAF_OF_DEAD_SPARE);
	if (theirs->rcu)
		slub_rcu_hand_over(w, s, theirs, dead, 1);
}

void slub_sheaf_shrink_barn(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slub_barn *barn = slub_barn(w, s, node);
	ref empty;

	if (!barn->nr_full && !barn->nr_empty)
		return;
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);
	struct slub_pcs *p = slub_sheaf_pcs(w, s);
	lock_take(w, &barn->lock, s->id, node);
	lock_release(w, &barn->lock);
	/* The kernel leaves a sheaf in the barn until it has freed its objects. */
	while (barn->full) {
		struct slub_sheaf *sheaf = sheaf_at(w, barn->full);
		if (w->policy.no_cpu_slabs)
			slub_sheaf_flush_unused(w, s, p, sheaf, SHEAF_OF_BARN);
		else
			slub_sheaf_flush(w, s, c, p, sheaf, SHEAF_OF_BARN);
		sheaf_give_back(w, s, p, barn_pop(w, &barn->full, &barn->nr_full));
	}
	while ((empty = barn_pop(w, &barn->empty, &barn->nr_empty)) != 0)
		sheaf_give_back(w, s, p, empty);
}
