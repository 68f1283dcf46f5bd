/*
 * step.c - the ring of steps, and the camera.
 */
#include "sim/step.h"

#include "util/poison.h"

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
	/* The list is full: further steps go to the slot behind it. */
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
