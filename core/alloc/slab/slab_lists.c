/*
 * slab_lists.c - creates and discards slabs, moves their objects, and keeps a node's three lists.
 *
 * Kernel: cache_grow_begin(), cache_grow_end(), get_first_slab(), fixup_slab_list(), free_block(),
 * slab_destroy(), drain_freelist() in mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

#include "sim/page.h"

static const u8 place_of_list[NR_SLAB_LISTS] = { PLACE_NODE_FULL, PLACE_NODE_PARTIAL,
						 PLACE_NODE_FREE };

static u32 block_bytes(u32 objects)
{
	return (u32)sizeof(struct slab) + objects * 3;
}

static struct slab *slab_at(const struct world *w, ref r)
{
	return r ? at(w, r) : NULL;
}

static void count_partial(struct world *w, struct kmem_cache *s, enum slab_list list, u32 change)
{
	if (list != SLABS_PARTIAL)
		return;
	s->partial += change;
	w->partial += change;
}

static void list_add(struct world *w, struct kmem_cache *s, struct slab *slab, enum slab_list list,
		     enum kmem_end end)
{
	struct kmem_cache_node *n = slab_node(w, s, slab->head.node);
	ref self = ref_of(w, slab);

	slab->next = end == END_HEAD ? n->head[list] : 0;
	slab->prev = end == END_HEAD ? 0 : n->tail[list];
	if (slab->next)
		slab_at(w, slab->next)->prev = self;
	else
		n->tail[list] = self;
	if (slab->prev)
		slab_at(w, slab->prev)->next = self;
	else
		n->head[list] = self;
	slab->head.place = place_of_list[list];
	n->nr[list]++;
	count_partial(w, s, list, 1);
	emit_SLAB_RELIST(w, s->id, slab->head.node, slab->head.serial, slab->active, end,
			 slab->head.place, n->nr[list]);
}

static void list_remove(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = slab_node(w, s, slab->head.node);
	enum slab_list list = slab->head.place == PLACE_NODE_FULL      ? SLABS_FULL
			      : slab->head.place == PLACE_NODE_PARTIAL ? SLABS_PARTIAL
								       : SLABS_FREE;

	if (slab->next)
		slab_at(w, slab->next)->prev = slab->prev;
	else
		n->tail[list] = slab->prev;
	if (slab->prev)
		slab_at(w, slab->prev)->next = slab->next;
	else
		n->head[list] = slab->next;
	slab->next = 0;
	slab->prev = 0;
	slab->head.place = PLACE_TRANSIT;
	n->nr[list]--;
	count_partial(w, s, list, 0xffffffffu);
}

/* Returns the offset of the first object in the node's next slab. 6.1 advances the colour before
 * using it, 2.6.24 afterwards. */
static u32 next_colour(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	const struct slab_cache *own = slab_own(w, s);
	u32 old = n->colour_next, next = old + 1 >= own->colours ? 0 : old + 1;
	u32 used = w->policy.slab_era == SLAB_LINUX_6_1 ? next : old;

	n->colour_next = next;
	emit_GROW_COLOUR(w, s->id, node, used, own->colours, used * own->colour_off);
	return used * own->colour_off + own->front;
}

/* Makes a slab whose objects are all free. It is on no list, and no counter changes. */
static struct slab *new_slab(struct world *w, struct kmem_cache *s, u32 node, int here)
{
	u32 bytes = block_bytes(s->objects);
	struct slab_head *head = here ? slab_make_here(w, s, node, s->order, s->objects, bytes)
				      : slab_make(w, s, node, s->order, s->objects, bytes);
	struct slab *slab = (struct slab *)head;

	if (!slab)
		return NULL;
	for (u32 i = 0; i < s->objects; i++)
		slab->index[i] = (u16)i;
	memset(slab_cells(slab), CELL_FREE, s->objects);
	slab->start = next_colour(w, s, head->node);
	slab_enter(w, s, head);
	return slab;
}

struct slab *slab_grow(struct world *w, struct kmem_cache *s, u32 node, int here)
{
	struct slab *slab = new_slab(w, s, node, here);
	const struct slab_head *head = (const void *)slab;

	if (!slab)
		return NULL;
	STAT(w, s, GROWN, head->node, head->serial, head->order, head->objects, head->pfn,
	     slab->start);
	return slab;
}

void slab_grow_end(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = slab_node(w, s, slab->head.node);

	n->free_objects += (u32)slab->head.objects - slab->active;
	if (!slab->active)
		list_add(w, s, slab, SLABS_FREE, END_TAIL);
	else
		slab_relist(w, s, slab);
}

object_loc slab_get_obj(struct world *w, struct slab *slab, u32 cell)
{
	u32 index = slab->index[slab->active++];

	slab_cells(slab)[index] = (u8)cell;
	return LOC(ref_of(w, slab), index);
}

/* Sets up the slab's objects as the exact state describes them. */
static void take_stack(struct slab *slab, const struct exact_slab *exact)
{
	slab->active = (u16)(slab->head.objects - exact->nr_free);
	memset(slab_cells(slab), CELL_ALLOCATED, slab->head.objects);
	for (u32 i = 0; i < exact->nr_free; i++) {
		slab->index[slab->active + i] = exact->free[i];
		slab_cells(slab)[exact->free[i]] = CELL_FREE;
	}
}

