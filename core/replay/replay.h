/*
 * replay.h - executes the events of a trace on a world.
 *
 * Handles are dense, so finding an object takes one array look-up. Caches are created on first use,
 * in the order of the trace.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "alloc/ops.h"
#include "trace/trace.h"

/* Location of a live object: object_loc with the cache's id in the top bits; 0: none. A large
 * kmalloc has page frame + 1, order and HANDLE_LARGE in these fields. */
typedef u64 handle;

enum {
	HANDLE_LARGE = 0xffff,
	/* Added to the cache: the object was freed. The low half is the serial number of its last
	 * slab. */
	HANDLE_KEPT = 0x4000,
};

enum { RESOLVED_BYTES = 16 }; /* bytes of a row of the world's table of sites */

#define HANDLE_CACHE(h) ((u32)((h) >> 48))
_Static_assert((u32)MAX_CACHES <= (u32)HANDLE_KEPT && (u32)MAX_CACHES + HANDLE_KEPT <= HANDLE_LARGE,
	       "no cache is taken for a mark on a handle");

struct machine_state;
struct start;

struct replay {
	const struct trace *trace;
	struct world *w;
	const struct kmem_ops *ops;
	const struct machine_state
		*machine_state; /* the machine state from which caches take their settings */
	struct start *start;	/* what the build starts with; NULL: empty caches */
	/* 1: every event goes through ops. Reasons: an allocator other than the first row's, fewer
	 * CPUs than the trace has, the parameter work, `corrupt` lines, and debugging, which
	 * records the number of the current event. */
	u32 by_table;
};

/* Creates the tables of a fresh world: handles, sites, caches. */
void replay_prepare(struct replay *r);
/* Returns the most bytes that these tables take; more than any world has if one exceeds the largest block. */
u64 replay_tables_bytes(const struct trace *t);
/* Executes the next n events, fewer only if the world is out of room; returns how many. */
u32 replay_run(struct replay *r, u32 n);
/* The same ignoring forks; replay_other.c handles a fork. */
u32 replay_plainly(struct replay *r, u32 n);
u32 replay_fork(struct replay *r, u32 n);
/* replay_requests.c: whether the allocator acts on bulk requests, kfree_rcu() and prefilled sheaves under that policy. */
int requests_known(const struct kmem_ops *ops, const struct policy *p);
/* Fills the world's rows of these sites. */
void replay_resolve(struct replay *r, u32 from, u32 to);
/* Returns the id of the cache that serves the site; CACHE_NONE if it is not yet known or there is none. */
u32 replay_cache_of_site(const struct replay *r, const struct site *site);
/* The same for an event, which may free an object from before the trace. */
u32 replay_cache_of_event(const struct replay *r, u32 op);
/* Returns the location of a handle's object; 0 if it has none or is in no slab. *cache is then CACHE_NONE. */
object_loc replay_locate(const struct replay *r, u32 handle, u32 *cache);
/* The same for an object that may be freed already: serial number and index; *cache as above. */
void replay_trail(const struct replay *r, u32 handle, u32 *cache, u32 *serial, u32 *index);
/* Checks that live handles point at allocated objects of existing slabs. Returns NULL, or the
 * violated invariant. */
const char *replay_check(const struct replay *r);

/* replay_requests.c: serve one request that no trace has, after replay_begin: from a cache, or with 0 from the kmalloc class
 * of that size. alloc returns 0 if memory runs out; free takes the bytes of the request. */
void replay_begin(struct replay *r, u32 cpu);
handle replay_alloc(struct replay *r, u32 cpu, ref cache, u32 bytes);
void replay_free(struct replay *r, u32 cpu, handle h, u32 bytes);
/* Damages an object, or frees one that is free, as a `corrupt` line does. */
void replay_corrupt(struct replay *r, u32 cache, object_loc loc, const struct corruption *c);
/* Returns the cache that serves a kmalloc of that size; 0 if it has not been used yet. */
ref replay_known_kmalloc(const struct replay *r, u32 bytes);

/* 1 while the world's tables lack the handles, sites and caches of a fork's own events. */
ALWAYS_INLINE int is_before_fork(const struct replay *r)
{
	return r->trace->fork.is_on && r->w->op <= r->trace->fork.at;
}

/* replay.c: creates the cache, or finds one that can also serve its objects. 0: there are MAX_CACHES. */
ref replay_create_cache(struct replay *r, const struct cache_spec *asked);

#endif
