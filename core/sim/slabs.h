/*
 * slabs.h - what every slab has: pages, a descriptor beside them, a number in its cache.
 *
 * An allocator's own descriptor begins with struct slab_head, so that the program can name a slab without
 * knowing whose it is.
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
	u16 objects, node; /* node: where its memory is */
	u8 order, place;   /* place: enum kmem_place_kind */
	cacheline line;	   /* of the descriptor */
};

ALWAYS_INLINE struct slab_head *slab_head_at(const struct world *w, ref slab)
{
	return at(w, slab);
}

/* A slab of 2^order pages, from `node` or along its zonelist, with a zeroed descriptor of block_bytes whose head is
 * filled; its place is PLACE_TRANSIT. No view shows it before slab_enter(). NULL when no node has the pages. */
struct slab_head *slab_make(struct world *w, struct kmem_cache *s, u32 node, u32 order, u32 objects,
			    u32 block_bytes);
/* The same where slabs serve all caches: the zones are those of the request at work, not of a cache. */
struct slab_head *slab_make_for_request(struct world *w, struct kmem_cache *s, u32 node, u32 order,
					u32 objects, u32 block_bytes);
/* The same as slab_make() from that node alone. */
struct slab_head *slab_make_here(struct world *w, struct kmem_cache *s, u32 node, u32 order,
				 u32 objects, u32 block_bytes);
/* The slab becomes one of its cache: right before the step that says so. */
void slab_enter(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* The slab, which is on no list, stops being one of its cache: right before the step that says so. */
void slab_leave(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* Then its pages and descriptor go back. */
void slab_give_back(struct world *w, struct slab_head *slab);

#endif
