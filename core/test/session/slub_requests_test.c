/*
 * slub_requests_test.c - bulk requests, kfree_rcu(), prefilled sheaves and a dying CPU under SLUB of Linux 7.2, as traces.
 *
 * The events and objects of each example are worked out by hand from the kernel's rules: 1024-byte objects, on one CPU in
 * slabs of 8 and on two CPUs in slabs of 16, sheaves of 12. A step that raises a counter by n is one event.
 */
#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

#define CACHE "cache c0 size=1024\n"
#define ONE_CPU "slabtrace 1\nmachine cpus=1 preset=linux-7.2\n" CACHE
#define TWO_CPUS "slabtrace 1\nmachine cpus=2 preset=linux-7.2\n" CACHE

static const struct {
	const char *of, *key;
	u32 value;
} values[] = {
#define VALUE(name, key, words) { #name, #key, key },
#include "tables/abi/abi.def"
};

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "tables/steps/steps.def"
#undef STEP
};

/* Returns the counter that a step raises on this machine; NULL for the others. */
static const char *counter_of(struct kmem_session *s, u32 kind)
{
	switch (kind) {
	case STEP_BULK_FROM_SHEAF:
		return "ALLOC_FASTPATH";
	case STEP_BULK_FROM_SLABS:
		return "ALLOC_SLOWPATH";
	case STEP_BULK_TO_SHEAF:
		return "FREE_FASTPATH";
	case STEP_BULK_TO_SLABS:
		return "FREE_SLOWPATH";
	default:
		break;
	}
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(values[i].of, "kmem_counter") &&
		    !strcmp(values[i].key, step_names[kind]) &&
		    kmem_has_counter(s, values[i].value))
			return values[i].key;
	return NULL;
}

/* Returns the events of op nr, and after them the object that it is about: "ALLOC_FASTPATH 0.3". */
static const char *said(struct kmem_session *s, u32 nr)
{
	static char text[4096];
	s32 nr_steps = kmem_steps(s, nr);
	u32 len = 0;

	text[0] = 0;
	for (s32 i = 0; i < nr_steps; i++) {
		const char *counter = counter_of(s, kmem_step_rows(s)[i].kind);
		if (counter)
			len += (u32)sprintf(text + len, "%s%s", len ? "+" : "", counter);
	}
	const struct kmem_op_row *row = kmem_op(s, nr);
	if (row->kind == OP_ALLOC)
		sprintf(text + len, "%s%d.%u", len ? " " : "", (s32)row->slab, row->index);
	return text;
}

static u32 total(struct kmem_session *s, u32 counter)
{
	return kmem_totals(s)->counters[counter];
}

/* Expects one word for each event, separated by `|`. */
static struct kmem_session *example(const char *text, const char *want)
{
	struct kmem_session *s = session_of_text(text);
	char got[8192] = { 0 };

	CHECK(kmem_report(s)->nr_problems == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	for (u32 nr = 0; nr < kmem_nr_ops(s); nr++) {
		strcat(got, nr ? "|" : "");
		strcat(got, said(s, nr));
	}
	CHECK(!strcmp(got, want), "%s\n  want %s\n  got  %s", text, want, got);
	CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0 && !replay_check(&s->replay), "%s",
	      replay_check(&s->replay));
	return s;
}

/* Objects come from slabs in order, then from main's end in order, then from both. */
static void a_bulk_allocation_returns_objects_in_order(void)
{
	struct kmem_session *s =
		example(ONE_CPU "a 1,2,3 c0 cpu=0\na 4 c0 cpu=0\na 5,6,7 c0 cpu=0\n"
				"a 8,9,10,11,12,13,14,15,16,17 c0 cpu=0\n",
			"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|0.0|0.1|0.2|"
			"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 1.6|"
			"ALLOC_FASTPATH|1.3|1.4|1.5|"
			"ALLOC_FASTPATH+BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|"
			"0.3|0.4|0.5|0.6|0.7|1.0|1.1|1.2|1.7|2.0");

	CHECK(total(s, ALLOC_SLOWPATH) == 3 + 2 && total(s, ALLOC_FASTPATH) == 1 + 3 + 8);
}

