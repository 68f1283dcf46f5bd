/*
 * slab_test.c - SLAB by drawn examples: what an array gives and takes, what a slab's stack hands out, what the
 * reaper leaves. States are drawn as the golden files have them, with the alien arrays behind: `alien1=3`.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

#include "alloc/slab/slab.h"
#include "sim/cache.h"

struct picture {
	struct visitor visitor;
	char text[4096];
	u32 len, kind;
};

static void put(struct picture *p, const char *format, u32 a, u32 b)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	p->len += (u32)snprintf(p->text + p->len, sizeof(p->text) - p->len, format, a, b);
#pragma GCC diagnostic pop
}

static void draw_place(struct visitor *v, const struct kmem_place *place)
{
	struct picture *p = (struct picture *)v;

	p->kind = place->kind;
	if (place->kind == PLACE_CPU_ARRAY)
		put(p, p->len ? " %u/%u" : "%u/%u", place->nr_entries, place->touched);
	else if (place->kind == PLACE_SHARED_ARRAY)
		put(p, " | shared=%u/%u", place->nr_entries, place->touched);
	else if (place->kind == PLACE_ALIEN_ARRAY)
		put(p, " alien%u=%u", place->target, place->nr_entries);
	else
		put(p,
		    place->kind == PLACE_NODE_FULL	? " full="
		    : place->kind == PLACE_NODE_PARTIAL ? " partial="
							: " free=",
		    0, 0);
}

static void draw_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct picture *p = (struct picture *)v;

	(void)cells;
	(void)extents;
	put(p, "%u(%u)", row->serial, row->inuse);
}

static void draw_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
}

/* `avail/touched` of each CPU, then of each node the arrays and slab(active). */
static const char *drawn(struct small_world *sw)
{
	static struct picture p;

	memset(&p, 0, sizeof(p));
	p.visitor.place = draw_place;
	p.visitor.slab = draw_slab;
	p.visitor.entry = draw_entry;
	sw->ops->walk(sw->w, sw->s, &p.visitor);
	return p.text;
}

static void looks(struct small_world *sw, const char *want)
{
	const char *have = drawn(sw);

	CHECK(!strcmp(have, want), "\n  have %s\n  want %s", have, want);
}

static struct policy slab_policy(void)
{
	struct policy p = small_world_policy();

	p.allocator = ALLOCATOR_SLAB;
	return p;
}

static void reap(struct small_world *sw, u32 seconds, u32 cpu)
{
	sw->ops->tick(sw->w, cpu, TICK_CLOCK, seconds);
	sw->ops->tick(sw->w, cpu, TICK_REAP, 0);
	CHECK(!laws(sw), "%s", laws(sw));
}

static void allocs(struct small_world *sw, u32 cpu, u32 first, u32 last)
{
	for (u32 id = first; id <= last; id++)
		play_alloc(sw, cpu, id, NODE_ANY);
	CHECK(!laws(sw), "%s", laws(sw));
}

static void frees(struct small_world *sw, u32 cpu, u32 first, u32 last)
{
	for (u32 id = first; id <= last; id++)
		play_free(sw, cpu, id);
	CHECK(!laws(sw), "%s", laws(sw));
}

static void a_new_slab_gives_its_highest_index_first(void)
{
	struct small_world *sw = small_world(2, 1, 256, slab_policy());

	CHECK(!strcmp(play(sw, "0a1"), "ALLOCMISS+GROWN"));
	looks(sw, "15/1 0/0 | shared=0/0 partial= free= full=0(16)");
	allocs(sw, 0, 2, 16);
	for (u32 id = 1; id <= 16; id++)
		CHECK(LOC_INDEX(sw->loc[id]) == 16 - id, "%u", id);
	/* A slab of 32-byte objects has more than the 16 of an idle array's first refill. */
	sw = small_world(1, 1, 32, slab_policy());
	play(sw, "0a1");
	CHECK(LOC_INDEX(sw->loc[1]) == 15);
	looks(sw, "15/1 partial=0(16) free= full=");
	play(sw, "0a2 0a3 0a4 0a5 0a6 0a7 0a8 0a9 0a10 0a11 0a12 0a13 0a14 0a15 0a16");
	CHECK(!strcmp(play(sw, "0a17"), "ALLOCMISS"));
	CHECK(LOC_INDEX(sw->loc[17]) == 75, "then a whole batch of 60, taken off the partial slab");
	looks(sw, "59/1 partial=0(76) free= full=");
}

