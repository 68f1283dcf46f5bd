/*
 * slub_sheaf_test.c - sheaves by example: a few operations, what was counted, and where the objects are afterwards.
 *
 * 1024-byte objects, slabs of 4, sheaves of 4 unless a test says otherwise. A CPU is drawn as main|spare, a barn as
 * its full sheaves in one, each object as slab.index, the latest last; what is empty or absent is left out.
 */
#include <stdlib.h>

#include "alloc/slub/slub_sheaf.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

static struct small_world *sheaves(u32 cpus, u32 nodes, u32 capacity)
{
	struct policy p = policy_of_preset("linux-6.18");

	p.max_order = 0;
	p.sheaf_capacity = capacity;
	return small_world(cpus, nodes, 1024, p);
}

static void counts(struct small_world *sw, const char *script, const char *want)
{
	const char *got = play(sw, script);

	CHECK(!strcmp(got, want), "after `%s`\n  want %s\n  got  %s", script, want, got);
}

struct artist {
	struct visitor visitor;
	char text[8192];
	u32 len, entries;
};

static void draw_place(struct visitor *v, const struct kmem_place *place)
{
	struct artist *a = (struct artist *)v;
	char *end = a->text + a->len;

	a->entries = 0;
	if (place->kind == PLACE_SHEAF_MAIN)
		a->len += (u32)sprintf(end, "%scpu%u:", place->cpu ? " " : "", place->cpu);
	else if (place->kind == PLACE_SHEAF_SPARE && place->nr_entries)
		a->len += (u32)sprintf(end, "|");
	else if (place->kind == PLACE_BARN_FULL)
		a->len += (u32)sprintf(end, " barn%u:", place->node);
}

static void draw_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	(void)v;
	(void)row;
	(void)cells;
	(void)extents;
}

static void draw_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct artist *a = (struct artist *)v;

	a->len += (u32)sprintf(a->text + a->len, "%s%u.%u", a->entries++ ? "," : "", entry->slab,
			       entry->index);
}

static void looks(struct small_world *sw, const char *want)
{
	static struct artist a;

	a = (struct artist){ .visitor = { 0, draw_place, draw_slab, draw_entry, NULL } };
	sw->ops->walk(sw->w, sw->s, &a.visitor);
	CHECK(!strcmp(a.text, want), "\n  want %s\n  got  %s", want, a.text);
}

/* What is freed is what the sheaf gives next; slabs see nothing of it. */
static void a_sheaf_is_filled_from_slabs(void)
{
	struct small_world *sw = sheaves(1, 1, 4);

	counts(sw, "0a1",
	       "SHEAF_ALLOC+BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_FASTPATH+"
	       "ALLOC_FASTPATH+ALLOC_FASTPATH+SHEAF_REFILL+ALLOC_PCS");
	looks(sw, "cpu0:0.0,0.1,0.2 barn0:");
	CHECK(LOC_INDEX(sw->loc[1]) == 3);
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_empty == 1, "the first main sheaf went there");
	counts(sw, "0a2 0f1", "ALLOC_PCS+FREE_PCS");
	looks(sw, "cpu0:0.0,0.1,0.3 barn0:");
	counts(sw, "0a3", "ALLOC_PCS");
	CHECK(LOC_INDEX(sw->loc[3]) == 3);
}

static void a_full_sheaf_becomes_the_spare(void)
{
	struct small_world *sw = sheaves(1, 1, 4);

	play(sw, "0a1 0a2 0a3 0a4 0a5");
	looks(sw, "cpu0:1.0,1.1,1.2 barn0:");
	counts(sw, "0f5 0f1", "FREE_PCS+FREE_PCS");
	looks(sw, "cpu0:0.3|1.0,1.1,1.2,1.3 barn0:");
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_empty == 0, "its empty sheaf came into use");
	counts(sw, "0a6 0a7", "ALLOC_PCS+SHEAF_SWAP+ALLOC_PCS");
	looks(sw, "cpu0:1.0,1.1,1.2 barn0:");
	CHECK(slub_pcs(sw->w, sw->s, 0)->spare != 0, "an empty spare is a spare");
	/* Both have room for four: a swap when one is full. */
	counts(sw, "0f7 0f6", "FREE_PCS+SHEAF_SWAP+FREE_PCS");
	looks(sw, "cpu0:0.3|1.0,1.1,1.2,1.3 barn0:");
}

