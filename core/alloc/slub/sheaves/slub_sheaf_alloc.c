/*
 * slub_sheaf_alloc.c - allocations of kernels without cpu slabs (7.x) that the main sheaf alone cannot serve.
 *
 *	main ─ swap with a spare that has objects ─ full sheaf of the barn ─ an empty sheaf, filled from slabs
 *	another node, or no sheaf: one object from a slab on a partial list ─ one object from a new slab
 *
 * Kernel: alloc_from_pcs(), __pcs_replace_empty_main(), ___slab_alloc(), get_from_partial_node() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

/* The kernel makes a CPU's main sheaf when it creates the cache; here the first use does. From then
 * on the fast paths find the sheaf. */
void slub_sheaf_make_cpu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 cpu)
{
	c->node = node_of_cpu(w, cpu);
	struct slub_cpu_sheaves *mine = (struct slub_cpu_sheaves *)c;
	if (slub_own(w, s)->sheaf_capacity)
		slub_sheaf_set_main(c, &mine->pcs, ref_of(w, &mine->first));
}

void slub_sheaf_report(struct world *w, const struct kmem_cache *s, const struct slub_pcs *p)
{
	emit_SHEAF_PLACES(w, s->id, NODE_ANY, sheaf_at(w, p->main)->nr,
			  p->spare ? sheaf_at(w, p->spare)->nr : 0);
}

void slub_sheaf_swap(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     struct slub_pcs *p)
{
	ref main = p->main;

	slub_sheaf_set_main(c, p, p->spare);
	p->spare = main;
	emit_SHEAF_SWAP(w, s->id, NODE_ANY, sheaf_at(w, p->main)->nr, sheaf_at(w, p->spare)->nr);
}

static ref empty_sheaf(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	ref empty = p->spare;

	if (empty) {
		p->spare = 0;
		emit_SHEAF_REUSE(w, s->id, NODE_ANY);
		return empty;
	}
	return sheaf_take_empty(w, s, p);
}

int slub_sheaf_refill(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slub_pcs *p, ref *sheaf)
{
	*sheaf = sheaf_with_room(w, s, *sheaf);
	struct slub_sheaf *f = sheaf_at(w, *sheaf);
	u32 before = f->nr;

	p->refilled = *sheaf;
	slub_refill_objects(w, s, c, f->object, &f->nr, f->capacity - before, LINK_SHEAF);
	STAT_PCS(w, s, p, SHEAF_REFILL, f->nr - before, NODE_ANY, f->nr - before, f->capacity);
	p->refilled = 0;
	return f->nr == f->capacity;
}

/* Runs when the main sheaf is empty. Returns 1 once a sheaf with objects has replaced it. */
static int replace_empty_main(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      struct slub_pcs *p)
{
	if (p->spare && sheaf_at(w, p->spare)->nr) {
		slub_sheaf_swap(w, s, c, p);
		return 1;
	}
	if (slub_sheaf_take_full(w, s, c, p))
		return 1;
	ref sheaf = empty_sheaf(w, s, p);
	if (!slub_sheaf_refill(w, s, c, p, &sheaf)) {
		p->refilled = sheaf;
		slub_sheaf_flush_unused(w, s, p, sheaf_at(w, sheaf), SHEAF_NOT_FILLED);
		p->refilled = 0;
		sheaf_give_back(w, s, p, sheaf);
		return 0;
	}
	p->spare = p->main;
	slub_sheaf_set_main(c, p, sheaf);
	slub_sheaf_report(w, s, p);
	return 1;
}

/* Returns 0, with the reason, if the slabs have to serve the request. */
static object_loc alloc_from_main(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  u32 node, enum kmem_reason *reason)
{
	struct slub_pcs *p = slub_pcs_of(c);

	*reason = REASON_SHEAF_NOT_FILLED;
	if (!sheaf_at(w, p->main)->nr && !replace_empty_main(w, s, c, p))
		return 0;
	struct slub_sheaf *main = sheaf_at(w, p->main);
	object_loc loc = main->object[main->nr - 1];
	struct slab *slab = at(w, LOC_SLAB(loc));
	if (node != NODE_ANY && slab->node != node) {
		STAT_ON(c, w, s, ALLOC_NODE_MISMATCH, node, NO_SLAB, slab->node, node);
		*reason = REASON_SHEAF_NODE;
		return 0;
	}
	main->nr--;
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
	STAT_ON(c, w, s, ALLOC_FASTPATH, slab->node, slab->serial, LOC_INDEX(loc), main->nr);
	return loc;
}

