/*
 * buffer.h - growable buffers in a pool. The address sanitizer allows access only to the requested
 * bytes.
 */
#ifndef UTIL_BUFFER_H
#define UTIL_BUFFER_H

#include "util/pool.h"

struct buffer {
	void *at;
	u64 room_bytes;	 /* bytes that may be used */
	u64 block_bytes; /* bytes taken from the pool */
};

/* Grows the buffer to at least need_bytes, by doubling. Its contents stay, but b->at may change. 0:
 * the pool is full. */
int buffer_grow(struct pool *pool, struct buffer *b, u64 need_bytes);
void buffer_free(struct pool *pool, struct buffer *b);

#endif
