/*
 * unified_slab.c - slabs with bitmaps: creates and discards them, moves their objects to and from
 * queues, keeps partial lists.
 *
 * One lock per node guards its list and the bitmaps of its slabs. Queues move so many objects at
 * once that a lock per slab would gain nothing (patch 8 of UnifiedV4). Taking and putting objects
 * does not touch the objects themselves.
 */
#include "alloc/unified/unified.h"

u8 unified_cell_of_queue(u32 kind)
{
	static const u8 cell[] = { CELL_FREE_CPU, CELL_FREE_SHARED, CELL_FREE_ALIEN };

	return cell[kind];
}

static u32 block_bytes(u32 objects)
{
	return (u32)sizeof(struct unified_slab) + DIV_ROUND_UP(objects, 64u) * 8 + objects;
}

/* Makes all objects of new pages free. Counts nothing. */
static struct unified_slab *set_up(struct world *w, struct kmem_cache *s, struct slab_head *head)
{
	struct unified_slab *slab = (struct unified_slab *)head;

	for (u32 i = 0; i < head->objects; i++)
		slab->map[i / 64] |= (u64)1 << (i % 64);
	slab->nr_free = head->objects;
	slab_enter(w, s, head);
	return slab;
}

struct unified_slab *unified_new_slab(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slab_head *head = slab_make(w, s, node, s->order, s->objects,
					   block_bytes(s->objects));

	if (!head && s->min_order < s->order) {
		head = slab_make(w, s, node, s->min_order, s->min_objects,
				 block_bytes(s->min_objects));
		if (head)
			STAT(w, s, ORDER_FALLBACK, node, s->order, s->min_order);
	}
	if (!head)
		return NULL;
	struct unified_slab *slab = set_up(w, s, head);
	STAT(w, s, ALLOC_SLAB, head->node, head->serial, head->order, head->objects, head->pfn,
	     FRESH_LOOSE);
	unified_wake_kswapd(w, cache_zone(s));
	return slab;
}

void unified_release_slab(struct world *w, struct kmem_cache *s, struct unified_slab *slab)
{
	u32 serial = slab->head.serial, order = slab->head.order, pfn = slab->head.pfn,
	    node = slab->head.node;

	slab_leave(w, s, &slab->head);
	STAT(w, s, FREE_SLAB, node, serial, order, pfn);
	slab_give_back(w, &slab->head);
}

void unified_list_add(struct world *w, struct kmem_cache *s, struct unified_slab *slab, u32 end)
{
	struct unified_node *n = unified_node(w, s, slab->head.node);
	ref self = ref_of(w, slab);

	slab->next = end == END_HEAD ? n->head : 0;
	slab->prev = end == END_HEAD ? 0 : n->tail;
	if (slab->next)
		((struct unified_slab *)at(w, slab->next))->prev = self;
	else
		n->tail = self;
	if (slab->prev)
		((struct unified_slab *)at(w, slab->prev))->next = self;
	else
		n->head = self;
	slab->head.place = PLACE_NODE_PARTIAL;
	n->touched = 1;
	n->nr_partial++;
	s->partial++;
	w->partial++;
}

void unified_list_remove(struct world *w, struct kmem_cache *s, struct unified_slab *slab)
{
	struct unified_node *n = unified_node(w, s, slab->head.node);

	if (slab->next)
		((struct unified_slab *)at(w, slab->next))->prev = slab->prev;
	else
		n->tail = slab->prev;
	if (slab->prev)
		((struct unified_slab *)at(w, slab->prev))->next = slab->next;
	else
		n->head = slab->next;
	slab->next = 0;
	slab->prev = 0;
	slab->head.place = slab->nr_free ? PLACE_TRANSIT : PLACE_LOOSE;
	n->touched = 1;
	n->nr_partial--;
	s->partial--;
	w->partial--;
}

/* Clears the bit of the lowest free object at or after `from`, which must exist; returns its index. */
static u32 take_lowest(struct unified_slab *slab, u32 from)
{
	u32 word = from / 64;

	while (!slab->map[word])
		word++;
	u32 index = word * 64 + (u32)__builtin_ctzll(slab->map[word]);
	slab->map[word] &= slab->map[word] - 1;
	slab->nr_free--;
	return index;
}

ref unified_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was)
{
	int is_listed = was->place == PLACE_NODE_FULL || was->place == PLACE_NODE_PARTIAL;
	struct slab_head *head = is_listed && !was->exact
					 ? slab_make_here(w, s, was->node, s->order, s->objects,
							  block_bytes(s->objects))
					 : NULL;

	if (!head)
		return 0;
	struct unified_slab *slab = set_up(w, s, head);
	for (u32 nr = MIN(was->inuse, slab->nr_free); nr; nr--)
		unified_cells(slab)[take_lowest(slab, 0)] = CELL_INFERRED;
	if (slab->nr_free)
		unified_list_add(w, s, slab, END_TAIL);
	else
		head->place = PLACE_LOOSE;
	/* The list has not changed since an expiry. */
	unified_node(w, s, was->node)->touched = 0;
	return ref_of(w, slab);
}

