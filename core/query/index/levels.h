/*
 * levels.h - the level at which each step of an event happens, from tables/steps/levels.def.
 */
#ifndef QUERY_LEVELS_H
#define QUERY_LEVELS_H

#include "kmem_types.h"

struct kmem_session;
struct kmem_cache;
struct world;

enum { MAX_LEVELS = 10, LEVEL_NONE = KMEM_NONE };

/* The totals of the allocations that ended at one level. */
struct level_note {
	u64 cycles;
	u32 allocs, least_cycles, most_cycles;
	u32 reserved;
};

/* The way of one event down the levels and back, step by step. */
struct levels_walk {
	u32 levels; /* enum levels: a set of them */
	u32 at;	    /* level of the latest step, counted in this set from 0, or LEVEL_NONE */
	u32 asked;  /* deepest level that it asked or took from */
	u32 deepest;
	u32 questions; /* steps that asked a level below the first */
};

/* Returns the levels of a cache, or the allocator's own for CACHE_NONE. */
u32 levels_of(const struct kmem_session *s, u32 cache);
/* Fills the levels (enum kmem_level) in their order, and returns how many there are. */
u32 levels_in(u32 levels, u32 order[MAX_LEVELS]);
struct levels_walk levels_begin(u32 levels);
void levels_step(const struct kmem_session *s, struct levels_walk *walk,
		 const struct kmem_step *step);
/* Whether the tables say where a step happens in this set, or that it has no level. */
int levels_say(u32 levels, u32 kind);
/* Whether any step asks that enum kmem_level, which an allocation then may. */
int levels_are_asked(u32 levels, u32 level);
/* Whether a step asks a level, or takes something from it. */
int levels_ask(u32 levels, u32 kind);
/* The set that has the rows which this one lacks; itself if there is none. */
u32 levels_base(u32 levels);
/* Where an enum kmem_level is in this set, and the level of a kind of places, on the CPU's own node or on another. */
u32 levels_at(u32 levels, u32 level);
u32 levels_at_place(u32 levels, u32 kind, int is_far);
/* Whether the places of a level belong to CPUs. */
int levels_of_cpus(u32 levels, u32 at);
/* Whether a step gives pages back: those of its slab, if it has one. */
int levels_give_pages_back(u32 kind);
/* Model cycles of such a request on the fast path, 0 if there is none. */
u32 levels_fast_cycles(const struct world *w, u32 levels, u32 op_kind);
/* The level at which the event ended: of an allocation the deepest that it asked. */
u32 levels_end(const struct levels_walk *walk, u32 op_kind);

static inline u32 op_allocates(u32 op_kind)
{
	return op_kind == OP_ALLOC || op_kind == OP_KMALLOC;
}

#endif
