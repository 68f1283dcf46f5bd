/*
 * slub_sheaf_prefill.c - sheaves that a caller fills beforehand, to allocate from them without fail (7.x). Its user is
 * the maple tree.
 *
 * Kernel: kmem_cache_prefill_sheaf(), kmem_cache_alloc_from_sheaf(), kmem_cache_refill_sheaf(),
 * kmem_cache_return_sheaf() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_fast.h"

static u32 capacity_of(const struct world *w, const struct kmem_cache *s)
{
	return slub_own(w, s)->sheaf_capacity;
}

/* The request is larger than the cache's sheaves, so this one is filled from slabs only. 0: memory
 * ran out. */
static ref oversize_sheaf(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			  struct slub_pcs *p, u32 number)
{
	ref sheaf = sheaf_memory(w, number);
	struct slub_sheaf *f = sheaf_at(w, sheaf);

	STAT_PCS(w, s, p, SHEAF_ALLOC, 1, NODE_ANY, number);
	STAT_PCS(w, s, p, SHEAF_PREFILL_OVERSIZE, 1, NODE_ANY, number, capacity_of(w, s));
	if (slub_take_from_slabs(w, s, c, f->object, &f->nr, number))
		return sheaf;
	sheaf_give_back(w, s, p, sheaf);
	return 0;
}

/* Takes a full sheaf from the barn, otherwise an empty one, otherwise a new one. */
static ref sheaf_of_barn(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);
	ref sheaf = barn_take_full(w, s, node);

	STAT_PCS(w, s, p, SHEAF_PREFILL_SLOW, 1, NODE_ANY, barn->nr_full, barn->nr_empty);
	if (sheaf) {
		STAT_PCS(w, s, p, BARN_GET, 1, node, sheaf_at(w, sheaf)->nr, barn->nr_full,
			 barn->nr_empty);
		return sheaf;
	}
	sheaf = barn_take_empty(w, s, node);
	STAT_PCS(w, s, p, BARN_GET_FAIL, 1, node, barn->nr_empty);
	return sheaf ? sheaf : sheaf_new(w, s, p);
}

static ref usual_sheaf(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		       struct slub_pcs *p, u32 number)
{
	ref sheaf = p->spare;

	if (sheaf) {
		p->spare = 0;
		STAT_PCS(w, s, p, SHEAF_PREFILL_FAST, 1, NODE_ANY, sheaf_at(w, sheaf)->nr);
	} else {
		sheaf = sheaf_of_barn(w, s, p);
	}
	if (sheaf_at(w, sheaf)->nr >= number || slub_sheaf_refill(w, s, c, p, &sheaf))
		return sheaf;
	slub_sheaf_flush_unused(w, s, p, sheaf_at(w, sheaf), SHEAF_NOT_FILLED);
	sheaf_give_back(w, s, p, sheaf);
	return 0;
}

void slub_prefill(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, ref *noted,
		  u32 number)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);

	/* The caller forgot to return the sheaf that it holds. */
	if (*noted)
		slub_return_prefilled(w, s, c, noted);
	ref sheaf = number > capacity_of(w, s) ? oversize_sheaf(w, s, c, p, number)
					       : usual_sheaf(w, s, c, p, number);
	if (!sheaf) {
		emit_ALLOC_FAILED(w, s->id, NODE_ANY, NODE_ANY);
		return;
	}
	sheaf = sheaf_with_room(w, s, sheaf);
	sheaf_mark(w, sheaf_at(w, sheaf), LINK_BULK);
	*noted = sheaf;
}

object_loc slub_take_prefilled(struct world *w, const struct kmem_cache *s, const ref *noted)
{
	struct slub_sheaf *sheaf = *noted ? sheaf_at(w, *noted) : NULL;

	if (!sheaf || !sheaf->nr)
		return 0;
	object_loc loc = sheaf->object[--sheaf->nr];
	struct slab *slab = at(w, LOC_SLAB(loc));
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
	emit_PREFILLED_TAKEN(w, s->id, slab->node, slab->serial, LOC_INDEX(loc), sheaf->nr);
	return loc;
}

void slub_refill_prefilled(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			   ref *noted, u32 number)
{
	ref sheaf = *noted;

	if (!sheaf || sheaf_at(w, sheaf)->nr >= number)
		return;
	struct slub_sheaf *f = sheaf_at(w, sheaf);
	if (f->capacity >= number && f->capacity != capacity_of(w, s)) {
		/* Refills it the same way as an oversize sheaf is first filled. */
		slub_take_from_slabs(w, s, c, f->object, &f->nr, (u32)f->capacity - f->nr);
		return;
	}
	if (f->capacity >= number) {
		sheaf_mark(w, f, LINK_SHEAF);
		slub_sheaf_refill(w, s, c, slub_pcs(w, s, w->cpu), &sheaf);
		sheaf_mark(w, sheaf_at(w, sheaf), LINK_BULK);
		return;
	}
	/* Gets the larger sheaf first, then returns the old one. */
	*noted = 0;
	slub_prefill(w, s, c, noted, number);
	ref larger = *noted;
	*noted = sheaf;
	if (!larger)
		return;
	slub_return_prefilled(w, s, c, noted);
	*noted = larger;
}

void slub_return_prefilled(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			   ref *noted)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);
	u32 node = sheaf_home(w);
	ref sheaf = *noted;

	if (!sheaf)
		return;
	struct slub_sheaf *f = sheaf_at(w, sheaf);
	*noted = 0;
	sheaf_mark(w, f, LINK_SHEAF);
	int oversize = f->capacity != capacity_of(w, s);
	if (!oversize && !p->spare) {
		p->spare = sheaf;
		STAT_PCS(w, s, p, SHEAF_RETURN_FAST, 1, NODE_ANY, f->nr);
		return;
	}
	if (!oversize) {
		struct slub_barn *barn = slub_barn(w, s, node);
		STAT_PCS(w, s, p, SHEAF_RETURN_SLOW, 1, NODE_ANY, f->nr, barn->nr_full);
		if (barn->nr_full < slub_barn_limit(w) &&
		    (f->nr == f->capacity || slub_sheaf_refill(w, s, c, p, &sheaf))) {
			barn_add_full(w, s, node, sheaf);
			STAT_PCS(w, s, p, BARN_PUT, 1, node, f->nr, barn->nr_full, barn->nr_empty);
			return;
		}
	}
	slub_sheaf_flush_unused(w, s, p, f, SHEAF_RETURNED);
	sheaf_give_back(w, s, p, sheaf);
}
