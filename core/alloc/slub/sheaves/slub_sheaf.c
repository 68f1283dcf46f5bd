/*
 * slub_sheaf.c - sheaves of 6.18: allocation and free through them; filling, flushing and exchanging them.
 *
 *	alloc: main ─ swap with a spare that has objects ─ full sheaf of the barn ─ fill an empty one from slabs
 *	free:  main ─ empty sheaf, main becomes spare ─ swap with a spare that has room ─ full one to the barn ─ flush
 *
 * Traces have no RCU frees, so the model has no sheaf for them. It treats every allocation as one
 * that may sleep. The kernel moves objects between sheaf and slabs in bulk; here each one is a separate allocation or free.
 *
 * Kernel: alloc_from_pcs(), __pcs_replace_empty_main(), free_to_pcs(), __pcs_replace_full_main() in
 * mm/slub.c, 6.18.
 */
#include "alloc/slub/slub_sheaf.h"

#include "alloc/slub/slub_fast.h"

static u32 capacity_of(const struct world *w, const struct kmem_cache *s)
{
	return slub_own(w, s)->sheaf_capacity;
}

struct slub_pcs *slub_sheaf_pcs(struct world *w, struct kmem_cache *s)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);

	if (unlikely(!p->main))
		p->main = sheaf_new(w, s, p);
	return p;
}

/* Puts an empty sheaf that nobody needs into the barn, which keeps at most ten. */
static void put_empty(struct world *w, struct kmem_cache *s, struct slub_pcs *p, ref sheaf)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);
	int has_room = barn->nr_empty < BARN_SHEAVES;

	lock_take(w, &barn->lock, s->id, node);
	if (has_room)
		barn_push(w, &barn->empty, &barn->nr_empty, sheaf);
	lock_release(w, &barn->lock);
	if (has_room)
		emit_SHEAF_TO_BARN(w, s->id, node, barn->nr_full, barn->nr_empty);
	else
		sheaf_give_back(w, s, p, sheaf);
}

static void swap(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	ref main = p->main;

	p->main = p->spare;
	p->spare = main;
	STAT_PCS(w, s, p, SHEAF_SWAP, 1, NODE_ANY, sheaf_at(w, p->main)->nr,
		 sheaf_at(w, p->spare)->nr);
}

void slub_sheaf_flush(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slub_pcs *p, struct slub_sheaf *sheaf, enum kmem_sheaf which)
{
	while (sheaf->nr) {
		u32 nr = MIN(sheaf->nr, (u32)FLUSH_BATCH);
		for (u32 i = 0; i < nr; i++) {
			object_loc loc = sheaf->object[--sheaf->nr];
			((struct slab *)at(w, LOC_SLAB(loc)))->link[LOC_INDEX(loc)] =
				LINK_ALLOCATED;
			slub_free_to_slabs(w, s, c, loc, is_recording(w) != 0);
		}
		STAT_PCS(w, s, p, SHEAF_FLUSH, nr, NODE_ANY, nr, sheaf->nr, which);
	}
}

/* Fills an empty sheaf from slabs. Returns 0 if memory runs out before it is full; the sheaf is
 * then empty again. */
static int fill(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, struct slub_pcs *p,
		struct slub_sheaf *sheaf)
{
	u32 want = capacity_of(w, s);

	while (sheaf->nr < want) {
		object_loc loc = slub_alloc_from_slabs(w, s, c, NODE_ANY, is_recording(w) != 0);
		if (!loc)
			break;
		sheaf->object[sheaf->nr++] = loc;
	}
	/* Their links were still LINK_ALLOCATED, as an allocation leaves them. */
	sheaf_mark(w, sheaf, LINK_SHEAF);
	STAT_PCS(w, s, p, SHEAF_REFILL, sheaf->nr, NODE_ANY, sheaf->nr, want);
	if (sheaf->nr == want)
		return 1;
	slub_sheaf_flush(w, s, c, p, sheaf, SHEAF_NOT_FILLED);
	return 0;
}

/* Exchanges the CPU's empty sheaf for a full one from the barn. */
static int take_full(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);

	ref full = barn_take_full(w, s, node);
	if (!full) {
		STAT_PCS(w, s, p, BARN_GET_FAIL, 1, node, barn->nr_empty);
		return 0;
	}
	ref empty = p->main;
	p->main = full;
	STAT_PCS(w, s, p, BARN_GET, 1, node, sheaf_at(w, full)->nr, barn->nr_full, barn->nr_empty);
	put_empty(w, s, p, empty);
	return 1;
}

