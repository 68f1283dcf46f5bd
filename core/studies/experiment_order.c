/*
 * experiment_order.c - the 2023 proposal: how many pages a slab gets on pages of 64 KiB, by two order rules.
 *
 * It compares the rule up to 6.6 with the proposal's rule, on 160 CPUs and on 16. The figures are memory after boot
 * and after hackbench, and the time of hackbench by groups.
 *
 * The rules alone are compared for every size. Their effect on memory and time depends on the slot sizes of a machine's
 * caches. We measure it whether or not the rule changes one of these sizes.
 */
#include "sim/step.h"
#include "sim/cache.h"
#include "studies/experiment.h"

enum { NR_MACHINES = 2, NORMAL = 0, PATCHED = 1, BOOT = 0, HACKBENCH = 1, MOST_GROUPS = 15 };

enum {
	PAGE_SHIFT = 16,
	LAST_SIZE = 65536,
	SIZE_STEP = 8,
	KB = 1024,
	/* The numbers of groups for the runs that measure memory. */
	MEMORY_GROUPS = 16,
};

/* The proposal's numbers of groups. */
static const struct computer {
	u32 cpus, nr_groups, waste, memory, hack, sizes;
	u16 groups[MOST_GROUPS];
} computers[NR_MACHINES] = {
	{ 160,
	  15,
	  FIG_WASTE_160_NORMAL_BOOT,
	  FIG_MEMORY_160_NORMAL_BOOT,
	  FIG_HACK_160_1_NORMAL,
	  FIG_SIZES_160_CHANGED,
	  { 1, 4, 7, 12, 21, 30, 48, 79, 110, 141, 172, 203, 234, 265, 296 } },
	{ 16,
	  8,
	  FIG_WASTE_16_NORMAL_BOOT,
	  FIG_MEMORY_16_NORMAL_BOOT,
	  FIG_HACK_16_1_NORMAL,
	  FIG_SIZES_16_CHANGED,
	  { 1, 4, 7, 12, 21, 30, 48, 64 } },
};

enum {
	RUNS_160 = 2 * (2 + 15),
	RUNS_16 = 2 * (2 + 8),
	NR_RUNS = RUNS_160 + RUNS_16,
};

/* Runs come in pairs, by the two rules; the first two pairs of a machine are for memory. */
static u32 run_of(const struct computer *m, u32 pair, u32 patched)
{
	return (m == computers ? 0 : RUNS_160) + pair * 2 + patched;
}

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	const struct computer *m = &computers[run >= RUNS_160];
	u32 patched = run % 2, nr = (run - run_of(m, 0, 0)) / 2;

	to->workload = nr == BOOT ? "boot" : "hackbench";
	text_print(&to->settings, "kernel=6.1 page_size=65536 memory=64G cpus=%u order_rule=%s",
		   m->cpus, patched ? "rfc-2023" : "mainline");
	if (nr == HACKBENCH)
		text_print(&to->settings, " after_boot=1 loops=10 groups=%u", (u32)MEMORY_GROUPS);
	/* The workload scales by groups here, because two messages cannot be scaled. */
	if (nr > HACKBENCH)
		text_print(&to->settings, " loops=2 work=%u groups=%u", (u32)COST_WORK_MESSAGE,
			   MAX(m->groups[nr - 2] * e->scale / 100, 1u));
}

static const struct policy normal_rule = { .max_order = 3, .order_rule = ORDER_MAINLINE };
static const struct policy patched_rule = { .max_order = 3, .order_rule = ORDER_RFC_2023 };

/* Counts the caches, and those whose order the rule changes. */
static void count_caches(struct kmem_session *s, u64 counts[2])
{
	u32 nr, cpus = session_nr_cpus(s);
	const struct kmem_cache_row *row = kmem_cache_rows(s, &nr);

	counts[0] = nr;
	for (u32 i = 0; i < nr; i++)
		counts[1] += order_calculate(&normal_rule, PAGE_SHIFT, cpus, row[i].size, NULL) !=
			     order_calculate(&patched_rule, PAGE_SHIFT, cpus, row[i].size, NULL);
}

/* The rule */

struct rule {
	u32 changed, upwards;
	u64 pages[2], left[2]; /* sums over the sizes that change; left in thousandths of a slab */
};

static struct rule rule_of(u32 cpus)
{
	struct rule r = { 0 };

	for (u32 size = SIZE_STEP; size <= LAST_SIZE; size += SIZE_STEP) {
		const u32 order[] = { order_calculate(&normal_rule, PAGE_SHIFT, cpus, size, NULL),
				      order_calculate(&patched_rule, PAGE_SHIFT, cpus, size,
						      NULL) };
		if (order[0] == order[1])
			continue;
		r.changed++;
		r.upwards += order[1] > order[0];
		for (u32 i = 0; i < 2; i++) {
			u64 bytes = (u64)1 << (PAGE_SHIFT + order[i]);
			r.pages[i] += (u64)1 << order[i];
			r.left[i] += bytes % size * 1000 / bytes;
		}
	}
	return r;
}

