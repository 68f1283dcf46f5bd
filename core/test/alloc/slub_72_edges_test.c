/*
 * slub_72_edges_test.c - SLUB of Linux 7.2 where it is easily got wrong: orders of counting, ends of lists, limits,
 * nodes, and caches without sheaves.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/sheaf_world.h"

static struct slub_barn *barn(const struct small_world *sw, u32 node)
{
	return slub_barn(sw->w, sw->s, node);
}

/* Kinds of two steps, the first before the second, in the last script. */
static int is_before(const struct small_world *sw, u32 first, u32 second)
{
	const struct kmem_step *a = step_72(sw, first, 0), *b = step_72(sw, second, 0);

	return a && b && a < b;
}

/* Main goes 32 at a time, each counted afterwards: 60 are 32 and 28. An empty one counts 0. */
static void main_is_flushed_by_32(void)
{
	struct small_world *sw = world_72(1, 1, 64, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 60);
	counts_72(sw, "0F", "SHEAF_FREE+SHEAF_FLUSH");
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 0)->args[0] == 0);
	counts_72(sw, "0F", "");
	free_range(sw, 0, 0, 60);
	counts_72(sw, "0F", "SHEAF_FLUSH+SHEAF_FLUSH");
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 0)->args[0] == 32);
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 1)->args[0] == 28);
	CHECK(is_before(sw, STEP_FLUSH_GROUP, STEP_SHEAF_FLUSH), "main is counted after the frees");
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 0)->args[2] == SHEAF_OF_MAIN,
	      "the step says which sheaf");
	list_is(sw, 0, "0(64)");
}

/* The spare is counted before its frees. It is the older of the two, and comes back as an empty main. */
static void the_spare_is_flushed_when_the_barn_is_full(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 2, 0);

	alloc_range(sw, 0, 0, 26);
	free_range(sw, 0, 0, 24);
	CHECK(barn(sw, 0)->nr_full == 10);
	main_is(sw, 0, "2.7 2.6");
	/* Empty sheaves in the barn change nothing: a full barn exchanges none. */
	barn_add_empty(sw->w, sw->s, 0, sheaf_memory(sw->w, 2));
	counts_72(sw, "0f24", "BARN_PUT_FAIL+SHEAF_FLUSH+FREE_ADD_PARTIAL+FREE_FASTPATH");
	CHECK(is_before(sw, STEP_SHEAF_FLUSH, STEP_FLUSH_GROUP));
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 0)->args[2] == SHEAF_OF_SPARE);
	CHECK(step_72(sw, STEP_FREE_FASTPATH, 0)->args[2] == 1,
	      "its objects are gone, and one is there");
	CHECK(barn(sw, 0)->nr_full == 10 && barn(sw, 0)->nr_empty == 1);
	counts_72(sw, "0a30 0a31 0a32", "ALLOC_FASTPATH+ALLOC_FASTPATH+ALLOC_FASTPATH");
	object_is(sw, 31, "2.6");
	object_is(sw, 32, "2.7");
	counts_72(sw, "0a33", "BARN_GET+ALLOC_FASTPATH");
	CHECK(barn(sw, 0)->nr_full == 9 && barn(sw, 0)->nr_empty == 2,
	      "the empty main went to the barn");
}

/* The latest full sheaf is taken first. Flushing leaves the barn alone, shrinking empties it. */
static void the_barn_survives_a_flush(void)
{
	struct small_world *sw = world_72(2, 1, 1024, 2, 0);

	alloc_range(sw, 0, 0, 10);
	free_range(sw, 0, 0, 8);
	CHECK(barn(sw, 0)->nr_full == 2);
	play(sw, "F");
	CHECK(barn(sw, 0)->nr_full == 2 && counted_72(sw, SHEAF_FLUSH) == 4);
	counts_72(sw, "1a20", "BARN_GET+ALLOC_FASTPATH");
	object_is(sw, 20, "0.4");
	CHECK(barn(sw, 0)->nr_full == 1 && barn(sw, 0)->nr_empty == 1);
	counts_72(sw, "S", "SHEAF_FLUSH+SHEAF_FLUSH+SHEAF_FREE+SHEAF_FREE");
	CHECK(barn(sw, 0)->nr_full == 0 && barn(sw, 0)->nr_empty == 0);
}

