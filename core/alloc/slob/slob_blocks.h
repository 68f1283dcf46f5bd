/*
 * slob_blocks.h - the blocks of a SLOB page, allocated and free, in address order.
 *
 * Blocks cover the page without a gap, so each stores only its start. Two neighbours are never both
 * free.
 */
#ifndef ALLOC_SLOB_SLOB_BLOCKS_H
#define ALLOC_SLOB_SLOB_BLOCKS_H

#include "alloc/slob/slob.h"

#define UNIT_NONE 0xffffffffu

struct slob_block {
	u16 start; /* unit */
	u16 bytes; /* requested bytes, including the header; 0: free */
};

struct slob_blocks {
	struct slob_page page;
	ref blocks; /* struct slob_block[room]; page.head.objects of them are in use */
	u32 room;
	u32 free_blocks;
	u32 reserved;
};

/* Returns the size of a unit: 2 bytes, or 4 if a signed 16-bit number cannot count a page's units. */
ALWAYS_INLINE u32 slob_unit_shift(const struct world *w)
{
	return w->machine.page_shift < 16 ? 1 : 2;
}

ALWAYS_INLINE struct slob_block *slob_block_at(const struct world *w,
					       const struct slob_blocks *page, u32 i)
{
	return (struct slob_block *)at(w, page->blocks) + i;
}

ALWAYS_INLINE u32 slob_block_units(const struct world *w, const struct slob_blocks *page, u32 i)
{
	u32 end = i + 1u < page->page.head.objects ? slob_block_at(w, page, i + 1)->start
						   : slob_page_bytes(w) >> slob_unit_shift(w);

	return end - slob_block_at(w, page, i)->start;
}

/* Creates an unlisted page that is one free block; NULL if memory runs out. */
struct slob_blocks *slob_new_blocks(struct world *w, u32 home);
void slob_free_blocks(struct world *w, struct slob_blocks *page);
/* Splits free block i: its first units become a separate block. */
void slob_split(struct world *w, struct slob_blocks *page, u32 i, u32 units);
/* Merges blocks i and i + 1, which are both free. */
void slob_merge(struct world *w, struct slob_blocks *page, u32 i);
/* Allocates free block i to a request of that many bytes; slob_put() frees it again. */
void slob_take(struct world *w, struct slob_blocks *page, u32 i, u32 bytes);
void slob_put(struct world *w, struct slob_blocks *page, u32 i);
/* Returns the number of the block that contains the unit. */
u32 slob_block_with(const struct world *w, const struct slob_blocks *page, u32 unit);
/* Returns the number of the block that starts at the unit. */
u32 slob_find_block(const struct world *w, const struct slob_blocks *page, u32 unit);

void slob_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
const char *slob_check(const struct world *w, const struct kmem_cache *s);

#endif
