/*
 * experiment_node_search.c - the 2018 proposal: a kernel build on a machine of one node and on one of four.
 *
 * The search for partial slabs of other nodes looks at every zone, or skips the nodes where it has just failed.
 *
 * The proposal averaged four builds of each kind; we use four traces. Only the allocator's time counts: no trace
 * records how long the compilers themselves take.
 */
#include "sim/step.h"
#include "studies/experiment.h"

enum { ROUNDS = 4, BASE = 0, PATCHED = 1, ONE_NODE = 0, FOUR_NODES = 1, NR_RUNS = 4 * ROUNDS };

/* Steps of the search, as in steps.def. */
enum {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) CYCLES_OF_##kind = cycles,
#include "tables/steps/steps.def"
#undef STEP
};

struct sums {
	u64 searches, zones, slabs, elapsed, cycles;
};

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	u32 round = run / 4, four = run / 2 % 2, patched = run % 2;

	(void)e;
	to->workload = "kernel-build";
	text_print(
		&to->settings, "kernel=6.1 cpus=8 jobs=8 files=96 nodes=%s node_search=%s seed=%u",
		four ? "4 memory=8G" : "1 memory=4G", patched ? "skip-checked" : "all", round + 1);
}

static struct sums sums_of(const struct experiment *e, u32 nodes, u32 patched)
{
	struct sums sums = { 0 };

	for (u32 run = nodes * 2 + patched; run < NR_RUNS; run += 4) {
		const struct kmem_totals *t = totals_of(e, run);
		sums.searches += t->any_node_entered;
		sums.zones += t->any_node_zones;
		sums.slabs += t->counters[ALLOC_SLAB];
		sums.elapsed += t->elapsed_cycles;
		sums.cycles += t->cycles;
	}
	return sums;
}

/* A fall by a quarter is -250, in thousandths. */
static s64 change_of(u64 from, u64 to, s64 parts)
{
	return from ? ((s64)to - (s64)from) * parts / (s64)from : 0;
}

/* Searches that found a slab did not allocate a new one. */
static void add_hits(struct text *why, const struct sums *s)
{
	u64 hits = s->searches > s->slabs ? s->searches - s->slabs : 0;

	text_print(why, "%ju searches looked at %ju zones", (uintmax_t)s->searches,
		   (uintmax_t)s->zones);
	if (hits)
		text_print(why, ", and at least %.2jd %% found a slab",
			   (intmax_t)share_of(hits, s->searches));
	text_add(why, ".");
}

/* Judges the tries per call, before and after the change, and the reduction. */
static void judge_tries(struct experiment *e, u32 first, u32 nodes)
{
	static const char *const said[][2] = {
		{ "Every search asks the three zones of the one node, which has nothing: ",
		  "The node has just been looked at, so none of its three zones is: " },
		{ "A search that finds nothing asks all six zones (2, 2, 1 and 1 of the nodes); one that finds "
		  "something ends early: ",
		  "A search that finds nothing asks the three other nodes once each, so the proposal's 2.5 needs some "
		  "15 % that end early: " },
	};

	/* The number of successful searches in the guests that real_from names. */
	static const char *const found[][2] = {
		{ " ", " " },
		{ " In the guests 32 of 635 did. ", " In the guests 130 of 490 did. " },
	};
	u64 tries[2];

	for (u32 i = BASE; i <= PATCHED; i++) {
		struct sums s = sums_of(e, nodes, i);
		tries[i] = s.searches ? (s.zones * 1000 / s.searches + 5) / 10 : 0;
		figure_ours(e, first + i, (s64)tries[i], 2);
		text_add(&e->texts, said[nodes][i]);
		add_hits(&e->texts, &s);
		text_add(&e->texts, found[nodes][i]);
		judge_value(e, first + i, RULE_ROUNDS);
	}
	figure_ours(e, first + 2, change_of(tries[BASE], tries[PATCHED], 1000), 1);
	judge_value(e, first + 2, RULE_ROUNDS);
}

/* In the order of the proposal's table: base, patched, change. */
static void judge_build(struct experiment *e, u32 first, u32 nodes)
{
	struct sums base = sums_of(e, nodes, BASE), patched = sums_of(e, nodes, PATCHED);

	figure_ours(e, first, (s64)(base.elapsed / ROUNDS / 1000), 3);
	figure_ours(e, first + 1, (s64)(patched.elapsed / ROUNDS / 1000), 3);
	judge_two_times(e, first, ROUNDS);
	figure_ours(e, first + 2, change_of(base.elapsed, patched.elapsed, 100000), 3);
	text_print(
		&e->texts,
		"Asking zones takes %.2jd %% of the allocator's cycles, and skipping a zone costs the model as much as asking it: larger changes come from CPUs that meet in another order. This is checked against the real kernel's instructions, "
		"but Base and Patched against the order of the proposal's seconds, so the verdicts may differ. ",
		(intmax_t)share_of(base.zones * CYCLES_OF_ANY_NODE_ZONE, base.cycles));
	judge_value(e, first + 2, RULE_ROUNDS);
}

static void judge(struct experiment *e)
{
	judge_tries(e, FIG_TRIES_ONE_BASE, ONE_NODE);
	judge_tries(e, FIG_TRIES_FOUR_BASE, FOUR_NODES);
	judge_build(e, FIG_BUILD_ONE_BASE, ONE_NODE);
	judge_build(e, FIG_BUILD_FOUR_BASE, FOUR_NODES);
}

const struct experiment_shape experiment_node_search = { NR_RUNS, plan, NULL, judge };
