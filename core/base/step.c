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

struct kmem_step *step_next(struct world *w, u32 kind, u32 cache, u32 node)
{
	struct world_host *host = world_host(w);
	u32 nr = host->nr_steps++;
	/* Past the limit a step is only counted: its slot is the one behind the ring. */
	struct kmem_step *s = &host->steps[likely(nr < host->max_steps) ? nr % MAX_STEPS_PER_OP : MAX_STEPS_PER_OP];

	s->op = w->op;
	s->kind = (u16)kind;
	s->cpu = (u16)w->cpu;
	s->cache = (u16)cache;
	s->node = (u16)node;
	if (unlikely(host->camera_copy && nr == host->camera_step))
		take_picture(w, host->camera_copy);
	return s;
}

void lock_wait(struct world *w, struct vlock *lock, u32 cache, u32 node)
{
	u64 waited = lock->free_at - cpu_clock(w);

	w->lock_wait_cycles += waited;
	w->cycles += waited;
	EMIT(w, LOCK_WAIT, cache, node, MIN(waited, 0xffffffffu), lock->last_cpu - 1, 0, 0, 0);
}
