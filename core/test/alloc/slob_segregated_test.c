/*
 * slob_segregated_test.c - the segregated SLOB of the 2021 seed by example. How pages and lists are drawn is in
 * slob_util.h.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/slob_util.h"

static void each_page_has_one_block_size(void)
{
	looks("k 1 100 cpu=0\nk 2 64 cpu=0\nk 3 65 cpu=0\n", "64:1(4032) 128:0(3840) loose:");
	blocks("k 1 1025 cpu=0\nk 2 2000 cpu=0\nf 1 cpu=0\n", 0, ".2048#2048");
	decides("k 1 100 cpu=0\n", "CLASS_CHOOSE+PAGE_NEW+PAGE_TO_LIST_HEAD+CLASS_POP");
	/* Nothing is smaller than a pointer. */
	looks("k 1 1 cpu=0\nk 2 8 cpu=0\n", "8:0(4080) loose:");
}

static void the_block_freed_last_is_taken_first(void)
{
	struct kmem_session *s = after("k 1 1000 cpu=0\nk 2 1000 cpu=0\nk 3 1000 cpu=0\n"
				       "f 1 cpu=0\nf 2 cpu=0\nk 4 1000 cpu=0\n");

	CHECK(strcmp(steps_of_last(s), "CLASS_CHOOSE+CLASS_POP") == 0, "%s", steps_of_last(s));
	CHECK(kmem_op(s, 5)->slab == 0 && kmem_op(s, 5)->index == 1);
}

static void full_pages_are_on_no_list(void)
{
#define TWO "k 1 2000 cpu=0\nk 2 2000 cpu=0\n"
	decides(TWO, "CLASS_CHOOSE+CLASS_POP+PAGE_OFF_LIST");
	looks(TWO, "loose:0(0)");
	/* A page that was full goes to the head of its list. */
	decides(TWO "k 3 2000 cpu=0\nf 1 cpu=0\n", "CLASS_PUSH+PAGE_TO_LIST_HEAD");
	looks(TWO "k 3 2000 cpu=0\nf 1 cpu=0\n", "2048:0(2048)1(2048) loose:");
	decides("k 1 4000 cpu=0\n",
		"CLASS_CHOOSE+PAGE_NEW+PAGE_TO_LIST_HEAD+CLASS_POP+PAGE_OFF_LIST");
}

static void empty_pages_are_never_kept(void)
{
	decides("k 1 2000 cpu=0\nf 1 cpu=0\n", "CLASS_PUSH+PAGE_OFF_LIST+PAGE_FREE");
	decides("k 1 4096 cpu=0\nf 1 cpu=0\n", "CLASS_PUSH+PAGE_FREE");
	looks("k 1 2000 cpu=0\nf 1 cpu=0\n", "loose:");
}

/* A class holds the alignment too, and what RCU needs after the object. */
static void caches_share_classes(void)
{
	looks("cache c size=40\ncache d size=40 align=128\ncache r size=41 flags=typesafe_by_rcu\n"
	      "a 1 c cpu=0\na 2 d cpu=0\na 3 r cpu=0\nk 4 33 cpu=0\n",
	      "64:0(3968) 128:1(3840) loose:");
	decides("cache c size=4097\na 1 c cpu=0\n", "CACHE_WITHOUT_SLABS+RUN_ALLOC");
	blocks("cache c size=64 align=8192\na 1 c cpu=0\n", 0, "#8192");
	decides("k 1 4097 cpu=0\n", "LARGE_ALLOC");
}

static void lists_are_by_node(void)
{
	struct kmem_session *s = session_of("cpus=2 nodes=2",
					    "k 1 100 cpu=0\nk 2 100 cpu=1\nk 3 100 cpu=0 node=1\n");

	CHECK(strcmp(lists_of(s), "128:0(3968) node1/128:1(3840) loose:") == 0, "%s", lists_of(s));
}

/* However much memory is in use, a request costs one page, one object and the same steps. */
static void the_cost_is_bounded(void)
{
	enum { NR = 20000 };
	char *text = malloc((size_t)NR * 80), *p = text;
	u64 seed = 1;

	for (u32 i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		p += sprintf(p, "k %u %u cpu=0\n", i, 1 + (u32)(seed >> 33) % 5000);
		if (i % 3 == 2)
			p += sprintf(p, "f %u cpu=0\n", i - (u32)(seed >> 50) % 3);
	}
	struct kmem_session *s = after(text);
	struct kmem_totals t = *kmem_totals(s);
	CHECK(t.most_pages_visited == 1 && t.most_blocks_visited == 1);
	CHECK(t.searches == t.pages_visited && t.searches > NR / 2);
	for (u32 op = 0; op < kmem_nr_ops(s); op += 41)
		CHECK(kmem_steps(s, op) <= 6, "operation %u", op);
	free(text);
}

int main(void)
{
	use_allocator("slob-segregated");
	RUN(each_page_has_one_block_size());
	RUN(the_block_freed_last_is_taken_first());
	RUN(full_pages_are_on_no_list());
	RUN(empty_pages_are_never_kept());
	RUN(caches_share_classes());
	RUN(lists_are_by_node());
	RUN(the_cost_is_bounded());
	RUN(laws_hold("cpus=4", 2000));
	RUN(laws_hold("cpus=4 nodes=3 page_size=65536", 1500));
	RUN(laws_hold("cpus=4 nodes=2 memory=16M", 3000));
	RUN(laws_hold("cpus=4 nodes=2 page_size=16384 memory=16M fail_order=1", 3000));
	return check_summary();
}
