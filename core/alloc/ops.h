/*
 * ops.h - what an allocator is to the rest of the program: eight functions.
 *
 * An allocator includes base/ and this file only, never another allocator. Replay, views and checks know
 * allocators by these functions alone, so a new one needs no other code.
 */
#ifndef ALLOC_OPS_H
#define ALLOC_OPS_H

#include "../base/cache.h"
#include "../base/step.h"
#include "../base/world.h"

/* Where an object is: ref of its slab in the low half, then 16 bits of index; the top 16 bits are the caller's.
 * 0: nowhere. */
typedef u64 object_loc;

#define LOC(slab, index) ((object_loc)(slab) | (object_loc)(index) << 32)
#define LOC_SLAB(loc) ((ref)(loc))
#define LOC_INDEX(loc) ((u32)((loc) >> 32) & 0xffffu)

enum shrink_mode { SHRINK_FLUSH_CPU, SHRINK_FLUSH_ALL, SHRINK_DISCARD };

/* Gets the rows of walk(), place by place; slabs of a place come in list order. */
struct visitor {
	void (*place)(struct visitor *v, const struct kmem_place *place);
	/* cells has row->objects bytes, enum kmem_cell. */
	void (*slab)(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells);
};

struct kmem_ops {
	const char *name;
	/* Sizes, order, thresholds, arrays of a cache whose layout is known. */
	void (*create)(struct world *w, struct kmem_cache *s);
	/* Gives every slab back; the cache must have no live object. */
	void (*destroy)(struct world *w, struct kmem_cache *s);
	/* alloc and free, the other two of the eight, are called directly: direct.h. */
	/* The clock went on by `seconds`, or it is cpu's turn to reap (seconds 0). NULL: has no clock. */
	void (*tick)(struct world *w, u32 cpu, u32 seconds);
	void (*shrink)(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
	void (*walk)(const struct world *w, const struct kmem_cache *s, struct visitor *v);
	/* Laws of the policy: NULL, or the one that is broken. */
	const char *(*check)(const struct world *w, const struct kmem_cache *s);
	/* Serial number of a slab in its cache. */
	u32 (*serial)(const struct world *w, ref slab);
	/* Counter totals of a cache, added to sum[NR_COUNTERS]. */
	void (*count)(const struct world *w, const struct kmem_cache *s, u32 *sum);
};

/* In the order of params.def's `allocator`. */
enum allocator { ALLOCATOR_SLUB, NR_ALLOCATORS };

const struct kmem_ops *ops_of(u32 allocator);
extern const struct kmem_ops slub_ops; /* slub.c */

#endif
