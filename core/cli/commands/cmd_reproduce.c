/*
 * cmd_reproduce.c - `slabscope reproduce`: runs the experiments of the proposals, each in a session of its own,
 * several at a time.
 *
 * The output does not depend on how many run at a time, because sessions share nothing.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/jobs.h"
#include "cli/commands/reproduce.h"

enum { SLICE_OPS = 1 << 16, MAX_JOBS = 64, POLL_MICROSECONDS = 50000, MAX_SCALE = 1000000 };

static const struct {
	const char *number, *name;
} seeds[] = {
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) { number, name },
#include "tables/proposals/proposals.def"
#undef PROPOSAL
};

/* The experiment of one proposal in progress. */
struct study {
	const char *seed;
	u32 scale; /* hundredths */
	struct host host;
	struct kmem_figure_row *rows; /* once it is complete */
	_Atomic u32 left;	      /* remaining, in thousandths */
};

struct studies {
	struct study study[MAX_OPERANDS + ARRAY_SIZE(seeds)];
	u32 nr;
	const struct args *args;
	_Atomic u32 next, done;
};

/* Copies the rows for printing; a partial run is not checked against any figure. */
static void keep_rows(struct study *study)
{
	struct host *h = &study->host;
	const struct kmem_experiment *e = kmem_experiment(h->session);
	study->rows = memory_for(e->nr_rows, sizeof(*study->rows));
	memcpy(study->rows, host_rows(h, e->rows_at), e->nr_rows * sizeof(*study->rows));
	for (u32 i = 0; study->scale != FULL_SCALE && i < e->nr_rows; i++) {
		study->rows[i].agrees = AGREEMENT_OPEN;
		study->rows[i].rule_at = 0;
		study->rows[i].why_at = 0;
	}
}

static void run_study(struct study *study, const struct args *args)
{
	struct host *h = &study->host;

	host_open(h, args);
	/* All studies share one progress line. */
	h->is_terminal = 0;
	const struct kmem_experiment_args which = { study->seed, study->scale };
	s64 left = kmem_begin(h->session, JOB_EXPERIMENT, &which);
	if (!left)
		left = 1000;
	while (left > 0) {
		atomic_store(&study->left, (u32)left);
		left = kmem_work(h->session, JOB_EXPERIMENT, SLICE_OPS);
	}
	host_must(h, left);
	keep_rows(study);
}

static void *work(void *arg)
{
	struct studies *all = arg;
	u32 i;

	while ((i = atomic_fetch_add(&all->next, 1)) < all->nr) {
		run_study(&all->study[i], all->args);
		atomic_store(&all->study[i].left, 0);
		atomic_fetch_add(&all->done, 1);
	}
	return NULL;
}

static void watch(struct studies *all)
{
	struct host h = { .is_terminal = isatty(STDERR_FILENO),
			  .quiet = given(all->args, "quiet") };

	while (atomic_load(&all->done) < all->nr) {
		u64 left = 0;
		for (u32 i = 0; i < all->nr; i++)
			left += atomic_load(&all->study[i].left);
		progress(&h, "measuring", (u64)all->nr * 1000 - left, (u64)all->nr * 1000);
		usleep(POLL_MICROSECONDS);
	}
	progress_end(&h);
}

