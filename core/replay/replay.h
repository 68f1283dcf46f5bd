/*
 * replay.h - operations of a trace, carried out on a world.
 *
 * Handles are dense, so where an object is takes one array look-up. Caches are made when they are first used,
 * in the order of the trace.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "alloc/ops.h"
#include "trace/trace.h"

/* Where a live object is: object_loc with the cache's id on top; 0: nowhere. A large kmalloc has its page frame
 * + 1, its order and HANDLE_LARGE in their places. */
typedef u64 handle;

enum {
	HANDLE_LARGE = 0xffff,
	/* Added to the cache: the object has been freed, and was in the slab with the serial number in the low half. */
	HANDLE_KEPT = 0x4000,
};

#define HANDLE_CACHE(h) ((u32)((h) >> 48))
_Static_assert((u32)MAX_CACHES <= (u32)HANDLE_KEPT && (u32)MAX_CACHES + HANDLE_KEPT <= HANDLE_LARGE,
	       "no cache is taken for a mark on a handle");

struct overlay;

struct replay {
	const struct trace *trace;
	struct world *w;
	const struct kmem_ops *ops;
	const struct overlay *overlay; /* what a real machine's caches are made like */
	/* 1: every operation goes through ops, which see the number of the one at work: debugging notes it. */
	u32 by_table;
};

/* The tables of a fresh world: handles, sites, caches. */
void replay_prepare(struct replay *r);
/* What they take of it at most; more than any world has if one of them is larger than a block can be. */
u64 replay_tables_bytes(const struct trace *t);
/* Carries out the next n operations, fewer only when the world is out of room; returns how many. */
u32 replay_run(struct replay *r, u32 n);
/* replay_set.c: a `set` line, of that cache or of all (0). */
void replay_set(struct replay *r, const struct trace_set *set, ref cache);
/* Cache id that the site's objects are in, CACHE_NONE if it is not yet known or there is none. */
u32 replay_cache_of_site(const struct replay *r, const struct site *site);
/* Where the object of a handle is: 0 if nowhere or in no slab; *cache is then CACHE_NONE. */
object_loc replay_locate(const struct replay *r, u32 handle, u32 *cache);
/* The same for an object that may have been freed since: serial number and place, *cache as above. */
void replay_trail(const struct replay *r, u32 handle, u32 *cache, u32 *serial, u32 *index);
/* Live handles point at allocated objects of slabs that exist: NULL, or the broken law. */
const char *replay_check(const struct replay *r);

#endif