/* They go into main and an empty spare; no sheaf is made for the rest, which goes to its slab. */
static void bulk_frees_make_no_sheaf(void)
{
	static char text[2048];
	u32 len = (u32)sprintf(text, ONE_CPU "a 0");

	for (u32 id = 1; id < 30; id++)
		len += (u32)sprintf(text + len, ",%u", id);
	/* The single allocation leaves the CPU an empty spare and 11 objects in main. */
	len += (u32)sprintf(text + len, " c0 cpu=0\na 40 c0 cpu=0\nf 0");
	for (u32 id = 1; id < 30; id++)
		len += (u32)sprintf(text + len, ",%u", id);
	sprintf(text + len, " cpu=0\n");
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0 && kmem_nr_ops(s) == 31 + 1 + 31, "%s", kmem_error(s));
	CHECK(!strcmp(said(s, 0), "BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLAB+"
				  "ALLOC_SLOWPATH"),
	      "%s", said(s, 0));
	/* 3.6 and 3.7 come from the list, 10 of two new slabs. */
	CHECK(!strcmp(said(s, 31), "BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+SHEAF_REFILL+"
				   "ALLOC_FASTPATH 5.1"),
	      "%s", said(s, 31));
	CHECK(!strcmp(said(s, 32), ""), "an object waits for its bulk free: %s", said(s, 32));
	/* 1 + 12 fit. Then the slabs 1 (3 objects), 2 (8) and 3 (6) get theirs; all three were full. */
	CHECK(!strcmp(said(s, 62), "FREE_FASTPATH+FREE_FASTPATH+BARN_PUT_FAIL+FREE_ADD_PARTIAL+"
				   "FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+FREE_SLOWPATH"),
	      "%s", said(s, 62));
	CHECK(kmem_seek(s, 63) == 0);
	CHECK(total(s, FREE_FASTPATH) == 13 && total(s, FREE_SLOWPATH) == 17);
	CHECK(kmem_totals(s)->live_objects == 1 && !replay_check(&s->replay));
}

/* An object of another node bypasses the sheaves, after the others. */
static void bulk_frees_set_remote_objects_aside(void)
{
	struct kmem_session *s = example(
		"slabtrace 1\nmachine cpus=2 nodes=2 preset=linux-7.2\n" CACHE
		"a 1,2 c0 cpu=0\na 3, c0 cpu=1\nf 1,3,2 cpu=1\n",
		"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|0.0|0.1|"
		"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|1.0||||FREE_FASTPATH+FREE_SLOWPATH");

	CHECK(total(s, FREE_FASTPATH) == 1 && total(s, FREE_SLOWPATH) == 2);
}

static void rcu_frees_fill_a_sheaf(void)
{
	example(ONE_CPU "a 1,2,3,4,5,6,7,8,9,10,11,12,13 c0 cpu=0\na 14 c0 cpu=0\n"
			"r 1 cpu=0\nr 2 cpu=0\nr 3 cpu=0\nr 4 cpu=0\nr 5 cpu=0\nr 6 cpu=0\n"
			"r 7 cpu=0\nr 8 cpu=0\nr 9 cpu=0\nr 10 cpu=0\nr 11 cpu=0\nr 12 cpu=0\n"
			"r 13 cpu=0\ngrace\nflush c0\ngrace\n",
		"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLOWPATH|"
		"0.0|0.1|0.2|0.3|0.4|0.5|0.6|0.7|1.0|1.1|1.2|1.3|1.4|"
		/* 3 of slab 1, 8 of slab 2, 1 of slab 3 */
		"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 3.0|"
		/* the empty spare becomes the RCU sheaf; full, it waits */
		"FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|"
		"FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|FREE_RCU_SHEAF|"
		"FREE_RCU_SHEAF|FREE_RCU_SHEAF|SHEAF_ALLOC+FREE_RCU_SHEAF|BARN_PUT|"
		/* main: 8 of slab 2 and 3 of slab 1, both full until now */
		"FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+SHEAF_FLUSH|"
		/* a sheaf that a flush handed over skips the barn */
		"SHEAF_FLUSH+SHEAF_FREE");
}

static void rcu_frees_work_without_a_sheaf(void)
{
	struct kmem_session *s =
		example("slabtrace 1\nmachine cpus=2 nodes=2 preset=linux-7.2\n" CACHE
			"a 1,2 c0 cpu=0\nr 1 cpu=1\ngrace\nr 2 cpu=0\n",
			"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|0.0|0.1||FREE_SLOWPATH|"
			"SHEAF_ALLOC+FREE_RCU_SHEAF");

	CHECK(kmem_totals(s)->live_objects == 0);
	example("slabtrace 1\nmachine cpus=1 preset=linux-7.2 sheaf_capacity=0\n" CACHE
		"a 1,2 c0 cpu=0\nr 1 cpu=0\ngrace\n",
		"ALLOC_SLAB+ALLOC_SLOWPATH|0.0|0.1|FREE_RCU_SHEAF_FAIL|FREE_SLOWPATH");
}

