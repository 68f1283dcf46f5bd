/*
 * view.h - the world as rows: the only code that reads it for screens.
 */
#ifndef QUERY_VIEW_H
#define QUERY_VIEW_H

#include "alloc/ops.h"

struct kmem_session;
struct kmem_cache;
struct world;

/* Returns the rows of one cache, or of all (CACHE_NONE), in the session's scratch. NULL when the region is full. */
const struct kmem_frame *view_frame(struct kmem_session *s, const struct world *w, u32 cache,
				    u32 step);
/* How a cache uses its slabs, in bytes. */
struct usage view_usage(struct kmem_session *s, const struct kmem_cache *c);

#endif