static void frees_flush_the_oldest_and_the_shared_array_gives_its_newest(void)
{
	struct small_world *sw = small_world(2, 1, 256, slab_policy());

	allocs(sw, 0, 1, 130);
	looks(sw, "14/1 0/0 | shared=0/0 partial= free= "
		  "full=8(16)7(16)6(16)5(16)4(16)3(16)2(16)1(16)0(16)");
	frees(sw, 0, 1, 106);
	object_loc second = sw->loc[107];
	CHECK(!strcmp(play(sw, "0f107"), "FREEMISS"));
	looks(sw, "61/1 0/0 | shared=60/0 partial= free= "
		  "full=8(16)7(16)6(16)5(16)4(16)3(16)2(16)1(16)0(16)");
	/* CPU 1's array is idle: 16 of the 60, from the top. */
	CHECK(!strcmp(play(sw, "1a200 0a201"), "ALLOCMISS+ALLOCHIT"));
	CHECK(sw->loc[201] == second);
	looks(sw, "60/1 15/1 | shared=44/1 partial= free= "
		  "full=8(16)7(16)6(16)5(16)4(16)3(16)2(16)1(16)0(16)");
}

static void the_reaper_spares_once_then_takes_a_fifth(void)
{
	struct small_world *sw = small_world(2, 1, 256, slab_policy());

	allocs(sw, 0, 1, 130);
	frees(sw, 0, 1, 130);
	reap(sw, 2, 0);
	looks(sw, "84/0 0/0 | shared=60/0 partial= free= "
		  "full=8(16)7(16)6(16)5(16)4(16)3(16)2(16)1(16)0(16)");
	/* 24 of the array, 30 of the shared one (96 would be more than it has), then two free slabs. */
	CHECK(sw->s->slabs == 9);
	reap(sw, 2, 0);
	CHECK(sw->s->slabs == 7);
	CHECK(!strncmp(drawn(sw), "60/0 0/0 | shared=30/0", 22), "%s", drawn(sw));
	for (u32 turn = 0; turn < 10; turn++)
		reap(sw, 2, 0);
	looks(sw, "0/0 0/0 | shared=0/0 partial= free= full=");
}

/* A cache that is used late had its turns before, as the kernel's own has: at 5 s, hence again at 9 and 13 s. */
static void a_cache_first_used_late_keeps_its_timer(void)
{
	struct small_world *sw = small_world(2, 2, 256, slab_policy());
	struct kmem_cache *first = sw->s;

	reap(sw, 3, 0);
	reap(sw, 2, 0);
	reap(sw, 1, 0);
	struct cache_spec spec = { "late", 512, 0, 0, 0 };
	struct kmem_cache *late = cache_new(sw->w, &spec);
	sw->ops->create(sw->w, late);
	for (u32 node = 0; node < 2; node++) {
		u32 want = node ? 4 : 9;
		CHECK(slab_node(sw->w, first, node)->next_reap == want, "node %u", node);
		CHECK(slab_node(sw->w, late, node)->next_reap == want, "node %u", node);
	}
}

static void a_full_shared_array_sends_objects_home_and_free_limit_holds(void)
{
	struct policy p = slab_policy();

	p.limit = 8;
	p.batchcount = 4;
	p.shared_factor = 0;
	struct small_world *sw = small_world(1, 1, 1024, p);
	/* free_limit = (1 + 1) x 4 + 4 = 12 */
	allocs(sw, 0, 1, 24);
	frees(sw, 0, 1, 20);
	looks(sw, "8/1 partial= free=2(0)1(0)0(0) full=5(4)4(4)3(4)");
	CHECK(!strcmp(play(sw, "0f21"), "FREEMISS+SLAB_DESTROY"));
	looks(sw, "5/1 partial= free=3(0)2(0)1(0) full=5(4)4(4)");
	CHECK(!strcmp(play(sw, "S"), "SLAB_DESTROY+SLAB_DESTROY+SLAB_DESTROY+SLAB_DESTROY"));
	looks(sw, "0/1 partial=5(3) free= full=");
	/* In 2.6.24 the slab that goes is the one that has just become empty. */
	p.slab_era = SLAB_LINUX_2_6_24;
	sw = small_world(1, 1, 1024, p);
	allocs(sw, 0, 1, 24);
	frees(sw, 0, 1, 20);
	CHECK(!strcmp(play(sw, "0f21"), "FREEMISS+SLAB_DESTROY"));
	looks(sw, "5/1 partial= free=2(0)1(0)0(0) full=5(4)4(4)");
}

