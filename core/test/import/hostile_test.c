/*
 * hostile_test.c - parameters and traces at their limits: a result or a sentence, never a trap.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

static void replays(const char *text, const char *key, const char *value)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!key || kmem_set(s, key, value) == 0, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_view(s, 0xffff) != NULL, "%s", kmem_error(s));
	for (u32 op = 0; op < kmem_nr_ops(s); op++)
		CHECK(kmem_steps(s, op) >= 0, "op %u: %s", op, kmem_error(s));
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
}

static void replays_on_the_largest_machine(void)
{
	replays("slabtrace 1\nmachine cpus=4096 nodes=1024 page_size=65536 memory=64T\n"
		"cache c size=256\na 1 c cpu=4095 node=1023\na 2 c cpu=0 node=1023\nf 1 cpu=1\nshrink c\n",
		NULL, NULL);
}

static void replays_with_the_largest_slab(void)
{
	replays("slabtrace 1\nmachine max_order=10 min_objects=32767\ncache c size=8\n"
		"a 1 c cpu=0\nf 1 cpu=0\n",
		"page_size", "65536");
	replays("slabtrace 1\nmachine min_order=10 max_order=10\ncache c size=8\na 1 c cpu=0\n",
		NULL, NULL);
}

static void survives_an_object_that_no_run_holds(void)
{
	replays("slabtrace 1\ncache c size=4194304 flags=ctor\na 1 c cpu=0\nf 1 cpu=0\n", NULL,
		NULL);
}

static void extreme_thresholds_are_harmless(void)
{
	const char *text = synthetic_trace(tries(3000, 1000), 300, 3, 1);

	replays(text, "cpu_partial", "4294967294");
	replays(text, "min_partial", "4294967294");
	replays(text, "cpu_partial", "0");
	replays(text, "fail_order", "1");
	replays(text, "fail_order", "0");
	replays(text, "memory", "16M");
}

static void refuses_impossible_settings_and_calls_with_a_reason(void)
{
	struct kmem_session *s = session_of_text("slabtrace 1\ncache c size=64\na 1 c cpu=0\n");

	CHECK(kmem_set(s, "min_order", "5") == 0 && kmem_build(s, 0) == KMEM_EPARAM);
	CHECK(strstr(kmem_error(s), "min_order") != NULL, "%s", kmem_error(s));
	CHECK(kmem_set(s, "min_order", "") == 0 && kmem_set(s, "cpu_node", "0,7") == 0);
	CHECK(kmem_build(s, 0) == KMEM_EPARAM, "a CPU on a node that is not there");
	CHECK(kmem_set(s, "cpu_node", "") == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 2) == KMEM_ESTATE && kmem_steps(s, 1) == KMEM_ESTATE);
	CHECK(kmem_steps(s, 0xffffffff) == KMEM_ESTATE && kmem_peek(s, 0, 99, 0) == NULL);
	CHECK(kmem_order(s, 0) == NULL && kmem_error(s)[0] != 0);
}

/* The tables of a large import must not get in the way of the next one. */
static void a_small_trace_can_follow_a_large_one(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(60000, 20000, 2, 1));
	const char *small = "slabtrace 1\ncache c size=64\na 1 c cpu=0\n";

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	for (u32 i = 0; i < 3; i++) {
		CHECK(kmem_import_begin(s) == 0);
		CHECK(kmem_import_chunk(s, (const u8 *)small, (u32)strlen(small)) == 0);
		CHECK(kmem_import_end(s) == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
		CHECK(kmem_nr_ops(s) == 1 && kmem_check(s) == 0);
	}
}

/* A dry import keeps nothing, and does not get in the way of a real one. */
static void a_dry_import_keeps_nothing(void)
{
	const char *text = synthetic_trace(500, 50, 2, 1);
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_import_begin(s) == 0 && kmem_import_dry(s) == 0);
	CHECK(kmem_import_chunk(s, (const u8 *)text, (u32)strlen(text)) == 0);
	kmem_import_end(s);
	CHECK(kmem_nr_ops(s) == 0 && kmem_build(s, 0) == KMEM_ESTATE);
	CHECK(kmem_import_begin(s) == 0);
	CHECK(kmem_import_chunk(s, (const u8 *)text, (u32)strlen(text)) == 0);
	CHECK(kmem_import_end(s) == 0 && kmem_build(s, 0) == 0 && kmem_nr_ops(s) == 500);
	CHECK(kmem_import_dry(s) == KMEM_ESTATE);
}

int main(void)
{
	RUN(replays_on_the_largest_machine());
	RUN(replays_with_the_largest_slab());
	RUN(survives_an_object_that_no_run_holds());
	RUN(extreme_thresholds_are_harmless());
	RUN(refuses_impossible_settings_and_calls_with_a_reason());
	RUN(a_small_trace_can_follow_a_large_one());
	RUN(a_dry_import_keeps_nothing());
	return check_summary();
}
