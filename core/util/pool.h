/*
 * pool.h - the session's own memory: runs of 64 KiB units below the world.
 *
 *	region: | session | units in use and free … | keyframes | world → grows to the end |
 *
 * The imported trace, its tables and the keyframes live here; none of it is part of the world, so it may hold
 * pointers. Runs are handed out lowest address first and may be given back; nothing is ever moved.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include "util/poison.h"

enum { POOL_UNIT_BYTES = 65536 };

struct pool {
	u8 *base;	/* of the region */
	u64 size_bytes; /* of the region */
	u64 top;	/* bytes from base up to the end of the last run in use */
	u64 ceiling; /* top may not pass this: the world begins there; size_bytes while there is no world */
	u64 dirty_bytes; /* nothing above this has ever been written; the rest is zeroed before it is handed out */
	u64 *used; /* bitmap of units, 1 = in use */
};

/* Parts of one run, behind each other: PART_BYTES of each, summed, and cut off in any order. */
#define PART_BYTES(len_bytes) (ALIGN_UP((u64)(len_bytes), (u64)64) + RED_ZONE_BYTES)
ALWAYS_INLINE void *pool_cut(u8 **at, u64 len_bytes)
{
	u8 *part = *at;

	*at += PART_BYTES(len_bytes);
	region_poison(part + len_bytes, PART_BYTES(len_bytes) - len_bytes);
	return part;
}

/* Places the pool's own table after the first `reserved` bytes of the region. */
void pool_init(struct pool *p, void *base, u64 size_bytes, u64 reserved);
/* At least len_bytes, zeroed, aligned to a unit; NULL when the region is full. */
void *pool_alloc(struct pool *p, u64 len_bytes);
/* 1 if the units behind a run were free and are its own now, zeroed; len_bytes is a multiple of a unit. */
int pool_extend(struct pool *p, void *run, u64 len_bytes, u64 more_bytes);
void pool_free(struct pool *p, void *run, u64 len_bytes);
/* The region is the host's again: the address sanitizer has nothing more to say of it. */
void pool_close(struct pool *p);

#endif
