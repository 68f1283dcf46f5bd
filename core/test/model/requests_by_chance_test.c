/*
 * requests_by_chance_test.c - bulk requests, kfree_rcu(), prefilled sheaves and dead CPUs of Linux 7.2: by example, and by
 * chance under the laws of the allocator.
 */
#include "test/support/check.h"
#include "test/support/sheaf_world.h"

static object_loc ask(struct small_world *sw, u32 cpu, struct request q)
{
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	object_loc loc = sw->ops->request(sw->w, sw->s, cpu, &q);
	sw->w->op++;
	return loc;
}

static void end_life(struct small_world *sw, u32 cpu, u32 kind, u32 id)
{
	ask(sw, cpu, (struct request){ .kind = kind, .loc = sw->loc[id] });
	sw->loc[id] = 0;
	sw->s->live--;
}

static u32 take_into(struct small_world *sw, u32 cpu, u32 kind, u32 slot, u32 id)
{
	sw->loc[id] = ask(sw, cpu, (struct request){ .kind = kind, .slot = slot });
	sw->s->live += sw->loc[id] != 0;
	return sw->loc[id] != 0;
}

/* Asks for nr objects at once, which become the ids from `first`. */
static void bulk_alloc(struct small_world *sw, u32 cpu, u32 first, u32 nr)
{
	ask(sw, cpu, (struct request){ .kind = REQUEST_BULK_ALLOC, .number = nr });
	for (u32 i = 0; i < nr; i++)
		CHECK(take_into(sw, cpu, REQUEST_BULK_TAKE, 0, first + i));
	CHECK(!laws(sw), "%s", laws(sw));
}

static void bulk_free(struct small_world *sw, u32 cpu, u32 first, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		end_life(sw, cpu, REQUEST_BULK_PUT, first + i);
	ask(sw, cpu, (struct request){ .kind = REQUEST_BULK_FREE });
	CHECK(!laws(sw), "%s", laws(sw));
}

/* What it counts is exactly the list, which ends with NR_COUNTERS. */
static void counted_are(struct small_world *sw, const u32 (*want)[2])
{
	u32 sum[NR_COUNTERS] = { 0 };

	sw->ops->count(sw->w, sw->s, sum);
	for (; (*want)[0] != NR_COUNTERS; want++) {
		CHECK(sum[(*want)[0]] == (*want)[1], "counter %u: %u instead of %u", (*want)[0],
		      sum[(*want)[0]], (*want)[1]);
		sum[(*want)[0]] = 0;
	}
	for (u32 i = 0; i < NR_COUNTERS; i++)
		CHECK(!sum[i], "counter %u: %u instead of 0", i, sum[i]);
}

#define COUNTED(sw, ...) counted_are(sw, (const u32[][2]){ __VA_ARGS__, { NR_COUNTERS, 0 } })

/* The first comes straight from slabs, in order; the second takes what main has, in the order of its array. */
static void a_bulk_request(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	bulk_alloc(sw, 0, 0, 10);
	object_is(sw, 0, "0.0");
	object_is(sw, 7, "0.7");
	object_is(sw, 9, "1.1");
	list_is(sw, 0, "1(6)");
	COUNTED(sw, { BARN_GET_FAIL, 1 }, { ALLOC_SLOWPATH, 10 }, { ALLOC_SLAB, 2 });
	free_range(sw, 0, 0, 5);
	main_is(sw, 0, "0.0 0.1 0.2 0.3 0.4");
	bulk_alloc(sw, 0, 20, 3);
	object_is(sw, 20, "0.2");
	object_is(sw, 22, "0.4");
	main_is(sw, 0, "0.0 0.1");
	COUNTED(sw, { BARN_GET_FAIL, 1 }, { ALLOC_SLOWPATH, 10 }, { ALLOC_SLAB, 2 },
		{ FREE_FASTPATH, 5 }, { ALLOC_FASTPATH, 3 });
}