static void judge_rule(struct experiment *e, const struct computer *m)
{
	struct rule r = rule_of(m->cpus);
	const u32 counts[] = { r.changed, r.upwards };

	for (u32 i = 0; i < 2; i++) {
		u32 figure = m->sizes + i;
		figure_ours(e, figure, counts[i], 0);
		text_add(
			&e->texts,
			"By the model's rule, which gives every size in the kernel's tables its order: ");
		judge_value(e, figure, RULE_ROUNDS);
	}
	if (m->sizes != FIG_SIZES_16_CHANGED || !r.changed)
		return;
	for (u32 i = 0; i < 2; i++) {
		figure_ours(e, FIG_SIZES_16_PAGES_NORMAL + i, (s64)(r.pages[i] * 100 / r.changed),
			    2);
		figure_ours(e, FIG_SIZES_16_LEFT_NORMAL + i, (s64)(r.left[i] * 10 / r.changed), 2);
	}
	judge_open(
		e, FIG_SIZES_16_PAGES_NORMAL, 4,
		"What the change costs and gains where it changes something: slabs twice as large, with a smaller share of tail waste.");
}

/* Memory and time */

static s64 change_of(u64 from, u64 to)
{
	return from ? ((s64)to - (s64)from) * 10000 / (s64)from : 0;
}

static void add_cause(struct experiment *e, const struct computer *m)
{
	struct rule r = rule_of(m->cpus);
	const u64 *counts = e->results[run_of(m, HACKBENCH, PATCHED)].counts;
	struct text *why = &e->texts;

	text_print(why, "On %u CPUs with pages of 64 KiB the posted rule changes the order of ",
		   m->cpus);
	if (!r.changed) {
		text_add(why, "no size at all: both runs are the same slab for slab, and what the "
			      "proposal saw cannot come from it. ");
		return;
	}
	text_print(
		why,
		"%u of 8,192 sizes, so everything depends on whether a machine has caches of such sizes. Of our %u caches, ",
		r.changed, (u32)counts[0]);
	if (counts[1])
		text_print(why, "%u have one. ", (u32)counts[1]);
	else
		text_add(why, "none has one. ");
}

/* Judges six figures: normal and patched, after boot and after hackbench, then the reduction of each. */
static void judge_memory(struct experiment *e, const struct computer *m, u32 first, int is_waste)
{
	u64 value[2][2]; /* [rule][after boot, after hackbench] */

	for (u32 i = 0; i < 4; i++) {
		const struct kmem_totals *t = totals_of(e, run_of(m, i % 2, i / 2));
		value[i / 2][i % 2] = is_waste ? t->waste_tail : t->slab_bytes;
		figure_ours(e, first + i, (s64)(value[i / 2][i % 2] / KB), 0);
	}
	judge_open(e, first, 4,
		   "The machine and its caches are not the proposal's, so compare the change.");
	for (u32 after = BOOT; after <= HACKBENCH; after++) {
		u32 figure = first + 4 + after;
		s64 less = -change_of(value[NORMAL][after], value[PATCHED][after]);
		figure_ours(e, figure, less, 2);
		add_cause(e, m);
		judge_value(e, figure, RULE_ONCE_8);
	}
}

/* Judges three figures for each number of groups: normal, patched, and the speedup. */
static void judge_hackbench(struct experiment *e, const struct computer *m)
{
	for (u32 i = 0; i < m->nr_groups; i++) {
		u32 first = m->hack + 3 * i;
		u64 elapsed[2];
		for (u32 k = NORMAL; k <= PATCHED; k++) {
			elapsed[k] = totals_of(e, run_of(m, 2 + i, k))->elapsed_cycles;
			figure_ours(e, first + k, (s64)(elapsed[k] / 1000), 3);
		}
		judge_two_times(e, first, 1);
		figure_ours(e, first + 2, -change_of(elapsed[NORMAL], elapsed[PATCHED]), 2);
		add_cause(e, m);
		if (time_changed(figure_row(e, first + 2)->seed_value, 1)) {
			judge_value(e, first + 2, RULE_ONCE_8);
			continue;
		}
		rule_value(e, first + 2, RULE_ONCE_8);
		text_add(&e->texts, " But the proposal's change is too small to count.");
		figure_judge(e, first + 2, RULE_ORDER, AGREEMENT_OPEN);
	}
}

static void judge(struct experiment *e)
{
	for (u32 i = 0; i < NR_MACHINES; i++) {
		const struct computer *m = &computers[i];
		judge_rule(e, m);
		judge_memory(e, m, m->waste, 1);
		judge_memory(e, m, m->memory, 0);
		judge_hackbench(e, m);
	}
}

const struct experiment_shape experiment_order = { NR_RUNS, plan, count_caches, judge };
