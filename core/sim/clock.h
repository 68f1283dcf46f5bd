/*
 * clock.h - virtual time: a clock for every CPU, what it costs to be there first, and what it costs to wait.
 *
 * Each step moves the clock of the CPU at work by the cycles that steps.def gives it, recorded or not. On top come
 * the costs below. Operations happen in the order of the trace, and none begins before the one before it began:
 *
 *	CPU 0  ▕ op 1 ──────▏▕ op 3 ──▏
 *	CPU 1      ▕ op 2 ─────░░░──▏          ░ waits for a lock that op 3 holds
 *
 * So operations of different CPUs overlap as far as the order allows; replay/cpu_schedule.h gives a trace the order in which CPUs
 * that run at the same time come to its operations. Before each operation its CPU may have other work to do
 * (policy.work). Model cycles, not measurements: they compare, they do not predict.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "sim/world.h"

/*
 * Everything that costs time beside the steps themselves. Sizes are those of published measurements on x86-64
 * servers (Molka et al., "Cache Coherence Protocol and Memory Performance of the Intel Haswell-EP Architecture",
 * ICPP 2015; Fog, "Instruction tables", 2022), rounded.
 */
enum {
	/* A locked exchange on a line that this core owns, twice: taken and released (Fog: 18 to 25 each, the
	 * second overlaps). */
	COST_LOCK = 20,
	/* A modified line comes from another core of the same node (Molka: 35 to 45 ns at 2.5 GHz). From other nodes
	 * it takes longer in proportion to their distance: twice at distance 20 (Molka: 86 to 113 ns). */
	COST_REMOTE_LINE = 100,
};

/*
 * What a task does outside the allocator between two operations: parameter `work`, 0 unless somebody asks. As counted in
 * guests of Linux 6.1 with one CPU whose clock counts instructions, SLUB, of which the steps of the operations (some
 * 40 cycles each) are taken off; one instruction a cycle. The same for every allocator.
 */
enum {
	/* hackbench, 1,600,000 messages: 4,814,866,000 instructions for 6,415,500 operations. */
	COST_WORK_MESSAGE = 710,
	/* TCP round trips, 16 threads: 309,176,000 instructions for 125,354 operations. */
	COST_WORK_SEGMENT = 2430,
};

/* What a lock remembers; lives in whatever it protects. */
struct vlock {
	u64 free_at;	 /* clock of its last holder when it let go */
	u64 wait_cycles; /* that CPUs have waited for it */
	u32 takes;
	u32 contended; /* takes that had to wait */
	u32 last_cpu;  /* + 1; 0: nobody yet */
	u32 reserved;
};

/* Who touched a line of memory last: CPU + 1, 0 nobody. */
typedef u16 cacheline;

ALWAYS_INLINE struct cpu *clock_cpus(const struct world *w)
{
	return at(w, w->machine.cpus);
}

/* Another CPU's turn: it goes on when it is free, and not before the operation before this one in the trace began. */
ALWAYS_INLINE void clock_switch(struct world *w, struct cpu *cpus, u32 cpu)
{
	struct cpu *to = cpus + cpu;

	cpus[w->cpu].now = w->now;
	if (to->now < w->op_start) {
		to->idle_cycles += w->op_start - to->now;
		to->now = w->op_start;
	}
	w->now = to->now;
	w->cpu = (u16)cpu;
}

/* cpus: clock_cpus(w), which the loop of replay has at hand. */
ALWAYS_INLINE void op_begin(struct world *w, struct cpu *cpus, u32 cpu)
{
	if (w->cpu != cpu)
		clock_switch(w, cpus, cpu);
	w->op_start = w->now;
}

/* The same where CPUs have other work to do before each operation. */
void op_begin_after_work(struct world *w, u32 cpu);

/* What the operation at work has taken so far. */
ALWAYS_INLINE u64 op_cycles(const struct world *w)
{
	return w->now - w->op_start;
}

/* Clock of a CPU; and of that, the cycles in which it was at work, waiting included. */
u64 clock_of(const struct world *w, u32 cpu);
u64 clock_busy(const struct world *w, u32 cpu);

/* The line comes over from the CPU that has it, perhaps from another node. */
void line_move_far(struct world *w, u32 from_cpu);

ALWAYS_INLINE void line_move(struct world *w, u32 from_cpu)
{
	if (likely(w->machine.nr_nodes == 1))
		w->now += COST_REMOTE_LINE;
	else
		line_move_far(w, from_cpu);
}

ALWAYS_INLINE void line_touch(struct world *w, cacheline *last)
{
	u32 self = w->cpu + 1u, had = *last;

	if (had == self)
		return;
	*last = (cacheline)self;
	if (had)
		line_move(w, had - 1);
}

/* Another CPU had the lock last: its line comes over, and if it is still held then, this CPU waits. */
void lock_meet(struct world *w, struct vlock *lock, u32 cache, u32 node);

/* cache, node: what the lock protects, CACHE_NONE and NODE_ANY where it is nothing of the kind. */
ALWAYS_INLINE void lock_take(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	w->now += COST_LOCK;
	lock->takes++;
	if (unlikely(lock->last_cpu != w->cpu + 1u))
		lock_meet(w, lock, cache, node);
}

ALWAYS_INLINE void lock_release(struct world *w, struct vlock *lock)
{
	lock->free_at = w->now;
}

#endif
