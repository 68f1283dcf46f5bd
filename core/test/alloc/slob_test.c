/*
 * slob_test.c - SLOB's policy by example: operations, what was decided, where objects went, how pages look then. How
 * they are drawn is in slob_util.h.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/slob_util.h"

/* allocators.md's own run: requests with their 8 bytes of header, objects at multiples of a power of two. */
#define WORKED \
	"k 1 100 cpu=0\nk 2 64 cpu=0\nk 3 300 cpu=0\nf 1 cpu=0\nk 4 50 cpu=0\nk 5 100 cpu=0\n"

static void a_page_holds_any_mixture(void)
{
	blocks(WORKED, 0, "#58.62#72#108.3796");
	looks(WORKED, "small:0(3858) medium:1(3788) large: loose:");
	decides("k 1 100 cpu=0\n", "LIST_CHOOSE+PAGE_NEW+PAGE_TO_LIST_HEAD+BLOCK_FITS+BLOCK_SPLIT+"
				   "HEADER_WRITE");
	decides("k 1 100 cpu=0\nk 2 64 cpu=0\n",
		"LIST_CHOOSE+BLOCK_FITS+BLOCK_SPLIT_HEAD+BLOCK_SPLIT+HEADER_WRITE");
	decides(WORKED, "LIST_CHOOSE+BLOCK_TOO_SMALL+BLOCK_FITS+BLOCK_SPLIT+HEADER_WRITE");
}

static void the_list_depends_on_bytes_including_the_header(void)
{
	looks("k 1 247 cpu=0\nk 2 248 cpu=0\n", "small:0(3840) medium:1(3840) large: loose:");
	looks("k 1 1015 cpu=0\nk 2 1016 cpu=0\n", "small: medium:0(3072) large:1(3072) loose:");
}

static void adjacent_free_blocks_merge(void)
{
#define THREE "k 1 92 cpu=0\nk 2 92 cpu=0\nk 3 92 cpu=0\nk 4 92 cpu=0\n"
	blocks(THREE "f 2 cpu=0\n", 0, "#100.108#100.4#100.3684");
	blocks(THREE "f 1 cpu=0\nf 3 cpu=0\n", 0, ".104#100.108#100.3684");
	decides(THREE "f 4 cpu=0\n", "BLOCK_PUT+COALESCE_NEXT+COALESCE_PREVIOUS");
	decides("k 1 96 cpu=0\nk 2 96 cpu=0\nk 3 96 cpu=0\nf 2 cpu=0\n", "BLOCK_PUT");
	decides("k 1 96 cpu=0\nk 2 96 cpu=0\nk 3 96 cpu=0\nf 1 cpu=0\nf 2 cpu=0\n",
		"BLOCK_PUT+COALESCE_PREVIOUS");
	decides("k 1 96 cpu=0\nk 2 96 cpu=0\nk 3 96 cpu=0\nf 2 cpu=0\nf 1 cpu=0\n",
		"BLOCK_PUT+COALESCE_NEXT");
	decides("k 1 96 cpu=0\nk 2 96 cpu=0\nk 3 96 cpu=0\nf 2 cpu=0\nk 4 96 cpu=0\n",
		"LIST_CHOOSE+BLOCK_FITS+BLOCK_EXACT+HEADER_WRITE");
}

/* Pages of 4008 bytes taken have 88 free, on the large list. */
static void the_next_search_starts_where_the_last_one_ended(void)
{
#define FOUR_PAGES "k 1 4000 cpu=0\nk 2 4000 cpu=0\nk 3 2200 cpu=0\nk 4 4000 cpu=0\n"
	looks(FOUR_PAGES, "small: medium: large:3(88)2(1888)1(88)0(88) loose:");
	looks(FOUR_PAGES "k 5 1100 cpu=0\n", "small: medium: large:2(780)1(88)0(88)3(88) loose:");
	decides(FOUR_PAGES "k 5 1100 cpu=0\n",
		"LIST_CHOOSE+NEXT_PAGE+BLOCK_FITS+BLOCK_SPLIT+ROTATE+"
		"HEADER_WRITE");
	/* A full page leaves the list, which stays as it is. */
	decides(FOUR_PAGES "k 5 1880 cpu=0\n", "LIST_CHOOSE+NEXT_PAGE+BLOCK_FITS+BLOCK_EXACT+"
					       "PAGE_OFF_LIST+HEADER_WRITE");
	looks(FOUR_PAGES "k 5 1880 cpu=0\n", "small: medium: large:3(88)1(88)0(88) loose:2(0)");
}