static void prefilled_sheaves_hold_what_was_requested(void)
{
	example(ONE_CPU "prefill 0 c0 3 cpu=0\na 1 c0 cpu=0 sheaf=0\nrefill 0 c0 11 cpu=0\n"
			"refill 0 c0 12 cpu=0\nreturn 0 c0 cpu=0\nprefill 0 c0 13 cpu=0\n"
			"return 0 c0 cpu=0\nprefill 1 c0 3 cpu=0\nprefill 2 c0 3 cpu=0\n"
			"return 2 c0 cpu=0\nreturn 1 c0 cpu=0\nreturn 1 c0 cpu=0\n",
		"SHEAF_PREFILL_SLOW+BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+SHEAF_REFILL|"
		"1.3||SHEAF_REFILL|SHEAF_RETURN_FAST|"
		/* 3 of slab 1, 8 of slab 2, 2 of slab 3 */
		"SHEAF_ALLOC+SHEAF_PREFILL_OVERSIZE+ALLOC_SLAB+ALLOC_SLAB+ALLOC_SLOWPATH|"
		"SHEAF_FLUSH+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL+SHEAF_FREE|SHEAF_PREFILL_FAST|"
		"SHEAF_PREFILL_SLOW+BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL|SHEAF_RETURN_FAST|"
		"SHEAF_RETURN_SLOW+BARN_PUT|");
	/* A sheaf that does not exist: an ordinary allocation. */
	example(ONE_CPU "a 1 c0 cpu=0 sheaf=3\n",
		"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 1.3");
}

/* An oversize sheaf is refilled as it was filled, from slabs and up to its own capacity: objects 0 … 15 of a slab of 16, then
 * the last slots again from a second slab. */
static void a_request_above_capacity_gets_an_oversize_sheaf(void)
{
	example(TWO_CPUS "prefill 0 c0 16 cpu=0\na 1 c0 cpu=0 sheaf=0\na 2 c0 cpu=0 sheaf=0\n"
			 "refill 0 c0 14 cpu=0\nrefill 0 c0 15 cpu=0\na 3 c0 cpu=0 sheaf=0\n"
			 "return 0 c0 cpu=0\n",
		"SHEAF_ALLOC+SHEAF_PREFILL_OVERSIZE+ALLOC_SLAB+ALLOC_SLOWPATH|0.15|0.14||"
		"ALLOC_SLAB+ALLOC_SLOWPATH|1.1|SHEAF_FLUSH+FREE_ADD_PARTIAL+SHEAF_FREE");
}

/* With debugging every object of a prefilled sheaf is a separate allocation, from the head of the list, and is checked
 * when it leaves and when it comes back. */
static void debugging_checks_each_object_of_a_prefilled_sheaf(void)
{
	struct kmem_session *s = example(
		"slabtrace 1\nmachine cpus=2 preset=linux-7.2 red_zone=on sanity_checks=on\n"
		"cache c0 size=1000\na 1 c0 cpu=0\nprefill 0 c0 2 cpu=0\n"
		"a 2 c0 cpu=0 sheaf=0\nrefill 0 c0 2 cpu=0\nreturn 0 c0 cpu=0\na 3 c0 cpu=0\n",
		"ALLOC_SLOWPATH+ALLOC_SLAB 0.0|"
		"SHEAF_ALLOC+SHEAF_PREFILL_OVERSIZE+ALLOC_SLOWPATH+ALLOC_SLOWPATH|0.2|"
		"ALLOC_SLOWPATH|SHEAF_FLUSH+SHEAF_FREE|ALLOC_SLOWPATH 0.1");

	CHECK(total(s, ALLOC_SLOWPATH) == 5 && total(s, FREE_SLOWPATH) == 0);
	/* A free object that was overrun is not put into a sheaf; its slab is taken out of use. */
	example("slabtrace 1\nmachine cpus=1 preset=linux-7.2 red_zone=on sanity_checks=on\n"
		"cache c0 size=1000\na 1 c0 cpu=0\nf 1 cpu=0\n"
		"corrupt write 1 at=1000 len=4 value=65 cpu=0\nprefill 0 c0 1 cpu=0\n",
		"ALLOC_SLOWPATH+ALLOC_SLAB 0.0|FREE_SLOWPATH||"
		"SHEAF_ALLOC+SHEAF_PREFILL_OVERSIZE+ALLOC_SLOWPATH+ALLOC_SLAB");
}

