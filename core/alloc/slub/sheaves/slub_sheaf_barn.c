/*
 * slub_sheaf_barn.c - makes sheaves and gives them back, and keeps the barns of the nodes.
 *
 * The model takes the memory of sheaves from elsewhere: no kmalloc cache serves it.
 *
 * Kernel: alloc_empty_sheaf(), free_empty_sheaf(), struct node_barn in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_sheaf.h"

#include "sim/cache.h"

u32 slub_sheaf_capacity(const struct world *w, const struct kmem_cache *s)
{
	u32 capacity = sheaf_capacity_of(&w->policy, w->machine.page_shift, s->size);

	return s->flags & CACHE_ASKED_SHEAVES ? MAX(capacity, (u32)ASKED_SHEAF_CAPACITY) : capacity;
}

static u32 sheaf_bytes(u32 capacity)
{
	return (u32)sizeof(struct slub_sheaf) + capacity * (u32)sizeof(object_loc);
}

ref sheaf_memory(struct world *w, u32 capacity)
{
	ref new = world_alloc(w, sheaf_bytes(capacity));

	sheaf_at(w, new)->capacity = (u16)capacity;
	return new;
}

/* A CPU's first sheaf is part of struct slub_cpu_sheaves, whose memory is never freed. */
static void free_memory(struct world *w, ref sheaf)
{
	u32 capacity = sheaf_at(w, sheaf)->capacity;

	if (capacity)
		world_free(w, sheaf, sheaf_bytes(capacity));
}

ref sheaf_new(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	u32 capacity = slub_own(w, s)->sheaf_capacity;
	ref new = sheaf_memory(w, capacity);

	STAT_PCS(w, s, p, SHEAF_ALLOC, 1, NODE_ANY, capacity);
	return new;
}

void sheaf_give_back(struct world *w, struct kmem_cache *s, struct slub_pcs *p, ref sheaf)
{
	free_memory(w, sheaf);
	STAT_PCS(w, s, p, SHEAF_FREE, 1, NODE_ANY);
}

void sheaf_mark(struct world *w, const struct slub_sheaf *sheaf, u16 link)
{
	for (u32 i = 0; i < sheaf->nr; i++) {
		struct slab *slab = at(w, LOC_SLAB(sheaf->object[i]));
		slab->link[LOC_INDEX(sheaf->object[i])] = link;
	}
}

static ref take_full(struct world *w, struct kmem_cache *s, struct slub_barn *barn, u32 node)
{
	lock_take(w, &barn->lock, s->id, node);
	ref full = barn_pop(w, &barn->full, &barn->nr_full);
	lock_release(w, &barn->lock);
	if (full)
		sheaf_mark(w, sheaf_at(w, full), LINK_SHEAF);
	return full;
}

ref barn_take_full(struct world *w, struct kmem_cache *s, u32 node)
{
	return take_full(w, s, slub_barn(w, s, node), node);
}

int slub_sheaf_take_full(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_pcs *p)
{
	u32 node = c->node;
	struct slub_barn *barn = slub_barn(w, s, node);
	ref full = take_full(w, s, barn, node);

	if (!full) {
		STAT_PCS(w, s, p, BARN_GET_FAIL, 1, node, barn->nr_empty);
		return 0;
	}
	barn_push(w, &barn->empty, &barn->nr_empty, p->main);
	slub_sheaf_set_main(c, p, full);
	STAT_PCS(w, s, p, BARN_GET, 1, node, sheaf_at(w, full)->nr, barn->nr_full, barn->nr_empty);
	return 1;
}

ref barn_take_empty(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slub_barn *barn = slub_barn(w, s, node);

	lock_take(w, &barn->lock, s->id, node);
	ref empty = barn_pop(w, &barn->empty, &barn->nr_empty);
	lock_release(w, &barn->lock);
	if (empty)
		emit_SHEAF_FROM_BARN(w, s->id, node, barn->nr_full, barn->nr_empty);
	return empty;
}

ref sheaf_take_empty(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	ref empty = barn_take_empty(w, s, sheaf_home(w));

	return empty ? empty : sheaf_new(w, s, p);
}

void barn_add_full(struct world *w, struct kmem_cache *s, u32 node, ref sheaf)
{
	struct slub_barn *barn = slub_barn(w, s, node);

	sheaf_mark(w, sheaf_at(w, sheaf), LINK_BARN);
	lock_take(w, &barn->lock, s->id, node);
	barn_push(w, &barn->full, &barn->nr_full, sheaf);
	lock_release(w, &barn->lock);
}

void barn_add_empty(struct world *w, struct kmem_cache *s, u32 node, ref sheaf)
{
	struct slub_barn *barn = slub_barn(w, s, node);

	lock_take(w, &barn->lock, s->id, node);
	barn_push(w, &barn->empty, &barn->nr_empty, sheaf);
	lock_release(w, &barn->lock);
}
