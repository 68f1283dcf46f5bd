/* step.c - the ring of steps, the camera, and what CPUs share, cache lines and locks. */
#include "sim/step.h"
#include "util/poison.h"
#include "sim/cache.h"

/*
 * The camera shows the state inside an event: it copies the world after one step. The copy's own
 * host records nothing and forbids growth. Functions that read a world therefore accept either.
 */
static void take_picture(const struct world *w, struct world *copy)
{
	KASSERT(host_commit((u8 *)copy + w->used));
	region_unpoison(world_host(copy), sizeof(struct world_host));
	*world_host(copy) = (struct world_host){ .limit_bytes = w->used, .zeroed_bytes = w->used };
	region_copy(copy, w, w->used);
}

void step_begin(struct world *w, enum recording how, u32 camera_step, struct world *copy)
{
	struct world_host *host = world_host(w);

	KASSERT(!copy || camera_step < MAX_STEPS_PER_OP);
	host->recording = how;
	host->next = host->steps;
	host->turn = host->steps + (copy ? camera_step + 1 : MAX_STEPS_PER_OP);
	host->camera_step = camera_step;
	host->camera_copy = copy;
}

u32 step_end(struct world *w)
{
	struct world_host *host = world_host(w);

	host->recording = RECORD_OFF;
	return MIN((u32)(host->next - host->steps), (u32)MAX_STEPS_PER_OP);
}

void step_turn(struct world *w)
{
	struct world_host *host = world_host(w);
	struct kmem_step *end = host->steps + MAX_STEPS_PER_OP;

	if (host->camera_copy && host->next == host->steps + host->camera_step + 1) {
		take_picture(w, host->camera_copy);
		host->camera_copy = NULL;
		host->turn = end;
	}
	if (host->next < end)
		return;
	if (host->recording == RECORD_RING) {
		host->next = host->steps;
		return;
	}
	/* The list is full: further steps go to the slot after it. */
	host->next = end;
	host->turn = end + 1;
}

void step_write(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3,
		u32 a4)
{
	step_put(w, kind, cache, node, a0, a1, a2, a3, a4);
}

void step_emit(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3,
	       u32 a4)
{
	step_emit_here(w, kind, cache, node, a0, a1, a2, a3, a4);
}

/*
 * Cache lines that move between CPUs, and locks for which CPUs wait.
 */

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
