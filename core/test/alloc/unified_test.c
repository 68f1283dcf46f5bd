/*
 * unified_test.c - the unified allocator V4 by example: how long queues are, a few operations, what was counted, and
 * how it looks afterwards; then random operations on many machines, with every law after each.
 *
 * Queues are drawn as objects/room, * for untouched; partial lists head first, free objects in brackets; `loose`
 * counts slabs without a free bit.
 */
#include "test/support/check.h"
#include "test/support/small_world.h"

#include "alloc/unified/unified.h"
#include "sim/page.h"

static struct policy unified(void)
{
	struct policy p = small_world_policy();

	p.allocator = ALLOCATOR_UNIFIED;
	p.min_partial_rule = 1;
	return p;
}

/* 1024-byte objects, slabs of 4, queues of 4 with room for 5, batches of 2, shared queues for 4. */
static struct policy tiny(void)
{
	struct policy p = unified();

	p.max_order = 0;
	p.queue = 4;
	p.shared = 4;
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

/* A file whose text the allocator writes, or a number. */
static void reads(struct small_world *sw, const char *name, const char *want)
{
	struct attribute a;
	char buf[512] = "?";

	for (u32 nr = 0; sw->ops->attribute(sw->w, sw->s, nr, WHOLE, &a); nr++) {
		if (strcmp(a.name, name))
			continue;
		if (a.shape == ATTRIBUTE_WRITTEN)
			a.write(sw->w, sw->s, buf, sizeof(buf));
		else
			snprintf(buf, sizeof(buf), "%u", a.value);
		break;
	}
	CHECK(!strcmp(buf, want), "%s: want `%s`, got `%s`", name, want, buf);
}

static u32 set(struct small_world *sw, u32 param, u32 value)
{
	u32 old;

	op_begin(sw->w, clock_cpus(sw->w), 0);
	CHECK(sw->ops->set(sw->w, sw->s, param, &value, &old) == 1);
	const char *broken = laws(sw);
	CHECK(!broken, "%s", broken);
	return value;
}

/* Checks the figures in the mails, and what the formulas give elsewhere. */
static const struct {
	u32 size, cpus, nodes, order, objects, queue, batch, cpu_max, shared, shared_max, alien_max;
} sizes[] = {
	{ 8, 2, 1, 0, 504, 120, 60, 125, 600, 1022, 0 },
	{ 32, 2, 1, 0, 127, 120, 60, 125, 600, 1022, 0 },
	{ 64, 8, 1, 0, 64, 120, 60, 125, 600, 1022, 0 },
	{ 256, 2, 1, 0, 16, 120, 60, 125, 600, 1022, 0 },
	{ 264, 2, 1, 0, 15, 54, 27, 61, 270, 510, 0 },
	{ 1024, 1, 1, 1, 8, 54, 27, 61, 0, 0, 0 },
	{ 1500, 32, 4, 3, 21, 24, 12, 29, 120, 158, 30 },
	{ 2048, 2, 1, 3, 16, 24, 12, 29, 120, 126, 0 },
	{ 4096, 8, 4, 3, 8, 24, 12, 29, 0, 0, 0 },
	{ 8192, 2, 1, 3, 4, 8, 4, 13, 0, 0, 0 },
	{ 256, 4, 2, 0, 16, 120, 60, 125, 600, 894, 126 },
	{ 512, 4, 4, 1, 16, 54, 27, 61, 270, 318, 62 },
	{ 256, 64, 5, 1, 32, 120, 60, 125, 600, 894, 30 },
	{ 256, 66, 33, 1, 32, 120, 60, 125, 600, 766, 6 },
};

static void sizes_match_the_mails(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct small_world *sw = small_world(sizes[i].cpus, sizes[i].nodes, sizes[i].size,
						     unified());
		const struct unified_cache *u = unified_own(sw->w, sw->s);
		CHECK(sw->s->order == sizes[i].order && sw->s->objects == sizes[i].objects,
		      "size %u: order %u with %u", sizes[i].size, sw->s->order, sw->s->objects);
		CHECK(u->queue == sizes[i].queue && u->batch == sizes[i].batch &&
			      u->cpu_max == sizes[i].cpu_max,
		      "size %u: queue %u, batch %u, max %u", sizes[i].size, u->queue, u->batch,
		      u->cpu_max);
		CHECK(u->shared == sizes[i].shared && u->shared_max == sizes[i].shared_max &&
			      u->alien_max == sizes[i].alien_max,
		      "size %u, %u nodes: shared %u, max %u, alien %u", sizes[i].size,
		      sizes[i].nodes, u->shared, u->shared_max, u->alien_max);
	}
}

