/*
 * stairs.h - the level at which each step of an event happens, from tables/steps/stairs.def.
 */
#ifndef QUERY_STAIRS_H
#define QUERY_STAIRS_H

#include "kmem_types.h"

struct kmem_session;
struct kmem_cache;

enum { MAX_LEVELS = 8 };

/* The totals of the allocations that ended at one level. */
struct level_note {
	u64 cycles;
	u32 allocs, least_cycles, most_cycles;
	u32 reserved;
};

/* The way of one event down the stairs and back, step by step. */
struct stairs_walk {
	u32 stairs; /* enum stairs */
	u32 at;	    /* level of the latest step, counted on these stairs from 0 */
	u32 asked;  /* deepest level that it asked or took from */
	u32 deepest;
	u32 questions; /* steps that asked a level below the first */
};

/* Returns the stairs of a cache, or the allocator's own for CACHE_NONE. */
u32 stairs_of(const struct kmem_session *s, u32 cache);
/* Fills the levels (enum kmem_level) in their order, and returns how many there are. */
u32 stairs_levels(u32 stairs, u32 levels[MAX_LEVELS]);
/* Begins at the first level. */
struct stairs_walk stairs_begin(u32 stairs);
void stairs_step(const struct kmem_session *s, struct stairs_walk *walk,
		 const struct kmem_step *step);
/* Whether the tables say where a step happens on these stairs, or that it has no level. */
int stairs_say(u32 stairs, u32 kind);
/* The level at which the event ended: of an allocation the deepest that it asked. */
u32 stairs_end(const struct stairs_walk *walk, u32 op_kind);

#endif