/* Main takes 12. There is no empty sheaf, and none is made: the rest goes to its slabs. */
static void a_bulk_free(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	bulk_alloc(sw, 0, 0, 16);
	bulk_free(sw, 0, 0, 16);
	main_is(sw, 0, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 1.0 1.1 1.2 1.3");
	list_is(sw, 0, "1(4)");
	COUNTED(sw, { BARN_GET_FAIL, 1 }, { ALLOC_SLOWPATH, 16 }, { ALLOC_SLAB, 2 },
		{ FREE_FASTPATH, 12 }, { FREE_SLOWPATH, 4 }, { FREE_ADD_PARTIAL, 1 });
}

/* Objects of another node are set aside; the array's last takes the place of each. */
static void a_bulk_free_of_two_nodes(void)
{
	struct small_world *sw = world_72(2, 2, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	bulk_alloc(sw, 0, 0, 3);
	bulk_alloc(sw, 1, 3, 2);
	sw->loc[6] = sw->loc[0];
	sw->loc[7] = sw->loc[3];
	sw->loc[8] = sw->loc[1];
	sw->loc[9] = sw->loc[4];
	sw->loc[10] = sw->loc[2];
	bulk_free(sw, 0, 6, 5);
	main_is(sw, 0, "0.0 0.2 0.1");
	list_is(sw, 1, "1(16)");
	CHECK(counted_72(sw, FREE_FASTPATH) == 3 && counted_72(sw, FREE_SLOWPATH) == 2);
}

/* Without sheaves all comes from slabs, and goes back group by group. */
static void bulk_without_sheaves(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 0, AUTOMATIC_MIN_PARTIAL);

	bulk_alloc(sw, 0, 0, 4);
	object_is(sw, 3, "0.3");
	bulk_free(sw, 0, 0, 4);
	COUNTED(sw, { ALLOC_SLOWPATH, 4 }, { ALLOC_SLAB, 1 }, { FREE_SLOWPATH, 4 });
	freelist_is(sw, 0, 0, "3 2 1 0 4 5 6 7");
}

/* The empty spare becomes the RCU sheaf. Full, it waits, and goes to the barn. */
static void frees_that_wait_for_rcu(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 13);
	for (u32 id = 0; id < 12; id++)
		end_life(sw, 0, REQUEST_FREE_RCU, id);
	CHECK(!laws(sw), "%s", laws(sw));
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 0, "before the grace period");
	CHECK(counted_72(sw, FREE_RCU_SHEAF) == 12 && counted_72(sw, SHEAF_ALLOC) == 1);
	end_life(sw, 0, REQUEST_FREE_RCU, 12);
	CHECK(counted_72(sw, SHEAF_ALLOC) == 2, "neither the spare nor the barn has an empty one");
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 1 && counted_72(sw, BARN_PUT) == 1);
	/* The other one is handed over by a flush: it never sees the barn. */
	play(sw, "0F");
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 1 && counted_72(sw, SHEAF_FREE) == 1);
	CHECK(!laws(sw), "%s", laws(sw));
}

/* Of another node, or without sheaves: freed in bulk after the grace period. */
static void frees_that_no_rcu_sheaf_takes(struct small_world *sw, u32 node, u32 failed)
{
	play_alloc(sw, 0, 1, node);
	end_life(sw, 0, REQUEST_FREE_RCU, 1);
	CHECK(counted_72(sw, FREE_RCU_SHEAF) == 0 && counted_72(sw, FREE_RCU_SHEAF_FAIL) == failed);
	CHECK(counted_72(sw, FREE_SLOWPATH) == 0, "before the grace period");
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	CHECK(counted_72(sw, FREE_SLOWPATH) == 1);
	CHECK(!laws(sw), "%s", laws(sw));
}