/* Runs when the main sheaf is empty. Returns 1 once a sheaf with objects has replaced it. */
static int replace_empty(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_pcs *p)
{
	if (p->spare && sheaf_at(w, p->spare)->nr) {
		swap(w, s, p);
		return 1;
	}
	if (take_full(w, s, p))
		return 1;
	ref sheaf = p->spare ? p->spare : sheaf_take_empty(w, s, p);
	p->spare = 0;
	if (!fill(w, s, c, p, sheaf_at(w, sheaf))) {
		sheaf_give_back(w, s, p, sheaf);
		return 0;
	}
	ref empty = p->main;
	p->main = sheaf;
	slub_sheaf_report(w, s, p);
	put_empty(w, s, p, empty);
	return 1;
}

/* Frees the spare's objects to their slabs, because main, spare and barn are full. */
static void flush_spare(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			struct slub_pcs *p)
{
	ref sheaf = p->spare;

	slub_sheaf_flush(w, s, c, p, sheaf_at(w, sheaf), SHEAF_OF_SPARE);
	p->spare = p->main;
	p->main = sheaf;
	slub_sheaf_report(w, s, p);
}

/* Exchanges the full main sheaf for an empty one from the barn. */
static void put_full(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);
	ref full = p->main;

	p->main = sheaf_take_empty(w, s, p);
	barn_add_full(w, s, node, full);
	STAT_PCS(w, s, p, BARN_PUT, 1, node, sheaf_at(w, full)->nr, barn->nr_full, barn->nr_empty);
}

/* Makes room in the main sheaf, which is full. */
static void replace_full(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_pcs *p)
{
	u32 node = sheaf_home(w);

	if (!p->spare) {
		ref empty = sheaf_take_empty(w, s, p);
		p->spare = p->main;
		p->main = empty;
		slub_sheaf_report(w, s, p);
	} else if (sheaf_at(w, p->spare)->nr < capacity_of(w, s)) {
		swap(w, s, p);
	} else if (slub_barn(w, s, node)->nr_full < BARN_SHEAVES) {
		put_full(w, s, p);
	} else {
		STAT_PCS(w, s, p, BARN_PUT_FAIL, 1, node, BARN_SHEAVES);
		flush_spare(w, s, c, p);
	}
}

object_loc slub_sheaf_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	struct slub_pcs *p = slub_sheaf_pcs(w, s);
	u32 slow_before = w->slow_paths;

	if (!sheaf_at(w, p->main)->nr) {
		int found = replace_empty(w, s, c, p);
		/* The event counts as one slow path, however many objects it moved. */
		w->slow_paths = slow_before + 1;
		if (!found)
			return 0;
	}
	struct slub_sheaf *main = sheaf_at(w, p->main);
	object_loc loc = main->object[--main->nr];
	struct slab *slab = at(w, LOC_SLAB(loc));
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
	STAT_PCS(w, s, p, ALLOC_PCS, 1, slab->node, slab->serial, LOC_INDEX(loc), main->nr);
	return loc;
}

int slub_sheaf_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 slow_before = w->slow_paths;

	/* Sheaves hold objects of the local node only, because they serve allocations that name no
	 * node. */
	if (slab->node != sheaf_home(w))
		return 0;
	struct slub_pcs *p = slub_sheaf_pcs(w, s);
	KASSERT(slab->link[LOC_INDEX(loc)] == LINK_ALLOCATED);
	if (sheaf_at(w, p->main)->nr == capacity_of(w, s)) {
		replace_full(w, s, c, p);
		w->slow_paths = slow_before + 1;
	}
	struct slub_sheaf *main = sheaf_at(w, p->main);
	/* Clears the bits that belong to the caller. */
	main->object[main->nr++] = LOC(LOC_SLAB(loc), LOC_INDEX(loc));
	slab->link[LOC_INDEX(loc)] = LINK_SHEAF;
	STAT_PCS(w, s, p, FREE_PCS, 1, slab->node, slab->serial, LOC_INDEX(loc), main->nr);
	return 1;
}

void slub_sheaf_flush_cpu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);

	if (!p->main)
		return;
	if (p->spare) {
		ref spare = p->spare;
		slub_sheaf_flush(w, s, c, p, sheaf_at(w, spare), SHEAF_OF_SPARE);
		p->spare = 0;
		sheaf_give_back(w, s, p, spare);
	}
	slub_sheaf_flush(w, s, c, p, sheaf_at(w, p->main), SHEAF_OF_MAIN);
}
