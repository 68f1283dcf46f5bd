/*
 * direct.h - alloc and free of each allocator, for the loop of replay.
 *
 * Direct calls that the compiler puts into the loop, because an indirect call costs wasm as much as the rest of a
 * fast path. `rec` is a constant: the loop is compiled twice, with recording and without.
 */
#ifndef ALLOC_DIRECT_H
#define ALLOC_DIRECT_H

#include "slub_fast.h"

/* node: NODE_ANY or a node of the machine. 0 when there is no memory. */
ALWAYS_INLINE object_loc ops_alloc(u32 allocator, const int rec, struct world *w,
				   struct kmem_cache *s, u32 cpu, u32 node)
{
	switch (allocator) {
	case ALLOCATOR_SLUB:
		return slub_alloc(w, s, cpu, node, rec);
	default:
		__builtin_unreachable();
	}
}

ALWAYS_INLINE void ops_free(u32 allocator, const int rec, struct world *w, struct kmem_cache *s,
			    u32 cpu, object_loc loc)
{
	switch (allocator) {
	case ALLOCATOR_SLUB:
		slub_free(w, s, cpu, loc, rec);
		return;
	default:
		__builtin_unreachable();
	}
}

#endif