/* At most ten empty sheaves: it is asked here alone. */
static void a_full_barn_after_a_grace_period(void)
{
	struct small_world *sw = world_72(1, 1, 1024, 1, 0);

	alloc_range(sw, 0, 0, 60);
	for (u32 id = 0; id < 40; id++)
		end_life(sw, 0, REQUEST_FREE_RCU, id);
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	CHECK(counted_72(sw, BARN_PUT) == 10 && counted_72(sw, BARN_PUT_FAIL) == 30);
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 10 &&
	      slub_barn(sw->w, sw->s, 0)->nr_empty == 10);
	CHECK(counted_72(sw, SHEAF_FREE) == 20 && counted_72(sw, SHEAF_FLUSH) == 30);
	CHECK(!laws(sw), "%s", laws(sw));
}

/* Main is flushed in one piece and counted first, on the CPU that does it. */
static void a_cpu_dies(void)
{
	struct small_world *sw = world_72(2, 1, 64, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 1, 0, 60);
	free_range(sw, 1, 0, 60);
	step_begin(sw->w, RECORD_LIST, 0, NULL);
	ask(sw, 0, (struct request){ .kind = REQUEST_CPU_DEAD, .number = 1 });
	sw->nr_steps = step_end(sw->w);
	const struct kmem_step *flush = step_72(sw, STEP_SHEAF_FLUSH, 0);
	CHECK(flush && flush->args[0] == 60 && flush < step_72(sw, STEP_FLUSH_GROUP, 0));
	CHECK(slub_pcs(sw->w, sw->s, 0)->counters[SHEAF_FLUSH - ALLOC_PCS] == 60);
	CHECK(slub_pcs(sw->w, sw->s, 0)->counters[SHEAF_FREE - ALLOC_PCS] == 1);
	CHECK(slub_pcs(sw->w, sw->s, 1)->spare == 0 && !laws(sw));
	main_is(sw, 1, "");
}

/* Its RCU sheaf waits for a grace period and skips the barn. */
static void a_cpu_dies_with_an_rcu_sheaf(void)
{
	struct small_world *sw = world_72(2, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 1, 0, 1);
	end_life(sw, 1, REQUEST_FREE_RCU, 0);
	ask(sw, 0, (struct request){ .kind = REQUEST_CPU_DEAD, .number = 1 });
	CHECK(!slub_pcs(sw->w, sw->s, 1)->rcu && counted_72(sw, SHEAF_FLUSH) == 11);
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	CHECK(counted_72(sw, SHEAF_FLUSH) == 12 && counted_72(sw, BARN_PUT) == 0 && !laws(sw));
}

/* Main, spare and barn are full: nothing is exchanged, although the barn has an empty sheaf. */
static void a_bulk_free_with_a_full_barn(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 180);
	free_range(sw, 0, 0, 156);
	for (u32 id = 156; id < 168; id++)
		end_life(sw, 0, REQUEST_FREE_RCU, id);
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	const struct slub_barn *barn = slub_barn(sw->w, sw->s, 0);
	CHECK(barn->nr_full == 10 && barn->nr_empty == 1);
	bulk_free(sw, 0, 168, 2);
	CHECK(barn->nr_full == 10 && barn->nr_empty == 1 && counted_72(sw, FREE_SLOWPATH) == 2);
}

/* One batch holds up to 32 objects of another node. */
static void a_batch_of_foreign_objects(void)
{
	struct small_world *sw = world_72(2, 2, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 1, 0, 40);
	for (u32 id = 0; id < 40; id++)
		end_life(sw, 0, REQUEST_BULK_PUT, id);
	step_begin(sw->w, RECORD_LIST, 0, NULL);
	ask(sw, 0, (struct request){ .kind = REQUEST_BULK_FREE });
	sw->nr_steps = step_end(sw->w);
	const struct kmem_step *first = step_72(sw, STEP_BULK_TO_SLABS, 0);
	const struct kmem_step *second = step_72(sw, STEP_BULK_TO_SLABS, 1);
	CHECK(first && first->args[0] == 32 && second && second->args[0] == 8 && !laws(sw));
}

