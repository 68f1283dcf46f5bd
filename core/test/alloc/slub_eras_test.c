/*
 * slub_eras_test.c - what SLUB of other years did otherwise, by example: under the presets, with 6.1 beside them.
 *
 * 1024-byte objects in slabs of 4, drawn and driven as in slub_test.c.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

#include "alloc/slub/slub.h"
#include "sim/cache.h"
#include "sim/page.h"

static struct policy fours(const char *preset)
{
	struct policy p = policy_of_preset(preset);

	p.max_order = 0;
	return p;
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

/* The refill is counted before anything checks whether it brought objects. */
static void an_exhausted_slab_was_deactivated(void)
{
	struct small_world *sw = small_world(1, 1, 1024, fours("linux-2.6.36"));

	counts(sw, "0a1 0a2 0a3 0a4 0a5",
	       "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_FASTPATH+ALLOC_FASTPATH+ALLOC_FASTPATH+"
	       "ALLOC_SLOWPATH+ALLOC_REFILL+DEACTIVATE_FULL+ALLOC_SLAB");
	looks(sw, "cpu0:slab=1/free=3 node0: full=1");
	sw = small_world(1, 1, 1024, fours("linux-4.19"));
	play(sw, "0a1 0a2 0a3 0a4");
	counts(sw, "0a5", "ALLOC_SLOWPATH+DEACTIVATE_BYPASS+ALLOC_SLAB");
}

