/*
 * step.c - the ring of steps, the camera, and locks in virtual time.
 */
#include "step.h"

/* The camera is how a view looks inside an operation: a copy of the world as it stood at one step. */
static void take_picture(const struct world *w, struct world *copy)
{
	KASSERT(host_commit((u8 *)copy + w->used));
	memcpy(copy, w, w->used);
}

void step_record(struct world *w, u32 kind, u32 cache, u32 node, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4)
{
	struct world_host *host = world_host(w);

	if (likely(host->nr_steps < host->max_steps)) {
		struct kmem_step *s = &host->steps[host->nr_steps % MAX_STEPS_PER_OP];
		s->op = w->op;
		s->kind = (u16)kind;
		s->cpu = (u16)w->cpu;
		s->cache = (u16)cache;
		s->node = (u16)node;
		s->args[0] = a0;
		s->args[1] = a1;
		s->args[2] = a2;
		s->args[3] = a3;
		s->args[4] = a4;
	}
	if (unlikely(host->camera_copy && host->nr_steps == host->camera_step))
		take_picture(w, host->camera_copy);
	host->nr_steps++;
}

void lock_take(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	w->clock += COST_LOCK;
	if (lock->last_cpu && lock->last_cpu != w->cpu + 1)
		w->clock += COST_REMOTE_LINE;
	if (lock->free_at > w->clock) {
		u64 waited = lock->free_at - w->clock;
		w->lock_wait_cycles += waited;
		w->clock = lock->free_at;
		EMIT(w, LOCK_WAIT, cache, node, MIN(waited, 0xffffffffu), lock->last_cpu - 1, 0, 0, 0);
	}
	lock->last_cpu = w->cpu + 1;
}

void lock_release(struct world *w, struct vlock *lock)
{
	lock->free_at = w->clock;
}
