/*
 * experiment_slob.c - the 2021 proposal: hackbench under SLOB, and under SLOB with a page list for each power of two.
 *
 * Plain SLOB searches pages and their free blocks.
 *
 * The proposal ran 16,000,000 messages; ours are 160,000, and on one CPU as many as the guests of the real kernel
 * ran.
 */
#include "sim/step.h"
#include "studies/experiment.h"

enum run {
	BOOT_OLD,
	BOOT_NEW,
	TWO_OLD,
	TWO_NEW,
	ONE_OLD,
	ONE_NEW,
	ONE_SLUB,
	ONE_SLAB,
	FEW_OLD,
	FEW_NEW,
	NR_RUNS
};

static const struct plan {
	const char *workload, *settings;
} plans[NR_RUNS] = {
	[BOOT_OLD] = { "boot", "cpus=2 allocator=slob" },
	[BOOT_NEW] = { "boot", "cpus=2 allocator=slob-segregated" },
	[TWO_OLD] = { "hackbench", "cpus=2 loops=100 allocator=slob" },
	[TWO_NEW] = { "hackbench", "cpus=2 loops=100 allocator=slob-segregated" },
	[ONE_OLD] = { "hackbench", "cpus=1 loops=100 allocator=slob" },
	[ONE_NEW] = { "hackbench", "cpus=1 loops=100 allocator=slob-segregated" },
	[ONE_SLUB] = { "hackbench", "cpus=1 loops=100 allocator=slub" },
	[ONE_SLAB] = { "hackbench", "cpus=1 loops=100 allocator=slab" },
	[FEW_OLD] = { "hackbench", "cpus=1 loops=25 allocator=slob" },
	[FEW_NEW] = { "hackbench", "cpus=1 loops=25 allocator=slob-segregated" },
};

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	(void)e;
	to->workload = plans[run].workload;
	text_print(&to->settings, "%s%s work=%u", plans[run].settings,
		   run <= BOOT_NEW ? "" : " groups=4", (u32)COST_WORK_MESSAGE);
}

/* Returns the cycles inside the allocator and outside it. */
static u64 all_cycles(const struct kmem_totals *t)
{
	return t->cycles + t->work_cycles;
}

/* Returns the allocator's pages plus those that kmalloc took directly: Slab in /proc/meminfo counts both for SLOB. */
static u64 pages_kb(const struct kmem_totals *t)
{
	return (t->slab_bytes + t->large_bytes) >> 10;
}

static void judge_memory(struct experiment *e)
{
	u64 old = pages_kb(totals_of(e, BOOT_OLD)), new = pages_kb(totals_of(e, BOOT_NEW));
	s64 more = old ? (s64)(new * 1000 / old) - 1000 : 0;

	figure_ours(e, FIG_SLOB_SLAB_OLD, (s64)old, 0);
	figure_ours(e, FIG_SLOB_SLAB_NEW, (s64) new, 0);
	figure_ours(e, FIG_SLOB_SLAB_MORE, more, 1);
	judge_open(
		e, FIG_SLOB_SLAB_OLD, 2,
		"The boot is not theirs, and their hackbench is missing, so compare the increase.");
	text_print(&e->texts,
		   "Sizes are rounded up to powers of two; after our boot %ju kB were requested. ",
		   (uintmax_t)(totals_of(e, BOOT_NEW)->requested_bytes >> 10));
	judge_value(e, FIG_SLOB_SLAB_MORE, RULE_ONCE_1);
}

static void fill_two(struct experiment *e, u32 first, u64 old, u64 new, u32 decimals)
{
	figure_ours(e, first, (s64)old, decimals);
	figure_ours(e, first + 1, (s64) new, decimals);
	judge_two_times(e, first, 1);
}