/* bulk=N stands for a list of N objects: in order from slabs, then from main; a request of one object too. */
static void announced_requests_use_the_bulk_path(void)
{
	struct kmem_session *s = example(
		ONE_CPU "a 1 c0 cpu=0 bulk=3\na 2 c0 cpu=0\na 3 c0 cpu=0\na 4 c0 cpu=0\n"
			"a 5 c0 cpu=0 bulk=1\nf 5 cpu=0 bulk=1\nf 1 cpu=0 bulk=2\nf 2 cpu=0\n",
		"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH 0.0|0.1|0.2|"
		"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 1.6|"
		"ALLOC_FASTPATH 1.5|FREE_FASTPATH||FREE_FASTPATH+FREE_FASTPATH");

	CHECK(total(s, ALLOC_SLOWPATH) == 3 && total(s, FREE_FASTPATH) == 3);
	/* A list of one differs from a single object where the sheaf is empty: it is not refilled. */
	example(ONE_CPU "a 1 c0 cpu=0 bulk=1\n", "BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH 0.0");
}

/* Every CPU hands its RCU sheaf over, and none of the sheaves goes to a barn: a barrier waits until the objects are free. */
static void a_barrier_frees_waiting_objects(void)
{
	struct kmem_session *s = example(
		TWO_CPUS "a 1,2 c0 cpu=0\nr 1 cpu=0\nr 2 cpu=1\nbarrier\n",
		"BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|0.0|0.1|SHEAF_ALLOC+FREE_RCU_SHEAF|"
		"SHEAF_ALLOC+FREE_RCU_SHEAF|SHEAF_FLUSH+SHEAF_FREE+SHEAF_FLUSH+SHEAF_FREE");

	CHECK(total(s, SHEAF_FLUSH) == 2 && total(s, BARN_PUT) == 0);
}

/* The task that prefilled sheaf 0 on CPU 0 moves to CPU 1, which refills it from its own lists and keeps it as its spare. */
static void a_sheaf_moves_with_its_task(void)
{
	struct kmem_session *s = example(
		TWO_CPUS "prefill 0 c0 2 cpu=0\na 1 c0 cpu=1 sheaf=0@0\na 2 c0 cpu=1 sheaf=0\n"
			 "refill 0@0 c0 12 cpu=1\nreturn 0@0 c0 cpu=1\nreturn 0 c0 cpu=0\n",
		"SHEAF_PREFILL_SLOW+BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL|0.11|"
		/* CPU 1 has no sheaf 0, so an ordinary allocation serves it */
		"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 1.7|"
		"SHEAF_REFILL|SHEAF_RETURN_SLOW+BARN_PUT|");

	CHECK(strstr(kmem_op_sentence(s, 1), "which CPU 0 prefilled"), "%s",
	      kmem_op_sentence(s, 1));
}

/* A request that fails returns everything to the slabs, including what sheaves held, and counts none of it. */
static void failed_requests_return_everything_to_the_slabs(void)
{
	struct kmem_session *s = session_of_text(
		ONE_CPU "a 1 c0 cpu=0\nset fail_order=0\na 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
			" c0 cpu=0\n");

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	/* 11 of main, then the 4 that are left of slab 1. These go back first: 1.4 … 1.7, 1.0 … 1.2, 0.0 … 0.7. */
	CHECK(!strcmp(said(s, 2), "ALLOC_FASTPATH+BARN_GET_FAIL+FREE_ADD_PARTIAL+FREE_ADD_PARTIAL"),
	      "%s", said(s, 2));
	/* Each object is then requested separately: the sheaf gets 7 of slab 1 and 5 of slab 0. */
	CHECK(!strcmp(said(s, 3), "BARN_GET_FAIL+SHEAF_REFILL+ALLOC_FASTPATH 0.4"), "%s",
	      said(s, 3));
	CHECK(kmem_seek(s, 4) == 0 && !total(s, FREE_FASTPATH) && !total(s, FREE_SLOWPATH) &&
	      !replay_check(&s->replay));
}