static void run_all(struct studies *all)
{
	pthread_t threads[MAX_JOBS];
	u32 jobs = MIN(MIN(jobs_wanted(all->args), (u32)MAX_JOBS), all->nr), started = 0;

	while (started < jobs && pthread_create(&threads[started], NULL, work, all) == 0)
		started++;
	if (!started)
		work(all);
	watch(all);
	for (u32 i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

static const char *seed_named(const char *word)
{
	const char *words[ARRAY_SIZE(seeds)];

	for (u32 i = 0; i < ARRAY_SIZE(seeds); i++) {
		if (strcmp(word, seeds[i].number) == 0 || strcmp(word, seeds[i].name) == 0)
			return seeds[i].number;
		words[i] = seeds[i].name;
	}
	const char *nearest = nearest_word(word, words, ARRAY_SIZE(seeds));
	refuse_call("unknown proposal `%.40s`; %s%s", word,
		    nearest ? "the nearest is " : "`slabscope reproduce --help` lists them",
		    nearest ? nearest : "");
}

/* Converts "0.1" to 10; returns 0 for anything but such a number. */
static u32 hundredths(const char *word)
{
	u32 n = 0, decimals = 0, point = 0;

	for (; *word && n < 1000000; word++) {
		if (*word == '.' && !point) {
			point = 1;
			continue;
		}
		if (*word < '0' || *word > '9' || decimals == 2)
			return 0;
		n = n * 10 + (u32)(*word - '0');
		decimals += point;
	}
	for (; decimals < 2; decimals++)
		n *= 10;
	return *word ? 0 : n;
}

static void choose(struct studies *all, const struct args *args)
{
	u32 scale = given(args, "scale") ? hundredths(option_text(args, "scale")) : FULL_SCALE;

	all->args = args;
	if (!scale || scale > MAX_SCALE)
		refuse_call(
			"--scale: expected a number from 0.01 to 10000, with two decimals at most, found `%.40s`",
			option_text(args, "scale"));
	for (u32 i = 0; i < args->nr_operands; i++)
		all->study[all->nr++].seed = seed_named(args->operands[i]);
	for (u32 i = 0; !args->nr_operands && i < ARRAY_SIZE(seeds); i++)
		all->study[all->nr++].seed = seeds[i].number;
	for (u32 i = 0; i < all->nr; i++)
		all->study[i].scale = scale;
}

static int run(struct args *args)
{
	static struct studies all;

	choose(&all, args);
	run_all(&all);
	struct doc d = host_doc(NULL, asked_form(args));
	reproduced_begin(&d);
	for (u32 i = 0; i < all.nr; i++)
		reproduced(&d, &all.study[i].host, all.study[i].rows, all.study[i].scale,
			   !given(args, "quiet"));
	reproduced_end(&d);
	return EXIT_DONE;
}

static const struct option options[] = {
	OPTION_JOBS,
	OPTION_PART,
	OPTION_COLD,
	OPTIONS_END,
};

const struct command command_reproduce = {
	GROUP_MEASURE,
	"reproduce",
	"[PROPOSAL...]",
	"reproduce the tables of five proposals, and explain each figure",
	"Runs the experiments of the five proposals: the workload of each with its change off\n"
	"and on, all CPUs in virtual time. Prints every figure of its tables with the count of\n"
	"a real Linux 6.1 and the model's, whether they agree, and why or why not; -q leaves\n"
	"out the reasons. PROPOSAL is a number or a name; without one, all of them run.\n"
	"--scale 0.1 runs a tenth of each workload for a quick look, without a verdict.\n\n"
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) \
	"  " number "  " name " (" #year "): " title "\n"
#include "tables/proposals/proposals.def"
#undef PROPOSAL
	"\n"
	"Counts are exact. Times are model cycles: good for comparing, not for predicting.\n"
	"Settings (--set work=0, --cpus 4) apply to every run.\n\n"
	"The same rules decide for every proposal whether a figure agrees; they use only the\n"
	"proposals and the real kernel. A figure is checked against the real kernel's if there\n"
	"is one, otherwise against the proposal's. If it was counted in several rounds, it\n"
	"agrees between the least and the most of them. If it was counted in one run, it agrees\n"
	"within the factor by which 19 in 20 counters of a real 6.1 differed between boots of\n"
	"the same workload: 1.18 on one CPU, 2.34 on two, 1.75 on eight. Shares of nearly all\n"
	"are compared by their odds. Times agree if they come in the same order, as far as they\n"
	"differ by more than two standard errors; a proposal that states no deviation gets that\n"
	"of 000, 0.74 % of a run. Figures for another amount of work or another machine are not\n"
	"judged.",
	"  slabscope reproduce\n"
	"  slabscope reproduce 000 --json > 000.json",
	TAKES_JSON | TAKES_MACHINE | TAKES_ROWS,
	options,
	.run = run,
};