/* A full barn takes no returned sheaf. */
static void a_prefilled_sheaf_and_a_full_barn(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 156);
	free_range(sw, 0, 0, 156);
	ask(sw, 0, (struct request){ .kind = REQUEST_PREFILL, .number = 5 });
	CHECK(take_into(sw, 0, REQUEST_PREFILLED_TAKE, 0, 0));
	free_range(sw, 0, 0, 1);
	ask(sw, 0, (struct request){ .kind = REQUEST_RETURN });
	CHECK(counted_72(sw, SHEAF_RETURN_SLOW) == 1 && counted_72(sw, SHEAF_FREE) == 1);
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 10 && !laws(sw), "%s", laws(sw));
}

/* The spare serves first, then a new sheaf; a returned one becomes the spare, or goes to the barn filled. */
static void a_prefilled_sheaf(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	ask(sw, 0, (struct request){ .kind = REQUEST_PREFILL, .number = 5 });
	COUNTED(sw, { SHEAF_PREFILL_SLOW, 1 }, { BARN_GET_FAIL, 1 }, { SHEAF_ALLOC, 1 },
		{ ALLOC_SLAB, 2 }, { SHEAF_REFILL, 12 });
	CHECK(take_into(sw, 0, REQUEST_PREFILLED_TAKE, 0, 1));
	object_is(sw, 1, "1.3");
	ask(sw, 0, (struct request){ .kind = REQUEST_RETURN });
	CHECK(counted_72(sw, SHEAF_RETURN_FAST) == 1);
	ask(sw, 0, (struct request){ .kind = REQUEST_PREFILL, .number = 11 });
	CHECK(counted_72(sw, SHEAF_PREFILL_FAST) == 1 && counted_72(sw, SHEAF_REFILL) == 12,
	      "11 are there");
	CHECK(take_into(sw, 0, REQUEST_PREFILLED_TAKE, 0, 2));
	ask(sw, 0, (struct request){ .kind = REQUEST_REFILL, .number = 10 });
	CHECK(counted_72(sw, SHEAF_REFILL) == 12, "10 are there");
	ask(sw, 0, (struct request){ .kind = REQUEST_REFILL, .number = 11 });
	CHECK(counted_72(sw, SHEAF_REFILL) == 14, "filled to the capacity");
	play_alloc(sw, 0, 3, NODE_ANY);
	CHECK(take_into(sw, 0, REQUEST_PREFILLED_TAKE, 0, 4));
	ask(sw, 0, (struct request){ .kind = REQUEST_RETURN });
	CHECK(counted_72(sw, SHEAF_RETURN_SLOW) == 1 && counted_72(sw, BARN_PUT) == 1);
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 1 && !laws(sw));
	ask(sw, 0, (struct request){ .kind = REQUEST_PREFILL, .number = 13 });
	CHECK(counted_72(sw, SHEAF_PREFILL_OVERSIZE) == 1 && counted_72(sw, ALLOC_SLOWPATH) == 13);
	CHECK(take_into(sw, 0, REQUEST_PREFILLED_TAKE, 0, 5));
	ask(sw, 0, (struct request){ .kind = REQUEST_RETURN });
	CHECK(counted_72(sw, SHEAF_FREE) == 1 && counted_72(sw, SHEAF_FLUSH) == 12 && !laws(sw));
}

static u32 rolled(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)(*seed >> 33) % below;
}