/* 1100 free bytes in pieces: each is looked at, and the page is passed over. */
static void enough_units_in_pieces_cannot_serve_a_request(void)
{
#define PIECES                                                            \
	"k 1 1096 cpu=0\nk 2 1096 cpu=0\nk 3 1096 cpu=0\nk 4 780 cpu=0\n" \
	"f 1 cpu=0\nf 3 cpu=0\n"
	blocks(PIECES, 0, ".1104#1104.1888");
	decides(PIECES "k 5 1900 cpu=0\n",
		"LIST_CHOOSE+BLOCK_TOO_SMALL+BLOCK_TOO_SMALL+NEXT_PAGE+PAGE_NEW+PAGE_TO_LIST_HEAD+"
		"BLOCK_FITS+BLOCK_SPLIT+HEADER_WRITE");
}

/* Where a full page goes is up to what is freed in it, not to where it came from. */
static void a_full_page_returns_by_the_size_of_the_freed_block(void)
{
	looks("k 1 2000 cpu=0\nk 3 2068 cpu=0\nk 2 20 cpu=0\n",
	      "small:1(4068) medium: large:0(12) loose:");
	looks("k 1 2000 cpu=0\nk 3 2080 cpu=0\n", "small: medium: large: loose:0(0)");
	decides("k 1 2000 cpu=0\nk 3 2080 cpu=0\nf 1 cpu=0\n", "PAGE_UNFULL+PAGE_TO_LIST_HEAD");
	looks("cache c size=88 align=8\nk 1 4000 cpu=0\na 2 c cpu=0\nf 2 cpu=0\n",
	      "small: medium: large:0(88) loose:");
	looks("cache c size=64 align=8\ncache d size=4032\n"
	      "a 1 c cpu=0\na 2 d cpu=0\nf 1 cpu=0\n",
	      "small: medium: large:1(64) loose:");
}

static void empty_pages_are_never_kept(void)
{
	looks("k 1 100 cpu=0\nf 1 cpu=0\n", "small: medium: large: loose:");
	decides("k 1 100 cpu=0\nf 1 cpu=0\n", "PAGE_OFF_LIST+PAGE_FREE");
	/* One object that fills its page is on no list. */
	decides("k 1 4087 cpu=0\nf 1 cpu=0\n", "PAGE_FREE");
}

static void caches_have_no_header(void)
{
#define CACHES "cache c size=40\ncache d size=40 align=64\ncache r size=40 flags=typesafe_by_rcu\n"
	blocks(CACHES "a 1 c cpu=0\na 2 d cpu=0\na 3 r cpu=0\n", 0, "#40.24#40#64.3928");
	/* An odd size takes whole units. */
	blocks("cache c size=41\na 1 c cpu=0\na 2 c cpu=0\n", 0, "#42.6#42.4006");
}

static void requests_of_a_page_or_more_go_to_the_page_allocator(void)
{
	const char *run = "cache c size=4096\na 1 c cpu=0\n";
	struct kmem_session *s;

	decides(run, "CACHE_WITHOUT_SLABS+RUN_ALLOC");
	blocks(run, 0, "#4096");
	blocks("cache c size=5000\na 1 c cpu=0\n", 0, "#8192");
	/* Aligned to more than a page. */
	blocks("cache c size=64 align=16384\na 1 c cpu=0\n", 0, "#16384");
	decides("cache c size=5000\na 1 c cpu=0\nf 1 cpu=0\n", "RUN_FREE");
	decides("k 1 4088 cpu=0\n", "LARGE_ALLOC");
	decides("k 1 4087 cpu=0\n", "LIST_CHOOSE+PAGE_NEW+PAGE_TO_LIST_HEAD+BLOCK_FITS+BLOCK_EXACT+"
				    "PAGE_OFF_LIST+HEADER_WRITE");
	s = after("cache c size=5000\na 1 c cpu=0\nk 2 92 cpu=0\n");
	struct kmem_totals t = *kmem_totals(s);
	CHECK(t.waste_tail == 3192 && t.waste_free == 3996 && t.waste_rounding == 8);
	CHECK(t.slab_bytes == 12288 && t.requested_bytes == 5092);
}

