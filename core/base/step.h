/*
 * step.h - EMIT(): one decision, told once, after its effect; and the cost model.
 *
 * Each step costs the cycles that steps.def gives it, recorded or not. On top come locks: a node's list lock is
 * free from a time on, and a CPU that arrives earlier waits (LOCK_WAIT). Every CPU has a clock; an operation
 * begins when its CPU is free, and not before the operation ahead of it in the trace began. Model cycles, not
 * measurements: they compare, they do not predict.
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
	u64 free_at;  /* cycles */
	u32 last_cpu; /* + 1; 0: nobody yet */
	u32 reserved;
};

void step_record(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4);

/* For functions compiled twice: `rec` is a constant there. */
#define EMIT_IF(rec, w, kind, cache, node, a0, a1, a2, a3, a4)                                 \
	do {                                                                                   \
		(w)->clock += COST_##kind;                                                     \
		if (rec)                                                                       \
			step_record(w, STEP_##kind, (u32)(cache), (u32)(node), (u32)(a0),      \
				    (u32)(a1), (u32)(a2), (u32)(a3), (u32)(a4));               \
	} while (0)
#define EMIT(w, kind, cache, node, a0, a1, a2, a3, a4) \
	EMIT_IF(unlikely(world_host(w)->recording), w, kind, cache, node, a0, a1, a2, a3, a4)

ALWAYS_INLINE void op_begin(struct world *w, u32 cpu)
{
	struct cpu *c = (struct cpu *)at(w, w->machine.cpus) + cpu;

	w->cpu = cpu;
	w->clock = MAX(c->clock, w->now);
	w->now = w->clock;
}

ALWAYS_INLINE void op_end(struct world *w, u32 cpu)
{
	struct cpu *c = (struct cpu *)at(w, w->machine.cpus) + cpu;

	w->busy_cycles += w->clock - w->now;
	c->clock = w->clock;
	w->op++;
}

void lock_take(struct world *w, struct vlock *lock, u32 cache, u32 node);
void lock_release(struct world *w, struct vlock *lock);

#endif