/* CPU 0 fills its sheaves and the barn; CPU 1 takes a full one against its empty one. */
static void a_barn_stands_between_cpus(void)
{
	struct small_world *sw = sheaves(2, 1, 2);

	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6");
	looks(sw, "cpu0: cpu1: barn0:");
	counts(sw, "0f1 0f2 0f3 0f4", "FREE_PCS+FREE_PCS+FREE_PCS+FREE_PCS");
	looks(sw, "cpu0:0.3,0.2|0.1,0.0 cpu1: barn0:");
	counts(sw, "0f5", "SHEAF_ALLOC+BARN_PUT+FREE_PCS");
	looks(sw, "cpu0:1.1|0.1,0.0 cpu1: barn0:0.3,0.2");
	counts(sw, "1a7", "SHEAF_ALLOC+BARN_GET+ALLOC_PCS");
	looks(sw, "cpu0:1.1|0.1,0.0 cpu1:0.3 barn0:");
}

/* The eleventh full sheaf: the spare's objects go to their slabs, and it is the new main one. */
static void a_full_barn_takes_no_more(void)
{
	struct small_world *sw = sheaves(1, 1, 2);
	u32 sum[NR_COUNTERS] = { 0 };

	for (u32 id = 0; id < 26; id++)
		play_alloc(sw, 0, id, NODE_ANY);
	for (u32 id = 0; id < 24; id++)
		play_free(sw, 0, id);
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 10);
	counts(sw, "0f24",
	       "BARN_PUT_FAIL+FREE_SLOWPATH+CPU_PARTIAL_FREE+FREE_SLOWPATH+"
	       "SHEAF_FLUSH+FREE_PCS");
	sw->ops->count(sw->w, sw->s, sum);
	CHECK(sum[BARN_PUT] == 10 && sum[SHEAF_FLUSH] == 2 && sum[SHEAF_SWAP] == 0);
	counts(sw, "0a30 0a31 0a32", "ALLOC_PCS+SHEAF_SWAP+ALLOC_PCS+ALLOC_PCS");
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 10);
	counts(sw, "0a33", "BARN_GET+ALLOC_PCS");
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 9);
}

/* Sheaves hold local objects, and serve requests for any node. */
static void requests_for_a_node_bypass_the_sheaves(void)
{
	struct small_world *sw = sheaves(2, 2, 2);

	counts(sw, "0a1@0", "ALLOC_SLOWPATH+ALLOC_SLAB");
	counts(sw, "1f1", "FREE_SLOWPATH+FREE_FROZEN");
	looks(sw, "cpu0: cpu1: barn0: barn1:");
	counts(sw, "0a2@1",
	       "ALLOC_SLOWPATH+ALLOC_NODE_MISMATCH+DEACTIVATE_REMOTE_FREES+"
	       "DEACTIVATE_TO_TAIL+ALLOC_SLAB");
	counts(sw, "1f2", "SHEAF_ALLOC+FREE_PCS");
	looks(sw, "cpu0: cpu1:1.0 barn0: barn1:");
	counts(sw, "0a3@0 0f3",
	       "ALLOC_SLOWPATH+ALLOC_NODE_MISMATCH+DEACTIVATE_TO_HEAD+"
	       "ALLOC_FROM_PARTIAL+SHEAF_ALLOC+FREE_PCS");
}