/* A new slab that a refill does not need whole goes to the head of the list. That is no FREE_ADD_PARTIAL. */
static void a_new_slab_goes_to_the_head(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 4, AUTOMATIC_MIN_PARTIAL);

	counts_72(sw, "0a1", "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	list_is(sw, 0, "0(4)");
	CHECK(step_72(sw, STEP_LIST_ADD, 0)->args[2] == END_HEAD);
}

/* Of three listed slabs a refill empties the first; the second keeps a remainder and moves after the third. */
static void slabs_are_used_in_turn(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 6, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 24);
	for (u32 slab = 0; slab < 3; slab++)
		for (u32 index = 0; index < 4; index++)
			free_at(sw, 0, slab, index);
	play(sw, "S");
	list_is(sw, 0, "2(4) 0(4) 1(4)");
	counts_72(sw, "0a40", "BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL+ALLOC_FASTPATH");
	list_is(sw, 0, "1(4) 0(2)");
	CHECK(step_72(sw, STEP_LIST_ADD, 0)->args[2] == END_TAIL);
	alloc_range(sw, 0, 41, 46);
	counts_72(sw, "0a46", "BARN_GET_FAIL+SHEAF_REFILL+ALLOC_FASTPATH");
	list_is(sw, 0, "");
}

/* A refill that the first slab fills exactly leaves the others where they are. */
static void an_exact_fit(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 4, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 24);
	for (u32 slab = 0; slab < 3; slab++)
		for (u32 index = 0; index < 4; index++)
			free_at(sw, 0, slab, index);
	play(sw, "S");
	list_is(sw, 0, "1(4) 2(4) 0(4)");
	counts_72(sw, "0a40", "BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL+ALLOC_FASTPATH");
	list_is(sw, 0, "2(4) 0(4)");
}