/* A slab may have as many objects as a place can name; the sums do not stop at 32767. */
static void large_slabs_have_large_bitmaps(void)
{
	struct policy p = unified();

	p.min_order = 7;
	p.max_order = 7;
	CHECK(small_world(1, 1, 8, p)->s->objects == 64527);
}

static void min_partial_follows_the_size(void)
{
	static const u32 want[][2] = {
		{ 8, 5 }, { 64, 6 }, { 256, 8 }, { 1024, 10 }, { 8192, 10 }
	};

	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK(small_world(2, 1, want[i][0], unified())->s->min_partial == want[i][1]);
}

static void low_memory_caches_have_short_queues(void)
{
	struct small_world *sw = small_world_flags(4, 2, 256, CACHE_LOWMEM, unified());
	const struct unified_cache *u = unified_own(sw->w, sw->s);

	CHECK(u->queue == 5 && u->batch == 3 && u->cpu_max == 5);
	CHECK(!u->shared_max && !u->alien_max && sw->s->min_partial == 5);
	counts(sw, "0a1@1 1a2",
	       "ALLOC_ALIEN_SLOW+ALLOC_SLAB+ALLOC_DIRECT+ALLOC_SLOWPATH+ALLOC_SLAB");
}

/* The first batch of a queue that nobody used is 16 at most; later ones are whole. */
static void a_fresh_queue_gets_sixteen(void)
{
	struct small_world *sw = small_world(1, 1, 256, unified());

	counts(sw, "0a1", "ALLOC_SLOWPATH+ALLOC_SLAB");
	looks(sw, "cpu0=15/125 node0: loose=1");
	play(sw, "0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16");
	CHECK(LOC_INDEX(sw->loc[16]) == 15, "a slab's objects go out from the lowest up");
	counts(sw, "0a17", "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB");
	looks(sw, "cpu0=63/125 node0: loose=5");
	CHECK(sw->ops->serial(sw->w, LOC_SLAB(sw->loc[17])) == 4, "of the slab made last");
}