static void a_flush_empties_the_cpus(void)
{
	struct small_world *sw = sheaves(2, 1, 2);

	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0f1 0f2 0f3 0f4 0f5");
	looks(sw, "cpu0:1.1|0.1,0.0 cpu1: barn0:0.3,0.2");
	counts(sw, "0F",
	       "FREE_SLOWPATH+CPU_PARTIAL_FREE+FREE_SLOWPATH+SHEAF_FLUSH+"
	       "SHEAF_FREE+FREE_FASTPATH+SHEAF_FLUSH+"
	       "DEACTIVATE_TO_HEAD+CPUSLAB_FLUSH+FREE_ADD_PARTIAL");
	looks(sw, "cpu0: cpu1: barn0:0.3,0.2");
	play(sw, "S");
	looks(sw, "cpu0: cpu1: barn0:");
	const struct slub_barn *barn = slub_barn(sw->w, sw->s, 0);
	CHECK(barn->nr_full == 0 && barn->nr_empty == 0, "shrinking clears the barn");
	play(sw, "0f6 F S");
	CHECK(sw->s->total_objects == 0, "and then every slab goes");
}

/* No memory for a whole sheaf: none is kept, and slabs are asked once more. */
static void a_sheaf_that_cannot_be_filled(void)
{
	struct small_world *sw = sheaves(1, 1, 6);

	play(sw, "0a1@0");
	sw->w->machine.fail_order = 0;
	counts(sw, "0a2",
	       "SHEAF_ALLOC+BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_FASTPATH+ALLOC_FASTPATH+"
	       "ALLOC_FASTPATH+ALLOC_SLOWPATH+DEACTIVATE_BYPASS+SHEAF_REFILL+"
	       "FREE_SLOWPATH+CPU_PARTIAL_FREE+FREE_SLOWPATH+FREE_SLOWPATH+"
	       "SHEAF_FLUSH+SHEAF_FREE+ALLOC_SLOWPATH+CPU_PARTIAL_ALLOC+ALLOC_REFILL");
	looks(sw, "cpu0: barn0:");
}

static struct kmem_session *built(const char *key, const char *value)
{
	static const char trace[] = "slabtrace 1\ncache c0 size=256\ncache c1 size=252\n"
				    "cache c2 size=256 flags=red_zone\n"
				    "a 1 c0 cpu=0\na 2 c1 cpu=0\na 3 c2 cpu=0\nf 1 cpu=0\n";
	struct kmem_session *s = session_of_text(trace);

	CHECK(kmem_preset(s, "linux-6.18") == KMEM_OK &&
	      kmem_set(s, "sheaf_caches", "all") == KMEM_OK && kmem_set(s, key, value) == KMEM_OK &&
	      kmem_build(s, 0) == KMEM_OK && kmem_check(s) == KMEM_OK);
	return s;
}

static void only_caches_without_sheaves_merge(void)
{
	u32 nr;

	kmem_cache_rows(built("sheaf_capacity", "0"), &nr);
	CHECK(nr == 2);
	const struct kmem_cache_row *row = kmem_cache_rows(built("sheaf_capacity", "32"), &nr);
	CHECK(nr == 3);
	CHECK(row[0].counters[ALLOC_PCS] == 1 && row[0].counters[FREE_PCS] == 1);
	CHECK(row[2].counters[ALLOC_PCS] == 0 && row[2].counters[ALLOC_SLOWPATH] == 1,
	      "debugging has no sheaves");
	CHECK(row[0].objects == 16 * row[0].slabs, "objects in sheaves count as active");
}

