/*
 * clock.c - cache lines that move between CPUs, and locks for which CPUs wait.
 */
#include "sim/clock.h"

#include "sim/cache.h"
#include "sim/step.h"

const u32 default_costs[NR_COSTS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) [STEP_##kind] = (cycles),
#include "tables/steps/steps.def"
#undef STEP
	[COST_LOCK] = DEFAULT_COST_LOCK,
	[COST_REMOTE_LINE] = DEFAULT_COST_REMOTE_LINE,
};

static struct cpu *cpu_at(const struct world *w, u32 cpu)
{
	return clock_cpus(w) + cpu;
}

u64 clock_of(const struct world *w, u32 cpu)
{
	return cpu == w->cpu ? w->now : cpu_at(w, cpu)->now;
}

u64 clock_busy(const struct world *w, u32 cpu)
{
	return clock_of(w, cpu) - cpu_at(w, cpu)->idle_cycles;
}

void op_begin_after_work(struct world *w, u32 cpu)
{
	struct cpu *to = cpu_at(w, cpu);

	if (w->cpu != cpu) {
		cpu_at(w, w->cpu)->now = w->now;
		w->now = to->now;
		w->cpu = (u16)cpu;
	}
	u64 start = MAX(w->now + w->policy.work, w->op_start);
	to->idle_cycles += start - w->now;
	w->now = w->op_start = start;
}

void line_move_far(struct world *w, u32 from_cpu)
{
	u32 from = cpu_at(w, from_cpu)->node, to = cpu_at(w, w->cpu)->node;

	w->now += cost_of(w, COST_REMOTE_LINE) * machine_distance(w, from, to) / LOCAL_DISTANCE;
}

void lock_meet(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	u32 holder = lock->last_cpu - 1;
	int first = lock->last_cpu == 0;

	lock->last_cpu = w->cpu + 1u;
	if (first)
		return;
	line_move(w, holder);
	if (lock->free_at <= w->now)
		return;
	u64 wait = lock->free_at - w->now;
	w->now = lock->free_at;
	w->lock_wait_cycles += wait;
	cpu_at(w, w->cpu)->lock_wait_cycles += wait;
	lock->wait_cycles += wait;
	lock->contended++;
	if (cache != CACHE_NONE)
		cache_at(w, cache)->lock_wait_cycles += wait;
	emit_LOCK_WAIT(w, cache, node, MIN(wait, 0xffffffffu), holder);
}