/* A sheaf takes what a CPU of the slab's node frees, whoever had it. Its own node is no reason to pass it by. */
static void nodes_and_sheaves(void)
{
	struct small_world *sw = world_72(4, 2, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	counts_72(sw, "0a1@0", "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	counts_72(sw, "0a2@0 1f1", "ALLOC_FASTPATH+FREE_FASTPATH");
	main_is(sw, 1, "0.11");
	counts_72(sw, "2f2", "FREE_SLOWPATH");
	list_is(sw, 0, "0(5)");
	counts_72(sw, "0a3@1", "ALLOC_NODE_MISMATCH+ALLOC_SLOWPATH+ALLOC_SLAB");
	list_is(sw, 1, "1(15)");
}

/* A refill took another node's objects: a request for the own node finds them, and passes them by. */
static void a_mismatch_after_a_refill(void)
{
	struct small_world *sw = world_72(2, 2, 2048, AUTOMATIC_CAPACITY, 0);

	play(sw, "0a1@1");
	list_is(sw, 1, "0(15)");
	counts_72(sw, "0a2@0",
		  "BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL+ALLOC_NODE_MISMATCH+ALLOC_SLOWPATH+"
		  "ALLOC_SLAB");
	main_is(sw, 0, "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.10 0.11 0.12");
	object_is(sw, 2, "1.0");
	list_is(sw, 1, "0(3)");
	counts_72(sw, "0a3 0f3", "ALLOC_FASTPATH+FREE_SLOWPATH");
	list_is(sw, 1, "0(4)");
}

/* The any-node search leaves a list alone that is no longer than min_partial. */
static void a_search_needs_more_than_min_partial(void)
{
	struct small_world *sw = world_72(2, 2, 2048, AUTOMATIC_CAPACITY, 1);

	play(sw, "0a1@1");
	counts_72(sw, "0a2", "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	list_is(sw, 1, "0(15)");
	list_is(sw, 0, "1(4)");
}

/* Slabs of one object: a refill makes as many as the sheaf holds, and no list sees them. */
static void slabs_of_one_object(void)
{
	struct small_world *sw = world_72(1, 1, 32768, AUTOMATIC_CAPACITY, 0);

	counts_72(sw, "0a1",
		  "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB+"
		  "SHEAF_REFILL+ALLOC_FASTPATH");
	object_is(sw, 1, "3.0");
	list_is(sw, 0, "");
	counts_72(sw, "0F", "SHEAF_FREE+FREE_SLAB+FREE_SLAB+FREE_SLAB+SHEAF_FLUSH");
	sw = world_72(1, 1, 32768, AUTOMATIC_CAPACITY, 2);
	play(sw, "0a1");
	counts_72(sw, "0F", "SHEAF_FREE+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+FREE_SLAB+SHEAF_FLUSH");
	list_is(sw, 0, "2(1) 1(1)");
}

/* Without sheaves each object is taken from a list, and each free counts when all is done. */
static void no_sheaves(struct small_world *sw)
{
	u32 objects = sw->s->objects;

	counts_72(sw, "0a0", "ALLOC_SLOWPATH+ALLOC_SLAB");
	object_is(sw, 0, "0.0");
	for (u32 id = 1; id <= objects; id++)
		play_alloc(sw, 0, id, NODE_ANY);
	object_is(sw, 1, "0.1");
	object_is(sw, objects, "1.0");
	counts_72(sw, "0f0", "FREE_ADD_PARTIAL+FREE_SLOWPATH");
	CHECK(slub_node(sw->w, sw->s, 0)->nr_partial == 2, "1(n-1) 0(1): at the tail");
	counts_72(sw, "0f1", "FREE_SLOWPATH");
	free_range(sw, 0, 2, objects - 1);
	char last[32];
	snprintf(last, sizeof(last), "0f%u", objects - 1);
	counts_72(sw, last, "FREE_REMOVE_PARTIAL+FREE_SLAB+FREE_SLOWPATH");
	counts_72(sw, "1a900@0", "ALLOC_NODE_MISMATCH+ALLOC_SLOWPATH");
	object_is(sw, 900, "1.1");
	CHECK(counted_72(sw, ALLOC_FASTPATH) == 0 && counted_72(sw, FREE_FASTPATH) == 0);
}

/* One object per slab: it is full, and empty at once when freed. */
static void one_debug_object_per_slab(void)
{
	struct small_world *sw = debug_world_72(1, 1, 32768, 0);

	CHECK(sw->s->objects == 1);
	counts_72(sw, "0a1 0f1", "ALLOC_SLOWPATH+ALLOC_SLAB+FREE_SLAB+FREE_SLOWPATH");
	sw = debug_world_72(1, 1, 32768, 1);
	counts_72(sw, "0a1 0f1", "ALLOC_SLOWPATH+ALLOC_SLAB+FREE_ADD_PARTIAL+FREE_SLOWPATH");
}

/* What the page allocator refuses is counted before the slab. */
static void a_smaller_order(void)
{
	struct small_world *sw = world_72(1, 1, 2048, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	sw->w->machine.fail_order = 1;
	counts_72(sw, "0a1",
		  "BARN_GET_FAIL+SHEAF_ALLOC+ORDER_FALLBACK+ALLOC_SLAB+ORDER_FALLBACK+ALLOC_SLAB+"
		  "ORDER_FALLBACK+ALLOC_SLAB+ORDER_FALLBACK+ALLOC_SLAB+ORDER_FALLBACK+ALLOC_SLAB+"
		  "ORDER_FALLBACK+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	object_is(sw, 1, "5.1");
}

/*
 * Node 1 has memory for four slabs. A fifth request for it takes pages of node 0: the slab on node 0's list is too few
 * for the any-node search.
 */
static void a_node_without_memory(const char *flags)
{
	static char text[1024];
	u32 nr;

	snprintf(
		text, sizeof(text),
		"slabtrace 1\nmachine cpus=2 nodes=2 memory=32M preset=linux-7.2 sheaf_capacity=0\n"
		"cache c0 size=3000000%s\na 1 c0 cpu=0\nf 1 cpu=0\na 2 c0 cpu=0 node=1\n"
		"a 3 c0 cpu=0 node=1\na 4 c0 cpu=0 node=1\na 5 c0 cpu=0 node=1\n"
		"a 6 c0 cpu=0 node=1\na 7 c0 cpu=0 node=1\n",
		flags);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0 && kmem_build(s, 0) == KMEM_OK, "%s",
	      kmem_error(s));
	const struct kmem_cache_row *row = kmem_cache_rows(s, &nr);
	CHECK(nr == 1 && row->slabs > 5, "%u slabs", row->slabs);
	CHECK(row->partial == 1, "node 0's empty slab is where it was: %u", row->partial);
	CHECK(row->counters[ALLOC_SLOWPATH] == 7 && row->counters[ALLOC_NODE_MISMATCH] == 6,
	      "a second round is not counted");
	CHECK(kmem_check(s) == KMEM_OK);
}

/* What a file of the first cache reads after one allocation from it. */
static u32 reads(const char *machine, const char *cache, const char *alloc, const char *name)
{
	static char text[512];
	u32 nr;

	snprintf(text, sizeof(text), "slabtrace 1\nmachine cpus=2 %s\n%s\n%s cpu=0\n", machine,
		 cache, alloc);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0 && kmem_build(s, 0) == KMEM_OK, "%s", text);
	const struct kmem_attribute_row *file = kmem_attributes(s, 0, &nr);
	for (u32 i = 0; i < nr; i++)
		if (!strcmp((const char *)s + file[i].name_at, name))
			return (u32)strtoul((const char *)s + file[i].value_at, NULL, 10);
	CHECK(0, "no file %s", name);
	return 0;
}

/* By slot size, at each page size, and for caches whose creators name a capacity. */
static void capacities(void)
{
	static const struct {
		const char *cache;
		u32 page_size, capacity;
	} cases[] = {
		{ "size=8", 4096, 60 },
		{ "size=248", 4096, 60 },
		{ "size=249", 4096, 28 },
		{ "size=248 align=64", 4096, 28 },
		{ "size=256", 4096, 28 },
		{ "size=1016", 4096, 28 },
		{ "size=1024", 4096, 12 },
		{ "size=4088", 4096, 12 },
		{ "size=4096", 4096, 4 },
		{ "size=4096", 16384, 12 },
		{ "size=4096", 65536, 12 },
		{ "size=16384", 16384, 4 },
		{ "size=65536", 65536, 4 },
		{ "size=256 name=maple_node", 4096, 32 },
		{ "size=192 name=vm_area_struct", 4096, 60 },
		{ "size=64 name=kmem_cache_node", 4096, 0 },
		{ "size=256 name=kmem_cache", 4096, 0 },
		{ "size=256 name=kmemleak_object", 4096, 0 },
		{ "size=32 name=kmemleak_scan_area", 4096, 0 },
		{ "size=40 name=debug_objects_cache", 4096, 0 },
		{ "size=256 flags=red_zone", 4096, 0 },
		{ "size=256 flags=poison", 4096, 0 },
		{ "size=256 flags=store_user", 4096, 0 },
		{ "size=256 flags=sanity_checks", 4096, 0 },
	};
	char machine[64], cache[64];

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(machine, sizeof(machine), "preset=linux-7.2 page_size=%u",
			 cases[i].page_size);
		snprintf(cache, sizeof(cache), "cache c0 %s", cases[i].cache);
		u32 capacity = reads(machine, cache, "a 1 c0", "sheaf_capacity");
		CHECK(capacity == cases[i].capacity, "%s, %s: %u", cases[i].cache, machine,
		      capacity);
	}
}

/* kmalloc-96 and kmalloc-192 are aligned as far as their sizes allow. A recorded kmalloc size takes 8 bytes, and moves the
 * free pointer behind an object with red zones. */
static void layouts(void)
{
	static const char none[] = "cache unused size=64",
			  debug_6_1[] = "preset=linux-6.1 red_zone=on store_user=on",
			  debug_7_2[] = "preset=linux-7.2 red_zone=on store_user=on";

	CHECK(reads("preset=linux-7.2", none, "k 1 96", "align") == 32);
	CHECK(reads("preset=linux-7.2", none, "k 1 192", "align") == 64);
	CHECK(reads("preset=linux-7.2", none, "k 1 64", "align") == 64);
	CHECK(reads("preset=linux-6.1", none, "k 1 96", "align") == 8);
	CHECK(reads("preset=linux-7.2", "cache c0 size=100 flags=ctor", "a 1 c0", "slab_size") ==
	      112);
	CHECK(reads("preset=linux-7.2", "cache c0 size=100 flags=typesafe_by_rcu", "a 1 c0",
		    "slab_size") == 112);
	CHECK(reads("preset=linux-7.2", "cache c0 size=100", "a 1 c0", "slab_size") == 104);
	CHECK(reads(debug_6_1, none, "k 1 8", "slab_size") == 88);
	CHECK(reads(debug_7_2, none, "k 1 8", "slab_size") == 96);
}

/* Caches whose creator names a capacity, or SLAB_NOLEAKTRACE, keep to themselves. Others merge as before. */
static void caches_of_special_capacity_do_not_merge(void)
{
	static const char trace[] =
		"slabtrace 1\nmachine cpus=1 preset=linux-7.2\ncache f size=256 name=filp\n"
		"cache m size=256 name=maple_node\ncache g size=256 name=map\n"
		"cache k size=256 name=kmemleak_object\n"
		"a 1 f cpu=0\na 2 m cpu=0\na 3 g cpu=0\na 4 k cpu=0\n";
	struct kmem_session *s = session_of_text(trace);
	u32 nr;

	CHECK(kmem_build(s, 0) == KMEM_OK);
	kmem_cache_rows(s, &nr);
	CHECK(nr == 3, "%u caches", nr);
}

/* A barn takes full sheaves only: the objects of a sheaf that it refuses are in use as before. */
static void a_sheaf_that_is_refused_gives_its_objects_back(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 4, 0);
	struct adopted_slab full = { .place = PLACE_NODE_FULL, .inuse = 8 };
	ref slab = sw->ops->adopt(sw->w, sw->s, &full);
	object_loc entries[4];

	for (u32 i = 0; i < ARRAY_SIZE(entries); i++)
		entries[i] = LOC(slab, i);
	struct adopted_sheaf sheaf = { PLACE_BARN_FULL, 0, 0, entries, 1 };
	CHECK(sw->ops->adopt_sheaf(sw->w, sw->s, &sheaf) == 0 && !laws(sw), "%s", laws(sw));
	sheaf.nr = 4;
	CHECK(sw->ops->adopt_sheaf(sw->w, sw->s, &sheaf) != 0 && !laws(sw), "%s", laws(sw));
	CHECK(barn(sw, 0)->nr_full == 1);
	/* These objects have a place already. */
	CHECK(sw->ops->adopt_sheaf(sw->w, sw->s, &sheaf) == 0 && !laws(sw), "%s", laws(sw));
	CHECK(barn(sw, 0)->nr_full == 1);
}

int main(void)
{
	RUN(main_is_flushed_by_32());
	RUN(the_spare_is_flushed_when_the_barn_is_full());
	RUN(the_barn_survives_a_flush());
	RUN(a_new_slab_goes_to_the_head());
	RUN(slabs_are_used_in_turn());
	RUN(an_exact_fit());
	RUN(nodes_and_sheaves());
	RUN(a_mismatch_after_a_refill());
	RUN(a_search_needs_more_than_min_partial());
	RUN(slabs_of_one_object());
	RUN(no_sheaves(world_72(2, 2, 1024, 0, 0)));
	RUN(no_sheaves(debug_world_72(2, 2, 1000, 0)));
	RUN(one_debug_object_per_slab());
	RUN(a_smaller_order());
	RUN(a_node_without_memory(""));
	RUN(a_node_without_memory(" flags=red_zone"));
	RUN(capacities());
	RUN(layouts());
	RUN(caches_of_special_capacity_do_not_merge());
	RUN(a_sheaf_that_is_refused_gives_its_objects_back());
	return check_summary();
}
