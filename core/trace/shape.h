/*
 * shape.h - what a trace looks like to an allocator: sizes, lifetimes, who frees on another CPU, how much is live.
 */
#ifndef TRACE_SHAPE_H
#define TRACE_SHAPE_H

#include "trace/trace.h"

/* What shape_of needs to remember of live objects. */
u64 shape_bytes(const struct trace *t);
/* births: shape_bytes() of memory, zeroed or not. */
void shape_of(const struct trace *t, void *births, struct kmem_shape *shape,
	      struct kmem_shape_size *sizes, u32 max_sizes);

#endif
