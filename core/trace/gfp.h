/*
 * gfp.h - what an event's allocation flags request: the kind of kmalloc cache and the zones; also
 * the size class.
 */
#ifndef TRACE_GFP_H
#define TRACE_GFP_H

#include "kmem_types.h"

/* enum kmalloc_type for the flags, in any recorder's notation. */
u32 kmalloc_type_of(const char *gfp, u32 accounted);
/* The highest enum kmem_zone_kind that the flags allow. */
u32 gfp_zone_of(const char *gfp);
/* bytes_alloc for a trace that does not record it. The usual classes are 8 to 8192 with 96 and 192,
 * then powers of two. */
u32 kmalloc_slot(u32 bytes);

#endif
