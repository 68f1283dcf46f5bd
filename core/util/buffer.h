/*
 * buffer.h - growable buffers in a pool. With the address sanitizer only what was asked for may be touched.
 */
#ifndef UTIL_BUFFER_H
#define UTIL_BUFFER_H

#include "util/pool.h"

struct buffer {
	void *at;
	u64 room_bytes;	 /* may be used */
	u64 block_bytes; /* lie in the pool */
};

/* At least need_bytes, by doubling; what was there stays, and b->at may change. 0: the pool is full. */
int buffer_grow(struct pool *pool, struct buffer *b, u64 need_bytes);
void buffer_free(struct pool *pool, struct buffer *b);

#endif