static void judge_faster(struct experiment *e)
{
	const struct kmem_totals *old = totals_of(e, TWO_OLD), *new = totals_of(e, TWO_NEW);
	u64 factor = old->elapsed_cycles * 100 / MAX(new->elapsed_cycles, (u64)1);

	figure_ours(e, FIG_SLOB_FASTER, (s64)factor, 2);
	text_print(
		&e->texts,
		"The walk makes the difference: SLOB looked at %.2jd pages and %.2jd blocks per allocation and took %.2jd %% of all cycles, %.2jd %% of these waiting for its lock. Segregated, the allocator takes %.2jd %%. How far a walk goes depends on how "
		"memory has been cut up: our run starts on an empty machine and sends a hundredth of "
		"the proposal's messages. ",
		(intmax_t)(old->pages_visited * 100 / MAX(old->searches, (u64)1)),
		(intmax_t)(old->blocks_visited * 100 / MAX(old->searches, (u64)1)),
		(intmax_t)share_of(old->cycles, all_cycles(old)),
		(intmax_t)share_of(old->lock_wait_cycles, old->cycles),
		(intmax_t)share_of(new->cycles, all_cycles(new)));
	judge_value(e, FIG_SLOB_FASTER, RULE_ONCE_2);
}

/* Fills in part / all. */
static void fill_ratio(struct experiment *e, u32 figure, u64 part, u64 all, u32 decimals)
{
	for (u32 i = 0; i < decimals; i++)
		part *= 10;
	figure_ours(e, figure, (s64)(part / MAX(all, (u64)1)), decimals);
}

static void judge_perf(struct experiment *e)
{
	static const char not_measured[] =
		"The model has no scheduler, caches, branches or user space, so none of this is measured.";
	const struct kmem_totals *old = totals_of(e, TWO_OLD), *new = totals_of(e, TWO_NEW);

	fill_two(e, FIG_SLOB_TIME_OLD, old->elapsed_cycles / 1000, new->elapsed_cycles / 1000, 3);
	fill_two(e, FIG_SLOB_ELAPSED_OLD, old->elapsed_cycles / 1000, new->elapsed_cycles / 1000,
		 3);
	fill_two(e, FIG_SLOB_CLOCK_OLD, all_cycles(old) / 1000, all_cycles(new) / 1000, 3);
	fill_two(e, FIG_SLOB_CYCLES_OLD, all_cycles(old) / 1000, all_cycles(new) / 1000, 3);
	fill_two(e, FIG_SLOB_SYS_OLD, old->cycles / 1000, new->cycles / 1000, 3);
	fill_ratio(e, FIG_SLOB_UTILIZED_OLD, all_cycles(old), old->elapsed_cycles, 3);
	fill_ratio(e, FIG_SLOB_UTILIZED_NEW, all_cycles(new), new->elapsed_cycles, 3);
	judge_open(
		e, FIG_SLOB_UTILIZED_OLD, 2,
		"The model has no scheduler: which CPU a task runs on is the workload's, and nothing moves tasks to a CPU that has none.");
	judge_open(e, FIG_SLOB_SWITCHES_OLD, FIG_SLOB_CYCLES_OLD - FIG_SLOB_SWITCHES_OLD,
		   not_measured);
	judge_open(e, FIG_SLOB_GHZ_OLD, FIG_SLOB_ELAPSED_OLD - FIG_SLOB_GHZ_OLD, not_measured);
	judge_open(e, FIG_SLOB_USER_OLD, 2, not_measured);
	judge_faster(e);
}

/* SLOB's kmalloc_size_roundup rounds to 8 bytes, that of the others to the size class; __alloc_skb calls it. */
static const char asked_for[] =
	"In the guests SLOB was asked for 448 bytes of data per message, eight to a page; our trace asks for 512 as "
	"recorded under SLUB, seven to a page. ";

static const char cause_not_known[] =
	"How many blocks a walk meets depends on how earlier events have cut up the pages. Messages take 448 bytes in the "
	"guests and 512 here, but that does not show on which side ours should be, so the cause is not known. ";

static const char made_by[] =
	"How long tasks run at first in our hackbench was set to match SLOB's walk in this guest "
	"(workload_hackbench.c), so a near match proves nothing.";