static void aliens_wait_for_twelve_and_go_home_together(void)
{
	struct small_world *sw = small_world(2, 2, 256, slab_policy());

	allocs(sw, 0, 1, 13);
	CHECK(!strcmp(play(sw, "1f1"), "NODEFREES"));
	frees(sw, 1, 2, 12);
	looks(sw, "3/1 0/0 | shared=0/0 alien1=0 partial= free= full=0(16) | shared=0/0 alien0=12 "
		  "partial= free= full=");
	CHECK(!strcmp(play(sw, "1f13"), "NODEFREES+ACOVERFLOW"));
	looks(sw, "3/1 0/0 | shared=12/0 alien1=0 partial= free= full=0(16) | shared=0/0 alien0=1 "
		  "partial= free= full=");
	/* CPU 1's cursor starts at node 0; then it is its own node's turn, which does nothing. */
	reap(sw, 2, 1);
	looks(sw, "3/1 0/0 | shared=13/0 alien1=0 partial= free= full=0(16) | shared=0/0 alien0=0 "
		  "partial= free= full=");
	play(sw, "0a14 0a15 0a16 1f14");
	reap(sw, 2, 1);
	CHECK(strstr(drawn(sw), "alien0=1"), "%s", drawn(sw));
	reap(sw, 2, 1);
	CHECK(strstr(drawn(sw), "alien0=0"), "%s", drawn(sw));
}

static void another_node_gives_one_object_past_its_arrays(void)
{
	struct small_world *sw = small_world(2, 2, 256, slab_policy());

	CHECK(!strcmp(play(sw, "0a1@1"), "GROWN"));
	looks(sw, "0/0 0/0 | shared=0/0 alien1=0 partial= free= full= | shared=0/0 alien0=0 "
		  "partial=0(1) free= full=");
	CHECK(!strcmp(play(sw, "0a2@1"), "NODEALLOCS"));
	CHECK(LOC_INDEX(sw->loc[1]) == 0 && LOC_INDEX(sw->loc[2]) == 1);
	CHECK(!strcmp(play(sw, "0a3@0"), "ALLOCMISS+GROWN"), "its own node is no other");
	CHECK(!strcmp(play(sw, "1a4"), "ALLOCMISS"), "the rest of the slab serves its node");
}

static void colours_are_counted_on_before_use(void)
{
	static const u32 want[] = { 64, 128, 192, 256, 320, 384, 0, 64 };

	struct small_world *sw = small_world(1, 1, 600, slab_policy());

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		play(sw, "0a1");
		for (u32 k = 0; k < sw->nr_steps; k++)
			if (sw->steps[k].kind == STEP_GROW_COLOUR)
				CHECK(sw->steps[k].args[2] == want[i], "slab %u", i);
		allocs(sw, 0, 2, 6);
	}
}

/* `set` lines: the triple is taken or ignored as a whole. */
static u32 set(struct small_world *sw, u32 param, u32 value)
{
	u32 old;

	CHECK(sw->ops->set(sw->w, sw->s, param, &value, &old));
	CHECK(!laws(sw), "%s", laws(sw));
	return value;
}

static void tunables_are_taken_or_ignored_as_a_whole(void)
{
	struct small_world *sw = small_world(2, 1, 256, slab_policy());
	struct kmem_cache_row row = { 0 };
	u32 value = 1, old;

	allocs(sw, 0, 1, 130);
	frees(sw, 0, 1, 130);
	CHECK(set(sw, PARAM_LIMIT, 16) == 120, "a batch of 60 is more than that");
	CHECK(set(sw, PARAM_BATCHCOUNT, 8) == 8);
	looks(sw, "0/0 0/0 | shared=0/0 partial= free=2(0)1(0) full=");
	CHECK(set(sw, PARAM_LIMIT, 16) == 16);
	CHECK(set(sw, PARAM_SHARED_FACTOR, 2) == 2);
	CHECK(set(sw, PARAM_BATCHCOUNT, 17) == 8 && set(sw, PARAM_BATCHCOUNT, 0) == 8);
	sw->ops->info(sw->w, sw->s, &row);
	CHECK(row.limit == 16 && row.batchcount == 8 && row.sharedfactor == 2);
	CHECK(set(sw, PARAM_LIMIT, AUTOMATIC) == 120);
	CHECK(!sw->ops->set(sw->w, sw->s, PARAM_MIN_PARTIAL, &value, &old));
}