/* As in 6.18: two caches by name; a third may merge as before. */
static void the_preset_gives_sheaves_to_two_caches(void)
{
	static const char trace[] =
		"slabtrace 1\ncache m size=256 name=maple_node\ncache v size=192 name=vm_area_struct\n"
		"cache f size=256 name=filp\ncache g size=256 name=map\n"
		"a 1 m cpu=0\na 2 v cpu=0\na 3 f cpu=0\na 4 g cpu=0\n";
	struct kmem_session *s = session_of_text(trace);
	u32 nr;

	CHECK(kmem_preset(s, "linux-6.18") == KMEM_OK && kmem_build(s, 0) == KMEM_OK);
	const struct kmem_cache_row *row = kmem_cache_rows(s, &nr);
	CHECK(nr == 3 && kmem_check(s) == KMEM_OK);
	CHECK(row[0].counters[ALLOC_PCS] == 1 && row[1].counters[ALLOC_PCS] == 1);
	CHECK(row[2].counters[ALLOC_PCS] == 0 && row[2].objects >= 2, "filp and map are one");
}

static void sheaves_bring_their_counters(void)
{
	struct kmem_session *s = built("sheaf_capacity", "8");
	u32 with, without;

	CHECK(kmem_has_counter(s, ALLOC_PCS) && kmem_has_counter(s, BARN_PUT_FAIL) &&
	      kmem_has_counter(s, ALLOC_FASTPATH));
	kmem_attributes(s, 0, &with);
	s = built("sheaf_capacity", "0");
	kmem_attributes(s, 0, &without);
	CHECK(with == without + 12, "sheaf_capacity and its counters are files of their own");
	CHECK(!kmem_has_counter(s, ALLOC_PCS) && !kmem_has_counter(s, BARN_PUT_FAIL) &&
	      kmem_has_counter(s, ALLOC_FASTPATH));
}

/* Random operations: each one is counted exactly once, beside those that sheaves make themselves. */
static void every_operation_is_counted_once(u64 seed)
{
	u32 live[600], nr = 0, allocs = 0, frees = 0, sum[NR_COUNTERS] = { 0 };
	struct small_world *sw = sheaves(3, 2, 1 + (u32)(seed % 9));

	for (u32 i = 0; i < 4000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		u32 dice = (u32)(seed >> 33), cpu = dice % 3, lean = i / 700 % 2 ? 35 : 65;
		if (nr < 600 && (!nr || dice / 3 % 100 < lean)) {
			live[nr++] = i;
			play_alloc(sw, cpu, i, dice % 11 ? NODE_ANY : dice / 11 % 2);
			allocs++;
		} else {
			u32 k = dice / 300 % nr;
			play_free(sw, cpu, live[k]);
			live[k] = live[--nr];
			frees++;
		}
		if (dice % 997 == 0)
			play(sw, dice / 997 % 2 ? "S" : "1F");
		const char *broken = laws(sw);
		CHECK(!broken, "%s after operation %u", broken, i);
		if (broken)
			return;
	}
	sw->ops->count(sw->w, sw->s, sum);
	CHECK(sum[ALLOC_PCS] + sum[ALLOC_FASTPATH] + sum[ALLOC_SLOWPATH] ==
	      allocs + sum[SHEAF_REFILL]);
	CHECK(sum[FREE_PCS] + sum[FREE_FASTPATH] + sum[FREE_SLOWPATH] == frees + sum[SHEAF_FLUSH]);
	CHECK(sum[SHEAF_ALLOC] >= sum[SHEAF_FREE] && sum[BARN_PUT] >= sum[BARN_GET]);
}

int main(void)
{
	RUN(a_sheaf_is_filled_from_slabs());
	RUN(a_full_sheaf_becomes_the_spare());
	RUN(a_barn_stands_between_cpus());
	RUN(a_full_barn_takes_no_more());
	RUN(requests_for_a_node_bypass_the_sheaves());
	RUN(a_flush_empties_the_cpus());
	RUN(a_sheaf_that_cannot_be_filled());
	RUN(only_caches_without_sheaves_merge());
	RUN(the_preset_gives_sheaves_to_two_caches());
	RUN(sheaves_bring_their_counters());
	RUN(for (u64 seed = 1; seed <= 9; seed++) every_operation_is_counted_once(seed));
	return check_summary();
}
