/*
 * gfp.h - what the allocation flags of an event ask for: the kind of kmalloc cache, the zones, the size class.
 */
#ifndef TRACE_GFP_H
#define TRACE_GFP_H

#include "kmem_types.h"

/* enum kmalloc_type of the flags as any recorder writes them. */
u32 kmalloc_type_of(const char *gfp, u32 accounted);
/* The highest enum kmem_zone_kind that they let a request use. */
u32 gfp_zone_of(const char *gfp);
/* bytes_alloc where a trace does not record it: the usual classes, 8 to 8192 with 96 and 192, then powers of two. */
u32 kmalloc_slot(u32 bytes);

#endif
