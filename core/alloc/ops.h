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
	/* alloc and free are called through ops_alloc() and ops_free(), below. */
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

/* slub.c; twice, for replay without a listener and while steps are recorded. */
object_loc slub_alloc_plain(struct world *w, struct kmem_cache *s, u32 cpu, u32 node);
object_loc slub_alloc_recorded(struct world *w, struct kmem_cache *s, u32 cpu, u32 node);
void slub_free_plain(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);
void slub_free_recorded(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);

/* Direct calls, because an indirect one costs wasm as much as the rest of a fast path. `rec` is a constant.
 * node: NODE_ANY or a node of the machine. 0 when there is no memory. */
ALWAYS_INLINE object_loc ops_alloc(u32 allocator, const int rec, struct world *w,
				   struct kmem_cache *s, u32 cpu, u32 node)
{
	switch (allocator) {
	case ALLOCATOR_SLUB:
		return rec ? slub_alloc_recorded(w, s, cpu, node)
			   : slub_alloc_plain(w, s, cpu, node);
	default:
		__builtin_unreachable();
	}
}

ALWAYS_INLINE void ops_free(u32 allocator, const int rec, struct world *w, struct kmem_cache *s,
			    u32 cpu, object_loc loc)
{
	switch (allocator) {
	case ALLOCATOR_SLUB:
		if (rec)
			slub_free_recorded(w, s, cpu, loc);
		else
			slub_free_plain(w, s, cpu, loc);
		return;
	default:
		__builtin_unreachable();
	}
}

#endif
