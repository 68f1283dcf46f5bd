/*
 * stairs.h - the level at which each step of an event happens, from tables/steps/stairs.def.
 */
#ifndef QUERY_STAIRS_H
#define QUERY_STAIRS_H

#include "kmem_types.h"

struct kmem_session;
struct kmem_cache;
struct world;

enum { MAX_LEVELS = 10, NO_STAIR = KMEM_NONE };

/* The totals of the allocations that ended at one level. */
struct level_note {
	u64 cycles;
	u32 allocs, least_cycles, most_cycles;
	u32 reserved;
};

/* The way of one event down the stairs and back, step by step. */
struct stairs_walk {
	u32 stairs; /* enum stairs */
	u32 at;	    /* level of the latest step, counted on these stairs from 0, or NO_STAIR */
	u32 asked;  /* deepest level that it asked or took from */
	u32 deepest;
	u32 questions; /* steps that asked a level below the first */
};

/* Returns the stairs of a cache, or the allocator's own for CACHE_NONE. */
u32 stairs_of(const struct kmem_session *s, u32 cache);
/* Fills the levels (enum kmem_level) in their order, and returns how many there are. */
u32 stairs_levels(u32 stairs, u32 levels[MAX_LEVELS]);
struct stairs_walk stairs_begin(u32 stairs);
void stairs_step(const struct kmem_session *s, struct stairs_walk *walk,
		 const struct kmem_step *step);
/* Whether the tables say where a step happens on these stairs, or that it has no level. */
int stairs_say(u32 stairs, u32 kind);
/* Whether a step asks a level, or takes something from it. */
int stairs_ask(u32 stairs, u32 kind);
/* The stairs that have the rows which these lack; themselves if there are none. */
u32 stairs_base(u32 stairs);
/* Where an enum kmem_level is on these stairs, and the level of a kind of places, on the CPU's own node or on another. */
u32 stairs_at(u32 stairs, u32 level);
u32 stairs_at_place(u32 stairs, u32 kind, int is_far);
/* Whether the places of a level belong to CPUs. */
int stairs_of_cpus(u32 stairs, u32 at);
/* Whether a step gives pages back: those of its slab, if it has one. */
int stairs_give_pages_back(u32 kind);
/* Model cycles of such a request on the fast path, 0 if there is none. */
u32 stairs_fast_cycles(const struct world *w, u32 stairs, u32 op_kind);
/* The level at which the event ended: of an allocation the deepest that it asked. */
u32 stairs_end(const struct stairs_walk *walk, u32 op_kind);

static inline u32 op_allocates(u32 op_kind)
{
	return op_kind == OP_ALLOC || op_kind == OP_KMALLOC;
}

#endif
