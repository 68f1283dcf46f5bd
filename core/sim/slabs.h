/*
 * slabs.h - the common part of every slab: pages, a descriptor beside them, a number in its cache.
 *
 * An allocator's own descriptor begins with struct slab_head. Other code can therefore name a slab
 * without knowing its allocator.
 */
#ifndef SIM_SLABS_H
#define SIM_SLABS_H

#include "sim/cache.h"
#include "sim/clock.h"

struct slab_head {
	ref cache;
	u32 serial;	   /* in its cache, 0 = first made */
	ref newer, older;  /* all slabs of the cache */
	u32 pfn;	   /* of its first page */
	u32 block_bytes;   /* of the descriptor */
	u16 objects, node; /* node: home of its memory */
	u8 order, place;   /* place: enum kmem_place_kind */
	cacheline line;	   /* of the descriptor */
};

ALWAYS_INLINE struct slab_head *slab_head_at(const struct world *w, ref slab)
{
	return at(w, slab);
}

ALWAYS_INLINE u64 slab_address(const struct world *w, ref slab)
{
	return (u64)slab_head_at(w, slab)->pfn << w->machine.page_shift;
}

/* Creates a slab of 2^order pages from `node` or its zonelist, with a zeroed descriptor of
 * block_bytes. Its head is filled in; its place is PLACE_TRANSIT. Views do not show it before
 * slab_enter(). NULL if no node has the pages. */
struct slab_head *slab_make(struct world *w, struct kmem_cache *s, u32 node, u32 order, u32 objects,
			    u32 block_bytes);
/* The same for slabs that serve all caches: the current request limits the zones, not a cache. */
struct slab_head *slab_make_for_request(struct world *w, struct kmem_cache *s, u32 node, u32 order,
					u32 objects, u32 block_bytes);
/* The same as slab_make(), from that node only. */
struct slab_head *slab_make_here(struct world *w, struct kmem_cache *s, u32 node, u32 order,
				 u32 objects, u32 block_bytes);
/* Adds the slab to its cache, right before the step that reports it. */
void slab_enter(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* Removes an unlisted slab from its cache, right before the step that reports it. */
void slab_leave(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* Frees the pages and the descriptor after slab_leave(). */
void slab_give_back(struct world *w, struct slab_head *slab);

#endif