ref slab_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was)
{
	int is_listed = was->place == PLACE_NODE_FULL || was->place == PLACE_NODE_PARTIAL;
	int fits = !was->exact || was->exact->objects == s->objects;
	struct slab *slab = is_listed && fits ? new_slab(w, s, was->node, 1) : NULL;

	if (!slab)
		return 0;
	if (was->exact)
		take_stack(slab, was->exact);
	while (!was->exact && slab->active < MIN(was->inuse, (u32)slab->head.objects))
		slab_get_obj(w, slab, CELL_INFERRED);
	u32 free = (u32)slab->head.objects - slab->active;
	slab_node(w, s, was->node)->free_objects += free;
	list_add(w, s, slab,
		 !free		? SLABS_FULL
		 : slab->active ? SLABS_PARTIAL
				: SLABS_FREE,
		 END_TAIL);
	return ref_of(w, slab);
}

struct slab *slab_first(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);

	if (n->head[SLABS_PARTIAL])
		return slab_at(w, n->head[SLABS_PARTIAL]);
	n->free_touched = 1;
	return slab_at(w, n->head[SLABS_FREE]);
}

void slab_relist(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	if (slab->head.place != PLACE_TRANSIT)
		list_remove(w, s, slab);
	list_add(w, s, slab, slab->active == slab->head.objects ? SLABS_FULL : SLABS_PARTIAL,
		 END_HEAD);
}

static void destroy(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	slab_leave(w, s, &slab->head);
	STAT(w, s, SLAB_DESTROY, slab->head.node, slab->head.serial, slab->head.order,
	     slab->head.pfn);
	slab_give_back(w, &slab->head);
}

void slab_destroy_doomed(struct world *w, struct kmem_cache *s, struct doomed *doomed)
{
	while (doomed->first) {
		struct slab *slab = slab_at(w, doomed->first);
		doomed->first = slab->next;
		destroy(w, s, slab);
	}
}

static int over_free_limit(struct world *w, const struct kmem_cache *s, u32 node)
{
	const struct kmem_cache_node *n = slab_node(w, s, node);
	int over = n->free_objects > n->free_limit;

	emit_THRESHOLD(w, s->id, node, WHAT_FREE_LIMIT, n->free_objects, n->free_limit,
		       over ? OUTCOME_RELEASE : OUTCOME_KEEP);
	return over;
}

/* Removes the object from its array and pushes it on its slab's stack. The slab stays on its list. */
static struct slab *put_object(struct world *w, struct kmem_cache *s, object_loc *entry)
{
	object_loc loc = *entry;
	struct slab *slab = slab_of(w, loc);

	line_touch(w, &slab->head.line);
	slab->index[--slab->active] = (u16)LOC_INDEX(loc);
	slab_mark(w, loc, CELL_FREE);
	*entry = 0;
	emit_BLOCK_FREE(w, s->id, slab->head.node, slab->head.serial, LOC_INDEX(loc), slab->active);
	return slab;
}

/* Puts an unlisted slab that got an object back on a list: at the tail of the partial list, or at
 * the head of the free list. */
static void put_on_list(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	if (slab->active)
		list_add(w, s, slab, SLABS_PARTIAL,
			 unlikely(w->policy.drain_to_head) ? END_HEAD : END_TAIL);
	else
		list_add(w, s, slab, SLABS_FREE, END_HEAD);
}

/* 2.6.24 discards a slab that becomes empty if its node has enough free objects. */
static void put_each(struct world *w, struct kmem_cache *s, u32 node, object_loc *entry, u32 nr)
{
	struct kmem_cache_node *n = slab_node(w, s, node);

	for (u32 i = 0; i < nr; i++) {
		struct slab *slab = put_object(w, s, &entry[i]);
		n->free_objects++;
		int doomed = !slab->active && over_free_limit(w, s, node);
		list_remove(w, s, slab);
		if (doomed) {
			n->free_objects -= slab->head.objects;
			destroy(w, s, slab);
		} else {
			put_on_list(w, s, slab);
		}
	}
}

void slab_free_block(struct world *w, struct kmem_cache *s, u32 node, object_loc *entry, u32 nr,
		     struct doomed *doomed)
{
	struct kmem_cache_node *n = slab_node(w, s, node);

	if (w->policy.slab_era == SLAB_LINUX_2_6_24) {
		put_each(w, s, node, entry, nr);
		return;
	}
	n->free_objects += nr;
	for (u32 i = 0; i < nr; i++) {
		struct slab *slab = put_object(w, s, &entry[i]);
		list_remove(w, s, slab);
		put_on_list(w, s, slab);
	}
	while (n->tail[SLABS_FREE] && over_free_limit(w, s, node)) {
		struct slab *slab = slab_at(w, n->tail[SLABS_FREE]);
		n->free_objects -= slab->head.objects;
		list_remove(w, s, slab);
		emit_SLAB_OFF_LIST(w, s->id, node, slab->head.serial, n->nr[SLABS_FREE]);
		slab->next = doomed->first;
		doomed->first = ref_of(w, slab);
	}
}

u32 slab_drain_freelist(struct world *w, struct kmem_cache *s, u32 node, u32 most)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	u32 nr = 0;

	for (; nr < most && n->tail[SLABS_FREE]; nr++) {
		struct slab *slab = slab_at(w, n->tail[SLABS_FREE]);
		n->free_objects -= slab->head.objects;
		list_remove(w, s, slab);
		destroy(w, s, slab);
	}
	return nr;
}