static void slabinfo_counts_objects_in_arrays_as_active(void)
{
	struct small_world *sw = small_world(2, 1, 32, slab_policy());
	struct kmem_cache_row row = { 0 };

	play(sw, "0a1 0f1");
	sw->ops->info(sw->w, sw->s, &row);
	CHECK(row.objects == 16 && row.active_slabs == 1, "%u", row.objects);
	play(sw, "F");
	memset(&row, 0, sizeof(row));
	sw->ops->info(sw->w, sw->s, &row);
	CHECK(row.objects == 0 && row.active_slabs == 0 && row.limit == 120 &&
	      row.batchcount == 60 && row.sharedfactor == 8);
}

static u32 next_random(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((*seed >> 33) % below);
}

static void random_word(struct small_world *sw, u64 *seed, u32 cpus, u32 nodes)
{
	static const u32 params[] = { PARAM_LIMIT, PARAM_BATCHCOUNT, PARAM_SHARED_FACTOR };
	u32 cpu = next_random(seed, cpus), id = next_random(seed, 600),
	    dice = next_random(seed, 1000);

	if (dice < 3) {
		play(sw, dice == 0 ? "S" : dice == 1 ? "F" : "0F");
	} else if (dice < 10) {
		reap(sw, next_random(seed, 4), cpu);
	} else if (dice < 12) {
		set(sw, params[next_random(seed, 3)], next_random(seed, 40));
	} else if (sw->loc[id]) {
		play_free(sw, cpu, id);
	} else {
		u32 node = next_random(seed, 4) ? NODE_ANY : next_random(seed, nodes);
		CHECK(play_alloc(sw, cpu, id, node) || sw->w->machine.fail_order == 0);
	}
}

static void invariants_hold_after_every_request(void)
{
	static const u32 sizes[] = { 8, 24, 64, 100, 256, 600, 1024, 4096, 9000, 140000 };
	u32 seeds = getenv("SOAK") ? 1000 : 60;

	for (u64 run = 1; run <= seeds; run++) {
		u64 seed = run;
		struct policy p = slab_policy();
		u32 cpus = 1 + next_random(&seed, 6);
		u32 nodes = 1 + next_random(&seed, MIN(cpus, 4u));
		p.slab_era = (u8)next_random(&seed, 2);
		p.no_colour = (u8)next_random(&seed, 2);
		p.limit = next_random(&seed, 2) ? AUTOMATIC : 1 + next_random(&seed, 20);
		p.shared_factor = next_random(&seed, 2) ? AUTOMATIC : next_random(&seed, 3);
		u32 flags = next_random(&seed, 5) == 0 ? CACHE_CTOR : 0;
		u32 size = sizes[next_random(&seed, ARRAY_SIZE(sizes))];
		struct small_world *sw = small_world_flags(cpus, nodes, size, flags, p);
		for (u32 i = 0; i < 2000; i++) {
			/* From time to time there is no memory for a while. */
			if (next_random(&seed, 400) == 0)
				sw->w->machine.fail_order = next_random(&seed, 3) ? NR_ORDERS : 0;
			random_word(sw, &seed, cpus, nodes);
			const char *broken = i % 3 ? NULL : laws(sw);
			CHECK(!broken, "%s (run %llu, op %u)", broken, (unsigned long long)run, i);
			if (broken)
				return;
		}
	}
}

int main(void)
{
	RUN(a_new_slab_gives_its_highest_index_first());
	RUN(frees_flush_the_oldest_and_the_shared_array_gives_its_newest());
	RUN(the_reaper_spares_once_then_takes_a_fifth());
	RUN(a_cache_first_used_late_keeps_its_timer());
	RUN(a_full_shared_array_sends_objects_home_and_free_limit_holds());
	RUN(aliens_wait_for_twelve_and_go_home_together());
	RUN(another_node_gives_one_object_past_its_arrays());
	RUN(colours_are_counted_on_before_use());
	RUN(tunables_are_taken_or_ignored_as_a_whole());
	RUN(slabinfo_counts_objects_in_arrays_as_active());
	RUN(invariants_hold_after_every_request());
	return check_summary();
}