static void judge_walk(struct experiment *e, u32 first, enum run old, enum run new)
{
	const struct kmem_totals *t[] = { totals_of(e, old), totals_of(e, new) };

	for (u32 i = 0; i < 2; i++) {
		fill_ratio(e, first + i, t[i]->pages_visited, t[i]->searches, 2);
		fill_ratio(e, first + 2 + i, t[i]->blocks_visited, t[i]->searches, 2);
		fill_ratio(e, first + 4 + i, t[i]->counters[PAGE_NEW], 1, 0);
		for (u32 k = 0; k < 6; k += 2) {
			if (k + i == 0) {
				judge_open(e, first, 1, made_by);
				continue;
			}
			text_add(&e->texts, i ? "" : k == 2 ? cause_not_known : asked_for);
			judge_value(e, first + k + i, RULE_ONCE_1);
		}
	}
}

/* Judges the proposal's claim that a search is bounded, whatever happened before. */
static void judge_bound(struct experiment *e, u32 first, u32 old, u32 new)
{
	figure_ours(e, first, old, 0);
	figure_ours(e, first + 1, new, 0);
	judge_open(
		e, first, 1,
		"The longest walk of the run, which the proposal complains of: only the amount of memory bounds it.");
	judge_open(
		e, first + 1, 1,
		"One look each time, in the longest run as in the shortest, is what the proposal "
		"promises: predictable time. It gives no figure for it.");
}

static void judge_against_slub(struct experiment *e)
{
	static const enum run runs[] = { ONE_OLD, ONE_NEW, ONE_SLAB };

	const struct kmem_figure_row *look = figure_row(e, FIG_SLOB_MORE_A_LOOK);

	for (u32 i = 0; i < ARRAY_SIZE(runs); i++) {
		u64 ours = totals_of(e, runs[i])->elapsed_cycles,
		    slub = totals_of(e, ONE_SLUB)->elapsed_cycles;
		fill_ratio(e, FIG_SLOB_AGAINST_SLOB + i, ours, slub, 3);
		if (runs[i] == ONE_OLD)
			text_print(
				&e->texts,
				"SLOB costs more than SLUB because of its walk: each page or block that it looks at takes %.*jd model cycles here and %.*jd instructions in the guest. ",
				look->ours_decimals, (intmax_t)look->ours_value,
				look->real_decimals, (intmax_t)look->real_value);
		judge_value(e, FIG_SLOB_AGAINST_SLOB + i, RULE_ONCE_1);
	}
}

/* Explains the ratio to SLUB. */
static void judge_walk_cost(struct experiment *e)
{
	const struct kmem_totals *old = totals_of(e, ONE_OLD);
	u64 slub = totals_of(e, ONE_SLUB)->elapsed_cycles,
	    more = MAX(old->elapsed_cycles, slub) - slub;

	fill_ratio(e, FIG_SLOB_MORE_AN_ALLOCATION, more, old->searches, 0);
	fill_ratio(e, FIG_SLOB_MORE_A_LOOK, more, old->pages_visited + old->blocks_visited, 1);
	judge_open(
		e, FIG_SLOB_MORE_AN_ALLOCATION, 2,
		"Instructions are not cycles: for how the walk's cost adds up, compare the ratio to SLUB above.");
}

static void judge(struct experiment *e)
{
	const struct kmem_totals *old = totals_of(e, TWO_OLD), *new = totals_of(e, TWO_NEW);

	judge_memory(e);
	judge_perf(e);
	judge_walk(e, FIG_SLOB_PAGES_25_OLD, FEW_OLD, FEW_NEW);
	judge_walk(e, FIG_SLOB_PAGES_100_OLD, ONE_OLD, ONE_NEW);
	judge_bound(e, FIG_SLOB_MOST_PAGES_OLD, old->most_pages_visited, new->most_pages_visited);
	judge_bound(e, FIG_SLOB_MOST_BLOCKS_OLD, old->most_blocks_visited,
		    new->most_blocks_visited);
	judge_walk_cost(e);
	judge_against_slub(e);
}

const struct experiment_shape experiment_slob = { NR_RUNS, plan, NULL, judge };
