/*
 * slab_shortage_test.c - SLAB when a node has no pages left, and how many free slabs a turn of the reaper takes.
 */
#include "sim/page.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

#include "alloc/slab/slab.h"

static struct small_world *machine(u32 cpus, u32 nodes)
{
	struct policy p = small_world_policy();

	p.allocator = ALLOCATOR_SLAB;
	return small_world(cpus, nodes, 256, p);
}

static void take_all_pages(struct small_world *sw, u32 node)
{
	for (u32 order = MAX_ORDER + 1; order-- > 0;)
		while (page_alloc_here(sw->w, node, order, 1, ZONE_NORMAL) != PFN_NONE)
			;
}

/* A free object of another node's slabs comes before a new slab there. */
static void fallback_takes_what_is_free(void)
{
	struct small_world *sw = machine(2, 2);

	CHECK(!strcmp(play(sw, "1a1@0"), "GROWN"), "a slab of node 0 with 15 free objects");
	take_all_pages(sw, 1);
	CHECK(!strcmp(play(sw, "1a2"), "ALLOCMISS+NODEALLOCS"), "%s", sw->text);
	CHECK(LOC_SLAB(sw->loc[1]) == LOC_SLAB(sw->loc[2]), "the same slab");
	/* Until there is none: then a slab is made where there are pages. */
	for (u32 i = 3; i <= 16; i++)
		play_alloc(sw, 1, i, NODE_ANY);
	CHECK(sw->s->slabs == 1, "%u slabs", sw->s->slabs);
	CHECK(strstr(play(sw, "1a17"), "GROWN") != NULL, "%s", sw->text);
}

static void reap(struct small_world *sw, u32 cpu, u32 seconds)
{
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	sw->ops->tick(sw->w, cpu, TICK_CLOCK, seconds);
	sw->ops->tick(sw->w, cpu, TICK_REAP, 0);
	sw->w->op++;
	CHECK(!laws(sw), "%s", laws(sw));
}

/* free_limit is (1 + 2 CPUs) x 60 + 16 = 196 objects: a fifth of it is 3 slabs of 16, however many there are. */
static void a_reaper_turn_takes_a_fifth_of_free_limit(void)
{
	struct small_world *sw = machine(2, 1);
	const struct kmem_cache_node *n = slab_node(sw->w, sw->s, 0);

	for (u32 i = 0; i < 160; i++)
		play_alloc(sw, 0, i, NODE_ANY);
	for (u32 i = 0; i < 160; i++)
		play_free(sw, 0, i);
	play(sw, "F");
	CHECK(n->nr[SLABS_FREE] == 10, "%u free slabs", n->nr[SLABS_FREE]);
	reap(sw, 0, 4);
	CHECK(n->nr[SLABS_FREE] == 7, "%u free slabs", n->nr[SLABS_FREE]);
	reap(sw, 1, 2);
	CHECK(n->nr[SLABS_FREE] == 7, "it is not due yet: %u", n->nr[SLABS_FREE]);
	reap(sw, 0, 2);
	CHECK(n->nr[SLABS_FREE] == 4, "%u free slabs", n->nr[SLABS_FREE]);
	/* One that was taken meanwhile spares the others once. */
	play(sw, "0a1");
	u32 left = n->nr[SLABS_FREE];
	reap(sw, 0, 4);
	CHECK(n->nr[SLABS_FREE] == left, "%u free slabs", n->nr[SLABS_FREE]);
}

int main(void)
{
	RUN(fallback_takes_what_is_free());
	RUN(a_reaper_turn_takes_a_fifth_of_free_limit());
	return check_summary();
}