static void a_requested_node_is_respected(void)
{
	const char *machine = "cpus=2 nodes=2";
	struct kmem_session *s =
		session_of(machine, "k 1 100 cpu=0\nk 2 100 cpu=1 node=1\nk 3 100 cpu=1 node=0\n");

	CHECK(strcmp(steps_of_last(s), "LIST_CHOOSE+NEXT_PAGE+BLOCK_FITS+BLOCK_SPLIT_HEAD+"
				       "BLOCK_SPLIT+ROTATE+HEADER_WRITE") == 0,
	      "%s", steps_of_last(s));
	s = session_of(machine, "k 1 100 cpu=0\nk 2 100 cpu=1\n");
	CHECK(strcmp(lists_of(s), "small:0(3880) medium: large: loose:") == 0, "%s", lists_of(s));
}

static void units_grow_with_the_page(void)
{
	struct kmem_session *s = session_of("cpus=1 page_size=65536",
					    "k 1 1 cpu=0\nk 2 20000 cpu=0\nk 3 64 cpu=0\n");
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	const struct kmem_extent *e = (const struct kmem_extent *)((const u8 *)s + f->extents_at);

	CHECK(e[0].bytes == 12 && e[1].bytes == 44 && e[2].offset == 56 && e[2].bytes == 72);
}

/* Every other 16-byte block is free: a larger request looks at all of them, more often than steps are kept. */
static void a_search_longer_than_the_list_of_steps(void)
{
	enum { PAGES = 600, PER_PAGE = 256, NR = PAGES * PER_PAGE };
	char *text = malloc((size_t)NR * 40), *p = text;

	for (u32 i = 0; i < NR; i++)
		p += sprintf(p, "k %u 4 cpu=0\n", i);
	for (u32 i = 0; i < NR; i += 2)
		p += sprintf(p, "f %u cpu=0\n", i);
	sprintf(p, "k %u 20 cpu=0\n", NR);
	struct kmem_session *s = after(text);
	u64 hash = kmem_hash(s);
	struct kmem_totals t = *kmem_totals(s);
	CHECK(t.most_pages_visited == PAGES + 1, "%u", t.most_pages_visited);
	CHECK(t.most_blocks_visited > MAX_STEPS_PER_OP, "%u", t.most_blocks_visited);
	CHECK(kmem_steps(s, kmem_nr_ops(s) - 1) == MAX_STEPS_PER_OP);
	CHECK(kmem_hash(s) == hash && kmem_check(s) == 0);
	CHECK(kmem_peek(s, kmem_nr_ops(s) - 1, MAX_STEPS_PER_OP - 1, CACHE_NONE) != NULL);
	CHECK(kmem_hash(s) == hash);
	free(text);
}

int main(void)
{
	RUN(a_page_holds_any_mixture());
	RUN(the_list_depends_on_bytes_including_the_header());
	RUN(adjacent_free_blocks_merge());
	RUN(the_next_search_starts_where_the_last_one_ended());
	RUN(enough_units_in_pieces_cannot_serve_a_request());
	RUN(a_full_page_returns_by_the_size_of_the_freed_block());
	RUN(empty_pages_are_never_kept());
	RUN(caches_have_no_header());
	RUN(requests_of_a_page_or_more_go_to_the_page_allocator());
	RUN(a_requested_node_is_respected());
	RUN(units_grow_with_the_page());
	RUN(a_search_longer_than_the_list_of_steps());
	RUN(laws_hold("cpus=4", 2000));
	RUN(laws_hold("cpus=4 nodes=2", 2000));
	RUN(laws_hold("cpus=4 nodes=4 page_size=16384", 1500));
	RUN(laws_hold("cpus=4 nodes=3 page_size=65536", 1500));
	RUN(laws_hold("cpus=4 nodes=2 memory=16M", 1500));
	RUN(laws_hold("cpus=4 nodes=1 page_size=65536 memory=16M fail_order=1", 3000));
	return check_summary();
}