/* However many objects wait for a grace period, none is freed before it has ended. */
static void frees_nothing_before_the_grace_period_ends(void)
{
	enum { NR = 4100 };
	static char text[NR * 40];
	u32 len = (u32)sprintf(text, "slabtrace 1\nmachine cpus=2 nodes=2 preset=linux-7.2\n"
				     "cache c0 size=64\n");

	for (u32 id = 0; id < NR; id++)
		len += (u32)sprintf(text + len, "a %u c0 cpu=0\n", id);
	for (u32 id = 0; id < NR; id++)
		len += (u32)sprintf(text + len, "r %u cpu=1\n", id);
	sprintf(text + len, "grace\n");
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 2 * NR) == 0, "%s", kmem_error(s));
	CHECK(total(s, FREE_SLOWPATH) == 0 && !replay_check(&s->replay));
	CHECK(kmem_seek(s, 2 * NR + 1) == 0 && total(s, FREE_SLOWPATH) == NR);
	CHECK(!replay_check(&s->replay));
}

/* The dead CPU's main sheaf counts immediately, and stays. */
static void flushes_the_sheaves_of_a_dead_cpu(void)
{
	struct kmem_session *s = example(
		TWO_CPUS "a 1 c0 cpu=1\ndead cpu=1\na 2 c0 cpu=1\ndead cpu=0\n",
		"BARN_GET_FAIL+SHEAF_ALLOC+ALLOC_SLAB+SHEAF_REFILL+ALLOC_FASTPATH 0.11|"
		"SHEAF_FLUSH+SHEAF_FREE|"
		/* The flush put 10 … 0 before 12 … 15, so the refill takes 0 … 10 and 12. */
		"BARN_GET_FAIL+SHEAF_ALLOC+SHEAF_REFILL+ALLOC_FASTPATH 0.12|");

	CHECK(total(s, SHEAF_FLUSH) == 11);
	/* Its RCU sheaf becomes free on the CPU that flushed it, as nothing runs on a dead one. */
	s = example(TWO_CPUS "a 1, c0 cpu=1\nr 1 cpu=1\ndead cpu=1\ngrace\n",
		    "BARN_GET_FAIL+ALLOC_SLAB+ALLOC_SLOWPATH|0.0|SHEAF_ALLOC+FREE_RCU_SHEAF||"
		    "SHEAF_FLUSH+SHEAF_FREE");
	CHECK(kmem_steps(s, 4) > 0 && kmem_step_rows(s)->kind == STEP_SHEAF_FLUSH &&
	      kmem_step_rows(s)->cpu == 0);
}

/* Before 7.0 the objects are allocated and freed one by one, and the allocator says so. */
static void kernels_before_7_0_serve_bulk_requests_one_by_one(void)
{
	static const char *const presets[] = { "linux-2.6.26", "linux-6.1", "linux-6.18" };

	for (u32 i = 0; i < ARRAY_SIZE(presets); i++) {
		struct kmem_session *s = session_of_text(
			"slabtrace 1\nmachine cpus=2\n" CACHE
			"a 1,2 c0 cpu=0\nr 1 cpu=0\nf 2, cpu=1\n"
			"grace\nbarrier\ndead cpu=1\nprefill 0 c0 2 cpu=0\na 3 c0 cpu=0 sheaf=0\n");
		CHECK(kmem_preset(s, presets[i]) == 0 && kmem_build(s, 0) == 0, "%s",
		      kmem_error(s));
		CHECK(kmem_steps(s, 0) == 1 && kmem_step_rows(s)->kind == STEP_NOTHING);
		CHECK(strstr(kmem_step_sentence(s, kmem_step_rows(s)), "one by one"), "%s",
		      kmem_step_sentence(s, kmem_step_rows(s)));
		CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_totals(s)->live_objects == 1 &&
			      !replay_check(&s->replay),
		      "%s", presets[i]);
	}
}

/* With debugging a slab's objects are freed as one list, last to first: a full slab that empties is on no list before it is
 * discarded. A check that fails keeps the whole list in use. */
