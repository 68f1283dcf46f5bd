/*
 * slub_72_test.c - SLUB of Linux 7.2 by example: sheaves are filled from slabs, exchanged with the barn, and flushed.
 *
 * The numbers are those of the kernel's own functions, worked out by hand from their description.
 */
#include "test/support/check.h"
#include "test/support/sheaf_world.h"

static const struct slub_pcs *pcs(const struct small_world *sw, u32 cpu)
{
	return slub_pcs(sw->w, sw->s, cpu);
}

static u32 spare_holds(const struct small_world *sw, u32 cpu)
{
	return pcs(sw, cpu)->spare ? sheaf_at(sw->w, pcs(sw, cpu)->spare)->nr : 0xffff;
}

/* Slabs of 8, sheaves of 12: a refill takes one slab and a half, and hands its objects out from the end. */
static void one_cpu_fills_and_empties_its_sheaves(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	counts_72(sw, "0a1",
		  "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	CHECK(step_72(sw, STEP_SHEAF_REFILL, 0)->args[0] == 12);
	object_is(sw, 1, "1.3");
	main_is(sw, 0, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 1.0 1.1 1.2");
	list_is(sw, 0, "1(4)");
	CHECK(spare_holds(sw, 0) == 0, "the first main sheaf is the spare");
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_empty == 0, "nothing went to the barn");
	alloc_range(sw, 0, 2, 13);
	object_is(sw, 2, "1.2");
	object_is(sw, 4, "1.0");
	object_is(sw, 5, "0.7");
	object_is(sw, 12, "0.0");
	counts_72(sw, "0a13", "BARN_GET_FAIL+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH");
	object_is(sw, 13, "2.7");
	list_is(sw, 0, "");
	alloc_range(sw, 0, 14, 41);
	CHECK(sw->s->slabs == 6 && sheaf_at(sw->w, pcs(sw, 0)->main)->nr == 8);
	counts_72(sw, "0f1 0f2 0f3 0f4", "FREE_FASTPATH+FREE_FASTPATH+FREE_FASTPATH+FREE_FASTPATH");
	CHECK(sheaf_at(sw->w, pcs(sw, 0)->main)->nr == 12);
	counts_72(sw, "0f5", "FREE_FASTPATH");
	CHECK(step_72(sw, STEP_SHEAF_SWAP, 0) != NULL && spare_holds(sw, 0) == 12);
	free_range(sw, 0, 6, 17);
	counts_72(sw, "0f17", "SHEAF_ALLOC+BARN_PUT+FREE_FASTPATH");
	CHECK(slub_barn(sw->w, sw->s, 0)->nr_full == 1 && spare_holds(sw, 0) == 12);
}

/* Two CPUs keep 2 x 28 objects each and the barn 10 x 28. The rest goes back, 28 at a time. */
static void a_barn_that_is_full(void)
{
	struct small_world *sw = world_72(2, 1, 512, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	for (u32 id = 0; id < 460; id++)
		alloc_range(sw, id % 2, id, id + 1);
	for (u32 id = 0; id < 460; id++)
		free_range(sw, id % 2, id, id + 1);
	CHECK(counted_72(sw, BARN_PUT) == 10 && slub_barn(sw->w, sw->s, 0)->nr_full == 10);
	CHECK(counted_72(sw, BARN_PUT_FAIL) == 4 && counted_72(sw, SHEAF_FLUSH) == 4 * 28);
	for (u32 cpu = 0; cpu < 2; cpu++)
		CHECK(sheaf_at(sw->w, pcs(sw, cpu)->main)->nr == 28 && spare_holds(sw, cpu) == 28);
	u32 refilled = counted_72(sw, SHEAF_REFILL), slabs = counted_72(sw, ALLOC_SLAB);
	for (u32 id = 0; id < 392; id++)
		alloc_range(sw, id % 2, id, id + 1);
	CHECK(counted_72(sw, SHEAF_REFILL) == refilled && counted_72(sw, ALLOC_SLAB) == slabs,
	      "392 allocations touch no slab");
	CHECK(counted_72(sw, BARN_GET) == 10 && counted_72(sw, ALLOC_SLOWPATH) == 0);
	counts_72(sw, "S",
		  "SHEAF_FREE+SHEAF_FLUSH+SHEAF_FREE+SHEAF_FLUSH+SHEAF_FREE+SHEAF_FREE+SHEAF_FREE+"
		  "SHEAF_FREE+SHEAF_FREE+SHEAF_FREE+SHEAF_FREE+SHEAF_FREE+SHEAF_FREE+SHEAF_FREE");
	CHECK(!step_72(sw, STEP_SHEAF_FLUSH, 0)->args[0], "an empty main sheaf counts 0 objects");
}

/* Takes one object from the requested node; its slab stays on that node's list. */
static void a_request_to_another_node_takes_one_object(void)
{
	struct small_world *sw = world_72(2, 2, 512, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	counts_72(sw, "0a1@1", "ALLOC_NODE_MISMATCH+ALLOC_SLOWPATH+ALLOC_SLAB");
	object_is(sw, 1, "0.0");
	list_is(sw, 1, "0(15)");
	counts_72(sw, "0f1", "FREE_SLOWPATH");
	list_is(sw, 1, "0(16)");
	for (u32 id = 1; id <= 16; id++)
		play_alloc(sw, 0, id, 1);
	CHECK(counted_72(sw, ALLOC_SLAB) == 1 && counted_72(sw, ALLOC_NODE_MISMATCH) == 17);
	list_is(sw, 1, "");
	counts_72(sw, "0f7", "FREE_ADD_PARTIAL+FREE_SLOWPATH");
	list_is(sw, 1, "0(1)");
	counts_72(sw, "1f8", "FREE_FASTPATH");
	main_is(sw, 1, "0.7");
	CHECK(counted_72(sw, ALLOC_FASTPATH) == 0 && counted_72(sw, BARN_GET_FAIL) == 0);
}

/* The group of an object is found among its neighbours; the third object of another slab ends the search. */
static void a_flush_frees_groups(void)
{
	static const u32 main[][2] = { { 1, 3 }, { 0, 0 }, { 1, 1 }, { 0, 2 }, { 2, 0 }, { 1, 0 } };
	static const u32 groups[][3] = { { 1, 2, 4 }, { 0, 2, 2 }, { 2, 1, 1 }, { 1, 1, 0 } };
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 0, 24);
	for (u32 i = 0; i < ARRAY_SIZE(main); i++)
		free_at(sw, 0, main[i][0], main[i][1]);
	main_is(sw, 0, "1.3 0.0 1.1 0.2 2.0 1.0");
	counts_72(sw, "0F",
		  "SHEAF_FREE+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+SHEAF_FLUSH");
	for (u32 i = 0; i < ARRAY_SIZE(groups); i++) {
		const struct kmem_step *group = step_72(sw, STEP_FLUSH_GROUP, i);
		CHECK(group && group->args[0] == groups[i][0] && group->args[1] == groups[i][1] &&
			      group->args[3] == groups[i][2],
		      "group %u", i);
	}
	list_is(sw, 0, "1(3) 0(2) 2(1)");
	freelist_is(sw, 0, 1, "3 1 0");
	freelist_is(sw, 0, 0, "0 2");
	freelist_is(sw, 0, 2, "0");
}

/* Each CPU's sheaf holds 12 objects of 6 slabs; a flush leaves min_partial - 1 empty slabs. */
static void sixteen_cpus_are_flushed(void)
{
	struct small_world *sw = world_72(16, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	for (u32 cpu = 0; cpu < 16; cpu++) {
		play_alloc(sw, cpu, cpu, NODE_ANY);
		play_free(sw, cpu, cpu);
	}
	CHECK(sw->s->objects == 32 && sw->s->slabs == 6);
	for (u32 cpu = 0; cpu < 16; cpu++)
		CHECK(sheaf_at(sw->w, pcs(sw, cpu)->main)->nr == 12);
	list_is(sw, 0, "");
	play(sw, "F");
	CHECK(counted_72(sw, FREE_ADD_PARTIAL) == 6 && counted_72(sw, FREE_SLAB) == 2);
	CHECK(sw->s->slabs == 4 && slub_node(sw->w, sw->s, 0)->nr_partial == 4);
	CHECK(counted_72(sw, FREE_SLOWPATH) == 0, "a flush is no slow free");
}

/* Memory runs out in the middle of a refill: the sheaf is flushed and given back, and slabs serve one object. */
static void a_refill_that_runs_out_of_memory(void)
{
	struct small_world *sw = world_72(1, 1, 1024, AUTOMATIC_CAPACITY, AUTOMATIC_MIN_PARTIAL);

	alloc_range(sw, 0, 1, 13);
	list_is(sw, 0, "1(4)");
	sw->w->machine.fail_order = 0;
	counts_72(sw, "0a13",
		  "BARN_GET_FAIL+SHEAF_REFILL+SHEAF_FLUSH+FREE_ADD_PARTIAL+SHEAF_FREE+"
		  "ALLOC_SLOWPATH");
	CHECK(step_72(sw, STEP_SHEAF_REFILL, 0)->args[0] == 4);
	CHECK(step_72(sw, STEP_SHEAF_FLUSH, 0)->args[0] == 4);
	object_is(sw, 13, "1.4");
	CHECK(spare_holds(sw, 0) == 0xffff, "the spare is lost");
	freelist_is(sw, 0, 1, "5 6 7");
	alloc_range(sw, 0, 14, 17);
	list_is(sw, 0, "");
	counts_72(sw, "0a17", "BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL+SHEAF_FREE+ALLOC_SLOWPATH");
	CHECK(!sw->loc[17] && step_72(sw, STEP_SHEAF_REFILL, 0)->args[0] == 0);
	CHECK(step_72(sw, STEP_ALLOC_FAILED, 0) != NULL);
}

int main(void)
{
	RUN(one_cpu_fills_and_empties_its_sheaves());
	RUN(a_barn_that_is_full());
	RUN(a_request_to_another_node_takes_one_object());
	RUN(a_flush_frees_groups());
	RUN(sixteen_cpus_are_flushed());
	RUN(a_refill_that_runs_out_of_memory());
	return check_summary();
}
