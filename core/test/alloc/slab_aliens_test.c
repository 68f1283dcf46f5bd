/*
 * slab_aliens_test.c - SLAB on three and four nodes: in which order the reaper and a shrink drain alien caches.
 *
 * CPU n is on node n. Object ids name the node they are of: 100 is of node 1, 200 of node 2.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

#include "alloc/slab/slab.h"

static struct small_world *machine(u32 nodes)
{
	struct policy p = small_world_policy();

	p.allocator = ALLOCATOR_SLAB;
	return small_world(nodes, nodes, 256, p);
}

/* Every CPU allocates this many objects on its own node. */
static void allocate(struct small_world *sw, u32 nodes, u32 each)
{
	for (u32 node = 0; node < nodes; node++)
		for (u32 i = 0; i < each; i++)
			play_alloc(sw, node, node * 100 + i, NODE_ANY);
}

/* The steps of a turn or a shrink as text: A1: alien cache of node 1 is sent home, c2: the cursor is at node 2. */
static const char *told(struct small_world *sw)
{
	u32 len = 0;

	sw->text[0] = 0;
	for (u32 i = 0; i < sw->nr_steps; i++) {
		const struct kmem_step *step = &sw->steps[i];
		const char *format = NULL;
		u32 number = step->node;
		if (step->kind == STEP_REAP_ALIEN)
			format = " %u:A%u";
		else if (step->kind == STEP_REAP_CURSOR)
			format = " %u:c%u";
		else if (step->kind == STEP_ALIEN_TO_SHARED)
			format = " %u:H%u";
		else if (step->kind == STEP_DRAIN_ARRAY && step->args[0] == PLACE_ALIEN_ARRAY)
			format = " %u:D%u";
		else if (step->kind == STEP_DRAIN_ARRAY && step->args[0] == PLACE_SHARED_ARRAY)
			format = " %u:S%u";
		else if (step->kind == STEP_DRAIN_ARRAY)
			format = " %u:P%u";
		if (!format)
			continue;
		if (step->kind == STEP_REAP_ALIEN)
			number = step->args[0];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		len += (u32)snprintf(sw->text + len, sizeof(sw->text) - len, format, step->cpu,
				     number);
#pragma GCC diagnostic pop
	}
	return sw->text;
}

static const char *turn(struct small_world *sw, u32 cpu)
{
	step_begin(sw->w, RECORD_LIST, 0, NULL);
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	sw->ops->tick(sw->w, cpu, TICK_REAP, 0);
	sw->w->op++;
	sw->nr_steps = step_end(sw->w);
	CHECK(!laws(sw), "%s", laws(sw));
	return told(sw);
}

static void says(const char *have, const char *want)
{
	CHECK(!strcmp(have, want), "\n  have %s\n  want %s", have, want);
}

static u32 aliens_of(struct small_world *sw, u32 node, u32 home)
{
	const struct array_cache *ac = slab_alien_at(sw->w, slab_node(sw->w, sw->s, node), home);

	return ac ? ac->avail : 0;
}

/* The cursor of each CPU starts after its own node and goes up; a turn at its own node drains nothing. */
static void reaper_on_three_nodes(void)
{
	struct small_world *sw = machine(3);

	allocate(sw, 3, 8);
	play_free(sw, 0, 100);
	play_free(sw, 0, 101);
	play_free(sw, 0, 200);
	says(turn(sw, 0), " 0:A1 0:H1 0:c2");
	CHECK(aliens_of(sw, 0, 1) == 0 && aliens_of(sw, 0, 2) == 1, "the other one waits");
	says(turn(sw, 0), " 0:A2 0:H2 0:c0");
	play_free(sw, 0, 102);
	play_free(sw, 0, 201);
	says(turn(sw, 0), " 0:c1");
	CHECK(aliens_of(sw, 0, 1) == 1 && aliens_of(sw, 0, 2) == 1, "nothing at its own node");
	says(turn(sw, 0), " 0:A1 0:H1 0:c2");
	/* CPU 1 starts at node 2, CPU 2 at node 0, wherever CPU 0 is by now. */
	play_free(sw, 1, 0);
	play_free(sw, 1, 202);
	says(turn(sw, 1), " 1:A2 1:H2 1:c0");
	says(turn(sw, 1), " 1:A0 1:H0 1:c1");
	play_free(sw, 2, 1);
	play_free(sw, 2, 103);
	says(turn(sw, 2), " 2:A0 2:H0 2:c1");
	says(turn(sw, 2), " 2:A1 2:H1 2:c2");
}

static void reaper_on_four_nodes(void)
{
	struct small_world *sw = machine(4);

	allocate(sw, 4, 8);
	for (u32 node = 0; node < 4; node++)
		if (node != 2)
			play_free(sw, 2, node * 100);
	says(turn(sw, 2), " 2:A3 2:H3 2:c0");
	says(turn(sw, 2), " 2:A0 2:H0 2:c1");
	says(turn(sw, 2), " 2:A1 2:H1 2:c2");
	says(turn(sw, 2), " 2:c3");
}

/* CPUs first, then alien caches by node and in each by home, then shared arrays: 2:D1 is node 1's, for CPU 2 asked. */
static void shrink_on_three_nodes(void)
{
	struct small_world *sw = machine(3);

	allocate(sw, 3, 8);
	play_free(sw, 1, 0);
	play_free(sw, 1, 200);
	play_free(sw, 2, 100);
	play_free(sw, 2, 1);
	play_free(sw, 0, 201);
	play_free(sw, 0, 101);
	play(sw, "F");
	says(told(sw), " 0:P0 0:P1 0:P2"
		       " 0:D0 0:H1 0:D0 0:H2 0:D1 0:H0 0:D1 0:H2 0:D2 0:H0 0:D2 0:H1"
		       " 0:S0 0:S1 0:S2");
}

/* What comes home first leaves the shared array first, and its slab stands before the other one's on the list. */
static void order_reaches_the_slabs(void)
{
	struct small_world *sw = machine(3);

	allocate(sw, 3, 40);
	u32 by_node_1 = sw->ops->serial(sw->w, LOC_SLAB(sw->loc[0]));
	u32 by_node_2 = sw->ops->serial(sw->w, LOC_SLAB(sw->loc[20]));
	play_free(sw, 2, 20);
	play_free(sw, 1, 0);
	play(sw, "F");
	const struct kmem_cache_node *n = slab_node(sw->w, sw->s, 0);
	const struct slab *last = at(sw->w, n->tail[SLABS_PARTIAL]),
			  *before = at(sw->w, last->prev);
	CHECK(by_node_1 != by_node_2, "two slabs");
	CHECK(before->head.serial == by_node_1 && last->head.serial == by_node_2,
	      "slabs %u, %u at the tail, not %u, %u", before->head.serial, last->head.serial,
	      by_node_1, by_node_2);
}

int main(void)
{
	RUN(reaper_on_three_nodes());
	RUN(reaper_on_four_nodes());
	RUN(shrink_on_three_nodes());
	RUN(order_reaches_the_slabs());
	return check_summary();
}
