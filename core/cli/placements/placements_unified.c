/*
 * placements_unified.c - the unified allocator's state in the notation of the golden files: cpuN=objects/room, * for
 * untouched, sharedG= of each group, alienG.N= of what group G holds of node N, each node's partial list, head first.
 */
#include <stdio.h>
#include <string.h>

#include "cli/text/names.h"
#include "cli/placements/placements.h"

static void print_queue(const struct kmem_place *place)
{
	printf("=%u/%u%s", place->nr_entries, place->limit, place->touched ? "" : "*");
}

static void print_list(const struct host *h, const struct kmem_frame *f,
		       const struct kmem_place *place)
{
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);

	printf(" node%u:partial=", place->node);
	for (u32 i = 0; i < place->nr_slabs; i++) {
		const struct kmem_slab_row *s = &slab[place->first_slab + i];
		printf("%s%u(%u)", i ? ";" : "", s->serial, s->free_on_slab);
	}
	printf(" slabs=%u", slabs_on(h, f, place->node));
}

void print_state_unified(const struct host *h, const struct kmem_frame *f, u32 unit)
{
	const struct kmem_place *place = host_rows(h, f->places_at);
	u32 group = 0;

	(void)unit;
	for (u32 i = 0; i < f->nr_places; i++) {
		switch (place[i].kind) {
		case PLACE_CPU_QUEUE:
			printf(" cpu%u", place[i].cpu);
			print_queue(&place[i]);
			break;
		case PLACE_SHARED_QUEUE:
			/* The alien queues that follow are of the same group. */
			group = place[i].target;
			printf(" shared%u", group);
			print_queue(&place[i]);
			break;
		case PLACE_ALIEN_QUEUE:
			printf(" alien%u.%u", group, place[i].target);
			print_queue(&place[i]);
			break;
		case PLACE_NODE_PARTIAL:
			print_list(h, f, &place[i]);
			break;
		default:
			break;
		}
	}
}

/* By name. */
void print_totals_unified(const struct kmem_totals *t)
{
	u32 after = NR_COUNTERS;

	for (;;) {
		u32 next = NR_COUNTERS;
		for (u32 i = 0; i < NR_COUNTERS; i++)
			if (t->counters[i] &&
			    (after == NR_COUNTERS ||
			     strcmp(counter_name(i), counter_name(after)) > 0) &&
			    (next == NR_COUNTERS ||
			     strcmp(counter_name(i), counter_name(next)) < 0))
				next = i;
		if (next == NR_COUNTERS)
			return;
		printf(" %s=%u", counter_name(next), t->counters[next]);
		after = next;
	}
}
