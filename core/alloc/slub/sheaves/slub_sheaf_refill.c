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

/* Links that are compared and stored at once: those of one word. */
enum { RUN = 4 };

/* The step from an object's location to that of the next one in its slab. */
#define NEXT_OBJECT ((object_loc)1 << 32)

/* Repeats the same 16 bits four times. */
static u64 four(u64 link)
{
	return link * 0x0001000100010001u;
}

/* Moves the objects at the front of the freelist that follow one another in the slab, as they all
 * do in a new one, but no more than `most`. Returns how many it moved, a multiple of RUN. */
static u32 take_run(struct slab *slab, ref self, u32 first, u32 most, object_loc *to, u16 link)
{
	/* The object at `index` has link index + 2; the lowest bits of a word are the first object's. */
	u64 ascending = four(first) + 0x0004000300020001u, taken = four(link);
	object_loc loc = LOC(self, first - 1);
	const object_loc *start = to, *stop = to + most / RUN * RUN;

	for (u16 *links = &slab->link[first - 1]; to < stop; links += RUN, to += RUN) {
		if (memcmp(links, &ascending, sizeof(ascending)))
			break;
		memcpy(links, &taken, sizeof(taken));
		for (u32 i = 0; i < RUN; i++, loc += NEXT_OBJECT)
			to[i] = loc;
		ascending += four(RUN);
	}
	return (u32)(to - start);
}

/* Accounts for `taken` objects that have left the slab for the array. */
static void note_taken(struct world *w, struct kmem_cache *s, struct slab *slab, struct refill *r,
		       u32 taken)
{
	slab->inuse = (u16)(slab->inuse + taken);
	*r->nr = (u16)(*r->nr + taken);
	r->missing -= taken;
	emit_SHEAF_FROM_SLAB(w, s->id, slab->node, slab->serial, taken, slab_free_count(slab),
			     r->missing);
}

/* Moves objects from the front of the slab's freelist until the list is empty or the array has enough. */
static void take_freelist(struct world *w, struct kmem_cache *s, struct slab *slab,
			  struct refill *r)
{
	/* These are copies, because for all the compiler knows, the stores below might change the
	 * originals. */
	u32 first = slab->freelist, wanted = r->missing, taken = 0;
	object_loc *to = r->array + *r->nr;
	ref self = ref_of(w, slab);
	u16 link = r->link;

	line_touch(w, &slab->line);
	while (first && taken < wanted) {
		/* Following a list link by link is slow. */
		u32 most = MIN(wanted - taken, slab->objects + 1u - first);
		u32 nr = take_run(slab, self, first, most, to + taken, link);
		taken += nr;
		first += nr;
		for (u32 i = 0; i < RUN && first && taken < wanted; i++) {
			u32 index = first - 1u;
			first = slab->link[index];
			slab->link[index] = link;
			to[taken++] = LOC(self, index);
		}
	}
	slab->freelist = (u16)first;
	note_taken(w, s, slab, r, taken);
}

/* Does the same for a slab without links, whose freelist would ascend, and sets each link only once. */
static void take_new(struct world *w, struct kmem_cache *s, struct slab *slab, struct refill *r)
{
	u32 nr = slab->objects, taken = MIN(nr, r->missing);
	object_loc *to = r->array + *r->nr, loc = LOC(ref_of(w, slab), 0);
	u16 link = r->link, next = (u16)(taken + 1);

	line_touch(w, &slab->line);
	for (u32 i = 0; i < taken; i++)
		slab->link[i] = link;
	for (u32 i = 0; i < taken; i++, loc += NEXT_OBJECT)
		to[i] = loc;
	if (taken < nr) {
		slab->freelist = next;
		for (u32 i = taken; i < nr; i++)
			slab->link[i] = ++next;
		slab->link[nr - 1] = LINK_END;
	}
	note_taken(w, s, slab, r, taken);
}

void slub_sheaf_list_slab(struct world *w, struct kmem_cache *s, struct slab *slab,
			  enum kmem_end end)
{
	slub_list_slab(w, s, slab, end);
	emit_LIST_ADD(w, s->id, slab->node, slab->serial, slab_free_count(slab), end,
		      slub_node(w, s, slab->node)->nr_partial);
}

/* A control: objects one by one would leave the slab where it is. */
enum kmem_end slub_refill_end(const struct world *w)
{
	return unlikely(w->policy.drain_to_head) ? END_HEAD : END_TAIL;
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
			slub_sheaf_list_slab(w, s, slab, slub_refill_end(w));
	}
	return !r->missing;
}

/* Returns 0 if the page allocator has no memory left. */
static int refill_from_new_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				struct refill *r)
{
	struct slab *slab = slub_new_slab_unlinked(w, s);
	/* The step of the new slab shows its freelist. */
	int is_linked = is_recording(w) || w->policy.freelist_random;

	if (!slab)
		return 0;
	if (is_linked)
		slub_link_all(w, s, slab);
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_LOOSE);
	if (slab->objects <= r->missing)
		slab->place = PLACE_NODE_FULL;
	if (is_linked)
		take_freelist(w, s, slab, r);
	else
		take_new(w, s, slab, r);
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

ref slub_refill_unlist(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slab *slab = slub_list_pop(w, s, slub_node(w, s, node));

	slab->place = PLACE_TRANSIT;
	slab->next = 0;
	slab->prev = 0;
	return ref_of(w, slab);
}

static struct refill refill_of(struct slub_sheaf *sheaf)
{
	return (struct refill){ sheaf->object, &sheaf->nr, (u32)sheaf->capacity - sheaf->nr,
				LINK_SHEAF };
}

void slub_refill_take(struct world *w, struct kmem_cache *s, struct slab *slab,
		      struct slub_sheaf *sheaf)
{
	struct refill r = refill_of(sheaf);

	take_freelist(w, s, slab, &r);
}

int slub_refill_new(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    struct slub_sheaf *sheaf)
{
	struct refill r = refill_of(sheaf);

	return refill_from_new_slab(w, s, c, &r);
}
