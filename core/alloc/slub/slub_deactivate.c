/*
 * slub_deactivate.c - a CPU deactivates its cpu slab. The slab goes to the node partial list,
 * becomes a full slab, or is discarded.
 *
 *	cpu freelist ─ joins ─ slab freelist      then   empty, enough partial slabs: discarded
 *	                                                 free objects:  head or tail of the node partial list
 *	                                                 none:          on no list
 *
 * Each difference in 2.6.x and 4.x is a field of struct policy. Kernel: deactivate_slab() in
 * mm/slub.c, 6.1; unfreeze_slab() of 2.6.35.
 */
#include "alloc/slub/slub_fast.h"

int slub_not_needed(struct world *w, struct kmem_cache *s, const struct slab *slab)
{
	u32 nr_partial = slub_node(w, s, slab->node)->nr_partial;
	int release = nr_partial >= s->min_partial;
	emit_THRESHOLD(w, s->id, slab->node, WHAT_NR_PARTIAL_MIN_PARTIAL, nr_partial,
		       s->min_partial, release ? OUTCOME_RELEASE : OUTCOME_KEEP);
	return release;
}

/* Prepends the cpu freelist to the slab freelist, in the same order. */
static void splice(struct slab *slab, u32 freelist)
{
	u32 nr = 0, last = 0;

	for (u32 i = freelist; i; i = slab->link[i - 1]) {
		last = i;
		nr++;
	}
	if (!nr)
		return;
	slab->link[last - 1] = slab->freelist;
	slab->freelist = (u16)freelist;
	slab->inuse = (u16)(slab->inuse - nr);
}

/* Pushes the objects one by one, which reverses their order. */
static void push_each(struct slab *slab, u32 freelist)
{
	for (u32 i = freelist, next; i; i = next) {
		next = slab->link[i - 1];
		slab->link[i - 1] = slab->freelist;
		slab->freelist = (u16)i;
		slab->inuse--;
	}
}

void slub_list_slab(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	lock_take(w, &n->list_lock, s->id, slab->node);
	slub_list_add(w, s, slab, end);
	lock_release(w, &n->list_lock);
}

/* Handles a slab that has free objects; others may be in use. */
static void put_partial(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end)
{
	slub_list_slab(w, s, slab, end);
	u32 nr_partial = slub_node(w, s, slab->node)->nr_partial;
	if (end == END_HEAD)
		STAT(w, s, DEACTIVATE_TO_HEAD, slab->node, slab->serial, slab_free_count(slab),
		     nr_partial);
	else
		STAT(w, s, DEACTIVATE_TO_TAIL, slab->node, slab->serial, slab_free_count(slab),
		     nr_partial);
}

/* Handles a slab none of whose objects are in use. */
static void put_empty(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end)
{
	u32 nr_partial = slub_node(w, s, slab->node)->nr_partial;
	int release = slub_not_needed(w, s, slab);

	if (!release && !w->policy.count_all_empty) {
		put_partial(w, s, slab, end);
		return;
	}
	/* Before 3.1 the kernel counted every empty slab, discarded or not, and appended it at the
	 * tail. */
	if (!release)
		slub_list_slab(w, s, slab, END_TAIL);
	STAT(w, s, DEACTIVATE_EMPTY, slab->node, slab->serial, nr_partial, s->min_partial,
	     release ? OUTCOME_RELEASE : OUTCOME_KEEP);
	if (release)
		slub_discard_slab(w, s, slab, 1);
}

struct detached slub_detach(struct world *w, struct kmem_cache_cpu *c)
{
	struct slab *slab = at(w, c->slab);
	struct detached d = { slab, c->nr_free, slab_free_count(slab) };

	if (w->policy.push_one_by_one)
		push_each(slab, c->freelist);
	else
		splice(slab, c->freelist);
	c->slab = 0;
	c->freelist = LINK_END;
	c->nr_free = 0;
	slab->place = PLACE_TRANSIT;
	return d;
}

void slub_deactivate(struct world *w, struct kmem_cache *s, const struct detached *d)
{
	struct slab *slab = d->slab;
	enum kmem_end end = d->remote_objects ? END_TAIL : END_HEAD;

	if (w->policy.end_by_cpu_objects)
		end = d->cpu_objects ? END_HEAD : END_TAIL;
	if (d->remote_objects)
		STAT(w, s, DEACTIVATE_REMOTE_FREES, slab->node, slab->serial, d->remote_objects,
		     end == END_HEAD ? OUTCOME_TO_HEAD : OUTCOME_TO_TAIL);
	slub_unfreeze(slab);
	if (!slab->inuse) {
		put_empty(w, s, slab, end);
	} else if (slab->freelist) {
		put_partial(w, s, slab, end);
	} else {
		slab->place = PLACE_NODE_FULL;
		STAT(w, s, DEACTIVATE_FULL, slab->node, slab->serial);
	}
}

/* Deactivates the cpu slab and leaves the CPU without one. */
void slub_deactivate_cpu_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	struct detached d = slub_detach(w, c);

	emit_CPU_SLAB_DETACH(w, s->id, d.slab->node, d.slab->serial, d.cpu_objects);
	slub_deactivate(w, s, &d);
}

/* Before 3.1 the kernel did not first check the slab for free objects. */
void slub_deactivate_exhausted(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	const struct slab *slab = at(w, c->slab);

	STAT_ON(c, w, s, ALLOC_REFILL, slab->node, slab->serial, 0);
	struct detached d = slub_detach(w, c);
	slub_deactivate(w, s, &d);
}
