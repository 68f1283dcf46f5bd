/*
 * slub_edges_test.c - SLUB's comparisons at their edges: the gate of the any-node search, the buckets of a shrink.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

/* The gate's step of an allocation that begins at that cycle; NULL: the search was not entered. */
static const struct kmem_step *gate_at(u64 cycle)
{
	struct policy p = small_world_policy();

	p.gate_by_cycles = 1;
	struct small_world *sw = small_world(1, 1, 512, p);
	sw->w->now = cycle;
	play(sw, "0a1");
	for (u32 i = 0; i < sw->nr_steps; i++)
		if (sw->steps[i].kind == STEP_ANY_NODE_ENTER)
			return &sw->steps[i];
	return NULL;
}

/* cycles mod 1024 up to the stored ratio, 1000, pass. */
static void the_gate_is_open_at_the_ratio_itself(void)
{
	u32 seen = 0;

	for (u64 cycle = 900; cycle < 1024; cycle++) {
		const struct kmem_step *step = gate_at(cycle);
		CHECK(step != NULL, "no search at cycle %u", (u32)cycle);
		if (!step)
			continue;
		u32 gate = step->args[1], open = step->args[2] == OUTCOME_OPEN;
		CHECK(open == (gate <= 1000), "at %u", gate);
		seen |= gate == 1000 ? 1 : gate == 1001 ? 2 : 0;
	}
	CHECK(seen == 3, "both sides of the edge were tried");
}

/* Of the gate to other nodes: a number is told only where the model reads one. */
static void a_counter_that_is_not_read_has_no_value(void)
{
	static const struct {
		const char *gate, *ratio, *want;
	} gates[] = {
		{ "open", "100",
		  "CPU 0 may search other nodes: the ratio is 1,000 (ten times remote_node_defrag_ratio), "
		  "and the model lets any but 0 pass." },
		{ "open", "0",
		  "CPU 0 does not search other nodes: remote_node_defrag_ratio is 0." },
		{ "cycles", "0",
		  "CPU 0 does not search other nodes: remote_node_defrag_ratio is 0." },
		{ "cycles", "100",
		  "cycle counter modulo 1,024 is at most 1,000 (ten times remote_node_defrag_ratio). It was " },
	};

	for (u32 i = 0; i < ARRAY_SIZE(gates); i++) {
		struct kmem_session *s = session_of_text(
			"slabtrace 1\nmachine cpus=4 nodes=2\ncache c size=512\na 1 c cpu=0\n");
		CHECK(!kmem_set(s, "defrag_gate", gates[i].gate) &&
			      !kmem_set(s, "remote_node_defrag_ratio", gates[i].ratio) &&
			      !kmem_build(s, 1 << 20),
		      "%s", kmem_error(s));
		s32 nr = kmem_steps(s, 0), found = 0;
		for (s32 k = 0; k < nr; k++) {
			const struct kmem_step *step = kmem_step_rows(s) + k;
			if (step->kind != STEP_ANY_NODE_ENTER)
				continue;
			found++;
			CHECK(strstr(kmem_step_sentence(s, step), gates[i].want), "%s",
			      kmem_step_sentence(s, step));
		}
		CHECK(found == 1, "%s, %s: %d steps", gates[i].gate, gates[i].ratio, found);
	}
}

/* Slabs with up to 32 free objects move to the front, fewest first; one with 33 stays after them. */
static void a_shrink_sorts_up_to_32(void)
{
	struct policy p = small_world_policy();

	p.cpu_partial_lists = 0;
	struct small_world *sw = small_world(2, 1, 64, p);
	for (u32 id = 0; id < 3 * 64 + 1; id++)
		play_alloc(sw, 0, id, NODE_ANY);
	for (u32 id = 0; id < 33; id++)
		play_free(sw, 1, id);
	for (u32 id = 64; id < 64 + 32; id++)
		play_free(sw, 1, id);
	play_free(sw, 1, 128);
	play(sw, "S");
	CHECK(strstr(draw(sw), "node0:2(1)1(32)") != NULL, "%s", sw->text);
	CHECK(strstr(sw->text, "0(33)") != NULL, "%s", sw->text);
}

int main(void)
{
	RUN(the_gate_is_open_at_the_ratio_itself());
	RUN(a_counter_that_is_not_read_has_no_value());
	RUN(a_shrink_sorts_up_to_32());
	return check_summary();
}
