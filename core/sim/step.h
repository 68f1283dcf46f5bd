/*
 * step.h - the steps of events, and the time they take.
 *
 * Virtual time is a clock for every CPU, and the costs of moving cache lines and waiting for locks.
 *
 * Each step advances the clock of the CPU at work by the cycles in its STEP row, recorded or not. The
 * costs below are added. Events run in the order of the trace, and none starts before its
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
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "sim/world.h"
#include "kmem_types.h"

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

/* Returns the clock of a CPU; the second function returns the cycles in which it was at work, waiting
 * included. */
u64 clock_of(const struct world *w, u32 cpu);
u64 clock_busy(const struct world *w, u32 cpu);

/* Moves the line from the CPU that holds it, possibly on another node. */
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

/*
 * Emit_KIND() records one decision after its effect; each row of steps.def has its function.
 *
 * Each step costs the cycles of its STEP row, unless cost.KIND is set, recorded or not.
 */

/* Starts recording steps at the start of the buffer. After step camera_step the camera copies the world to *copy; NULL: no
 * camera. *copy needs room for a struct world_host before it and for the whole world after it (session_build.c:
 * scratch_picture). */
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
	       "a step starts with fields as in the world, then has what it is about");

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
 * compiled twice, where `rec` is a constant, and for steps so frequent that they must be inlined. Left-out arguments
 * are 0.
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

/*
 * The parts in which a kernel with sheaves changes its state, as lines of slub_op report them.
 */

enum kernel_part {
#define PART(name, key) name,
#include "sim/kernel_parts.def"
	NR_KERNEL_PARTS,
	PART_COUNTER = 64, /* + a counter: a line of slub_stat */
};

#endif
