/*
 * step.h - EMIT() records one decision after its effect.
 *
 * Each step costs the cycles of its STEP row, recorded or not; clock.h explains time.
 */
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "kmem_types.h"
#include "sim/clock.h"

enum step_cost {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) COST_##kind = (cycles),
#include "tables/steps/steps.def"
#undef STEP
};

/* Starts recording steps at the start of the buffer. After step camera_step the camera copies the
 * world to *copy; NULL: no camera. *copy needs room for a struct world_host in front and for the
 * whole world behind (session_build.c: scratch_picture). */
void step_begin(struct world *w, enum recording how, u32 camera_step, struct world *copy);
/* Stops recording steps and returns the length of the list. */
u32 step_end(struct world *w);
/* Runs when the ring is full or the camera is due. */
void step_turn(struct world *w);
void step_write(struct world *w, u32 kind, u64 about, u32 a1, u32 a2, u32 a3, u32 a4);

_Static_assert(offsetof(struct kmem_step, op) == 0 &&
		       offsetof(struct kmem_step, cpu) ==
			       offsetof(struct world, cpu) - offsetof(struct world, op) &&
		       offsetof(struct kmem_step, cache) == 8,
	       "a step begins as the world has it, then comes what it is about");

_Static_assert(NR_STEP_KINDS <= 0x10000, "a step's kind has 16 bits");
_Static_assert(ARRAY_SIZE(((struct kmem_step *)0)->args) == 5, "steps.def names five arguments");

/* Cache, node and first argument of a step, packed as in the step. */
ALWAYS_INLINE u64 step_about(u32 cache, u32 node, u32 a0)
{
	return (u16)cache | (u32)(u16)node << 16 | (u64)a0 << 32;
}

ALWAYS_INLINE void step_put(struct world *w, u32 kind, u64 about, u32 a1, u32 a2, u32 a3, u32 a4)
{
	struct world_host *host = world_host(w);
	struct kmem_step *s = host->next, *next = s + 1;

	memcpy(s, &w->op, sizeof(u64));
	s->kind = (u16)kind;
	memcpy(&s->cache, &about, sizeof(about));
	s->args[1] = a1;
	s->args[2] = a2;
	s->args[3] = a3;
	s->args[4] = a4;
	host->next = next;
	if (unlikely(next == host->turn))
		step_turn(w);
}

/* For functions compiled twice: `rec` is a constant there, and the compiler inlines the step. */
#define EMIT_ABOUT(rec, w, kind, about, a1, a2, a3, a4)                                  \
	do {                                                                             \
		(w)->now += COST_##kind;                                                 \
		if (rec)                                                                 \
			step_put(w, STEP_##kind, about, (u32)(a1), (u32)(a2), (u32)(a3), \
				 (u32)(a4));                                             \
	} while (0)
#define EMIT_IF(rec, w, kind, cache, node, a0, a1, a2, a3, a4) \
	EMIT_ABOUT(rec, w, kind, step_about(cache, node, a0), a1, a2, a3, a4)
#define EMIT(w, kind, cache, node, a0, a1, a2, a3, a4)                                     \
	do {                                                                               \
		(w)->now += COST_##kind;                                                   \
		if (unlikely(world_host(w)->recording))                                    \
			step_write(w, STEP_##kind, step_about(cache, node, a0), (u32)(a1), \
				   (u32)(a2), (u32)(a3), (u32)(a4));                       \
	} while (0)

#endif