static void frees_debugged_objects_in_groups(void)
{
	struct kmem_session *s = session_of_text(
		"slabtrace 1\nmachine cpus=1 preset=linux-7.2 sanity_checks=on red_zone=on "
		"min_partial=0\ncache c0 size=1000\na 0,1,2,3,4,5,6,7,8,9 c0 cpu=0\n"
		"f 0,8,1,2,3,4,5,6,7 cpu=0\na 10,11 c0 cpu=0\n"
		"corrupt write 10 at=1000 len=4 value=65 cpu=0\nf 10,11 cpu=0\n");

	CHECK(kmem_build(s, 0) == 0 && kmem_nr_ops(s) == 28, "%s", kmem_error(s));
	CHECK(!strcmp(said(s, 20), "FREE_SLAB+FREE_SLOWPATH+FREE_SLOWPATH"), "%s", said(s, 20));
	CHECK(kmem_seek(s, 21) == 0 && total(s, FREE_SLOWPATH) == 9);
	CHECK(!strcmp(said(s, 23), "1.2"), "%s", said(s, 23));
	CHECK(!strcmp(said(s, 27), ""), "%s", said(s, 27));
	CHECK(kmem_seek(s, 28) == 0 && total(s, FREE_SLOWPATH) == 11 && total(s, FREE_SLAB) == 1 &&
	      !replay_check(&s->replay));
}

/* The objects that a bulk request cannot get are requested one by one; nothing is lost or counted twice. */
static void memory_runs_out(const char *machine)
{
	static char text[1 << 16];
	u32 len = (u32)sprintf(text,
			       "slabtrace 1\nmachine cpus=2 preset=linux-7.2 %s\n"
			       "cache c0 size=4096\ncache c1 size=9000\n",
			       machine);
	u32 id = 0;

	for (u32 turn = 0; turn < 60; turn++) {
		u32 first = id, nr = turn % 7 * 13 + 2;
		len += (u32)sprintf(text + len, "a %u", id++);
		while (id - first < nr)
			len += (u32)sprintf(text + len, ",%u", id++);
		len += (u32)sprintf(text + len, " c%u cpu=%u\nprefill %u c%u %u cpu=0\n", turn % 2,
				    turn % 2, turn % 3, turn % 2, 1 + turn % 9);
		len += (u32)sprintf(text + len, "a %u c%u cpu=0 sheaf=%u\n", id++, turn % 2,
				    turn % 3);
		if (turn % 3)
			continue;
		len += (u32)sprintf(text + len, "r %u cpu=1\nf %u", first, first + 1);
		for (u32 i = first + 2; i < first + nr; i++)
			len += (u32)sprintf(text + len, ",%u", i);
		len += (u32)sprintf(text + len, "%s cpu=%u\n%s", nr == 2 ? "," : "", turn & 1,
				    turn % 4 ? "grace\n" : "dead cpu=0\n");
	}
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->nr_problems == 0 && kmem_build(s, 0) == 0 && kmem_seek(s, 0) == 0,
	      "%s", kmem_error(s));
	s->timeline.steps_op = NO_OP;
	for (u32 nr = 0; nr < kmem_nr_ops(s); nr++) {
		replay_run(&s->replay, 1);
		const char *broken = replay_check(&s->replay);
		CHECK(!broken, "%s, event %u: %s", machine, nr + 1, broken);
		if (broken)
			return;
	}
}

int main(void)
{
	RUN(a_bulk_allocation_returns_objects_in_order());
	RUN(bulk_frees_make_no_sheaf());
	RUN(bulk_frees_set_remote_objects_aside());
	RUN(frees_debugged_objects_in_groups());
	RUN(rcu_frees_fill_a_sheaf());
	RUN(rcu_frees_work_without_a_sheaf());
	RUN(frees_nothing_before_the_grace_period_ends());
	RUN(prefilled_sheaves_hold_what_was_requested());
	RUN(a_request_above_capacity_gets_an_oversize_sheaf());
	RUN(debugging_checks_each_object_of_a_prefilled_sheaf());
	RUN(announced_requests_use_the_bulk_path());
	RUN(a_barrier_frees_waiting_objects());
	RUN(a_sheaf_moves_with_its_task());
	RUN(failed_requests_return_everything_to_the_slabs());
	RUN(flushes_the_sheaves_of_a_dead_cpu());
	RUN(kernels_before_7_0_serve_bulk_requests_one_by_one());
	RUN(memory_runs_out(""));
	RUN(memory_runs_out("memory=16M"));
	RUN(memory_runs_out("fail_order=3"));
	RUN(memory_runs_out("fail_order=1"));
	RUN(memory_runs_out("fail_order=0"));
	RUN(memory_runs_out("nodes=2 memory=32M fail_order=2"));
	return check_summary();
}
