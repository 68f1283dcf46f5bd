/*
 * buffer.c - growable buffers in a pool.
 */
#include "util/buffer.h"

#include "util/poison.h"

/* Moves the buffer to a block of at least twice the size. */
static int move(struct pool *pool, struct buffer *b, u64 need_bytes)
{
	u64 bytes = b->block_bytes ? b->block_bytes : POOL_UNIT_BYTES;

	while (bytes < need_bytes)
		bytes *= 2;
	void *at = pool_alloc(pool, bytes);
	if (!at)
		return 0;
	if (b->at)
		memcpy(at, b->at, b->room_bytes);
	pool_free(pool, b->at, b->block_bytes);
	region_poison((u8 *)at + b->room_bytes, bytes - b->room_bytes);
	b->at = at;
	b->block_bytes = bytes;
	return 1;
}

int buffer_grow(struct pool *pool, struct buffer *b, u64 need_bytes)
{
	if (need_bytes <= b->room_bytes)
		return 1;
	if (need_bytes > b->block_bytes && !move(pool, b, need_bytes))
		return 0;
	u64 room_bytes = region_room(need_bytes, b->block_bytes);
	region_unpoison((u8 *)b->at + b->room_bytes, room_bytes - b->room_bytes);
	b->room_bytes = room_bytes;
	return 1;
}

void buffer_free(struct pool *pool, struct buffer *b)
{
	pool_free(pool, b->at, b->block_bytes);
	*b = (struct buffer){ 0 };
}
