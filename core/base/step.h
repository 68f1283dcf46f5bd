/*
 * step.h - EMIT(): one decision, told once, after its effect; and the cost model.
 *
 * Each step costs the cycles that steps.def gives it, recorded or not. On top come locks: one that another CPU
 * used last has to come over from its cache, and two operations that follow each other in the trace on
 * different CPUs are taken to begin at the same moment, so that the later one waits while the earlier one holds
 * the lock (LOCK_WAIT). Model cycles, not measurements: they compare, they do not predict.
 */
#ifndef BASE_STEP_H
#define BASE_STEP_H

#include "../kmem.h"
#include "world.h"

enum step_cost {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) COST_##kind = (cycles),
#include "../steps.def"
#undef STEP
	/* A lock and its counters come over from another core's cache: about 100 cycles on x86-64 (Molka et
	 * al., "Cache Coherence Protocol and Memory Performance of the Intel Haswell-EP", 2015). */
	COST_REMOTE_LINE = 100,
	COST_LOCK = 20,
};

/* What a lock remembers; lives in whatever it protects. */
struct vlock {
	u64 free_at;  /* the world's cycles when it was last released */
	u32 last_cpu; /* + 1; 0: nobody yet */
	u32 reserved;
};

/* Steps are written from the start; camera: after that step *copy is made of the world, NULL for none. */
void step_begin(struct world *w, enum recording how, u32 camera_step, struct world *copy);
/* How many a list has; ends the recording. */
u32 step_end(struct world *w);
/* The ring is full, or the picture is to be taken. */
void step_turn(struct world *w);
void step_write(struct world *w, u32 kind, u64 about, u32 a1, u32 a2, u32 a3, u32 a4);

_Static_assert(offsetof(struct kmem_step, op) == 0 &&
		       offsetof(struct kmem_step, cpu) ==
			       offsetof(struct world, cpu) - offsetof(struct world, op) &&
		       offsetof(struct kmem_step, cache) == 8,
	       "a step begins as the world has it, then comes what it is about");

/* What a step is about, as it has it: cache, node and first argument. */
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

/* For functions compiled twice: `rec` is a constant there, and the step is written in place. */
#define EMIT_ABOUT(rec, w, kind, about, a1, a2, a3, a4)                                  \
	do {                                                                             \
		(w)->cycles += COST_##kind;                                              \
		if (rec)                                                                 \
			step_put(w, STEP_##kind, about, (u32)(a1), (u32)(a2), (u32)(a3), \
				 (u32)(a4));                                             \
	} while (0)
#define EMIT_IF(rec, w, kind, cache, node, a0, a1, a2, a3, a4) \
	EMIT_ABOUT(rec, w, kind, step_about(cache, node, a0), a1, a2, a3, a4)
#define EMIT(w, kind, cache, node, a0, a1, a2, a3, a4)                                     \
	do {                                                                               \
		(w)->cycles += COST_##kind;                                                \
		if (unlikely(world_host(w)->recording))                                    \
			step_write(w, STEP_##kind, step_about(cache, node, a0), (u32)(a1), \
				   (u32)(a2), (u32)(a3), (u32)(a4));                       \
	} while (0)

ALWAYS_INLINE void op_begin(struct world *w, u32 cpu)
{
	w->previous_start = w->op_start;
	w->op_start = w->cycles;
	w->cpu = (u16)cpu;
}

/* Another CPU held the lock during the operation before this one: waits if they meet. */
void lock_meet(struct world *w, struct vlock *lock, u32 cache, u32 node);

ALWAYS_INLINE void lock_take(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	w->cycles += COST_LOCK;
	if (unlikely(lock->last_cpu != w->cpu + 1u))
		lock_meet(w, lock, cache, node);
}

ALWAYS_INLINE void lock_release(struct world *w, struct vlock *lock)
{
	lock->free_at = w->cycles;
}

#endif