/* A slab in transit goes on no list if it has no free objects left. */
static void settle_exhausted(struct unified_slab *slab)
{
	if (slab->head.place == PLACE_TRANSIT && !slab->nr_free)
		slab->head.place = PLACE_LOOSE;
}

void unified_take(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		  struct unified_queue *q, u32 nr)
{
	u8 *cells = unified_cells(slab), cell = unified_cell_of_queue(q->kind);
	u32 lowest = 0, index = 0;

	line_touch(w, &slab->head.line);
	for (u32 i = 0; i < nr; i++) {
		index = take_lowest(slab, index);
		if (i == 0)
			lowest = index;
		cells[index] = cell;
		q->object[q->objects + nr - 1 - i] = LOC(ref_of(w, slab), index);
	}
	q->objects += nr;
	slab->nr_on_cpus += q->kind == QUEUE_CPU ? nr : 0;
	settle_exhausted(slab);
	emit_QUEUE_TAKE(w, s->id, slab->head.node, slab->head.serial, nr, lowest, q->kind,
			q->owner);
}

object_loc unified_take_one(struct world *w, struct kmem_cache *s, struct unified_slab *slab)
{
	u32 index = take_lowest(slab, 0);

	line_touch(w, &slab->head.line);
	unified_cells(slab)[index] = CELL_ALLOCATED;
	settle_exhausted(slab);
	emit_BITMAP_TAKE(w, s->id, slab->head.node, slab->head.serial, index, slab->nr_free);
	return LOC(ref_of(w, slab), index);
}

/* Whether the node has enough partial slabs without this empty one, which may itself be on the list. */
static int has_enough(struct world *w, const struct kmem_cache *s, u32 node)
{
	u32 nr_partial = unified_node(w, s, node)->nr_partial;
	int release = nr_partial > s->min_partial;

	emit_THRESHOLD(w, s->id, node, WHAT_NR_PARTIAL_ABOVE, nr_partial, s->min_partial,
		       release ? OUTCOME_RELEASE : OUTCOME_KEEP);
	return release;
}

void unified_put(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		 const object_loc *object, u32 nr)
{
	u32 node = slab->head.node, serial = slab->head.serial;
	struct unified_node *n = unified_node(w, s, node);
	u8 *cells = unified_cells(slab);
	int listed = slab->head.place == PLACE_NODE_PARTIAL;

	line_touch(w, &slab->head.line);
	for (u32 i = 0; i < nr; i++) {
		u32 index = LOC_INDEX(object[i]);
		slab->map[index / 64] |= (u64)1 << (index % 64);
		slab->nr_on_cpus -= cells[index] == CELL_FREE_CPU;
		cells[index] = CELL_FREE;
	}
	slab->nr_free += nr;
	emit_BITMAP_PUT(w, s->id, node, serial, nr, slab->nr_free, slab->head.objects);
	if (slab->nr_free == slab->head.objects && has_enough(w, s, node)) {
		if (listed) {
			unified_list_remove(w, s, slab);
			STAT(w, s, FREE_REMOVE_PARTIAL, node, serial, n->nr_partial);
		}
		unified_release_slab(w, s, slab);
		return;
	}
	if (listed)
		return;
	unified_list_add(w, s, slab, END_HEAD);
	STAT(w, s, FREE_ADD_PARTIAL, node, serial, slab->nr_free, n->nr_partial);
}

void unified_drain(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 nr)
{
	u32 held = NODE_ANY;
	struct unified_node *n = NULL;

	if (nr)
		emit_QUEUE_DRAIN(w, s->id, NODE_ANY, nr, q->kind, q->owner, q->objects);
	while (q->first < nr) {
		object_loc *object = q->object + q->first;
		struct unified_slab *slab = unified_slab(w, *object);
		u32 run = 1;
		while (q->first + run < nr && LOC_SLAB(object[run]) == LOC_SLAB(*object))
			run++;
		if (slab->head.node != held) {
			if (n)
				lock_release(w, &n->list_lock);
			held = slab->head.node;
			n = unified_node(w, s, held);
			lock_take(w, &n->list_lock, s->id, held);
		}
		q->first += run;
		q->objects -= run;
		unified_put(w, s, slab, object, run);
	}
	if (n)
		lock_release(w, &n->list_lock);
	q->first = 0;
	q->touched = 0;
	memmove(q->object, q->object + nr, q->objects * sizeof(object_loc));
	memset(q->object + q->objects, 0, nr * sizeof(object_loc));
}