/* One request at random; *used ids are objects of callers. */
static void request_at_random(struct small_world *sw, u64 *seed, u32 *used)
{
	u32 cpu = rolled(seed, 3), slot = rolled(seed, 3), nr = 1 + rolled(seed, 9);

	switch (rolled(seed, 12)) {
	case 0:
		ask(sw, cpu, (struct request){ .kind = REQUEST_BULK_ALLOC, .number = nr });
		break;
	case 1:
		*used += take_into(sw, cpu, REQUEST_BULK_TAKE, 0, *used);
		break;
	case 2:
		ask(sw, cpu, (struct request){ .kind = REQUEST_BULK_FREE });
		break;
	case 3:
		ask(sw, cpu,
		    (struct request){ .kind = rolled(seed, 3) ? REQUEST_GRACE : REQUEST_BARRIER });
		break;
	case 4:
		ask(sw, cpu,
		    (struct request){ .kind = REQUEST_CPU_DEAD, .number = rolled(seed, 3) });
		break;
	case 5:
		ask(sw, cpu,
		    (struct request){ .kind = rolled(seed, 2) ? REQUEST_PREFILL : REQUEST_REFILL,
				      .number = nr,
				      .slot = slot });
		break;
	case 6:
		/* The caller may have moved since it prefilled the sheaf. */
		ask(sw, cpu,
		    (struct request){
			    .kind = REQUEST_RETURN, .slot = slot, .sheaf_cpu = rolled(seed, 4) });
		break;
	case 7:
		*used += take_into(sw, cpu, REQUEST_PREFILLED_TAKE, slot, *used);
		break;
	case 8:
		play(sw, rolled(seed, 4) ? "1F" : "S");
		break;
	case 9:
		*used += play_alloc(sw, cpu, *used, rolled(seed, 3) ? NODE_ANY : 1) != 0;
		break;
	default:
		if (!*used)
			break;
		u32 id = rolled(seed, *used), kind = rolled(seed, 3);
		object_loc last = sw->loc[*used - 1];
		if (kind)
			end_life(sw, cpu, kind == 1 ? REQUEST_BULK_PUT : REQUEST_FREE_RCU, id);
		else
			play_free(sw, cpu, id);
		if (id != --*used)
			sw->loc[id] = last;
		sw->loc[*used] = 0;
	}
}

/* No request breaks a law; in the end everything can be given back. */
static void requests_by_chance(struct small_world *sw, u64 seed)
{
	u32 used = 0;

	for (u32 i = 0; i < 3000 && used < SMALL_WORLD_OBJECTS - 1; i++) {
		request_at_random(sw, &seed, &used);
		const char *broken = laws(sw);
		CHECK(!broken, "%s after request %u", broken, i);
		if (broken)
			return;
	}
	while (used)
		play_free(sw, 0, --used);
	for (u32 cpu = 0; cpu < 3; cpu++) {
		while (take_into(sw, cpu, REQUEST_BULK_TAKE, 0, 0))
			play_free(sw, cpu, 0);
		ask(sw, cpu, (struct request){ .kind = REQUEST_BULK_FREE });
		for (u32 slot = 0; slot < 3; slot++)
			ask(sw, cpu, (struct request){ .kind = REQUEST_RETURN, .slot = slot });
	}
	play(sw, "F");
	ask(sw, 0, (struct request){ .kind = REQUEST_GRACE });
	play(sw, "S");
	CHECK(sw->s->slabs == 0, "%u slabs are left", sw->s->slabs);
}

int main(void)
{
	RUN(a_bulk_request());
	RUN(a_bulk_free());
	RUN(a_bulk_free_of_two_nodes());
	RUN(a_bulk_free_with_a_full_barn());
	RUN(a_batch_of_foreign_objects());
	RUN(bulk_without_sheaves());
	RUN(frees_that_wait_for_rcu());
	RUN(frees_that_no_rcu_sheaf_takes(world_72(2, 2, 1024, 12, 5), 1, 0));
	RUN(frees_that_no_rcu_sheaf_takes(world_72(2, 2, 1024, 0, 5), 0, 1));
	RUN(a_full_barn_after_a_grace_period());
	RUN(a_cpu_dies());
	RUN(a_cpu_dies_with_an_rcu_sheaf());
	RUN(a_prefilled_sheaf());
	RUN(a_prefilled_sheaf_and_a_full_barn());
	for (u32 seed = 1; seed <= tries(12, 4); seed++) {
		RUN(requests_by_chance(world_72(3, 2, 1024, (s32)(seed % 5), (s32)(seed % 3)),
				       seed));
		RUN(requests_by_chance(debug_world_72(3, 2, 1000, (s32)(seed % 3)), seed));
	}
	return check_summary();
}
