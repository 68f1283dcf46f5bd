/*
 * clock.h - virtual time: a clock for every CPU, and the costs of moving cache lines and waiting
 * for locks.
 *
 * Each step advances the clock of the CPU at work by the cycles in its STEP row, recorded or not. The
 * costs below are added. Events run in the order of the trace, and none begins before its
 * predecessor began:
 *
 *	CPU 0  ▕ event 1 ──────▏▕ event 3 ──▏
 *	CPU 1      ▕ event 2 ─░░░──▏              ░ waits until event 1 releases a lock
 *
 * Events of different CPUs therefore overlap as far as the order allows. replay/cpu_schedule.h
 * reorders a trace as CPUs that run at the same time would execute it. A CPU may have other work
 * before each event (policy.work). Cycles are a model, not measurements: they compare machines but
 * predict no times.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "sim/world.h"

/*
 * All costs beyond those of steps (parameters cost.LOCK and cost.REMOTE_LINE). They are rounded from published
 * measurements on x86-64 servers. Molka et al., "Cache Coherence Protocol and Memory Performance of the
 * Intel Haswell-EP Architecture", ICPP 2015; Fog, "Instruction tables", 2022.
 */
enum {
	/* Taking and releasing a lock: two locked exchanges on a line that this core owns (Fog: 18
	 * to 25 each, the second overlaps). */
	DEFAULT_COST_LOCK = 20,
	/* A modified line moves from another core of the same node (Molka: 35 to 45 ns at 2.5 GHz).
	 * From another node the cost grows with its distance: twice at distance 20 (Molka: 86 to
	 * 113 ns). */
	DEFAULT_COST_REMOTE_LINE = 100,
};

/*
 * Work of a task outside the allocator between two events: parameter `work`, 0 by default. It was
 * counted in Linux 6.1 guests with SLUB and one CPU whose clock counts instructions. The cycles of
 * the steps, about 40 per event, are subtracted; one instruction takes one cycle. All allocators
 * use the same values.
 */
enum {
	/* hackbench, 1,600,000 messages: 4,814,866,000 instructions for 6,415,500 events. */
	COST_WORK_MESSAGE = 710,
	/* TCP round trips, 16 threads: 309,176,000 instructions for 125,354 events. */
	COST_WORK_SEGMENT = 2430,
};

/* The state of a lock, stored in the structure that it protects. */
struct vlock {
	u64 free_at;	 /* clock of its last holder at the release */
	u64 wait_cycles; /* cycles that CPUs have waited for it */
	u32 takes;
	u32 contended; /* acquisitions that had to wait */
	u32 last_cpu;  /* CPU + 1; 0: never taken */
	u32 reserved;
};

/* The CPU that last touched a line of memory: CPU + 1; 0: none. */
typedef u16 cacheline;

ALWAYS_INLINE struct cpu *clock_cpus(const struct world *w)
{
	return at(w, w->machine.cpus);
}

ALWAYS_INLINE u32 node_of_cpu(const struct world *w, u32 cpu)
{
	return clock_cpus(w)[cpu].node;
}

/* Switches to another CPU. It resumes at the later of its own clock and the previous event's start. */
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

/* cpus: clock_cpus(w), which the replay loop already has. */
ALWAYS_INLINE void op_begin(struct world *w, struct cpu *cpus, u32 cpu)
{
	if (w->cpu != cpu)
		clock_switch(w, cpus, cpu);
	w->op_start = w->now;
}

/* The same if CPUs have other work before each event. */
void op_begin_after_work(struct world *w, u32 cpu);

/* Cycles of the current event so far. */
ALWAYS_INLINE u64 op_cycles(const struct world *w)
{
	return w->now - w->op_start;
}

/* The clock of a CPU; the second function returns the cycles in which it was at work, waiting
 * included. */
u64 clock_of(const struct world *w, u32 cpu);
u64 clock_busy(const struct world *w, u32 cpu);

/* Moves the line from the CPU that has it, possibly on another node. */
void line_move_far(struct world *w, u32 from_cpu);

ALWAYS_INLINE void line_move(struct world *w, u32 from_cpu)
{
	if (likely(w->machine.nr_nodes == 1))
		w->now += cost_of(w, COST_REMOTE_LINE);
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

/* Another CPU took the lock last: moves its line, then waits until that CPU has released it. */
void lock_meet(struct world *w, struct vlock *lock, u32 cache, u32 node);

/* cache, node: the owner of the protected data; CACHE_NONE and NODE_ANY if there is none. */
ALWAYS_INLINE void lock_take(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	w->now += cost_of(w, COST_LOCK);
	lock->takes++;
	if (unlikely(lock->last_cpu != w->cpu + 1u))
		lock_meet(w, lock, cache, node);
}

ALWAYS_INLINE void lock_release(struct world *w, struct vlock *lock)
{
	lock->free_at = w->now;
}

#endif
