/*
 * pool.h - the session's memory outside the world: runs of 64 KiB units, and buffers that grow.
 *
 *	region: | session | units in use and free … | keyframes | world → grows to the end |
 *
 * The imported trace, its tables and the keyframes live here. They are not part of the world, so
 * they may hold pointers. The pool uses the lowest free address first. Runs can be freed and never
 * move.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include "util/poison.h"

enum { POOL_UNIT_BYTES = 65536 };

struct pool {
	u8 *base;	/* start of the region */
	u64 size_bytes; /* size of the region */
	u64 top;	/* offset of the end of the last used run */
	u64 ceiling;	/* limit of top: the world starts there; size_bytes without a world */
	u64 dirty_bytes; /* nothing above this has ever been written; below it, memory is zeroed before use */
	u64 *used; /* bitmap of units, 1 = in use */
};

/* Size of one part of a run. Parts lie one after another, and their sizes add up. */
#define PART_BYTES(len_bytes) (ALIGN_UP((u64)(len_bytes), (u64)64) + RED_ZONE_BYTES)
ALWAYS_INLINE void *pool_cut(u8 **at, u64 len_bytes)
{
	u8 *part = *at;

	*at += PART_BYTES(len_bytes);
	region_poison(part + len_bytes, PART_BYTES(len_bytes) - len_bytes);
	return part;
}

/* Puts the pool's table after the first `reserved` bytes of the region. */
void pool_init(struct pool *p, void *base, u64 size_bytes, u64 reserved);
/* Returns at least len_bytes, zeroed, aligned to a unit; NULL when the region is full. */
void *pool_alloc(struct pool *p, u64 len_bytes);
/* Returns 1 if the units after a run were free; they now belong to it, zeroed. len_bytes is a multiple of
 * a unit. */
int pool_extend(struct pool *p, void *run, u64 len_bytes, u64 more_bytes);
void pool_free(struct pool *p, void *run, u64 len_bytes);
/* Returns the region to the host, without poison. */
void pool_close(struct pool *p);

/* A growable buffer in a pool. The address sanitizer allows access only to the requested bytes. */
struct buffer {
	void *at;
	u64 room_bytes;	 /* bytes that may be used */
	u64 block_bytes; /* bytes taken from the pool */
};

/* Grows the buffer to at least need_bytes, by doubling. Its contents stay, but b->at may change. 0:
 * the pool is full. */
int buffer_grow(struct pool *pool, struct buffer *b, u64 need_bytes);
void buffer_free(struct pool *pool, struct buffer *b);

/* A growing array in a pool. */
struct array {
	struct buffer run;
	u32 nr;
};

/* The same with the type of its rows: at[0] to at[nr - 1]. */
#define ARRAY(type)                                  \
	union {                                      \
		struct array all;                    \
		struct {                             \
			type *at;                    \
			u64 room_bytes, block_bytes; \
			u32 nr;                      \
		};                                   \
	}

/* Adds a zeroed row; NULL without memory. */
void *array_add(struct pool *pool, struct array *a, u32 row_bytes);
void array_free(struct pool *pool, struct array *a);

#endif
