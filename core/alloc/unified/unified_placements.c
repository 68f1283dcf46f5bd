/*
 * unified_placements.c - the unified allocator's state in golden-file notation.
 *
 * It prints cpuN=objects/room with * for untouched queues, sharedG= for each group, and alienG.N=
 * for group G's queue of node N. Each node partial list follows, head first.
 */
#include "alloc/unified/unified.h"

static void add_queue(const struct kmem_place *place, struct text *t)
{
	text_add_number(t, "=", place->nr_entries);
	text_add_number(t, "/", place->limit);
	text_add(t, place->touched ? "" : "*");
}

static void state(const struct state_rows *r, struct text *t)
{
	u32 group = 0;

	for (u32 i = 0; i < r->nr_places; i++) {
		const struct kmem_place *place = &r->places[i];
		switch (place->kind) {
		case PLACE_CPU_QUEUE:
			text_add_number(t, " cpu", place->cpu);
			add_queue(place, t);
			break;
		case PLACE_SHARED_QUEUE:
			/* The alien queues that come next belong to the same group. */
			group = place->target;
			text_add_number(t, " shared", group);
			add_queue(place, t);
			break;
		case PLACE_ALIEN_QUEUE:
			text_add_number(t, " alien", group);
			text_add_number(t, ".", place->target);
			add_queue(place, t);
			break;
		case PLACE_NODE_PARTIAL:
			text_add_number(t, " node", place->node);
			text_add(t, ":partial=");
			state_add_slabs(r, place, ";", t);
			text_add_number(t, " slabs=", state_slabs_on(r, place->node));
			break;
		default:
			break;
		}
	}
}

const struct placement_notation unified_placements = {
	.words = { "id", "alloc", "alloc", 0, 1 },
	.state = state,
};
