/*
 * step.h - emit_KIND() records one decision after its effect; each row of steps.def has its function.
 *
 * Each step costs the cycles of its STEP row, unless cost.KIND is set, recorded or not; clock.h explains time.
 */
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "kmem_types.h"
#include "sim/clock.h"

/* Starts recording steps at the start of the buffer. After step camera_step the camera copies the
 * world to *copy; NULL: no camera. *copy needs room for a struct world_host in front and for the
 * whole world behind (session_build.c: scratch_picture). */
void step_begin(struct world *w, enum recording how, u32 camera_step, struct world *copy);
/* Stops recording steps and returns the length of the list. */
u32 step_end(struct world *w);
/* Runs when the ring is full or the camera is due. */
void step_turn(struct world *w);
void step_write(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3,
		u32 a4);
/* Adds the step's cost, and writes the step if steps are recorded. */
void step_emit(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3,
	       u32 a4);

_Static_assert(offsetof(struct kmem_step, op) == 0 &&
		       offsetof(struct kmem_step, cpu) ==
			       offsetof(struct world, cpu) - offsetof(struct world, op) &&
		       offsetof(struct kmem_step, cache) == 8,
	       "a step begins as the world has it, then comes what it is about");

_Static_assert(NR_STEP_KINDS <= 0x10000, "a step's kind has 16 bits");
_Static_assert(ARRAY_SIZE(((struct kmem_step *)0)->args) == 5, "steps.def names five arguments");

ALWAYS_INLINE void step_put(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2,
			    u32 a3, u32 a4)
{
	struct world_host *host = world_host(w);
	struct kmem_step *s = host->next, *next = s + 1;

	memcpy(s, &w->op, sizeof(u64));
	s->kind = (u16)kind;
	s->cache = (u16)cache;
	s->node = (u16)node;
	s->args[0] = a0;
	s->args[1] = a1;
	s->args[2] = a2;
	s->args[3] = a3;
	s->args[4] = a4;
	if (host->times)
		host->times[s - host->steps] = (u32)op_cycles(w);
	host->next = next;
	if (unlikely(next == host->turn))
		step_turn(w);
}

ALWAYS_INLINE void step_emit_here(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1,
				  u32 a2, u32 a3, u32 a4)
{
	w->now += cost_of(w, kind);
	if (unlikely(world_host(w)->recording))
		step_write(w, kind, cache, node, a0, a1, a2, a3, a4);
}

/* Hundreds of places emit a step, so files that are compiled for size call one function. */
#ifdef __OPTIMIZE_SIZE__
#define STEP_EMIT step_emit
#else
#define STEP_EMIT step_emit_here
#endif

/* Types of the arguments that are enums, by name; all others are u32. */
#define STEP_ENUM_reason ~, enum kmem_reason
#define STEP_ENUM_outcome ~, enum kmem_outcome
#define STEP_ENUM_what ~, enum kmem_what
#define STEP_ENUM_owner ~, enum kmem_owner
#define STEP_ENUM_fresh ~, enum kmem_fresh
#define STEP_ENUM_zone_kind ~, enum kmem_zone_kind
#define STEP_ENUM_end ~, enum kmem_end
#define STEP_ENUM_check ~, enum kmem_check
#define STEP_ENUM_fix ~, enum kmem_fix
#define STEP_ENUM_effect ~, enum kmem_effect
#define STEP_ENUM_queue ~, enum kmem_queue
#define STEP_ENUM_touched ~, enum kmem_touched
#define STEP_ENUM_sheaf ~, enum kmem_sheaf
#define STEP_ENUM_list ~, enum kmem_place_kind
#define STEP_ENUM_management ~, enum kmem_management

/* STEP_PARAM(a) declares the parameter of an argument, or nothing if the row leaves it out.
 * STEP_SECOND() picks what a STEP_ENUM_ or STEP_NO_ macro of that name adds, else the default. */
#define STEP_SECOND_(unused, second, ...) second
#define STEP_SECOND(...) STEP_SECOND_(__VA_ARGS__, ~)
#define STEP_NO_ ~, STEP_SKIP
#define STEP_SKIP(name)
#define STEP_DECLARE(name) , STEP_SECOND(STEP_ENUM_##name, u32) name
#define STEP_PARAM(name) STEP_SECOND(STEP_NO_##name, STEP_DECLARE)(name)

/*
 * For each row of steps.def: emit_KIND(w, cache, node, its arguments by name) and emit_if_KIND(rec, …), for functions
 * compiled twice, where `rec` is a constant, and for what happens so often that it has to be in place. Left-out
 * arguments are 0.
 */
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence)                              \
	ALWAYS_INLINE void emit_if_##kind(int rec, struct world *w, u32 cache,                  \
					  u32 node STEP_PARAM(a0) STEP_PARAM(a1) STEP_PARAM(a2) \
						  STEP_PARAM(a3) STEP_PARAM(a4))                \
	{                                                                                       \
		w->now += cost_of(w, STEP_##kind);                                              \
		if (rec)                                                                        \
			step_put(w, STEP_##kind, cache, node, a0 + 0, a1 + 0, a2 + 0, a3 + 0,   \
				 a4 + 0);                                                       \
	}                                                                                       \
	ALWAYS_INLINE void emit_##kind(struct world *w, u32 cache,                              \
				       u32 node STEP_PARAM(a0) STEP_PARAM(a1) STEP_PARAM(a2)    \
					       STEP_PARAM(a3) STEP_PARAM(a4))                   \
	{                                                                                       \
		STEP_EMIT(w, STEP_##kind, cache, node, a0 + 0, a1 + 0, a2 + 0, a3 + 0, a4 + 0); \
	}
#include "tables/steps/steps.def"
#undef STEP

#endif