/* 2, 3 on the CPU's freelist, 0 on the slab's own: pushed one by one they become 3 2 0, spliced 2 3 0. */
static void a_deactivated_slab_reversed_its_objects(void)
{
	static const struct {
		const char *preset, *counters;
		u32 first;
	} want[] = {
		{ "linux-2.6.26", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH", 3 },
		{ "linux-2.6.36", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH", 3 },
		{ "linux-4.19", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_TAIL+CPUSLAB_FLUSH", 3 },
		{ "linux-5.14", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_TAIL+CPUSLAB_FLUSH", 3 },
		{ "linux-6.1", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_TAIL+CPUSLAB_FLUSH", 2 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		struct small_world *sw = small_world(2, 1, 1024, fours(want[i].preset));
		play(sw, "0a1 0a2 1f1");
		counts(sw, "0F", want[i].counters);
		play(sw, "0a3");
		CHECK(LOC_INDEX(sw->loc[3]) == want[i].first, "%s: index %u", want[i].preset,
		      LOC_INDEX(sw->loc[3]));
	}
}

/* Tail is the rule of 2.6, and head the exception of a CPU that still had objects; now it is the other way round. */
static void ends_of_the_list_were_swapped(void)
{
	struct small_world *sw = small_world(2, 1, 1024, fours("linux-2.6.36"));

	play(sw, "0a1 0a2 0a3 0a4 1f1");
	counts(sw, "0F", "DEACTIVATE_REMOTE_FREES+DEACTIVATE_TO_TAIL+CPUSLAB_FLUSH");
	play(sw, "1a5 1a6 1a7 1a8");
	counts(sw, "1F", "DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 node0:1(1) full=1");
	play(sw, "0f2");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 node0:1(1)0(1) full=0");
}

static void an_empty_slab_was_counted_before_it_was_judged(void)
{
	struct policy p = fours("linux-2.6.36");

	p.min_partial = 1;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 1a2 0f1");
	counts(sw, "0F", "DEACTIVATE_EMPTY+CPUSLAB_FLUSH");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=1/free=3 node0:0(4) full=0");
	play(sw, "1f2");
	counts(sw, "1F", "DEACTIVATE_EMPTY+FREE_SLAB+CPUSLAB_FLUSH");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 node0:0(4) full=0");
	p = fours("linux-6.1");
	p.min_partial = 1;
	sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 1a2 0f1");
	counts(sw, "0F", "DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH");
}

/* A kept empty slab is the last to be used again, wherever else slabs go. */
static void a_kept_empty_slab_went_to_the_tail(void)
{
	struct small_world *sw = small_world(3, 1, 1024, fours("linux-2.6.36"));

	play(sw, "0a1 1a2 2a3 0F");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=1/free=3 cpu2:slab=2/free=3 node0:0(3) full=0");
	play(sw, "1f2 1F 2F");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 cpu2:slab=-1/free=0 "
		  "node0:2(3)0(3)1(4) full=0");
}

/* min_partial has no say when a free empties a slab. */
static void a_free_that_emptied_a_slab_gave_it_back(void)
{
	struct small_world *sw = small_world(2, 1, 1024, fours("linux-2.6.26"));

	play(sw, "0a1 0a2 0a3 0a4 0a5");
	counts(sw, "1f1", "FREE_SLOWPATH+FREE_ADD_PARTIAL");
	play(sw, "1f2 1f3");
	counts(sw, "1f4", "FREE_SLOWPATH+FREE_REMOVE_PARTIAL+FREE_SLAB");
	counts(sw, "1f5", "FREE_SLOWPATH+FREE_FROZEN");
	looks(sw, "cpu0:slab=1/free=3 cpu1:slab=-1/free=0 node0: full=0");
}

/* One slab at a time, from the head. */
static void only_the_head_was_taken(void)
{
	struct small_world *sw = small_world(2, 1, 1024, fours("linux-2.6.36"));

	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 1f1 1f5 1f9");
	looks(sw, "cpu0:slab=3/free=3 cpu1:slab=-1/free=0 node0:0(1)1(1)2(1) full=0");
	counts(sw, "1a14", "ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
	looks(sw, "cpu0:slab=3/free=3 cpu1:slab=0/free=0 node0:1(1)2(1) full=0");
}

static void a_requested_node_did_not_keep_others_out(void)
{
	static const char *const script =
		"0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0f1 0f5 0F";
	struct policy p = fours("linux-2.6.26");

	p.min_partial = 1;
	struct small_world *sw = small_world(2, 2, 1024, p);
	play(sw, script);
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 node0:0(1)1(1) full=1 node1: full=0");
	counts(sw, "1a14@1", "ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
	p = fours("linux-2.6.36");
	p.min_partial = 1;
	sw = small_world(2, 2, 1024, p);
	play(sw, script);
	counts(sw, "1a14@1", "ALLOC_SLOWPATH+ALLOC_SLAB");
}

/* Up to 5.15 a full slab that has just lost one object counts 1, however many are freed into it later. */
static void chains_counted_what_was_free_when_pushed(void)
{
	struct policy p = fours("linux-4.19");

	p.cpu_partial = 2;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16 0a17");
	play(sw, "1f1 1f2 1f3 1f4 1f5 1f9");
	looks(sw, "cpu0:slab=4/free=3/part= cpu1:slab=-1/free=0/part=2(1)1(1)0(4) node0: full=1");
	counts(sw, "1f13",
	       "FREE_SLOWPATH+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+"
	       "CPU_PARTIAL_DRAIN+CPU_PARTIAL_FREE");
	/* Half of 2 is 1: the first slab has one object and no more, and the second makes it two. */
	counts(sw, "0a18 0a19 0a20 0a21",
	       "ALLOC_FASTPATH+ALLOC_FASTPATH+ALLOC_FASTPATH+"
	       "ALLOC_SLOWPATH+DEACTIVATE_BYPASS+ALLOC_FROM_PARTIAL+CPU_PARTIAL_NODE");
	looks(sw, "cpu0:slab=2/free=0/part=1(1) cpu1:slab=-1/free=0/part=3(1) node0:0(4) full=1");
}

/* The slab goes to the node before the free that brought it is counted. */
static void a_limit_of_no_objects_kept_no_chain(void)
{
	struct policy p = fours("linux-5.10");

	p.cpu_partial = 0;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5");
	counts(sw, "1f1", "FREE_SLOWPATH+FREE_ADD_PARTIAL+CPU_PARTIAL_FREE");
	looks(sw, "cpu0:slab=1/free=3/part= cpu1:slab=-1/free=0/part= node0:0(1) full=0");
	p = fours("linux-6.1");
	p.cpu_partial = 0;
	sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5");
	counts(sw, "1f1", "FREE_SLOWPATH+CPU_PARTIAL_FREE");
}

/* 8 slabs filled by one CPU and freed by the other: the chain judges a slab before it is on the list, the free a
 * slab that is counted in it. */
static void frees_keep_one_empty_slab_fewer_than_chains(void)
{
	for (u32 lists = 0; lists < 2; lists++) {
		struct policy p = fours("linux-6.1");
		p.cpu_partial_lists = (u8)lists;
		struct small_world *sw = small_world(2, 1, 1024, p);
		for (u32 id = 0; id < 64; id++)
			play_alloc(sw, 0, id, NODE_ANY);
		for (u32 id = 0; id < 64; id++)
			play_free(sw, 1, id);
		CHECK(sw->s->partial == 4 + lists, "%u kept", sw->s->partial);
	}
}

static void chain_limits_by_size(void)
{
	static const u32 want[][3] = { { 8, 30, 120 },	 { 192, 30, 120 }, { 256, 13, 52 },
				       { 1000, 13, 52 }, { 1024, 6, 24 },  { 4088, 6, 24 },
				       { 4096, 2, 6 },	 { 8192, 2, 6 } };
	struct policy old = policy_of_preset("linux-5.14"), now = policy_of_preset("linux-6.1");

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		CHECK(cpu_partial_of(&old, 12, want[i][0]) == want[i][1], "%u", want[i][0]);
		CHECK(cpu_partial_of(&now, 12, want[i][0]) == want[i][2], "%u", want[i][0]);
	}
}

static void the_free_pointer_was_the_first_word(void)
{
	CHECK(small_world(1, 1, 1024, policy_of_preset("linux-4.19"))->s->offset == 0);
	CHECK(small_world(1, 1, 1024, policy_of_preset("linux-5.10"))->s->offset == 512);
	CHECK(small_world_flags(1, 1, 100, CACHE_CTOR, policy_of_preset("linux-2.6.26"))
			      ->s->offset == 104,
	      "a constructed object keeps its first word");
}

static const struct kmem_cache_row *replayed(const char *preset, const char *trace, u32 *nr)
{
	struct kmem_session *s = session_of_text(trace);

	CHECK(kmem_preset(s, preset) == KMEM_OK && kmem_build(s, 0) == KMEM_OK);
	return kmem_cache_rows(s, nr);
}

static void kmalloc_of_two_pages_had_no_slab(void)
{
	static const char trace[] = "slabtrace 1\nk 1 4096 cpu=0\nk 2 5000 cpu=0\n";
	u32 nr;

	replayed("linux-2.6.26", trace, &nr);
	CHECK(nr == 1);
	replayed("linux-2.6.36", trace, &nr);
	CHECK(nr == 2);
}

static void min_partial_was_kept_within_bounds(void)
{
	static const struct {
		const char *preset, *trace;
		u32 min_partial;
	} want[] = {
		{ "linux-2.6.36", "slabtrace 1\ncache c size=64\na 1 c cpu=0\nset min_partial=50\n",
		  10 },
		{ "linux-2.6.36", "slabtrace 1\ncache c size=64\na 1 c cpu=0\nset min_partial=0\n",
		  5 },
		{ "linux-2.6.36", "slabtrace 1\nset min_partial=7\ncache c size=64\na 1 c cpu=0\n",
		  7 },
		{ "linux-2.6.36", "slabtrace 1\nk 1 8 cpu=0\nset min_partial=70\nk 2 64 cpu=0\n",
		  10 },
		{ "linux-6.1", "slabtrace 1\ncache c size=64\na 1 c cpu=0\nset min_partial=50\n",
		  50 },
	};
	u32 nr;

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		const struct kmem_cache_row *row = replayed(want[i].preset, want[i].trace, &nr);
		CHECK(row[nr - 1].min_partial == want[i].min_partial, "%s: %s", want[i].preset,
		      want[i].trace);
	}
	CHECK(replayed("linux-2.6.26", "slabtrace 1\ncache c size=4096\na 1 c cpu=0\n", &nr)
		      ->min_partial == 5);
	CHECK(replayed("linux-2.6.36", "slabtrace 1\ncache c size=4096\na 1 c cpu=0\n", &nr)
		      ->min_partial == 10);
	CHECK(replayed("linux-4.19", "slabtrace 1\ncache c size=4096\na 1 c cpu=0\n", &nr)
		      ->min_partial == 6);
}

/* A slab that others have freed into while it is on a chain: only the count tells frozen chains from loose ones. */
static void frees_into_a_chain_pass_uncounted(void)
{
	static const char script[] = "0a1 0a2 0a3 0a4 0a5 1f1";
	struct small_world *sw = small_world(2, 1, 1024, fours("linux-6.7"));

	play(sw, script);
	counts(sw, "0f2", "FREE_SLOWPATH+FREE_FROZEN");
	sw = small_world(2, 1, 1024, fours("linux-6.12"));
	play(sw, script);
	counts(sw, "0f2 0f3 1f4", "FREE_SLOWPATH+FREE_SLOWPATH+FREE_SLOWPATH");
	looks(sw, "cpu0:slab=1/free=3/part= cpu1:slab=-1/free=0/part=0(4) node0: full=0");
	counts(sw, "1a6", "ALLOC_SLOWPATH+CPU_PARTIAL_ALLOC+ALLOC_REFILL");
	counts(sw, "0f6", "FREE_SLOWPATH+FREE_FROZEN");
}

/* Node 1 has no page left; node 0 has two partial slabs, one more than it keeps. */
static void a_node_without_memory(const char *preset, const char *want)
{
	struct policy p = fours(preset);

	p.min_partial = 1;
	p.cpu_partial_lists = 0;
	struct small_world *sw = small_world(2, 2, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0f1 0f5 0F");
	looks(sw, "cpu0:slab=-1/free=0 cpu1:slab=-1/free=0 node0:1(1)0(1) full=0 node1: full=0");
	while (page_alloc_here(sw->w, 1, MAX_ORDER, 1, ZONE_NORMAL) != PFN_NONE)
		;
	counts(sw, "1a9@1", want);
	CHECK(((struct slab *)at(sw->w, LOC_SLAB(sw->loc[9])))->node == 0);
}

static void others_are_asked_before_their_pages_are_taken(void)
{
	a_node_without_memory("linux-6.7", "ALLOC_SLOWPATH+ALLOC_SLAB");
	a_node_without_memory("linux-6.12", "ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
}

static void an_interrupted_allocation_flushes_what_appeared(void)
{
	struct policy p = fours("linux-2.6.36");
	struct small_world *sw;

	p.interrupt_every = 3;
	sw = small_world(1, 1, 1024, p);
	counts(sw, "0a1 0a2", "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_FASTPATH");
	counts(sw, "0a3", "ALLOC_SLOWPATH+ALLOC_SLAB+DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH");
	looks(sw, "cpu0:slab=1/free=3 node0:0(2) full=0");
	counts(sw, "0a4 0f4 0a4", "ALLOC_FASTPATH+FREE_FASTPATH+ALLOC_FASTPATH");
}

/* The 2008 proposal on the code that it was written for: an interrupted allocation meets an empty cpu slab each time. */
static void a_larger_object_keeps_more_empty_slabs(void)
{
	static const u32 want[] = { 5, 10 }; /* kept, by rule */

	for (u32 rule = 0; rule < 2; rule++) {
		struct policy p = policy_of_preset("linux-2.6.26");
		u32 sum[NR_COUNTERS] = { 0 };
		p.min_partial_rule = rule ? MIN_PARTIAL_RFC_2008 : MIN_PARTIAL_STATIC;
		p.interrupt_every = 1;
		struct small_world *sw = small_world(1, 1, 4096, p);
		for (u32 i = 0; i < 20; i++)
			play(sw, "0a1 0f1");
		sw->ops->count(sw->w, sw->s, sum);
		CHECK(sw->s->partial == want[rule] && sum[DEACTIVATE_EMPTY] == 19 &&
			      sum[FREE_SLAB] == 19 - want[rule] && sum[ALLOC_SLAB] == 20,
		      "%u slabs freed", sum[FREE_SLAB]);
	}
}

int main(void)
{
	RUN(an_exhausted_slab_was_deactivated());
	RUN(a_deactivated_slab_reversed_its_objects());
	RUN(ends_of_the_list_were_swapped());
	RUN(an_empty_slab_was_counted_before_it_was_judged());
	RUN(a_kept_empty_slab_went_to_the_tail());
	RUN(a_free_that_emptied_a_slab_gave_it_back());
	RUN(only_the_head_was_taken());
	RUN(a_requested_node_did_not_keep_others_out());
	RUN(chains_counted_what_was_free_when_pushed());
	RUN(a_limit_of_no_objects_kept_no_chain());
	RUN(frees_keep_one_empty_slab_fewer_than_chains());
	RUN(chain_limits_by_size());
	RUN(the_free_pointer_was_the_first_word());
	RUN(kmalloc_of_two_pages_had_no_slab());
	RUN(min_partial_was_kept_within_bounds());
	RUN(frees_into_a_chain_pass_uncounted());
	RUN(others_are_asked_before_their_pages_are_taken());
	RUN(an_interrupted_allocation_flushes_what_appeared());
	RUN(a_larger_object_keeps_more_empty_slabs());
	return check_summary();
}
