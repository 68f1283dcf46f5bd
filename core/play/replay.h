/*
 * replay.h - operations of a trace, carried out on a world.
 *
 * Handles are dense, so where an object is takes one array look-up. Caches are made when they are first used,
 * in the order of the trace.
 */
#ifndef PLAY_REPLAY_H
#define PLAY_REPLAY_H

#include "../alloc/ops.h"
#include "trace.h"

/* Where a live object is; slab 0: nowhere. A large kmalloc has its page frame and order instead. */
struct handle {
	u32 slab;
	u16 index;
	u16 large; /* 1: slab is a page frame, index an order */
};

struct replay {
	const struct trace *trace;
	struct world *w;
	const struct kmem_ops *ops;
};

/* The tables of a fresh world: handles, sites. */
void replay_prepare(struct replay *r);
/* Carries out the next n operations, fewer only when the world is out of room; returns how many. */
u32 replay_run(struct replay *r, u32 n);
/* Cache id that the site's objects are in, CACHE_NONE if it is not yet known or there is none. */
u32 replay_cache_of_site(const struct replay *r, const struct site *site);
/* Where the op's object is: place and slab of a live handle. */
object_loc replay_locate(const struct replay *r, u32 handle);
/* Live handles point at allocated objects of slabs that exist: NULL, or the broken law. */
const char *replay_check(const struct replay *r);

#endif
