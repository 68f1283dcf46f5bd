/*
 * experiment_unified.c - the 2010 proposal: tcp_rr by number of threads under the unified allocator, SLUB and SLAB.
 *
 * The proposal measured throughput on a machine at work, so setup and teardown must not count. Runs come in pairs,
 * the second with twice the transactions, and only the difference counts. Every CPU is assumed to be busy all the
 * time.
 */
#include "sim/step.h"
#include "studies/experiment.h"

enum { UNIFIED, SLUB, SLAB, NR_COMPARED };

enum {
	NR_THREADS = 12,
	NR_GUEST_THREADS = 4,
	CPUS = 64,
	TRANSACTIONS =
		23040, /* additional transactions of the second run, about; the same number for each thread */
	GUEST_TRANSACTIONS = 15360,
	PAIRS = NR_THREADS * NR_COMPARED,
	NR_RUNS = PAIRS * 2 + NR_GUEST_THREADS * 2,
};

struct run {
	u64 cycles, work, locks;
	u64 alloc_fast, alloc_slow, free_fast, free_slow, reach;
};

static const char *const allocators[NR_COMPARED] = { "unified", "slub", "slab" };

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	(void)e;
	to->workload = "tcp-rr";
	u32 pair = run / 2, threads = 64 + 64 * (pair / NR_COMPARED),
	    guest_threads = 64u << (pair - MIN(pair, (u32)PAIRS));
	text_print(&to->settings, "kernel=6.1 work=%u ", (u32)COST_WORK_SEGMENT);
	if (pair >= PAIRS)
		text_print(&to->settings,
			   "cpus=8 nodes=4 memory=8G threads=%u transactions=%u allocator=%s",
			   guest_threads, GUEST_TRANSACTIONS / guest_threads,
			   allocators[SLUB + run % 2]);
	else
		text_print(&to->settings,
			   "preset=linux-2.6.36 threads=%u transactions=%u allocator=%s", threads,
			   TRANSACTIONS / threads * (1 + run % 2), allocators[pair % NR_COMPARED]);
}

static void count_lock_takes(struct kmem_session *s, u64 counts[2])
{
	u32 nr;
	const struct kmem_lock_row *rows = kmem_lock_rows(s, &nr);

	for (u32 i = 0; i < nr; i++)
		counts[0] += rows[i].takes;
}

static struct run run_of(const struct experiment *e, u32 run)
{
	const struct kmem_totals *t = totals_of(e, run);
	const u32 *c = t->counters;
	struct run r = {
		.cycles = t->cycles,
		.work = t->work_cycles,
		.locks = e->results[run].counts[0],
		.alloc_fast = (u64)c[ALLOC_FASTPATH] + c[ALLOCHIT],
		.alloc_slow = (u64)c[ALLOC_SLOWPATH] + c[ALLOCMISS],
		.free_fast = (u64)c[FREE_FASTPATH] + c[FREEHIT] + c[NODEFREES] + c[FREE_ALIEN],
		.free_slow = (u64)c[FREE_SLOWPATH] + c[FREEMISS] + c[FREE_ALIEN_SLOW] +
			     c[FREE_DIRECT],
	};

	r.reach = r.alloc_slow + r.free_slow + c[ACOVERFLOW];
	return r;
}

/* Returns how many more transactions the second run of a pair has. */
static u64 transactions_of(const struct experiment *e, u32 pair)
{
	u64 threads = 64 + 64 * (pair / NR_COMPARED), each = TRANSACTIONS / threads;

	return (each * 2 * e->scale / 100 - each * e->scale / 100) * threads;
}

/* Returns the difference between the second run of a pair and the first. */
static struct run more_of(const struct experiment *e, u32 pair)
{
	struct run first = run_of(e, pair * 2), more = run_of(e, pair * 2 + 1);

#define MORE(field) more.field -= MIN(first.field, more.field)
	MORE(cycles);
	MORE(work);
	MORE(locks);
	MORE(alloc_fast);
	MORE(alloc_slow);
	MORE(free_fast);
	MORE(free_slow);
	MORE(reach);
#undef MORE
	return more;
}