static object_loc pop_object(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u32 index = slab->freelist - 1u;

	line_touch(w, &slab->line);
	slab->freelist = slab->link[index];
	slab->link[index] = LINK_ALLOCATED;
	slab->inuse++;
	emit_OBJECT_TAKEN(w, s->id, slab->node, slab->serial, index, slab_free_count(slab));
	return LOC(ref_of(w, slab), index);
}

/* Takes an object from the first slab on the node's list. The slab stays there unless that was its
 * last free object. */
static int take_from_list(struct world *w, struct kmem_cache *s, u32 node, void *context)
{
	struct kmem_cache_node *n = slub_node(w, s, node);
	object_loc *found = context;

	emit_PARTIAL_SEARCH(w, s->id, node, n->nr_partial);
	if (!n->nr_partial)
		return 0;
	lock_take(w, &n->list_lock, s->id, node);
	struct slab *slab = at(w, n->head);
	*found = pop_object(w, s, slab);
	if (!slab->freelist) {
		slub_list_remove(w, s, slab);
		slub_full_add(w, s, slab);
	}
	lock_release(w, &n->list_lock);
	return 1;
}

/* `anywhere` means that other nodes may serve too. */
static object_loc search_lists(struct world *w, struct kmem_cache *s, u32 node, int anywhere)
{
	object_loc found = 0;
	u32 local = sheaf_home(w), first = node == NODE_ANY ? local : node;

	if (!take_from_list(w, s, first, &found) && anywhere)
		slub_search_nodes(w, s, local, first, take_from_list, &found);
	return found;
}

static object_loc alloc_from_new_slab(struct world *w, struct kmem_cache *s,
				      struct kmem_cache_cpu *c, u32 node, int anywhere)
{
	struct slab *slab = anywhere ? slub_new_slab(w, s, node) : slub_new_slab_there(w, s, node);

	if (!slab)
		return 0;
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_LOOSE);
	object_loc loc = pop_object(w, s, slab);
	if (!slab->freelist) {
		slub_full_add(w, s, slab);
		return loc;
	}
	slub_sheaf_list_slab(w, s, slab, END_HEAD);
	return loc;
}

/* Takes one object from slabs, bypassing the sheaves. */
NOINLINE object_loc alloc_one(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      u32 node, enum kmem_reason reason)
{
	STAT_ON(c, w, s, ALLOC_SLOWPATH, NODE_ANY, reason, node);
	if (unlikely(s->flags & CACHE_DEBUG))
		return slub_debug_alloc(w, s, c, node);
	/* If the named node has no memory, the request tries again without insisting on that node. */
	for (int anywhere = node == NODE_ANY;; anywhere = 1) {
		object_loc loc = search_lists(w, s, node, anywhere);
		if (!loc)
			loc = alloc_from_new_slab(w, s, c, node, anywhere);
		if (loc)
			return loc;
		if (anywhere)
			break;
		emit_ALLOC_ANY_NODE(w, s->id, node, node);
	}
	emit_ALLOC_FAILED(w, s->id, node, node);
	return 0;
}

object_loc slub_sheaf_alloc_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node)
{
	enum kmem_reason reason;
	u32 slow_paths = w->slow_paths + 1;
	u64 fast_cycles = 0;
	object_loc loc = 0;

	if (node != NODE_ANY && node != c->node) {
		STAT_ON(c, w, s, ALLOC_NODE_MISMATCH, node, NO_SLAB, c->node, node);
		reason = REASON_SHEAF_NODE;
	} else if (slub_own(w, s)->sheaf_capacity) {
		int had_objects = sheaf_at(w, c->main)->nr != 0;
		loc = alloc_from_main(w, s, c, node, &reason);
		if (loc && had_objects)
			slow_paths--;
	} else {
		reason = s->flags & CACHE_DEBUG ? REASON_DEBUG : REASON_NO_SHEAVES;
	}
	if (loc)
		fast_cycles = cost_of(w, STEP_ALLOC_FASTPATH);
	else
		loc = alloc_one(w, s, c, node, reason);
	/* The event counts as one slow path, however many objects it moved. */
	w->slow_paths = slow_paths;
	slub_sheaf_charge(w, s, fast_cycles);
	return loc;
}
