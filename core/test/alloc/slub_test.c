/*
 * slub_test.c - SLUB's policy by example: a few operations, what was counted, and how it looks afterwards.
 *
 * 1024-byte objects, slabs of 4 (max_order 0), unless a test says otherwise. Lists are drawn head first, free
 * objects in brackets; `full` counts slabs on no list.
 */
#include "test/support/check.h"
#include "test/support/small_world.h"

#include "sim/cache.h"

static struct small_world *fours(u32 cpus, u32 nodes)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	return small_world(cpus, nodes, 1024, p);
}

static void counts(struct small_world *sw, const char *script, const char *want)
{
	const char *got = play(sw, script);

	CHECK(!strcmp(got, want), "after `%s`\n  want %s\n  got  %s", script, want, got);
}

static void looks(struct small_world *sw, const char *want)
{
	const char *got = draw(sw);

	CHECK(!strcmp(got, want), "\n  want %s\n  got  %s", want, got);
}

static void a_fresh_slab_serves_ascending(void)
{
	struct small_world *sw = fours(1, 1);

	counts(sw, "0a1 0a2 0a3", "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_FASTPATH+ALLOC_FASTPATH");
	looks(sw, "cpu0:slab=0/free=1/part= node0: full=0");
	CHECK(LOC_INDEX(sw->loc[3]) == 2);
	counts(sw, "0f2 0a4", "FREE_FASTPATH+ALLOC_FASTPATH");
	CHECK(LOC_INDEX(sw->loc[4]) == 1, "the object freed last is taken first");
}

static void an_exhausted_slab_is_let_go(void)
{
	struct small_world *sw = fours(1, 1);

	play(sw, "0a1 0a2 0a3 0a4");
	counts(sw, "0a5", "ALLOC_SLOWPATH+DEACTIVATE_BYPASS+ALLOC_SLAB");
	looks(sw, "cpu0:slab=1/free=3/part= node0: full=1");
}

static void a_slab_refills_from_what_others_freed(void)
{
	struct small_world *sw = fours(2, 1);

	play(sw, "0a1 0a2 0a3 0a4");
	counts(sw, "1f2 1f3", "FREE_SLOWPATH+FREE_FROZEN+FREE_SLOWPATH+FREE_FROZEN");
	looks(sw, "cpu0:slab=0/free=0/part= cpu1:slab=-1/free=0/part= node0: full=0");
	counts(sw, "0a5", "ALLOC_SLOWPATH+ALLOC_REFILL");
	CHECK(LOC_INDEX(sw->loc[5]) == 2, "last freed, first out");
}

static void a_full_slab_joins_the_chain_of_the_freeing_cpu(void)
{
	struct small_world *sw = fours(2, 1);

	play(sw, "0a1 0a2 0a3 0a4 0a5");
	counts(sw, "1f1", "FREE_SLOWPATH+CPU_PARTIAL_FREE");
	looks(sw, "cpu0:slab=1/free=3/part= cpu1:slab=-1/free=0/part=0(1) node0: full=0");
	counts(sw, "1f2", "FREE_SLOWPATH+FREE_FROZEN");
	counts(sw, "1a6", "ALLOC_SLOWPATH+CPU_PARTIAL_ALLOC+ALLOC_REFILL");
	looks(sw, "cpu0:slab=1/free=3/part= cpu1:slab=0/free=1/part= node0: full=0");
}

/* cpu_partial 24 objects at 4 a slab would be 12 slabs; 4 objects are 2. */
static void a_full_chain_is_drained_to_the_node(void)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	p.cpu_partial = 4;
	p.min_partial = 1;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13");
	play(sw, "1f1 1f2 1f3 1f4 1f5");
	looks(sw, "cpu0:slab=3/free=3/part= cpu1:slab=-1/free=0/part=1(1)0(4) node0: full=1");
	counts(sw, "1f9",
	       "FREE_SLOWPATH+FREE_ADD_PARTIAL+DEACTIVATE_EMPTY+FREE_SLAB+CPU_PARTIAL_DRAIN+"
	       "CPU_PARTIAL_FREE");
	looks(sw, "cpu0:slab=3/free=3/part= cpu1:slab=-1/free=0/part=2(1) node0:1(1) full=0");
}

