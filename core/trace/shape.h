/*
 * shape.h - measures what an allocator sees of a trace: sizes, lifetimes, frees on another CPU,
 * live objects.
 */
#ifndef TRACE_SHAPE_H
#define TRACE_SHAPE_H

#include "trace/trace.h"

/* Size of the table of live objects that shape_of needs. */
u64 shape_bytes(const struct trace *t);
/* births: shape_bytes() bytes of memory, zeroed or not. */
void shape_of(const struct trace *t, void *births, struct kmem_shape *shape,
	      struct kmem_shape_size *sizes, u32 max_sizes);

#endif
