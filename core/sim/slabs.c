/*
 * slabs.c - allocates and frees the pages of slabs; keeps the counts of caches and of the world.
 */
#include "sim/slabs.h"

#include "kmem_types.h"
#include "sim/page.h"

static void account(struct world *w, struct kmem_cache *s, const struct slab_head *slab, s32 sign)
{
	u64 bytes = (u64)1 << (w->machine.page_shift + slab->order);

	s->total_objects += (u32)(sign * slab->objects);
	s->slabs += (u32)sign;
	s->slabs_peak = MAX(s->slabs_peak, s->slabs);
	s->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slabs += (u32)sign;
	w->slab_moves++;
}

static void link_newest(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	ref self = ref_of(w, slab);

	slab->older = s->last_slab;
	if (s->last_slab)
		slab_head_at(w, s->last_slab)->newer = self;
	else
		s->first_slab = self;
	s->last_slab = self;
}

static void unlink_slab(struct world *w, struct kmem_cache *s, const struct slab_head *slab)
{
	if (slab->older)
		slab_head_at(w, slab->older)->newer = slab->newer;
	else
		s->first_slab = slab->newer;
	if (slab->newer)
		slab_head_at(w, slab->newer)->older = slab->older;
	else
		s->last_slab = slab->older;
}

static struct slab_head *make(struct world *w, struct kmem_cache *s, u32 node, u32 order,
			      u32 objects, u32 block_bytes, u32 highest, int here)
{
	ref new = world_alloc(w, block_bytes);
	u32 pfn = here ? page_alloc_here(w, node, order, new, highest)
		       : page_alloc(w, node, order, new, highest);

	if (pfn == PFN_NONE) {
		world_free(w, new, block_bytes);
		return NULL;
	}
	struct slab_head *slab = slab_head_at(w, new);
	slab->cache = ref_of(w, s);
	slab->serial = s->next_serial++;
	slab->pfn = pfn;
	slab->block_bytes = block_bytes;
	slab->objects = (u16)objects;
	slab->node = (u16)page_node(w, pfn);
	slab->order = (u8)order;
	slab->place = PLACE_TRANSIT;
	return slab;
}

struct slab_head *slab_make(struct world *w, struct kmem_cache *s, u32 node, u32 order, u32 objects,
			    u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, cache_zone(s), 0);
}

struct slab_head *slab_make_for_request(struct world *w, struct kmem_cache *s, u32 node, u32 order,
					u32 objects, u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, request_zone(w), 0);
}

struct slab_head *slab_make_here(struct world *w, struct kmem_cache *s, u32 node, u32 order,
				 u32 objects, u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, cache_zone(s), 1);
}

void slab_enter(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	link_newest(w, s, slab);
	account(w, s, slab, 1);
}

void slab_leave(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	unlink_slab(w, s, slab);
	account(w, s, slab, -1);
}

void slab_give_back(struct world *w, struct slab_head *slab)
{
	u32 pfn = slab->pfn, order = slab->order;

	world_free(w, ref_of(w, slab), slab->block_bytes);
	page_free(w, pfn, order);
}