static void without_chains_a_free_adds_to_the_tail(void)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	p.cpu_partial_lists = 0;
	p.min_partial = 2;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9");
	counts(sw, "1f1 1f5", "FREE_SLOWPATH+FREE_ADD_PARTIAL+FREE_SLOWPATH+FREE_ADD_PARTIAL");
	looks(sw, "cpu0:slab=2/free=3 cpu1:slab=-1/free=0 node0:0(1)1(1) full=0");
	/* The slab on the list counts itself: 2 >= 2, so it goes. */
	counts(sw, "1f2 1f3 1f4",
	       "FREE_SLOWPATH+FREE_SLOWPATH+FREE_SLOWPATH+FREE_REMOVE_PARTIAL+FREE_SLAB");
	counts(sw, "1f6 1f7 1f8", "FREE_SLOWPATH+FREE_SLOWPATH+FREE_SLOWPATH");
	looks(sw, "cpu0:slab=2/free=3 cpu1:slab=-1/free=0 node0:1(4) full=0");
}

static void release_on_free_keeps_nothing(void)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	p.cpu_partial_lists = 0;
	p.release_on_free = 1;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5");
	counts(sw, "1f1 1f2 1f3 1f4",
	       "FREE_SLOWPATH+FREE_ADD_PARTIAL+FREE_SLOWPATH+FREE_SLOWPATH+FREE_SLOWPATH+"
	       "FREE_REMOVE_PARTIAL+FREE_SLAB");
}

static void a_wrong_node_costs_the_cpu_its_slab(void)
{
	struct small_world *sw = fours(2, 2);

	play(sw, "0a1");
	counts(sw, "0a2@1", "ALLOC_SLOWPATH+ALLOC_NODE_MISMATCH+DEACTIVATE_TO_HEAD+ALLOC_SLAB");
	looks(sw,
	      "cpu0:slab=1/free=3/part= cpu1:slab=-1/free=0/part= node0:0(3) full=0 node1: full=0");
}