static void fill_pair(struct experiment *e, u32 pair)
{
	struct run r = more_of(e, pair);
	u64 all = r.cycles + r.work, fast = r.alloc_fast + r.free_fast,
	    nr = MAX(transactions_of(e, pair), (u64)1);

	figure_ours(e, FIG_RR_64_UNIFIED + pair, (s64)(nr * CPUS * 1000000000 / MAX(all, (u64)1)),
		    0);
	figure_ours(e, FIG_RR_CYCLES_64_UNIFIED + pair, (s64)(r.cycles * 10 / nr), 1);
	figure_ours(e, FIG_RR_FAST_64_UNIFIED + pair,
		    (s64)share_of(fast, fast + r.alloc_slow + r.free_slow), 2);
	figure_ours(e, FIG_RR_LOCKS_64_UNIFIED + pair, (s64)(r.locks * 1000 / nr), 0);
	figure_ours(e, FIG_RR_REACH_64_UNIFIED + pair, (s64)(r.reach * 1000 / nr), 0);
}

/* "A transaction takes 19516 cycles: 73.8 in unified, 76.6 in slub and 75.9 in slab, 0.39 % at most." */
static void say_cycles(struct experiment *e, u32 row)
{
	struct text *why = &e->texts;
	u64 nr = MAX(transactions_of(e, row * NR_COMPARED), (u64)1), all = 0, most = 0;

	for (u32 i = 0; i < NR_COMPARED; i++) {
		struct run r = more_of(e, row * NR_COMPARED + i);
		all = MAX(all, r.cycles + r.work);
		most = MAX(most, r.cycles);
	}
	text_print(why, "A transaction takes %ju cycles: ", (uintmax_t)(all / nr));
	for (u32 i = 0; i < NR_COMPARED; i++)
		text_print(why, "%s%.1jd in %s",
			   !i			 ? ""
			   : i + 1 < NR_COMPARED ? ", "
						 : " and ",
			   (intmax_t)(more_of(e, row * NR_COMPARED + i).cycles * 10 / nr),
			   allocators[i]);
	text_print(
		why,
		", %.2jd %% at most: an allocator that took no time would win no more than that. So we compare the cycles in the allocator, by which it is ",
		(intmax_t)share_of(most, all));
}

/* Orders throughputs by the cycles inside the allocator, because the cycles outside it are the same for all. */
static void judge_row(struct experiment *e, u32 row)
{
	struct timed speed[NR_COMPARED];
	u32 first = FIG_RR_64_UNIFIED + row * NR_COMPARED;

	for (u32 i = 0; i < NR_COMPARED; i++) {
		u64 cycles = more_of(e, row * NR_COMPARED + i).cycles;
		speed[i] = (struct timed){
			.figure = first + i,
			.ours = (s64)(1000000000000 / MAX(cycles, (u64)1)),
			.seed_ppm = unknown_error_ppm(1),
			.ours_ppm = unknown_error_ppm(1),
		};
	}
	for (u32 i = 0; i < NR_COMPARED; i++) {
		say_cycles(e, row);
		judge_time(e, speed, NR_COMPARED, i);
	}
}

static void judge_share(struct experiment *e, u32 figure, u64 fast, u64 slow, int is_slub)
{
	figure_ours(e, figure, (s64)share_of(fast, fast + slow), 2);
	text_add(
		&e->texts,
		is_slub ? "SLUB leaves its fast path when a task has moved to another CPU in between; the guests' counters do not "
			  "show how often. "
			: "");
	figure_judge(e, figure, RULE_ONCE_8, rule_share(e, figure, RULE_ONCE_8));
}

static void judge(struct experiment *e)
{
	for (u32 pair = 0; pair < PAIRS; pair++)
		fill_pair(e, pair);
	for (u32 row = 0; row < NR_THREADS; row++)
		judge_row(e, row);
	judge_open(e, FIG_RR_CYCLES_64_UNIFIED, PAIRS * 4,
		   "A cause of the throughputs above; the proposal gives no figure for it.");
	for (u32 i = 0; i < NR_GUEST_THREADS * 2; i++) {
		u32 figure = FIG_RR_REAL_64_SLUB_ALLOC + i * 2;
		struct run r = run_of(e, PAIRS * 2 + i);
		judge_share(e, figure, r.alloc_fast, r.alloc_slow, i % 2 == 0);
		judge_share(e, figure + 1, r.free_fast, r.free_slow, i % 2 == 0);
	}
}

const struct experiment_shape experiment_unified = { NR_RUNS, plan, count_lock_takes, judge };
