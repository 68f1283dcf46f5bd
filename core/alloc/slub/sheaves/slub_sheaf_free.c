/*
 * slub_sheaf_free.c - frees of kernels without cpu slabs (7.x) that do not just go onto the main sheaf.
 *
 *	main ─ an empty sheaf ─ a spare with room ─ an empty one replaces main, which goes to the barn ─ flush of the spare
 *
 * An object of another node, or of a cache without sheaves, goes onto its slab's freelist.
 *
 * Kernel: slab_free(), free_to_pcs(), __pcs_replace_full_main(), __slab_free() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

/* Frees the spare's objects to their slabs, because the barn is full. Main becomes the spare. */
static void flush_spare(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			struct slub_pcs *p)
{
	ref spare = p->spare;

	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, spare), SHEAF_OF_SPARE);
	p->spare = p->main;
	slub_sheaf_set_main(c, p, spare);
	slub_sheaf_report(w, s, p);
}

static void replace_full_main(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      struct slub_pcs *p)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);
	ref full = p->main;

	if (!p->spare) {
		ref empty = sheaf_take_empty(w, s, p);
		p->spare = full;
		slub_sheaf_set_main(c, p, empty);
		slub_sheaf_report(w, s, p);
	} else if (!sheaf_is_full(sheaf_at(w, p->spare))) {
		slub_sheaf_swap(w, s, c, p);
	} else if (barn->nr_full >= slub_barn_limit(w)) {
		STAT_PCS(w, s, p, BARN_PUT_FAIL, 1, node, barn->nr_full);
		flush_spare(w, s, c, p);
	} else {
		slub_sheaf_set_main(c, p, sheaf_take_empty(w, s, p));
		barn_add_full(w, s, node, full);
		STAT_PCS(w, s, p, BARN_PUT, 1, node, sheaf_at(w, full)->nr, barn->nr_full,
			 barn->nr_empty);
	}
}

static void push(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, struct slab *slab,
		 u32 index)
{
	struct slub_sheaf *main = slub_sheaf_main(w, s, c, slub_pcs_of(c));

	main->object[main->nr++] = LOC(ref_of(w, slab), index);
	slab->link[index] = LINK_SHEAF;
	STAT_ON(c, w, s, FREE_FASTPATH, slab->node, slab->serial, index, main->nr);
}

/* Frees one object to its slab. The kernel counts FREE_SLOWPATH at the very end. */
NOINLINE void free_past_sheaves(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				struct slab *slab, u32 index, enum kmem_reason reason)
{
	u32 owner = slab->freelist ? OWNER_NODE_LIST : OWNER_FULL;
	u32 node = slab->node, serial = slab->serial, free = slab_free_count(slab) + 1;

	int was_full = slub_put_objects(w, slab, index, index, 1);
	emit_FREE_PAST_SHEAF(w, s->id, node, serial, index, reason);
	if (was_full || !slab->inuse)
		slub_free_to_node(w, s, slab, was_full);
	STAT_ON(c, w, s, FREE_SLOWPATH, node, serial, index, owner, CPU_NONE, free);
}

void slub_sheaf_free_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			  object_loc loc)
{
	u64 fast_cycles = 0;
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 index = LOC_INDEX(loc), slow_before = w->slow_paths + 1;

	KASSERT(slab->link[index] == LINK_ALLOCATED);
	if (unlikely(s->flags & CACHE_DEBUG)) {
		slub_debug_free(w, s, c, loc);
	} else if (slab->node != c->node) {
		free_past_sheaves(w, s, c, slab, index, REASON_OTHER_NODE);
	} else if (!slub_own(w, s)->sheaf_capacity) {
		free_past_sheaves(w, s, c, slab, index, REASON_NO_SHEAVES);
	} else {
		struct slub_pcs *p = slub_pcs_of(c);
		const struct slub_sheaf *main = sheaf_at(w, p->main);
		if (sheaf_is_full(main))
			replace_full_main(w, s, c, p);
		else
			slow_before--;
		push(w, s, c, slab, index);
		fast_cycles = cost_of(w, STEP_FREE_FASTPATH);
	}
	w->slow_paths = slow_before;
	slub_sheaf_charge(w, s, fast_cycles);
}