static void remote_frees_send_a_slab_to_the_tail(void)
{
	struct small_world *sw = fours(2, 1);

	play(sw, "0a1 1f1");
	counts(sw, "0F", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_TAIL+CPUSLAB_FLUSH");
	looks(sw, "cpu0:slab=-1/free=0/part= cpu1:slab=-1/free=0/part= node0:0(4) full=0");
}

static void the_local_node_is_asked_once_per_zone(void)
{
	struct small_world *sw = fours(1, 1);

	play(sw, "0a1");
	CHECK(sw->w->any_node_entered == 1 && sw->w->any_node_zones == 3, "%u zones",
	      sw->w->any_node_zones);
	sw = fours(4, 4);
	play(sw, "0a1");
	CHECK(sw->w->any_node_zones == 6, "%u zones", sw->w->any_node_zones);
}

static void skip_checked_does_not_ask_twice(void)
{
	struct policy p = small_world_policy();

	p.skip_checked = 1;
	struct small_world *sw = small_world(1, 1, 1024, p);
	play(sw, "0a1");
	CHECK(sw->w->any_node_entered == 1 && sw->w->any_node_zones == 0);
	sw = small_world(4, 4, 1024, p);
	play(sw, "0a1");
	CHECK(sw->w->any_node_zones == 3, "each other node once, got %u", sw->w->any_node_zones);
}

/* Node 0 has more than min_partial slabs, so a CPU of node 1 may take from it. */
static void a_rich_node_gives_to_others(void)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	p.min_partial = 1;
	struct small_world *sw = small_world(2, 2, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0f1 0F 0f5 0F");
	looks(sw,
	      "cpu0:slab=-1/free=0/part= cpu1:slab=-1/free=0/part= node0:0(1)1(1) full=0 node1: full=0");
	counts(sw, "1a9", "ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL+CPU_PARTIAL_NODE");
	p.defrag_ratio = 0;
	sw = small_world(2, 2, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0f1 0F 0f5 0F");
	counts(sw, "1a9", "ALLOC_SLOWPATH+ALLOC_SLAB");
}

static void shrink_sorts_fullest_first(void)
{
	struct small_world *sw = fours(2, 1);

	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12");
	play(sw, "1f1 1f2 1f3 1f5 1f9 1f10 1f11 1f12 F");
	looks(sw, "cpu0:slab=-1/free=0/part= cpu1:slab=-1/free=0/part= node0:2(4)1(1)0(3) full=0");
	play(sw, "S");
	looks(sw, "cpu0:slab=-1/free=0/part= cpu1:slab=-1/free=0/part= node0:1(1)0(3) full=0");
}

static void a_refused_order_falls_back(void)
{
	struct policy p = small_world_policy();
	struct small_world *sw = small_world(1, 1, 1024, p);

	sw->w->machine.fail_order = 1;
	counts(sw, "0a1", "ALLOC_SLOWPATH+ORDER_FALLBACK+ALLOC_SLAB");
	CHECK(sw->s->order == 1 && sw->s->total_objects == 4);
	sw->w->machine.fail_order = 0;
	play(sw, "0a2 0a3 0a4");
	counts(sw, "0a5", "ALLOC_SLOWPATH+DEACTIVATE_BYPASS");
	CHECK(sw->loc[5] == 0, "no memory is a result");
}

static void debugging_takes_one_object_at_a_time(void)
{
	struct policy p = small_world_policy();
	struct small_world *sw;

	p.max_order = 0;
	sw = small_world_flags(1, 1, 1000, CACHE_RED_ZONE | CACHE_POISON, p);
	counts(sw, "0a1 0a2", "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_SLOWPATH");
	looks(sw, "cpu0:slab=-1/free=0/part= node0:0(1) full=0");
	play(sw, "0a3");
	looks(sw, "cpu0:slab=-1/free=0/part= node0: full=1");
	counts(sw, "0f1", "FREE_SLOWPATH+FREE_ADD_PARTIAL");
}

/* A limit in objects counts what was free when a slab was pushed. */
static void old_chains_count_objects(void)
{
	struct policy p = small_world_policy();

	p.max_order = 0;
	p.cpu_partial_objects = 1;
	p.cpu_partial = 1;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13");
	counts(sw, "1f1 1f5", "FREE_SLOWPATH+CPU_PARTIAL_FREE+FREE_SLOWPATH+CPU_PARTIAL_FREE");
	counts(sw, "1f9",
	       "FREE_SLOWPATH+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+CPU_PARTIAL_DRAIN+CPU_PARTIAL_FREE");
}

int main(void)
{
	RUN(a_fresh_slab_serves_ascending());
	RUN(an_exhausted_slab_is_let_go());
	RUN(a_slab_refills_from_what_others_freed());
	RUN(a_full_slab_joins_the_chain_of_the_freeing_cpu());
	RUN(a_full_chain_is_drained_to_the_node());
	RUN(without_chains_a_free_adds_to_the_tail());
	RUN(release_on_free_keeps_nothing());
	RUN(a_wrong_node_costs_the_cpu_its_slab());
	RUN(remote_frees_send_a_slab_to_the_tail());
	RUN(the_local_node_is_asked_once_per_zone());
	RUN(skip_checked_does_not_ask_twice());
	RUN(a_rich_node_gives_to_others());
	RUN(shrink_sorts_fullest_first());
	RUN(a_refused_order_falls_back());
	RUN(debugging_takes_one_object_at_a_time());
	RUN(old_chains_count_objects());
	return check_summary();
}