static void the_rest_of_a_slab_stays_on_its_node(void)
{
	struct small_world *sw = small_world(1, 1, 64, unified());

	play(sw, "0a1");
	looks(sw, "cpu0=15/125 node0:0(48) loose=0");
	play(sw, "0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16");
	counts(sw, "0a17", "ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
	looks(sw, "cpu0=47/125 node0: loose=1");
}

static void a_full_queue_gives_its_oldest_to_the_shared_one(void)
{
	struct small_world *sw = small_world(2, 1, 1024, tiny());

	/* Two CPUs of one node share; room for 4 asked in a kmalloc-64 is 6. */
	looks(sw, "cpu0=0/5* cpu1=0/5* shared0=0/6* node0: loose=0");
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12");
	looks(sw, "cpu0=0/5 cpu1=0/5* shared0=0/6 node0: loose=3");
	play(sw, "0f1 0f2 0f3 0f4 0f5");
	counts(sw, "0f6", "FREE_SHARED");
	looks(sw, "cpu0=4/5* cpu1=0/5* shared0=2/6 node0: loose=3");
	/* The other CPU gets what has been there longest, the last of it first. */
	counts(sw, "1a13", "ALLOC_SHARED");
	CHECK(LOC_INDEX(sw->loc[13]) == 1, "object 2 lay on top");
	looks(sw, "cpu0=4/5* cpu1=1/5 shared0=0/6 node0: loose=3");
}

static void a_full_shared_queue_sends_the_oldest_home(void)
{
	struct policy p = tiny();

	p.min_partial = 0;
	struct small_world *sw = small_world(2, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12");
	play(sw, "0f1 0f2 0f3 0f4 0f5 0f6 0f7 0f8 0f9 0f10");
	looks(sw, "cpu0=4/5* cpu1=0/5* shared0=6/6 node0: loose=3");
	counts(sw, "0f11", "FREE_FASTPATH");
	counts(sw, "0f12", "FREE_ADD_PARTIAL+FREE_SLOWPATH");
	looks(sw, "cpu0=4/5* cpu1=0/5* shared0=6/6 node0:1(2) loose=2");
	/* One on the list is more than min_partial allows: whatever becomes empty goes. */
	counts(sw, "F",
	       "FREE_SLAB+QUEUE_FLUSH+FREE_SLAB+FREE_REMOVE_PARTIAL+FREE_SLAB+QUEUE_FLUSH");
}

static void other_nodes_have_alien_queues(void)
{
	struct small_world *sw = small_world(4, 2, 1024, tiny());

	looks(sw,
	      "cpu0=0/5* cpu1=0/5* cpu2=0/5* cpu3=0/5* shared0=0/6* alien1=0/6* shared1=0/6* alien0=0/6* "
	      "node0: loose=0 node1: loose=0");
	counts(sw, "0a1@1", "ALLOC_ALIEN_SLOW+ALLOC_SLAB+ALLOC_ALIEN");
	counts(sw, "1a2@1", "ALLOC_ALIEN");
	CHECK(LOC_INDEX(sw->loc[1]) == 0 && LOC_INDEX(sw->loc[2]) == 1);
	counts(sw, "0f1 2f2", "FREE_ALIEN+FREE_FASTPATH");
	looks(sw,
	      "cpu0=0/5* cpu1=0/5* cpu2=1/5 cpu3=0/5* shared0=0/6* alien1=3/6 shared1=0/6* alien0=0/6* "
	      "node0: loose=0 node1: loose=1");
	play(sw, "2a3 2a4 2a5 2a6 2a7");
	counts(sw, "0f3 0f4 0f5", "FREE_ALIEN+FREE_ALIEN+FREE_ALIEN");
	counts(sw, "0f6", "FREE_ADD_PARTIAL+FREE_ALIEN_SLOW");
	looks(sw,
	      "cpu0=0/5* cpu1=0/5* cpu2=0/5 cpu3=0/5* shared0=0/6* alien1=5/6* shared1=0/6 alien0=0/6* "
	      "node0: loose=0 node1:0(2) loose=1");
}

static void without_alien_queues_slabs_are_asked_directly(void)
{
	struct policy p = tiny();

	p.alien = 0;
	struct small_world *sw = small_world(4, 2, 1024, p);
	counts(sw, "0a1@1", "ALLOC_ALIEN_SLOW+ALLOC_SLAB+ALLOC_DIRECT");
	counts(sw, "0a2@1", "ALLOC_ALIEN_SLOW+ALLOC_FROM_PARTIAL+ALLOC_DIRECT");
	counts(sw, "0f1", "FREE_DIRECT");
	play(sw, "0a3@1 0a4@1 0a5@1");
	counts(sw, "0f3", "FREE_ADD_PARTIAL+FREE_DIRECT");
}

/* Two caches of one chip each have a group; CPUs without siblings are one. */
static void groups_follow_the_last_level_caches(void)
{
	struct small_world *sw = small_world(6, 1, 1024, tiny());
	struct cpu *cpus = at(sw->w, sw->w->machine.cpus);
	static const u16 llc[6] = { 7, 3, 7, 9, 3, 5 };

	for (u32 i = 0; i < 6; i++)
		cpus[i].llc = llc[i];
	unified_prepare(sw->w);
	sw->ops->create(sw->w, sw->s);
	reads(sw, "shared_caches", "0 C0,2=0/6* C1,4=0/6* C3,5=0/6*");
	play(sw, "3a1 3a2 3a3 3a4 3a5 3a6 3f1 3f2 3f3 3f4 3f5 3f6");
	reads(sw, "shared_caches", "2 C0,2=0/6* C1,4=0/6* C3,5=2/6");
	counts(sw, "5a7 1a8", "ALLOC_SHARED+ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
}

/* The first pass only marks; the second takes a batch of each queue, free slabs go one pass later. */
static void expiry_takes_two_passes(void)
{
	struct small_world *sw = small_world(2, 1, 1024, tiny());

	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0f1 0f2 0f3 0f4 0f5 0f6");
	looks(sw, "cpu0=4/5* cpu1=0/5* shared0=2/6 node0:1(2) loose=1");
	/* The CPU's queue had just been drained: it counts as idle at once. */
	counts(sw, "X", "FREE_ADD_PARTIAL");
	looks(sw, "cpu0=2/5* cpu1=0/5* shared0=2/6* node0:0(2)1(2) loose=0");
	reads(sw, "expire", "2048");
	counts(sw, "X", "");
	looks(sw, "cpu0=0/5* cpu1=0/5* shared0=0/6* node0:0(4)1(4) loose=0");
	reads(sw, "expire", "4096");
	counts(sw, "X", "FREE_SLAB+FREE_SLAB");
	looks(sw, "cpu0=0/5* cpu1=0/5* shared0=0/6* node0: loose=0");
	reads(sw, "expire", "8192");
	counts(sw, "X", "");
	reads(sw, "expire", "0");
}

static void expiry_of_one_node_leaves_the_others(void)
{
	struct small_world *sw = small_world(4, 2, 1024, tiny());

	play(sw, "0a1 2a2 0f1 2f2 X 0X");
	looks(sw,
	      "cpu0=0/5* cpu1=0/5* cpu2=2/5* cpu3=0/5* shared0=0/6* alien1=0/6* shared1=0/6* alien0=0/6* "
	      "node0:0(4) loose=0 node1:1(2) loose=0");
}

static void sorting_keeps_the_order_of_equals(void)
{
	struct policy p = tiny();

	p.shared = 0;
	struct small_world *sw = small_world(1, 1, 1024, p);
	play(sw, "0a1 0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16");
	play(sw, "0f1 0f2 0f3 0f5 0f9 0f10 0f13 F");
	looks(sw, "cpu0=0/5* node0:3(1)2(2)1(1)0(3) loose=0");
	play(sw, "S");
	looks(sw, "cpu0=0/5* node0:3(1)1(1)2(2)0(3) loose=0");
}

static void queues_change_while_it_runs(void)
{
	struct small_world *sw = small_world(2, 1, 256, unified());

	play(sw, "0a1 1a2");
	reads(sw, "per_cpu_caches", "30 C0=15/125 C1=15/125");
	CHECK(set(sw, PARAM_QUEUE, 20) == 20);
	reads(sw, "per_cpu_caches", "0 C0=0/21* C1=0/21*");
	reads(sw, "batch_size", "10");
	looks(sw, "cpu0=0/21* cpu1=0/21* shared0=0/1022 node0:1(15)0(15) loose=0");
	CHECK(set(sw, PARAM_QUEUE, 3) == 20 && set(sw, PARAM_QUEUE, 10001) == 20, "refused");
	CHECK(set(sw, PARAM_BATCH, 21) == 10 && set(sw, PARAM_BATCH, 5) == 5);
	CHECK(set(sw, PARAM_SHARED, 4) == 600, "less than a batch");
	CHECK(set(sw, PARAM_SHARED, 30) == 30);
	reads(sw, "shared_queue_size", "30 30");
	CHECK(set(sw, PARAM_SHARED, 0) == 0);
	reads(sw, "shared_caches", "0");
	CHECK(set(sw, PARAM_QUEUE, AUTOMATIC) == 120 && set(sw, PARAM_MIN_PARTIAL, 3) == 3);
	reads(sw, "batch_size", "5");
	CHECK(set(sw, PARAM_BATCH, AUTOMATIC) == 60);
	u32 sum[NR_COUNTERS] = { 0 };
	sw->ops->count(sw->w, sw->s, sum);
	CHECK(sum[QUEUE_FLUSH] == 2, "%u", sum[QUEUE_FLUSH]);
}

static void attributes_match_their_files(void)
{
	struct small_world *sw = small_world(6, 3, 1500, unified());

	play(sw, "0a1@1 0a2@2 0a3@2 4a4 4f1");
	reads(sw, "per_cpu_caches", "11 C0=0/29* C1=0/29* C2=0/29* C3=0/29* C4=11/29 C5=0/29*");
	reads(sw, "shared_caches", "0 C0-1=0/190* C2-3=0/190* C4-5=0/190");
	reads(sw, "alien_caches",
	      "40 C0-1=39[N1=20/30:N2=19/30] C2-3=0[N0=0/30*:N2=0/30*] C4-5=1[N0=0/30*:N1=1/30]");
	reads(sw, "expire", "0");
	reads(sw, "cpu_queue_size", "24");
	reads(sw, "shared_queue_size", "190 120");
	reads(sw, "alien_queue_size", "30");
	reads(sw, "min_partial", "10");
	reads(sw, "objects", "54");
	reads(sw, "total_objects", "63");
	reads(sw, "alloc_alien", "3");
	reads(sw, "remote_node_defrag_ratio", "?");
}

static void debugging_has_no_queues(void)
{
	struct policy p = unified();

	p.max_order = 0;
	struct small_world *sw = small_world_flags(2, 1, 1000, CACHE_RED_ZONE, p);
	u32 value = 20, old;
	counts(sw, "0a1 0a2", "ALLOC_SLOWPATH+ALLOC_SLAB+ALLOC_SLOWPATH+ALLOC_FROM_PARTIAL");
	looks(sw, "cpu0=0/0* cpu1=0/0* node0:0(2) loose=0");
	counts(sw, "0f1", "FREE_SLOWPATH");
	CHECK(sw->ops->set(sw->w, sw->s, PARAM_QUEUE, &value, &old) == 0);
}

static void a_refused_order_falls_back(void)
{
	struct small_world *sw = small_world(1, 1, 1024, unified());

	sw->w->machine.fail_order = 1;
	counts(sw, "0a1",
	       "ALLOC_SLOWPATH+ORDER_FALLBACK+ALLOC_SLAB+ORDER_FALLBACK+ALLOC_SLAB+ORDER_FALLBACK+"
	       "ALLOC_SLAB+ORDER_FALLBACK+ALLOC_SLAB");
	sw->w->machine.fail_order = 0;
	play(sw, "0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16");
	counts(sw, "0a17", "ALLOC_SLOWPATH");
	CHECK(sw->loc[17] == 0, "no memory is a result");
}

/* What one node cannot give another does: its slabs stay out of the alien queue. */
static void other_nodes_help_a_full_node(void)
{
	struct policy p = tiny();
	struct small_world *sw = small_world(4, 2, 1024, p);
	const struct zone *zones = at(sw->w, sw->w->machine.zones);

	for (u32 i = 0; i < sw->w->machine.nr_zones; i++)
		while (zones[i].node == 1 && zones[i].used_pages < zones[i].nr_pages)
			page_alloc(sw->w, 1, 0, 1, ZONE_NORMAL);
	counts(sw, "0a1@1", "ALLOC_ALIEN_SLOW+ALLOC_SLAB+ALLOC_DIRECT");
	looks(sw,
	      "cpu0=0/5* cpu1=0/5* cpu2=0/5* cpu3=0/5* shared0=0/6* alien1=0/6* shared1=0/6* alien0=0/6* "
	      "node0:0(3) loose=0 node1: loose=0");
	counts(sw, "2a2 2f2", "ALLOC_SLOWPATH+ALLOC_SLAB+FREE_ALIEN");
}

static u32 next_random(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((*seed >> 33) % below);
}

static u32 maybe(u64 *seed, u32 below)
{
	return next_random(seed, 2) ? AUTOMATIC : next_random(seed, below);
}

static struct small_world *random_world(u64 *s, u32 *cpus, u32 *nodes)
{
	static const u32 some[] = { 8, 24, 32, 64, 200, 256, 700, 1024, 1500, 4096, 9000, 40000 };
	static const u32 flags[] = { 0, 0, 0, 0, 0, CACHE_LOWMEM, CACHE_RED_ZONE };
	struct policy p = unified();

	*cpus = 1 + next_random(s, 6);
	*nodes = 1 + next_random(s, MIN(*cpus, 4u));
	p.queue = next_random(s, 2) ? AUTOMATIC : 4 + next_random(s, 40);
	p.batch = next_random(s, 2) ? AUTOMATIC : 1 + next_random(s, 60);
	p.shared = maybe(s, 100);
	p.alien = maybe(s, 40);
	p.min_partial = maybe(s, 4);
	p.max_order = (u8)next_random(s, 4);
	u32 size = some[next_random(s, ARRAY_SIZE(some))];
	struct small_world *sw = small_world_flags(*cpus, *nodes, size,
						   flags[next_random(s, ARRAY_SIZE(flags))], p);
	struct cpu *machine = at(sw->w, sw->w->machine.cpus);
	for (u32 i = 0; next_random(s, 3) == 0 && i < *cpus; i++)
		machine[i].llc = (u16)next_random(s, 3);
	unified_prepare(sw->w);
	sw->ops->create(sw->w, sw->s);
	return sw;
}

static void random_other(struct small_world *sw, u64 *s, u32 cpus)
{
	static const u32 params[] = { PARAM_QUEUE, PARAM_BATCH, PARAM_SHARED, PARAM_ALIEN,
				      PARAM_MIN_PARTIAL };
	u32 dice = next_random(s, 10), value = maybe(s, 50), old;
	char script[16];

	if (dice < 4) {
		snprintf(script, sizeof(script), dice < 2 ? "%uX" : "%uF", next_random(s, cpus));
		play(sw, script);
	} else if (dice < 8) {
		play(sw, dice < 6 ? "X" : dice == 6 ? "S" : "F");
	} else {
		u32 cpu = next_random(s, cpus);
		op_begin(sw->w, clock_cpus(sw->w), cpu);
		sw->ops->set(sw->w, sw->s, params[next_random(s, ARRAY_SIZE(params))], &value,
			     &old);
	}
}

static void random_ops(u64 seed, u32 ops)
{
	u64 s = seed;
	u32 cpus, nodes, nr_live = 0, live[1000], allocs = 0, frees = 0;
	struct small_world *sw = random_world(&s, &cpus, &nodes);

	for (u32 i = 0; i < ops; i++) {
		u32 cpu = next_random(&s, cpus), dice = next_random(&s, 1000);
		u32 lean = i / 500 % 2 ? 650 : 350;
		u32 node = next_random(&s, 3) ? NODE_ANY : next_random(&s, nodes);
		if (dice < 5) {
			random_other(sw, &s, cpus);
		} else if (nr_live < ARRAY_SIZE(live) && (dice < lean || !nr_live)) {
			sw->w->machine.fail_order = next_random(&s, 50) ? NR_ORDERS
									: next_random(&s, 3);
			live[nr_live] = i;
			nr_live += play_alloc(sw, cpu, i, node) != 0;
			sw->w->machine.fail_order = NR_ORDERS;
			allocs++;
		} else {
			u32 which = next_random(&s, nr_live);
			play_free(sw, cpu, live[which]);
			live[which] = live[--nr_live];
			frees++;
		}
		const char *broken = laws(sw);
		CHECK(!broken, "%s (seed %llu, op %u)", broken, (unsigned long long)seed, i);
		if (broken)
			return;
	}
	u32 sum[NR_COUNTERS] = { 0 };
	sw->ops->count(sw->w, sw->s, sum);
	u32 free = sum[FREE_FASTPATH] + sum[FREE_SHARED] + sum[FREE_SLOWPATH] + sum[FREE_ALIEN] +
		   sum[FREE_ALIEN_SLOW] + sum[FREE_DIRECT];
	CHECK(free == frees, "every free is counted once (seed %llu)", (unsigned long long)seed);
	u32 alloc = sum[ALLOC_FASTPATH] + sum[ALLOC_SHARED] + sum[ALLOC_SLOWPATH] +
		    sum[ALLOC_ALIEN];
	CHECK(alloc <= allocs && alloc + sum[ALLOC_ALIEN_SLOW] >= allocs,
	      "every allocation is counted once (seed %llu)", (unsigned long long)seed);
	CHECK(sum[ALLOC_SLAB] - sum[FREE_SLAB] == sw->s->slabs, "slabs are counted");
}

int main(void)
{
	RUN(sizes_match_the_mails());
	RUN(large_slabs_have_large_bitmaps());
	RUN(min_partial_follows_the_size());
	RUN(low_memory_caches_have_short_queues());
	RUN(a_fresh_queue_gets_sixteen());
	RUN(the_rest_of_a_slab_stays_on_its_node());
	RUN(a_full_queue_gives_its_oldest_to_the_shared_one());
	RUN(a_full_shared_queue_sends_the_oldest_home());
	RUN(other_nodes_have_alien_queues());
	RUN(without_alien_queues_slabs_are_asked_directly());
	RUN(groups_follow_the_last_level_caches());
	RUN(expiry_takes_two_passes());
	RUN(expiry_of_one_node_leaves_the_others());
	RUN(sorting_keeps_the_order_of_equals());
	RUN(queues_change_while_it_runs());
	RUN(attributes_match_their_files());
	RUN(debugging_has_no_queues());
	RUN(a_refused_order_falls_back());
	RUN(other_nodes_help_a_full_node());
	RUN(for (u64 seed = 1; seed <= 60; seed++) random_ops(seed, 2000));
	return check_summary();
}
