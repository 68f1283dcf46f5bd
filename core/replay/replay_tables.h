/*
 * replay_tables.h - what the files of the replay loop share: its tables in the world, and how a site is resolved there.
 */
#ifndef REPLAY_REPLAY_TABLES_H
#define REPLAY_REPLAY_TABLES_H

#include "replay/replay.h"

/* An allocation site, resolved for the machine. */
struct resolved {
	ref cache;	  /* cache of its objects: 0 until first used, or RESOLVED_LARGE */
	u32 bytes;	  /* requested */
	u16 node;	  /* a node of the machine, or NODE_ANY */
	u16 barred_zones; /* from its flags: see struct world_host */
	u16 reserved[2];
};

_Static_assert(sizeof(struct resolved) == RESOLVED_BYTES, "replay_other.c moves whole rows");

enum { RESOLVED_LARGE = 1 }; /* larger than the largest kmalloc class */

/* The values that the loop needs; none of them moves while events run. */
struct tables {
	struct world *w;
	const struct resolved *sites;
	handle *handles;
	struct cpu *cpus;
};

ALWAYS_INLINE void note_alloc(const struct tables *t, u32 object, const struct resolved *site,
			      struct kmem_cache *s, object_loc loc)
{
	s->live++;
	s->requested += site->bytes;
	t->handles[object] = loc | (u64)s->id << 48;
}

/* replay.c: the caches of the world, created on first use. 0: there are too many. */
ref trace_cache(struct replay *r, u32 nr);
/* The same; RESOLVED_LARGE if pages serve the request. */
ref kmalloc_cache(struct replay *r, u32 type, u32 bytes);
/* Returns the class of a request, KMALLOC_TOO_LARGE if pages serve it. */
u32 kmalloc_class_of(const struct replay *r, u32 bytes);
/* A kmalloc that pages serve directly; *h stays 0 if memory runs out. */
__attribute__((noinline)) void alloc_large(struct replay *r, handle *h, u32 bytes, u32 node);
__attribute__((noinline)) void free_large(struct replay *r, handle h, u32 bytes);
/* Returns the handle that remembers a freed object's location. */
handle replay_keep_trail(const struct replay *r, handle h);

/* replay_other.c: executes an event that is neither an allocation nor a free. */
void replay_other(struct replay *r, const struct tables *t, const struct op *op, u32 cpu);
/* replay_requests.c: executes an allocation or a free that belongs to a request. Returns 0 if it has to run like any
 * other. */
int replay_member(struct replay *r, const struct tables *t, const struct op *op, u32 nr, u32 cpu);
/* Ends the recorded bulk request (SITE_GROUP) whose last object that was. */
void replay_group_end(struct replay *r, const struct op *op, u32 cpu);
/* Executes the request itself, from OP_BULK_ALLOC on. */
void replay_request(struct replay *r, const struct tables *t, const struct op *op, u32 cpu);

#endif
