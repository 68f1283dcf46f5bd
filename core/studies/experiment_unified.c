/*
 * experiment_unified.c - the 2010 proposal: tcp_rr by number of threads under the unified allocator, SLUB and SLAB.
 *
 * The proposal's throughput is that of a machine at work, so setup and teardown must not count. Runs come in pairs,
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

/* The numbers stored for each run. */
struct run {
	u64 cycles, work, locks;
	u64 alloc_fast, alloc_slow, free_fast, free_slow, reach;
};

struct unified {
	struct run run[NR_RUNS];
};

static const char *const allocators[NR_COMPARED] = { "unified", "slub", "slab" };

static void add_setting(struct experiment_run *to, const char *key, u64 value)
{
	text_add(&to->settings, key);
	text_add_u64(&to->settings, value);
}

static void plan_guest(u32 nr, struct experiment_run *to)
{
	u32 threads = 64u << nr / 2;

	add_setting(to, " cpus=8 nodes=4 memory=8G threads=", threads);
	add_setting(to, " transactions=", GUEST_TRANSACTIONS / threads);
	text_add(&to->settings, nr % 2 ? " allocator=slab" : " allocator=slub");
}

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	(void)e;
	to->workload = "tcp-rr";
	add_setting(to, "kernel=6.1 work=", COST_WORK_SEGMENT);
	if (run >= PAIRS * 2) {
		plan_guest(run - PAIRS * 2, to);
		return;
	}
	u32 pair = run / 2, threads = 64 + 64 * (pair / NR_COMPARED);
	add_setting(to, " preset=linux-2.6.36 threads=", threads);
	add_setting(to, " transactions=", TRANSACTIONS / threads * (1 + run % 2));
	text_add(&to->settings, " allocator=");
	text_add(&to->settings, allocators[pair % NR_COMPARED]);
}

static u64 lock_takes(struct kmem_session *s)
{
	u64 takes = 0;
	u32 nr;
	const struct kmem_lock_row *rows = kmem_lock_rows(s, &nr);

	for (u32 i = 0; i < nr; i++)
		takes += rows[i].takes;
	return takes;
}

static void measure(struct experiment *e, u32 run, struct kmem_session *s)
{
	const struct kmem_totals *t = kmem_totals(s);
	const u32 *c = t->counters;
	struct run *r = &((struct unified *)e->state)->run[run];

	r->cycles = t->cycles;
	r->work = t->work_cycles;
	r->alloc_fast = (u64)c[ALLOC_FASTPATH] + c[ALLOCHIT];
	r->alloc_slow = (u64)c[ALLOC_SLOWPATH] + c[ALLOCMISS];
	r->free_fast = (u64)c[FREE_FASTPATH] + c[FREEHIT] + c[NODEFREES] + c[FREE_ALIEN];
	r->free_slow = (u64)c[FREE_SLOWPATH] + c[FREEMISS] + c[FREE_ALIEN_SLOW] + c[FREE_DIRECT];
	r->reach = r->alloc_slow + r->free_slow + c[ACOVERFLOW];
	r->locks = lock_takes(s);
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
	const struct run *a = ((const struct unified *)e->state)->run + pair * 2, *b = a + 1;
	struct run more;

#define MORE(field) more.field = b->field - MIN(a->field, b->field)
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
static void say_cycles(struct experiment *e, struct text *why, u32 row)
{
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
		", %.2jd %% at most: an allocator that took no time would win no more than that. So "
		"of ours the cycles in the allocator are compared: by them it is ",
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
		say_cycles(e, figure_why(e), row);
		enum kmem_agreement agrees = rule_times(e, speed, NR_COMPARED, i);
		figure_judge(e, first + i, RULE_ORDER, agrees);
	}
}

static void judge_share(struct experiment *e, u32 figure, u64 fast, u64 slow, int is_slub)
{
	figure_ours(e, figure, (s64)share_of(fast, fast + slow), 2);
	text_add(
		figure_why(e),
		is_slub ? "SLUB leaves its fast path when a task has moved to another CPU since; the guests' counters do not "
			  "show how often. "
			: "");
	figure_judge(e, figure, RULE_ONCE_8, rule_share(e, figure, RULE_ONCE_8));
}

static void judge_guests(struct experiment *e)
{
	const struct run *r = ((const struct unified *)e->state)->run + PAIRS * 2;

	for (u32 i = 0; i < NR_GUEST_THREADS * 2; i++, r++) {
		u32 figure = FIG_RR_REAL_64_SLUB_ALLOC + i * 2;
		judge_share(e, figure, r->alloc_fast, r->alloc_slow, i % 2 == 0);
		judge_share(e, figure + 1, r->free_fast, r->free_slow, i % 2 == 0);
	}
}

static void judge(struct experiment *e)
{
	for (u32 pair = 0; pair < PAIRS; pair++)
		fill_pair(e, pair);
	for (u32 row = 0; row < NR_THREADS; row++)
		judge_row(e, row);
	judge_open(e, FIG_RR_CYCLES_64_UNIFIED, PAIRS * 4,
		   "A cause of the throughputs above; the proposal has no figure of it.");
	judge_guests(e);
}

const struct experiment_shape experiment_unified = { NR_RUNS, sizeof(struct unified), plan, measure,
						     judge };
